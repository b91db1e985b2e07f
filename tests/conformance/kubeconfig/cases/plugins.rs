//! Exec plugins. Each notes down what it was told in `told`.

use super::{CLUSTER, Case, SERVER, kubeconfig};

const V1: &str = "client.authentication.k8s.io/v1";
const BETA: &str = "client.authentication.k8s.io/v1beta1";

pub(super) fn all() -> Vec<Case> {
    let good = printing(V1, "ExecCredential", r#"{"token": "plugged"}"#);
    let mut cases = Vec::new();
    let never = format!("apiVersion: {V1}, interactiveMode: Never, command: ./plugin");
    for (name, exec) in [
        ("v1", never.clone()),
        ("if available", format!("apiVersion: {V1}, interactiveMode: IfAvailable, command: ./plugin")),
        ("always", format!("apiVersion: {V1}, interactiveMode: Always, command: ./plugin")),
        ("no mode", format!("apiVersion: {V1}, command: ./plugin")),
        ("mode empty", format!("apiVersion: {V1}, interactiveMode: \"\", command: ./plugin")),
        ("mode unknown", format!("apiVersion: {V1}, interactiveMode: never, command: ./plugin")),
        ("no version", "interactiveMode: Never, command: ./plugin".to_owned()),
        ("v1alpha1", "apiVersion: client.authentication.k8s.io/v1alpha1, command: ./plugin".to_owned()),
        (
            "version of another group",
            "apiVersion: a/v1, interactiveMode: Never, command: ./plugin".to_owned(),
        ),
        ("no command", format!("apiVersion: {V1}, interactiveMode: Never")),
        ("command in PATH", format!("apiVersion: {V1}, interactiveMode: Never, command: inpath")),
        (
            "command missing",
            format!("apiVersion: {V1}, interactiveMode: Never, command: nowhere, installHint: get it"),
        ),
        (
            "command missing at its path",
            format!("apiVersion: {V1}, interactiveMode: Never, command: ./nowhere"),
        ),
        ("command can't be run", format!("apiVersion: {V1}, interactiveMode: Never, command: ./config")),
        ("command is a folder", format!("apiVersion: {V1}, interactiveMode: Never, command: ./bin")),
        (
            "command below the folder",
            format!("apiVersion: {V1}, interactiveMode: Never, command: bin/inpath"),
        ),
        ("args", format!("{never}, args: [a, \"b c\", \"\"]")),
        ("args null", format!("{never}, args: null, env: null")),
        ("env", format!("{never}, env: [{{name: TOLD, value: x}}, {{name: TOLD, value: y}}]")),
        ("env without a value", format!("{never}, env: [{{name: TOLD}}]")),
        ("env without a name", format!("{never}, env: [{{value: x}}]")),
        ("cluster info", format!("{never}, provideClusterInfo: true")),
        ("no cluster info", format!("{never}, provideClusterInfo: false")),
    ] {
        cases.push(case(name, &format!("{{exec: {{{exec}}}}}"), &good));
    }
    cases.push(case(
        "v1beta1",
        &format!("{{exec: {{apiVersion: {BETA}, command: ./plugin}}}}"),
        &printing(BETA, "ExecCredential", r#"{"token": "plugged"}"#),
    ));
    cases.push(case(
        "v1beta1 that prints v1",
        &format!("{{exec: {{apiVersion: {BETA}, command: ./plugin}}}}"),
        &good,
    ));
    for (name, user) in [
        ("beside a token", "token: good, "),
        ("beside a password", "username: a, password: b, "),
        ("beside a certificate", "client-certificate-data: {CERT}, client-key-data: {KEY}, "),
        ("beside a key alone", "client-key-data: {KEY}, "),
        ("with impersonation", "as: eve, "),
    ] {
        cases.push(case(name, &format!("{{{user}exec: {{{never}}}}}"), &good));
    }
    answers(&mut cases, &format!("{{exec: {{{never}}}}}"));
    for (name, cluster) in [
        ("insecure", "insecure-skip-tls-verify: true"),
        ("name", "certificate-authority-data: {CA}, tls-server-name: api.test"),
        ("authority's file", "certificate-authority: ca.pem"),
        ("proxy", "certificate-authority-data: {CA}, proxy-url: \"http://a:b@{PROXY}\""),
        ("compression", "certificate-authority-data: {CA}, disable-compression: true"),
        (
            "extension",
            "certificate-authority-data: {CA}, extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x, size: 1}}]",
        ),
    ] {
        let text = kubeconfig(SERVER, cluster, &format!("{{exec: {{{never}, provideClusterInfo: true}}}}"));
        let text = text.replace("kind: Config", &format!("kind: Config\nname: {name}"));
        let mut known = Case::of("", text).file("plugin", good.as_str()).file("ca.pem", "{CAPEM}");
        known.name = format!("plugin: cluster info, {name}");
        cases.push(known);
    }
    cases
}

fn case(name: &str, user: &str, plugin: &str) -> Case {
    Case::of(format!("plugin: {name}"), kubeconfig(SERVER, CLUSTER, user))
        .file("plugin", plugin)
        .file("bin/inpath", plugin)
}

/// What it was told is one line of `told`.
fn script(text: &str) -> String {
    format!(
        "#!/bin/sh\necho \"$KUBERNETES_EXEC_INFO\" >> {{DIR}}/told\necho \"[\\\"$*\\\", \\\"$TOLD\\\"]\" >> {{DIR}}/told\n{text}\n"
    )
}

fn printing(version: &str, kind: &str, status: &str) -> String {
    script(&format!("echo '{{\"apiVersion\": \"{version}\", \"kind\": \"{kind}\", \"status\": {status}}}'"))
}

fn answers(cases: &mut Vec<Case>, user: &str) {
    let statuses = [
        ("null", "null"),
        ("empty", "{}"),
        ("an empty token", r#"{"token": ""}"#),
        ("a token that lasts", r#"{"token": "plugged", "expirationTimestamp": "2099-01-02T03:04:05Z"}"#),
        ("a token that is over", r#"{"token": "plugged", "expirationTimestamp": "2001-01-02T03:04:05Z"}"#),
        ("an end that is no time", r#"{"token": "plugged", "expirationTimestamp": "soon"}"#),
        ("an end that is empty", r#"{"token": "plugged", "expirationTimestamp": ""}"#),
        ("an end that is null", r#"{"token": "plugged", "expirationTimestamp": null}"#),
        ("a token that is a number", r#"{"token": 7}"#),
        ("a certificate alone", r#"{"clientCertificateData": "x"}"#),
        ("a certificate that is none", r#"{"clientCertificateData": "x", "clientKeyData": "y"}"#),
        ("an unknown field", r#"{"token": "plugged", "colour": "red"}"#),
    ];
    for (name, status) in statuses {
        cases.push(case(&format!("gives {name}"), user, &printing(V1, "ExecCredential", status)));
    }
    let certificate = r#"{"clientCertificateData": "'"$(sed 's/$/\\n/' {DIR}/c.pem | tr -d '\n')"'", "clientKeyData": "'"$(sed 's/$/\\n/' {DIR}/k.pem | tr -d '\n')"'"TOKEN}"#;
    for (name, token) in [("a certificate", ""), ("a certificate and a token", r#", "token": "plugged""#)] {
        let plugin = printing(V1, "ExecCredential", &certificate.replace("TOKEN", token))
            .replace("echo '{", "printf '%s' '{");
        let plugged = case(&format!("gives {name}"), user, &plugin);
        cases.push(plugged.file("c.pem", "{CERTPEM}").file("k.pem", "{KEYPEM}"));
    }
    for (name, text) in [
        ("nothing", "exit 0".to_owned()),
        ("no JSON", "echo token".to_owned()),
        ("YAML", format!("printf 'apiVersion: {V1}\\nkind: ExecCredential\\nstatus: {{token: plugged}}\\n'")),
        ("half of it", "echo '{\"kind\":'".to_owned()),
        ("an error", "echo 'log in again' >&2; exit 3".to_owned()),
        ("an error without a word", "exit 1".to_owned()),
        (
            "a word on stderr",
            format!(
                "echo hint >&2; echo '{{\"apiVersion\": \"{V1}\", \"kind\": \"ExecCredential\", \"status\": {{\"token\": \"plugged\"}}}}'"
            ),
        ),
        (
            "what it read",
            format!(
                "cat > /dev/null; echo '{{\"apiVersion\": \"{V1}\", \"kind\": \"ExecCredential\", \"status\": {{\"token\": \"plugged\"}}}}'"
            ),
        ),
    ] {
        cases.push(case(&format!("prints {name}"), user, &script(&text)));
    }
    for (name, version, kind) in [
        ("another kind", V1, "Other"),
        ("another version", BETA, "ExecCredential"),
        ("no kind", V1, ""),
        ("no version", "", "ExecCredential"),
    ] {
        cases.push(case(
            &format!("prints {name}"),
            user,
            &printing(version, kind, r#"{"token": "plugged"}"#),
        ));
    }
}
