//! The fields of a user.

use super::{CLUSTER, Case, SERVER, kubeconfig};

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, user) in PLAIN {
        cases.push(Case::of_user(name, user));
    }
    tokens(&mut cases);
    certificates(&mut cases);
    cases.push(Case::of("user: over http", kubeconfig("http://127.0.0.1:{PORT}", "", "{token: good}")));
    cases.push(Case::of(
        "user: over http, impersonating",
        kubeconfig("http://127.0.0.1:{PORT}", "", "{token: good, as: eve, as-groups: [a]}"),
    ));
    cases.push(Case::of(
        "user: over http, broken plugin",
        kubeconfig("http://127.0.0.1:{PORT}", "", "{exec: {command: x}}"),
    ));
    let extension = "extensions: [{name: x, extension: {a: 1}}], token: good, colour: red";
    cases.push(Case::of_user("unknown fields", &format!("{{{extension}}}")));
    cases.push(Case::of(
        "user: has a name with a slash",
        kubeconfig(SERVER, CLUSTER, "{token: good}").replace("me", "a/b@c"),
    ));
    cases
}

const PLAIN: [(&str, &str); 37] = [
    ("token", "{token: good}"),
    ("token in quotes", "{token: \"12345\"}"),
    ("token that is a number", "{token: 12345}"),
    ("token that is a flag", "{token: true}"),
    ("token with a line break", "{token: \"good\\n\"}"),
    ("token with blanks", "{token: \" good \"}"),
    ("token in other letters", "{token: gööd}"),
    ("token null, tokenFile absent", "{token: null, username: a, password: b}"),
    ("password", "{username: a, password: b}"),
    ("password with a colon", "{username: a, password: \"b:c ä\"}"),
    ("username alone", "{username: a}"),
    ("password empty", "{username: a, password: \"\"}"),
    ("username empty beside a token", "{username: \"\", password: \"\", token: good}"),
    ("password alone beside a token", "{password: b, token: good}"),
    ("token and password", "{token: good, username: a, password: b}"),
    ("as", "{token: good, as: eve}"),
    ("as with groups", "{token: good, as: eve, as-groups: [a, b]}"),
    ("as with uid", "{token: good, as: eve, as-uid: \"7\"}"),
    ("as with extra", "{token: good, as: eve, as-user-extra: {scopes: [a, b], \"x.io/y\": [c]}}"),
    ("as empty", "{token: good, as: \"\"}"),
    ("as empty with empty groups", "{token: good, as: \"\", as-groups: [], as-uid: \"\", as-user-extra: {}}"),
    ("groups without as", "{token: good, as-groups: [a]}"),
    ("uid without as", "{token: good, as-uid: \"7\"}"),
    ("extra without as", "{token: good, as-user-extra: {a: [b]}}"),
    ("oidc without an issuer", "{auth-provider: {name: oidc, config: {id-token: good}}, token: better}"),
    (
        "oidc with a token",
        "{auth-provider: {name: oidc, config: {idp-issuer-url: \"https://127.0.0.1:1\", client-id: x, id-token: aaa.eyJleHAiOjQwMDAwMDAwMDB9.x}}, token: better}",
    ),
    (
        "oidc",
        "{auth-provider: {name: oidc, config: {idp-issuer-url: \"https://127.0.0.1:1\", client-id: x, id-token: aaa.eyJleHAiOjQwMDAwMDAwMDB9.x}}}",
    ),
    (
        "oidc that is over",
        "{auth-provider: {name: oidc, config: {idp-issuer-url: \"https://127.0.0.1:1\", client-id: x, id-token: aaa.eyJleHAiOjEwMDB9.x}}}",
    ),
    (
        "oidc without a token",
        "{auth-provider: {name: oidc, config: {idp-issuer-url: \"https://127.0.0.1:1\", client-id: x}}}",
    ),
    (
        "oidc that is no JWT",
        "{auth-provider: {name: oidc, config: {idp-issuer-url: \"https://127.0.0.1:1\", client-id: x, id-token: good}}}",
    ),
    ("nothing", "{}"),
    ("a provider that is gone", "{auth-provider: {name: gcp, config: {access-token: good}}}"),
    ("a provider that is gone, beside a token", "{auth-provider: {name: azure}, token: good}"),
    ("a provider that nobody knows", "{auth-provider: {name: x}, token: good}"),
    (
        "a provider and a plugin",
        "{auth-provider: {name: oidc}, exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Never}}",
    ),
    ("a list where a text is due", "{token: [good]}"),
    ("a text where a list is due", "{token: good, as: eve, as-groups: a}"),
];

