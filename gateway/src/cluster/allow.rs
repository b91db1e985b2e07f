//! The only requests that leave this process: reading lists, objects and discovery, and the five
//! reviews; and what containers write, where the operator shows logs. GET alone is no guard, for exec, attach, portforward
//! and proxy work over GET. A request for Secrets asks for their metadata and printed columns alone, whatever the code that
//! makes it believes.

use http::{HeaderMap, Method, Request, Uri, header};
use tower::BoxError;

/// A fault of the gateway, because it makes every request itself; nothing was sent.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{method} {path} {why}")]
pub struct NotAllowed {
    method: String,
    path: String,
    why: &'static str,
}

const NOT_READING: &str = "is not among the requests that only read";
const WITH_OTHER_PARAMETERS: &str = "has a parameter that a log isn't asked for with";
const SECRET_VALUES: &str = "would be answered with the values of Secrets";

const REVIEWS: [&str; 5] = [
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    "/apis/authentication.k8s.io/v1/tokenreviews",
];

/// A path with such a segment looks like that of a resource or an object, and is something else.
const NOT_RESOURCES: [&str; 6] = ["proxy", "watch", "redirect", "status", "finalize", "namespaces"];

/// What is shown besides objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) logs: bool,
}

/// The parameters of a log. `insecureSkipTLSVerifyBackend` isn't among them, by which whoever stands in a kubelet's place
/// would be believed, nor `stream`, which API servers refuse.
const OF_LOGS: [&str; 8] =
    ["container", "follow", "limitBytes", "previous", "sinceSeconds", "sinceTime", "tailLines", "timestamps"];

/// Refuses all but a list, a get, a watch, discovery, the version, and the five reviews; and the values of Secrets.
fn check(shown: Shown, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), NotAllowed> {
    let path = uri.path();
    let refused = |why| Err(NotAllowed { method: method.to_string(), path: path.to_owned(), why });
    let upgrades = headers.contains_key(header::UPGRADE)
        || headers
            .get_all(header::CONNECTION)
            .iter()
            .any(|value| value.to_str().map_or(true, |text| text.to_ascii_lowercase().contains("upgrade")));
    let allowed = match *method {
        Method::GET => !upgrades && (reads(path) || shown.logs && is_log(path)),
        Method::POST => !upgrades && REVIEWS.contains(&path),
        _ => false,
    };
    if !allowed {
        return refused(NOT_READING);
    }
    if is_log(path) && !has_parameters_of_logs(uri.query().unwrap_or_default()) {
        return refused(WITH_OTHER_PARAMETERS);
    }
    if is_of_secrets(path) && !asks_for_metadata(uri.query().unwrap_or_default(), headers) {
        return refused(SECRET_VALUES);
    }
    Ok(())
}

fn is_of_secrets(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').collect();
    matches!(
        segments.as_slice(),
        ["", "api", _, "secrets", ..] | ["", "api", _, "namespaces", _, "secrets", ..]
    )
}

/// The server chooses among the forms, so each one must leave the values out.
fn asks_for_metadata(query: &str, headers: &HeaderMap) -> bool {
    let mut forms = headers
        .get_all(header::ACCEPT)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or_default().split(','))
        .peekable();
    forms.peek().is_some() && forms.all(|form| is_without_values(form, query))
}

fn is_without_values(form: &str, query: &str) -> bool {
    let parameters = || form.split(';').map(str::trim);
    let is_of_meta = parameters().any(|parameter| parameter == "g=meta.k8s.io");
    let forms: Vec<&str> = parameters().filter_map(|parameter| parameter.strip_prefix("as=")).collect();
    is_of_meta
        && match forms.as_slice() {
            ["PartialObjectMetadata" | "PartialObjectMetadataList"] => true,
            ["Table"] => is_table_without_objects(query),
            _ => false,
        }
}

/// The rows of a table hold what `includeObject` says, and the metadata where it says nothing. A name that is written
/// in another way may be the same one to the server.
fn is_table_without_objects(query: &str) -> bool {
    let mut included = 0;
    for pair in query.split('&') {
        match pair.split_once('=').unwrap_or((pair, "")) {
            ("includeObject", "Metadata" | "None") => included += 1,
            ("includeObject", _) => return false,
            (name, _) if name.contains(['%', '+']) => return false,
            _ => {}
        }
    }
    included == 1
}

/// `None`: a segment may mean something else to the server than it says.
fn segments(path: &str) -> Option<Vec<&str>> {
    let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let plain = |segment: &&str| {
        !segment.is_empty()
            && *segment != "."
            && *segment != ".."
            && segment.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'%' | b'\\' | b'?' | b'#'))
    };
    segments.iter().all(plain).then_some(segments)
}

fn is_log(path: &str) -> bool {
    let segments = segments(path).unwrap_or_default();
    matches!(segments.as_slice(), ["api", "v1", "namespaces", _, "pods", _, "log"])
}

