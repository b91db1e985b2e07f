//! Proxies of the environment and of a cluster. Nothing on this machine is reached by a name but `localhost`, so a name has a
//! label that is too long: neither program asks a name server for it, and without a proxy it isn't found.

use super::{Case, USER, kubeconfig};

/// 64 letters.
const NAME: &str = "vmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";
const CLUSTER: &str = "certificate-authority-data: {CA}, tls-server-name: api.test";

fn case(name: String, server: &str, variables: &[(&str, &str)]) -> Case {
    Case::of(format!("proxy: {name}"), kubeconfig(server, CLUSTER, USER)).with(variables)
}

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let name = format!("https://{NAME}:25220");
    for address in ADDRESSES {
        cases.push(case(format!("HTTPS_PROXY={address}"), &name, &[("HTTPS_PROXY", address)]));
    }
    for server in [
        "https://0.0.0.0:{PORT}",
        "https://127.0.0.1:{PORT}",
        "https://localhost:{PORT}",
        "https://127.9.9.9:{PORT}",
        "https://LOCALHOST:{PORT}",
        "http://0.0.0.0:{PORT}",
        "http://127.0.0.1:{PORT}",
    ] {
        for variable in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
            cases.push(case(format!("{variable} for {server}"), server, &[(variable, "http://{PROXY}")]));
        }
    }
    for no_proxy in NO_PROXY {
        let no_proxy = no_proxy.replace("NAME", NAME);
        let variables = [("HTTPS_PROXY", "http://{PROXY}"), ("NO_PROXY", no_proxy.as_str())];
        cases.push(case(format!("NO_PROXY={no_proxy} for a name"), &name, &variables));
    }
    for no_proxy in NO_PROXY_ADDRESS {
        let variables = [("HTTPS_PROXY", "http://{PROXY}"), ("NO_PROXY", no_proxy)];
        cases.push(case(format!("NO_PROXY={no_proxy} for an address"), "https://0.0.0.0:{PORT}", &variables));
    }
    pairs(&mut cases, &name);
    of_cluster(&mut cases, &name);
    cases
}

const ADDRESSES: [&str; 24] = [
    "",
    "http://{PROXY}",
    "http://{PROXY}/",
    "http://{PROXY}/path",
    "HTTP://{PROXY}",
    "{PROXY}",
    "//{PROXY}",
    "http://user:pass@{PROXY}",
    "http://user@{PROXY}",
    "http://user:@{PROXY}",
    "http://user:p%40s%3As@{PROXY}",
    "http://user:p%zz@{PROXY}",
    "http://us er:x@{PROXY}",
    "user:pass@{PROXY}",
    "https://{TLSPROXY}",
    "https://user:pass@{TLSPROXY}",
    "socks5://{SOCKS}",
    "socks5h://{SOCKS}",
    "socks5://user:pass@{SOCKS}",
    "socks5h://user:p%40ss@{SOCKS}",
    "ftp://{PROXY}",
    " http://{PROXY}",
    "http://127.0.0.1:1",
    ":",
];

const NO_PROXY: [&str; 29] = [
    "NAME",
    " NAME ",
    "NAME:25220",
    "NAME:1",
    "NAME:",
    "NAME.",
    ".NAME",
    "*.NAME",
    "*NAME",
    "VNAME",
    "NAME,localhost",
    "localhost,127.0.0.1,",
    "a,,NAME",
    ",",
    "*",
    "a,*",
    "a, *",
    "**",
    "/8,NAME",
    "10.0.0.0/99,NAME",
    "[,NAME",
    ":25220",
    ":25220,NAME",
    "https://NAME",
    "0.0.0.0/0",
    "a NAME",
    "a;NAME",
    "NAME/x",
    "mm",
];