/// `token` and `tokenFile` in each of their states.
fn tokens(cases: &mut Vec<Case>) {
    let files: [(&str, Option<&[u8]>); 8] = [
        ("plain", Some(b"filed")),
        ("LF", Some(b"filed\n")),
        ("CRLF", Some(b"filed\r\n")),
        ("blanks", Some(b" \tfiled \n\n")),
        ("two lines", Some(b"filed\nsecond\n")),
        ("empty", Some(b"")),
        ("of blanks", Some(b" \n")),
        ("missing", None),
    ];
    for (state, bytes) in files {
        for (inline, token) in
            [("no token", ""), ("a token", "token: inline, "), ("an empty token", "token: \"\", ")]
        {
            let case = Case::of_user(
                &format!("tokenFile {state}, {inline}"),
                &format!("{{{token}tokenFile: \"{{DIR}}/t\"}}"),
            );
            cases.push(match bytes {
                Some(bytes) => case.file("t", bytes),
                None => case,
            });
        }
    }
    cases.push(Case::of_user("tokenFile relative", "{tokenFile: keys/t}").file("keys/t", "filed\n"));
    cases.push(
        Case::of_user("tokenFile relative upwards", "{tokenFile: ./keys/../t}")
            .file("t", "filed")
            .file("keys/x", ""),
    );
    cases.push(Case::of_user("tokenFile empty", "{token: good, tokenFile: \"\"}"));
    cases.push(
        Case::of_user("tokenFile and password", "{username: a, password: b, tokenFile: t}")
            .file("t", "filed"),
    );
    cases.push(Case::of_user("tokenFile is a folder", "{tokenFile: t}").file("t/x", ""));
}

fn certificates(cases: &mut Vec<Case>) {
    let whole = "client-certificate-data: {CERT}, client-key-data: {KEY}";
    for (name, user) in [
        ("data", whole.to_owned()),
        ("data beside a token", format!("{whole}, token: good")),
        ("data beside a password", format!("{whole}, username: a, password: b")),
        ("data beside empty paths", format!("{whole}, client-certificate: \"\", client-key: \"\"")),
        ("files", "client-certificate: c.pem, client-key: k.pem".to_owned()),
        ("files beside empty data", "client-certificate: c.pem, client-key: k.pem, client-certificate-data: \"\", client-key-data: \"\"".to_owned()),
        ("data and the key's file", "client-certificate-data: {CERT}, client-key: \"{DIR}/k.pem\"".to_owned()),
        ("file and the key's data", "client-certificate: c.pem, client-key-data: {KEY}".to_owned()),
        ("both empty beside a token", "client-certificate-data: \"\", client-key-data: \"\", token: good".to_owned()),
        ("empty paths beside a token", "client-certificate: \"\", client-key: \"\", token: good".to_owned()),
        ("without a key", "client-certificate-data: {CERT}, token: good".to_owned()),
        ("with an empty key", "client-certificate-data: {CERT}, client-key-data: \"\", token: good".to_owned()),
        ("a key alone", "client-key-data: {KEY}, token: good".to_owned()),
        ("a key's missing file alone", "client-key: nowhere, token: good".to_owned()),
        ("file and data", "client-certificate-data: {CERT}, client-certificate: c.pem, client-key-data: {KEY}".to_owned()),
        ("key as file and data", "client-certificate-data: {CERT}, client-key: k.pem, client-key-data: {KEY}".to_owned()),
        ("missing file", "client-certificate: nowhere, client-key: k.pem".to_owned()),
        ("missing key file", "client-certificate: c.pem, client-key: nowhere".to_owned()),
        ("of another key", "client-certificate-data: {CERT}, client-key-data: {OTHERKEY}".to_owned()),
        ("no base64", "client-certificate-data: \"-\", client-key-data: {KEY}".to_owned()),
        ("no PEM", "client-certificate-data: eA==, client-key-data: {KEY}".to_owned()),
        ("key no PEM", "client-certificate-data: {CERT}, client-key-data: eA==".to_owned()),
    ] {
        let case = Case::of_user(&format!("certificate {name}"), &format!("{{{user}}}"));
        cases.push(case.file("c.pem", "{CERTPEM}").file("k.pem", "{KEYPEM}"));
    }
    cases.push(
        Case::of_user(
            "certificate and key in one file",
            "{client-certificate: both.pem, client-key: both.pem}",
        )
        .file("both.pem", "{KEYPEM}{CERTPEM}"),
    );
    cases.push(
        Case::of_user("certificate after a text", "{client-certificate: c.pem, client-key: k.pem}")
            .file("c.pem", "Bag Attributes\n  x: y\n{CERTPEM}")
            .file("k.pem", "{KEYPEM}\n\n"),
    );
}