/// Each at most once, and under its own name: one that is written in another way may be another one to the server.
fn has_parameters_of_logs(query: &str) -> bool {
    let mut seen = Vec::new();
    query.split('&').filter(|pair| !pair.is_empty()).all(|pair| {
        let name = pair.split_once('=').map_or(pair, |(name, _)| name);
        let is_first = !seen.contains(&name);
        seen.push(name);
        is_first && OF_LOGS.contains(&name)
    })
}

fn reads(path: &str) -> bool {
    let Some(segments) = segments(path) else { return false };
    match segments.as_slice() {
        ["version"] | ["api"] | ["apis"] | ["api" | "apis", _] | ["apis", _, _] => true,
        ["openapi", "v3"] | ["openapi", "v3", "api", _] | ["openapi", "v3", "apis", _, _] => true,
        ["api", _, rest @ ..] | ["apis", _, _, rest @ ..] => reads_objects(rest),
        _ => false,
    }
}

/// `segments` follow the version. Deeper paths than these are subresources.
fn reads_objects(segments: &[&str]) -> bool {
    let resource = |plural: &&str| !NOT_RESOURCES.contains(plural);
    match segments {
        ["namespaces"] | ["namespaces", _] => true,
        ["namespaces", _, plural] | ["namespaces", _, plural, _] => resource(plural),
        [plural] | [plural, _] => resource(plural),
        _ => false,
    }
}

