//! The only requests that leave this process: reading lists, objects and discovery, and the five
//! reviews. GET alone is no guard, for exec, attach, portforward and proxy work over GET.

use http::{HeaderMap, Method, Request, header};
use tower::BoxError;

/// A fault of the gateway, because it makes every request itself; nothing was sent.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{method} {path} is not among the requests that only read")]
pub struct NotAllowed {
    method: String,
    path: String,
}

const REVIEWS: [&str; 5] = [
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    "/apis/authentication.k8s.io/v1/tokenreviews",
];

/// A path with such a segment looks like that of a resource or an object, and is something else.
const NOT_RESOURCES: [&str; 6] = ["proxy", "watch", "redirect", "status", "finalize", "namespaces"];

/// Refuses all but a list, a get, a watch, discovery, the version, and the five reviews.
fn check(method: &Method, path: &str, headers: &HeaderMap) -> Result<(), NotAllowed> {
    let upgrades = headers.contains_key(header::UPGRADE)
        || headers
            .get_all(header::CONNECTION)
            .iter()
            .any(|value| value.to_str().map_or(true, |text| text.to_ascii_lowercase().contains("upgrade")));
    let allowed = match *method {
        Method::GET => !upgrades && reads(path),
        Method::POST => !upgrades && REVIEWS.contains(&path),
        _ => false,
    };
    if allowed { Ok(()) } else { Err(NotAllowed { method: method.to_string(), path: path.to_owned() }) }
}

fn reads(path: &str) -> bool {
    let Some(rest) = path.strip_prefix('/') else { return false };
    let segments: Vec<&str> = rest.split('/').collect();
    let plain = |segment: &&str| {
        !segment.is_empty()
            && *segment != "."
            && *segment != ".."
            && segment.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'%' | b'\\' | b'?' | b'#'))
    };
    if !segments.iter().all(plain) {
        return false;
    }
    match segments.as_slice() {
        ["version"] | ["api"] | ["apis"] | ["api" | "apis", _] | ["apis", _, _] => true,
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
pub(super) fn allow<B>(request: Request<B>) -> Result<Request<B>, BoxError> {
    check(request.method(), request.uri().path(), request.headers())?;
    Ok(request)
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tower::{Service, ServiceBuilder};

    use super::*;

    fn allowed(method: &Method, path: &str) -> bool {
        check(method, path, &HeaderMap::new()).is_ok()
    }

    #[test]
    fn r_ro_2_only_what_reads_is_allowed() {
        let read = "/version|/api|/apis|/api/v1|/apis/apps/v1|/api/v1/pods|/api/v1/namespaces|\
            /api/v1/namespaces/kube-system|/api/v1/namespaces/shop/pods|\
            /api/v1/namespaces/shop/pods/cart-0|/apis/apps/v1/namespaces/shop/deployments/web|\
            /apis/rbac.authorization.k8s.io/v1/clusterroles/system:node|\
            /apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.example.com";
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
            /openapi/v3|version|";
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
            assert!(check(&Method::GET, "/api/v1/pods", &headers).is_err(), "{name}");
        }
    }

    #[tokio::test]
    async fn r_ro_2_the_layer_answers_before_anything_is_sent() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let mut service = ServiceBuilder::new().filter(allow).service_fn(move |_: Request<()>| {
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
