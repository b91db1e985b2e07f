//! Several kubeconfigs, and contexts.

use super::{CLUSTER, Case, SERVER, USER, kubeconfig};

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let whole = || Case::of("", kubeconfig(SERVER, CLUSTER, USER));
    for (name, listed) in [
        ("twice", "{DIR}/config:{DIR}/config"),
        ("after a missing one", "{DIR}/nowhere:{DIR}/config"),
        ("before a missing one", "{DIR}/config:{DIR}/nowhere"),
        ("after an empty one", "{DIR}/empty:{DIR}/config"),
        ("before an empty one", "{DIR}/config:{DIR}/empty"),
        ("after one of blanks", "{DIR}/blank:{DIR}/config"),
        ("after one of comments", "{DIR}/comment:{DIR}/config"),
        ("after one that is broken", "{DIR}/broken:{DIR}/config"),
        ("after a folder", "{DIR}:{DIR}/config"),
        ("with empty entries", "::{DIR}/config:"),
        ("after another context", "{DIR}/other:{DIR}/config"),
        ("before another context", "{DIR}/config:{DIR}/other"),
        ("after another user of the name", "{DIR}/user:{DIR}/config"),
        ("after an empty user of the name", "{DIR}/bare:{DIR}/config"),
        ("after another cluster of the name", "{DIR}/cluster:{DIR}/config"),
        ("after one that has its token in its folder", "{DIR}/below/tokens:{DIR}/config"),
        ("after an empty current context", "{DIR}/nocontext:{DIR}/config"),
    ] {
        cases.push(named(whole(), name, &[("KUBECONFIG", listed)]));
    }
    for (name, variables) in [
        ("of the home folder", &[("KUBECONFIG", "")][..]),
        ("alone and empty", &[("KUBECONFIG", "{DIR}/empty")]),
        ("alone and of blanks", &[("KUBECONFIG", "{DIR}/blank")]),
        ("alone and of comments", &[("KUBECONFIG", "{DIR}/comment")]),
        ("alone and missing", &[("KUBECONFIG", "{DIR}/nowhere")]),
        ("alone and broken", &[("KUBECONFIG", "{DIR}/broken")]),
    ] {
        cases.push(
            named(whole(), name, variables)
                .file(".kube/config", kubeconfig(SERVER, CLUSTER, "{token: home}")),
        );
    }
    cases.extend(contexts());
    cases
}

fn named(mut case: Case, name: &str, variables: &[(&str, &str)]) -> Case {
    case.name = format!("files: {name}");
    case.with(variables)
        .file("empty", "")
        .file("blank", " \n\n")
        .file("comment", "# nothing\n")
        .file("broken", "clusters: [")
        .file("other", "current-context: other\ncontexts: [{name: other, context: {cluster: c, user: them}}]\nusers: [{name: them, user: {token: theirs}}]\n")
        .file("user", "users: [{name: me, user: {username: a, password: b}}]\n")
        .file("bare", "users: [{name: me}]\n")
        .file("cluster", "clusters: [{name: c, cluster: {server: \"https://127.0.0.1:{PORT}/first\", insecure-skip-tls-verify: true}}]\n")
        .file("below/tokens", "users: [{name: me, user: {tokenFile: t}}]\n")
        .file("below/t", "below\n")
        .file("t", "beside\n")
        .file("nocontext", "current-context: \"\"\nkind: Config\napiVersion: v1\nclusters: []\ncontexts: null\n")
}

fn contexts() -> Vec<Case> {
    let whole = kubeconfig(SERVER, CLUSTER, USER);
    [
        ("current context empty", whole.replace("current-context: go", "current-context: \"\"")),
        ("current context absent", whole.replace("current-context: go\n", "")),
        ("current context unknown", whole.replace("current-context: go", "current-context: prod")),
        ("current context null", whole.replace("current-context: go", "current-context: null")),
        ("cluster unknown", whole.replace("cluster: c, ", "cluster: d, ")),
        ("user unknown", whole.replace("user: me}", "user: them}")),
        ("namespace", whole.replace("user: me}", "user: me, namespace: shop}")),
        ("namespace empty", whole.replace("user: me}", "user: me, namespace: \"\"}")),
        ("namespace that is no name", whole.replace("user: me}", "user: me, namespace: A_b}")),
        ("name in another script", whole.replace("go", "区域/生产")),
        (
            "context twice",
            whole.replace("clusters:\n", "- {name: go, context: {cluster: c, user: me}}\nclusters:\n"),
        ),
        ("cluster twice", whole.replace("users:\n", "- {name: c, cluster: {server: x}}\nusers:\n")),
        ("user twice", format!("{whole}- {{name: me, user: {{token: second}}}}\n")),
        ("another user is wrong", format!("{whole}- {{name: x, user: {{exec: {{}}}}}}\n")),
        ("another user has no name", format!("{whole}- user: {{token: x}}\n")),
        ("another cluster is empty", whole.replace("users:\n", "- {name: d}\nusers:\n")),
    ]
    .into_iter()
    .map(|(name, text)| Case::of(format!("context: {name}"), text))
    .collect()
}