/// The outermost layer of every client: a request that it refuses never reaches a socket.
pub(super) fn allow<B>(shown: Shown, request: Request<B>) -> Result<Request<B>, BoxError> {
    check(shown, request.method(), request.uri(), request.headers())?;
    Ok(request)
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tower::{Service, ServiceBuilder};

    use super::*;
    use crate::cluster::Accept;

    fn allowed(method: &Method, path: &str) -> bool {
        // A path without a slash is no address of HTTP at all.
        path.parse().is_ok_and(|uri| check(Shown::default(), method, &uri, &HeaderMap::new()).is_ok())
    }

    #[test]
    fn r_ro_2_only_what_reads_is_allowed() {
        let read = "/version|/api|/apis|/api/v1|/apis/apps/v1|/api/v1/pods|/api/v1/namespaces|\
            /api/v1/namespaces/kube-system|/api/v1/namespaces/shop/pods|\
            /api/v1/namespaces/shop/pods/cart-0|/apis/apps/v1/namespaces/shop/deployments/web|\
            /apis/rbac.authorization.k8s.io/v1/clusterroles/system:node|\
            /apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.example.com|\
            /openapi/v3|/openapi/v3/api/v1|/openapi/v3/apis/apps/v1";
        for path in read.split('|') {
            assert!(allowed(&Method::GET, path), "{path}");
        }
        for path in REVIEWS {
            assert!(allowed(&Method::POST, path), "{path}");
        }
    }

    #[test]
    fn r_ro_2_what_could_change_or_reach_into_a_pod_is_refused() {
        let refused = "/api/v1/namespaces/shop/pods/cart-0/exec|/api/v1/namespaces/shop/pods/cart-0/attach|\
            /api/v1/namespaces/shop/pods/cart-0/portforward|/api/v1/namespaces/shop/pods/cart-0/proxy|\
            /api/v1/namespaces/shop/pods/cart-0/log|\
            /api/v1/namespaces/shop/pods/cart-0/ephemeralcontainers|\
            /api/v1/namespaces/shop/services/web/proxy/admin|/api/v1/nodes/a/proxy|\
            /api/v1/nodes/a/proxy/exec|/api/v1/proxy/nodes/a|/api/v1/watch/pods|\
            /api/v1/namespaces/shop/finalize|/api/v1/namespaces/shop/pods/../secrets|\
            /api/v1/namespaces/shop/pods/a%2fexec|/api/v1//pods|/api/v1/pods/|/logs|/debug/pprof|\
            /openapi/v2|version|";
        for path in refused.split('|') {
            assert!(!allowed(&Method::GET, path), "{path}");
        }
        for method in
            [Method::PATCH, Method::DELETE, Method::PUT, Method::POST, Method::CONNECT, Method::OPTIONS]
        {
            assert!(!allowed(&method, "/api/v1/namespaces/shop/pods/cart-0"), "{method}");
        }
        assert!(!allowed(&Method::POST, "/api/v1/namespaces/shop/serviceaccounts/default/token"));
    }

    #[test]
    fn r_ro_2_an_upgrade_is_refused_whatever_its_path() {
        for (name, value) in [("upgrade", "websocket"), ("connection", "keep-alive, Upgrade")] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a value"));
            let pods = Uri::from_static("/api/v1/pods");
            assert!(check(Shown::default(), &Method::GET, &pods, &headers).is_err(), "{name}");
        }
    }

    #[test]
    fn r_data_2_of_secrets_nothing_is_asked_for_that_could_hold_a_value() {
        let all = "/api/v1/secrets";
        let check = |target: &str, accepted: &[&str]| {
            let mut headers = HeaderMap::new();
            for accepted in accepted {
                headers.append(header::ACCEPT, accepted.parse().expect("a value"));
            }
            super::check(Shown::default(), &Method::GET, &target.parse().expect("an address"), &headers)
                .is_ok()
        };
        let strict = |accept: Accept| accept.header().split(',').next().expect("a form");
        let (metadata, list, table) =
            (strict(Accept::Metadata), strict(Accept::MetadataList), strict(Accept::Table));
        let names = format!("{all}?limit=1&includeObject=Metadata");
        for (target, accepted) in [
            (all, list),
            ("/api/v1/namespaces/shop/secrets/db", metadata),
            (&*names, table),
            ("/api/v1/namespaces/shop/secrets?watch=1&includeObject=None", table),
        ] {
            assert!(check(target, &[accepted]), "{target} {accepted}");
        }
        for (target, accepted) in [
            (all, &[][..]),
            (all, &["application/json"]),
            (all, &["*/*"]),
            (all, &["application/vnd.kubernetes.protobuf"]),
            (all, &[Accept::MetadataList.header()]),
            (all, &[list, "application/json"]),
            (all, &["application/json;as=PartialObjectMetadataList;v=v1;g=example.com"]),
            (all, &["application/json;as=PartialObjectMetadata;as=Secret;g=meta.k8s.io"]),
            (all, &[table]),
            ("/api/v1/secrets?includeObject=Object", &[table]),
            ("/api/v1/secrets?includeObject=Metadata&includeObject=Object", &[table]),
            ("/api/v1/secrets?include%4fbject=Object&includeObject=Metadata", &[table]),
            (&*names, &[Accept::Table.header()]),
            ("/api/v1/namespaces/shop/secrets/db", &["application/json"]),
        ] {
            assert!(!check(target, accepted), "{target} {accepted:?}");
        }
        for other in
            ["/api/v1/namespaces/secrets", "/apis/example.com/v1/secrets", "/api/v1/configmaps/secrets"]
        {
            assert!(check(other, &["application/json"]), "{other}");
        }
    }

    #[test]
    fn r_ro_2_a_log_is_read_where_the_operator_shows_logs_and_with_its_own_parameters_alone() {
        let log = "/api/v1/namespaces/shop/pods/cart-0/log";
        let reads = |logs: bool, target: &str| {
            let uri = target.parse().expect("an address");
            check(Shown { logs }, &Method::GET, &uri, &HeaderMap::new()).is_ok()
        };
        let all =
            "?container=cart&follow=true&limitBytes=1&previous=true&sinceTime=x&tailLines=1&timestamps=true";
        for query in ["", all, "?sinceSeconds=5"] {
            assert!(reads(true, &format!("{log}{query}")), "{query}");
            assert!(!reads(false, &format!("{log}{query}")), "{query}");
        }
        for query in [
            "?insecureSkipTLSVerifyBackend=true",
            "?stream=All",
            "?follow=true&follow=false",
            "?contain%65r=a",
            "?insecureSkipTLSVerifyBackend=true&container=cart",
            "?",
        ] {
            assert_eq!(reads(true, &format!("{log}{query}")), query == "?", "{query}");
        }
        for other in [
            "/api/v1/namespaces/shop/pods/cart-0/exec",
            "/api/v1/namespaces/shop/pods/cart-0/log/more",
            "/api/v1/namespaces/shop/services/cart/log",
            "/api/v1/namespaces/shop/pods/a%2fb/log",
            "/api/v1/namespaces/shop/pods/../log",
            "/apis/apps/v1/namespaces/shop/pods/cart-0/log",
            "/api/v1/nodes/n/log",
        ] {
            assert!(!reads(true, other), "{other}");
        }
        let mut upgrade = HeaderMap::new();
        upgrade.insert(header::UPGRADE, "websocket".parse().expect("a value"));
        let shown = Shown { logs: true };
        assert!(check(shown, &Method::GET, &log.parse().expect("an address"), &upgrade).is_err());
        assert!(check(shown, &Method::POST, &log.parse().expect("an address"), &HeaderMap::new()).is_err());
    }

    #[tokio::test]
    async fn r_ro_2_the_layer_answers_before_anything_is_sent() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let mut service = ServiceBuilder::new()
            .filter(|request| allow(Shown::default(), request))
            .service_fn(move |_: Request<()>| {
                counted.fetch_add(1, Ordering::SeqCst);
                ready(Ok::<_, BoxError>(()))
            });
        for (method, path) in
            [(Method::DELETE, "/api/v1/pods"), (Method::GET, "/api/v1/namespaces/a/pods/b/exec")]
        {
            let request = Request::builder().method(method).uri(path).body(()).expect("a request");
            let refused = service.call(request).await.expect_err("refused");
            assert!(refused.is::<NotAllowed>());
        }
        assert_eq!(calls.load(Ordering::SeqCst), 0);
        let request = Request::builder().uri("/api/v1/pods").body(()).expect("a request");
        service.call(request).await.expect("allowed");
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    }
}
