//! The fields of a cluster.

use super::Case;

pub(super) fn all() -> Vec<Case> {
    let mut cases: Vec<Case> = PLAIN
        .iter()
        .map(|(name, cluster)| {
            Case::of_cluster(name, cluster).file("ca.pem", "{CAPEM}").file("empty.pem", "")
        })
        .collect();
    wrapped(&mut cases);
    cases.push(
        Case::of_cluster("authority of the system", "")
            .file("ca.pem", "{CAPEM}")
            .with(&[("SSL_CERT_FILE", "{DIR}/ca.pem")]),
    );
    cases.push(
        Case::of_cluster("authority beside what is none", "certificate-authority: ca.pem")
            .file("ca.pem", "a text\n-----BEGIN X-----\neA==\n-----END X-----\n{CAPEM}"),
    );
    cases
}

const PLAIN: [(&str, &str); 27] = [
    ("authority", "certificate-authority-data: {CA}"),
    ("no authority", ""),
    ("authority empty", "certificate-authority-data: \"\", certificate-authority: \"\""),
    ("authority null", "certificate-authority-data: null"),
    ("authority's file", "certificate-authority: ca.pem"),
    ("authority's file, absolute", "certificate-authority: \"{DIR}/ca.pem\""),
    ("authority's file beside empty data", "certificate-authority: ca.pem, certificate-authority-data: \"\""),
    ("authority's file is missing", "certificate-authority: nowhere"),
    ("authority's file is empty", "certificate-authority: empty.pem"),
    ("authority as file and data", "certificate-authority: ca.pem, certificate-authority-data: {CA}"),
    ("authority is no base64", "certificate-authority-data: \"-\""),
    ("authority is no PEM", "certificate-authority-data: eA=="),
    ("insecure", "insecure-skip-tls-verify: true"),
    (
        "insecure beside an empty authority",
        "insecure-skip-tls-verify: true, certificate-authority-data: \"\"",
    ),
    ("insecure with an authority", "insecure-skip-tls-verify: true, certificate-authority-data: {CA}"),
    ("insecure with an authority's file", "insecure-skip-tls-verify: true, certificate-authority: ca.pem"),
    ("insecure false", "insecure-skip-tls-verify: false, certificate-authority-data: {CA}"),
    ("insecure null", "insecure-skip-tls-verify: null, certificate-authority-data: {CA}"),
    ("insecure as a text", "insecure-skip-tls-verify: \"true\""),
    ("insecure with a name", "insecure-skip-tls-verify: true, tls-server-name: other.test"),
    ("name", "certificate-authority-data: {CA}, tls-server-name: api.test"),
    ("name empty", "certificate-authority-data: {CA}, tls-server-name: \"\""),
    ("name of another", "certificate-authority-data: {CA}, tls-server-name: other.test"),
    ("name that is an address", "certificate-authority-data: {CA}, tls-server-name: 127.0.0.1"),
    ("compression", "certificate-authority-data: {CA}, disable-compression: true"),
    ("proxy empty", "certificate-authority-data: {CA}, proxy-url: \"\""),
    (
        "unknown fields",
        "certificate-authority-data: {CA}, colour: red, extensions: [{name: a, extension: {b: 1}}]",
    ),
];

/// Base64 in several lines, for the three fields that hold it.
fn wrapped(cases: &mut Vec<Case>) {
    for (form, start, join) in [
        ("LF", "|\n      ", "\n      "),
        ("at its end", "|\n      ", ""),
        ("folded", ">\n      ", "\n      "),
    ] {
        for field in ["certificate-authority-data", "client-certificate-data", "client-key-data"] {
            cases.push(in_lines(field, form, start, join, false));
        }
    }
    for field in ["certificate-authority-data", "client-certificate-data", "client-key-data"] {
        cases.push(in_lines(field, "CRLF", "\"", "\\r\\n", true));
        cases.push(in_lines(field, "blanks", "\"", " ", true));
    }
}

/// The words are filled in when the case is written, so the lines are made by `{WORD|JOIN}`.
fn in_lines(field: &str, form: &str, start: &str, join: &str, is_quoted: bool) -> Case {
    let end = if is_quoted { "\"" } else { "" };
    let value = |known: &str, word: &str| match known == field {
        true => format!("{start}{{{word}|{join}}}{end}"),
        false => format!("{{{word}}}"),
    };
    let text = format!(
        "current-context: go
contexts: [{{name: go, context: {{cluster: c, user: me}}}}]
clusters:
- name: c
  cluster:
    certificate-authority-data: {}
    server: https://127.0.0.1:{{PORT}}
users:
- name: me
  user:
    client-certificate-data: {}
    client-key-data: {}
",
        value("certificate-authority-data", "CA"),
        value("client-certificate-data", "CERT"),
        value("client-key-data", "KEY"),
    );
    Case::of(format!("base64: {field}, {form}"), text)
}