const NO_PROXY_ADDRESS: [&str; 16] = [
    "0.0.0.0",
    "0.0.0.0:{PORT}",
    "0.0.0.0:1",
    "0.0.0.0/8",
    "0.0.0.0/0",
    "0.0.0.1/8",
    "0.0.0.0/33",
    "::/0",
    "0.0.0",
    ".0.0.0.0",
    "0.0.0.0.",
    "*.0.0.0",
    " 0.0.0.0 ",
    "00.0.0.0",
    "[0.0.0.0]:{PORT}",
    "::ffff:0.0.0.0",
];

fn pairs(cases: &mut Vec<Case>, name: &str) {
    let lower = ("https_proxy", "http://lower:x@{PROXY}");
    let upper = ("HTTPS_PROXY", "http://upper:x@{PROXY}");
    for (what, variables) in [
        ("both letters", &[upper, lower][..]),
        ("upper empty", &[("HTTPS_PROXY", ""), lower]),
        ("lower empty", &[upper, ("https_proxy", "")]),
        ("upper unreadable", &[("HTTPS_PROXY", "http://a:%zz@b"), lower]),
        ("of http beside", &[upper, ("HTTP_PROXY", "http://plain:x@{PROXY}")]),
        ("of http alone", &[("HTTP_PROXY", "http://plain:x@{PROXY}")]),
        ("NO_PROXY empty, no_proxy fits", &[upper, ("NO_PROXY", ""), ("no_proxy", "*")]),
        ("NO_PROXY doesn't fit, no_proxy does", &[upper, ("NO_PROXY", "a"), ("no_proxy", "*")]),
        ("no_proxy alone", &[upper, ("no_proxy", "*")]),
        ("CGI", &[upper, ("REQUEST_METHOD", "GET")]),
    ] {
        cases.push(case(format!("pair, {what}"), name, variables));
    }
    let http = "http://0.0.0.0:{PORT}";
    cases.push(case(
        "CGI for http".to_owned(),
        http,
        &[("HTTP_PROXY", "http://{PROXY}"), ("REQUEST_METHOD", "GET")],
    ));
    cases.push(case(
        "CGI for http, REQUEST_METHOD empty".to_owned(),
        http,
        &[("HTTP_PROXY", "http://{PROXY}"), ("REQUEST_METHOD", "")],
    ));
    cases.push(case("http with a password".to_owned(), http, &[("HTTP_PROXY", "http://u:p@{PROXY}")]));
    cases.push(case("http over SOCKS".to_owned(), http, &[("HTTP_PROXY", "socks5://{SOCKS}")]));
    cases.push(case(
        "http without a port".to_owned(),
        &format!("http://{NAME}"),
        &[("HTTP_PROXY", "http://{PROXY}")],
    ));
    cases.push(case(
        "https without a port".to_owned(),
        &format!("https://{NAME}"),
        &[("HTTPS_PROXY", "http://{PROXY}")],
    ));
}

fn of_cluster(cases: &mut Vec<Case>, name: &str) {
    for (url, server) in [
        ("http://{PROXY}", "https://127.0.0.1:{PORT}"),
        ("http://{PROXY}", name),
        ("http://u:p%40ss@{PROXY}", name),
        ("https://u:p@{TLSPROXY}", name),
        ("socks5://{SOCKS}", name),
        ("socks5://u:p@{SOCKS}", name),
        ("socks5h://{SOCKS}", name),
        ("{PROXY}", name),
        ("localhost", name),
        ("ftp://{PROXY}", name),
        ("HTTP://{PROXY}", name),
        ("http://", name),
        ("http://[", name),
        ("http://127.0.0.1:1", name),
    ] {
        let cluster = format!("{CLUSTER}, proxy-url: \"{url}\"");
        let text = kubeconfig(server, &cluster, USER);
        cases.push(Case::of(format!("proxy: proxy-url {url} for {server}"), text.clone()));
        let over = [("HTTPS_PROXY", "http://env:x@{PROXY}"), ("NO_PROXY", "*")];
        cases.push(
            Case::of(format!("proxy: proxy-url {url} for {server}, and the environment's"), text).with(&over),
        );
    }
}
