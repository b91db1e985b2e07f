//! Forms of `server`.

use super::{CLUSTER, Case, USER, kubeconfig};

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for server in SERVERS {
        cases.push(Case::of(format!("server: {server}"), kubeconfig(server, CLUSTER, USER)));
    }
    for server in ["127.0.0.1:{PORT}", "localhost:{PORT}", "https://127.0.0.1:{PORT}"] {
        cases.push(Case::of(
            format!("server: {server}, insecure"),
            kubeconfig(server, "insecure-skip-tls-verify: true", USER),
        ));
    }
    cases
}

const SERVERS: [&str; 43] = [
    "",
    " ",
    "127.0.0.1:{PORT}",
    "127.0.0.1:{PORT}/",
    "127.0.0.1:{PORT}/path",
    "localhost:{PORT}",
    "//127.0.0.1:{PORT}",
    "/127.0.0.1",
    ":{PORT}",
    "[::1",
    "https://",
    "https:///path",
    "https:127.0.0.1:{PORT}",
    "HTTPS://127.0.0.1:{PORT}",
    "hTTps://LOCALHOST:{PORT}",
    "https://localhost:{PORT}",
    "https://127.0.0.1:{PORT}/",
    "https://127.0.0.1:{PORT}//",
    "https://127.0.0.1:{PORT}/k8s/clusters/c-1",
    "https://127.0.0.1:{PORT}/k8s/clusters/c-1/",
    "https://127.0.0.1:{PORT}/a//b/",
    "https://127.0.0.1:{PORT}/a/../b",
    "https://127.0.0.1:{PORT}/a/./b",
    "https://127.0.0.1:{PORT}/a%20b",
    "https://127.0.0.1:{PORT}/a b",
    "https://127.0.0.1:{PORT}/?a=b",
    "https://127.0.0.1:{PORT}/p?a=b#c",
    "https://127.0.0.1:{PORT}?a=b",
    "https://127.0.0.1:{PORT}#c",
    "https://user:pass@127.0.0.1:{PORT}",
    "https://user@127.0.0.1:{PORT}",
    "https://127.0.0.1:x",
    "https://127.0.0.1:99999",
    "https://127.0.0.1:{PORT}:1",
    "https://127.0.0.1 :{PORT}",
    " https://127.0.0.1:{PORT}",
    "https://127.0.0.1:{PORT} ",
    "https://127.0.0.1:{PORT}/%zz",
    "http://127.0.0.1:{PORT}",
    "HTTP://127.0.0.1:{PORT}/p/",
    "ftp://127.0.0.1:{PORT}",
    "unix:///run/x.sock",
    "wss://127.0.0.1:{PORT}",
];
