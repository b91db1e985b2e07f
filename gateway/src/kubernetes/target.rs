//! What the path of a request names. Pure; whether it is served is decided later.

use kubernetes_api::decoded;
use shared::name::{Namespace, ObjectName};
use shared::problem::Problem;
use shared::resource::Resource;

/// What is asked for, below a cluster's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Version,
    /// Whether the gateway lives.
    Livez,
    /// Whether what it has of the cluster is current.
    Readyz,
    /// `/api` or `/apis`.
    Groups {
        core: bool,
    },
    /// `/apis/GROUP`.
    Group(String),
    /// `/api/v1` or `/apis/GROUP/VERSION`.
    Resources {
        group: String,
        version: String,
    },
    /// A path below `/openapi`.
    OpenApi(String),
    Objects(Objects),
    /// What a container of a pod writes.
    Log(Objects),
    /// A review of the caller's own rights, by the plural of its resource.
    Review(OwnReview),
    /// Something that an API server may serve and this one doesn't, such as a subresource.
    NotServed,
    /// Nothing that an API server serves.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnReview {
    Access,
    Rules,
}

/// What reaches into a pod or a node.
const REACHING_IN: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

/// A collection or an object of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objects {
    pub resource: Resource,
    pub namespace: Option<Namespace>,
    pub name: Option<ObjectName>,
}

impl Target {
    /// Reads a path. `is_namespaced`: whether a kind has namespaces; `None` if no such kind is served.
    ///
    /// # Errors
    /// A name in it isn't one.
    pub fn read(path: &str, is_namespaced: impl Fn(&Resource) -> Option<bool>) -> Result<Self, Problem> {
        // Go decodes a path before it splits it: an escaped slash is a slash.
        let path = decoded(path);
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let segments: Vec<&str> = match segments.as_slice() {
            [rest @ .., ""] if !rest.is_empty() => rest.to_vec(),
            all => all.to_vec(),
        };
        let (group, version, rest) = match segments.as_slice() {
            ["version"] => return Ok(Self::Version),
            ["livez" | "healthz", ..] => return Ok(Self::Livez),
            ["readyz", ..] => return Ok(Self::Readyz),
            ["openapi", rest @ ..] => return Ok(Self::OpenApi(rest.join("/"))),
            ["api"] => return Ok(Self::Groups { core: true }),
            ["apis"] => return Ok(Self::Groups { core: false }),
            ["apis", group] => return Ok(Self::Group((*group).to_owned())),
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return Ok(Self::Nothing),
        };
        if rest.is_empty() {
            return Ok(Self::Resources { group: group.to_owned(), version: version.to_owned() });
        }
        match (group, rest) {
            ("authorization.k8s.io", ["selfsubjectaccessreviews"]) => {
                return Ok(Self::Review(OwnReview::Access));
            }
            ("authorization.k8s.io", ["selfsubjectrulesreviews"]) => {
                return Ok(Self::Review(OwnReview::Rules));
            }
            _ => {}
        }
        let of = |plural: &str| Resource::parse(group, version, plural);
        if let ["namespaces", namespace, plural, rest @ ..] = rest
            && let Ok(resource) = of(plural)
            && is_namespaced(&resource) == Some(true)
        {
            return Self::below(resource, Some(Namespace::parse(namespace)?), rest);
        }
        let [plural, rest @ ..] = rest else { return Ok(Self::Nothing) };
        let Ok(resource) = of(plural) else { return Ok(Self::Nothing) };
        match is_namespaced(&resource) {
            // A namespaced object is only found below its namespace.
            Some(true) if !rest.is_empty() => Ok(Self::Nothing),
            Some(_) => Self::below(resource, None, rest),
            None => Ok(Self::Nothing),
        }
    }

    fn below(resource: Resource, namespace: Option<Namespace>, rest: &[&str]) -> Result<Self, Problem> {
        let name = match rest {
            [] => None,
            [name] => Some(ObjectName::parse(name)?),
            [name, "log"] if namespace.is_some() && resource.is_pods() => {
                return Ok(Self::Log(Objects { resource, namespace, name: Some(ObjectName::parse(name)?) }));
            }
            [_, subresource, ..] if REACHING_IN.contains(subresource) => return Ok(Self::NotServed),
            _ => return Ok(Self::Nothing),
        };
        Ok(Self::Objects(Objects { resource, namespace, name }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(resource: &Resource) -> Option<bool> {
        match resource.to_string().as_str() {
            "pods" | "deployments.apps" => Some(true),
            "nodes" | "namespaces" => Some(false),
            _ => None,
        }
    }

    fn read(path: &str) -> Target {
        Target::read(path, served).expect(path)
    }

    fn objects(path: &str) -> (String, Option<String>, Option<String>) {
        let Target::Objects(Objects { resource, namespace, name }) = read(path) else { panic!("{path}") };
        (resource.to_string(), namespace.map(|it| it.to_string()), name.map(|it| it.to_string()))
    }

    #[test]
    fn a_path_names_a_collection_or_an_object_of_it() {
        let shop = || Some("shop".to_owned());
        assert_eq!(objects("/api/v1/pods"), ("pods".to_owned(), None, None));
        assert_eq!(objects("/api/v1/namespaces/shop/pods"), ("pods".to_owned(), shop(), None));
        let cart = Some("cart".to_owned());
        assert_eq!(
            objects("/apis/apps/v1/namespaces/shop/deployments/cart"),
            ("deployments.apps".to_owned(), shop(), cart)
        );
        assert_eq!(objects("/api/v1/namespaces/shop"), ("namespaces".to_owned(), None, shop()));
        assert_eq!(objects("/api/v1/nodes/n%2D1"), ("nodes".to_owned(), None, Some("n-1".to_owned())));
    }

    #[test]
    fn what_is_no_collection_is_told_apart() {
        for (path, expected) in [
            ("/version", Target::Version),
            ("/api", Target::Groups { core: true }),
            ("/apis/", Target::Groups { core: false }),
            ("/apis/apps", Target::Group("apps".to_owned())),
            ("/api/v1", Target::Resources { group: String::new(), version: "v1".to_owned() }),
            ("/openapi/v3/apis/apps/v1", Target::OpenApi("v3/apis/apps/v1".to_owned())),
            ("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", Target::Review(OwnReview::Access)),
            ("/api/v1/namespaces/shop/pods/cart/log/more", Target::NotServed),
            ("/apis/apps/v1/namespaces/shop/deployments/cart/log", Target::NotServed),
            ("/api/v1/namespaces/shop/pods/cart/exec", Target::NotServed),
            ("/api/v1/pods/cart", Target::Nothing),
            ("/api/v1/namespaces/shop/pods/a%2Fb", Target::Nothing),
            ("/api/v1/widgets", Target::Nothing),
            ("/metrics", Target::Nothing),
            ("", Target::Nothing),
        ] {
            assert_eq!(read(path), expected, "{path}");
        }
        let Target::Log(log) = read("/api/v1/namespaces/shop/pods/cart/log") else { panic!("a log") };
        assert_eq!(log.name.expect("a pod").as_str(), "cart");
        assert!(Target::read("/api/v1/namespaces/shop/pods/..", served).is_err());
        assert!(Target::read("/api/v1/namespaces/shop/pods/../log", served).is_err());
        assert!(Target::read("/api/v1/namespaces/../pods", served).is_err());
    }
}
