//! Forms of the file itself.

use super::{CLUSTER, Case, SERVER, USER, kubeconfig};

pub(super) fn all() -> Vec<Case> {
    let whole = kubeconfig(SERVER, CLUSTER, USER);
    let json = r#"{"apiVersion": "v1", "kind": "Config", "current-context": "go", "contexts": [{"name": "go",
        "context": {"cluster": "c", "user": "me"}}], "users": [{"name": "me", "user": {"token": "good"}}], "clusters":
        [{"name": "c", "cluster": {"server": "https://127.0.0.1:{PORT}", "certificate-authority-data": "{CA}"}}]}"#;
    let mut cases: Vec<Case> = [
        ("whole", whole.clone()),
        ("JSON", json.to_owned()),
        ("byte order mark", format!("\u{feff}{whole}")),
        ("CRLF", whole.replace('\n', "\r\n")),
        ("document mark", format!("---\n{whole}...\n")),
        ("second document", format!("{whole}---\ncurrent-context: other\nusers: [{{name: them}}]\n")),
        ("second document is broken", format!("{whole}---\nusers: [\n")),
        ("no kind", whole.replace("kind: Config\n", "")),
        ("no version", whole.replace("apiVersion: v1\n", "")),
        ("neither", whole.replace("kind: Config\n", "").replace("apiVersion: v1\n", "")),
        ("another kind", whole.replace("kind: Config", "kind: Pod")),
        ("another version", whole.replace("apiVersion: v1", "apiVersion: v2")),
        ("a group's version", whole.replace("apiVersion: v1", "apiVersion: a/v1")),
        ("kind null", whole.replace("kind: Config", "kind: null")),
        ("preferences", format!("preferences: {{colors: true}}\nextensions: null\n{whole}")),
        ("unknown field", format!("colour: red\n{whole}")),
        ("key twice", format!("{whole}current-context: go\n")),
        ("key twice, the last is wrong", format!("{whole}current-context: prod\n")),
        ("key twice, the first is wrong", format!("current-context: prod\n{whole}")),
        ("field twice", whole.replace("{token: good}", "{token: first, token: second}")),
        (
            "anchor",
            whole
                .replace("{token: good}", "&me {token: good}")
                .replace("kind: Config", "kind: Config\nx: &y z"),
        ),
        (
            "alias",
            format!("{}- {{name: x, user: *me}}\n", whole.replace("{token: good}", "&me {token: good}")),
        ),
        ("merge key", format!("x: &x {{token: good}}\n{}", whole.replace("{token: good}", "{<<: *x}"))),
        ("other letters of a key", whole.replace("current-context", "Current-Context")),
        ("a text", "just a text".to_owned()),
        ("a list", "- a\n".to_owned()),
        (
            "clusters as a mapping",
            format!("{}clusters: {{c: {{}}}}\n", whole.split("clusters:").next().unwrap_or_default()),
        ),
        ("tab", whole.replace("  context:", "\tcontext:")),
        (
            "a name that is a number",
            whole.replace("name: go", "name: 7").replace("current-context: go", "current-context: \"7\""),
        ),
        ("plain yes", whole.replace("{token: good}", "{token: yes}")),
        ("plain date", whole.replace("{token: good}", "{token: 2026-01-02}")),
        ("plain octal", whole.replace("{token: good}", "{token: 0o17}")),
        ("plain tilde", whole.replace("{token: good}", "{token: good, username: ~}")),
    ]
    .into_iter()
    .map(|(name, text)| Case::of(format!("text: {name}"), text))
    .collect();
    cases.push(Case::of("text: Latin-1", b"current-context: \xE4\n".to_vec()));
    cases
}
