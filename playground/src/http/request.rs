//! A request's path and query, read once: which verb of which resource, with which options.
//! It never looks at objects.

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use http::header::HeaderName;
use http::request::Parts;
use kubernetes_api::{Query, decoded};

use super::Server;
use super::connection::Connection;
use crate::cluster::Cluster;
use crate::faults::{Fault, Target};
use crate::opaque;
use crate::rbac::User;
use crate::representation::Encoder;
use crate::resource::{Catalog, ResourceType};
use crate::selector::FieldSelector;
use crate::store::{Object, key_of};
use kubernetes_api::Failure;
use kubernetes_api::Representation;
use kubernetes_api::{Attributes, Requested};

/// One request to a resource, read and authenticated.
pub(super) struct ApiRequest<'a> {
    pub(super) server: &'a Arc<Server>,
    pub(super) connection: &'a Arc<Connection>,
    pub(super) parts: &'a Parts,
    pub(super) body: Bytes,
    pub(super) query: Query,
    pub(super) info: RequestInfo,
    pub(super) verb: &'static str,
    /// `pods`, `deployments.apps`.
    pub(super) resource: String,
    pub(super) user: User,
}

impl ApiRequest<'_> {
    pub(super) fn cluster(&self) -> &Cluster {
        &self.server.cluster
    }

    pub(super) fn header(&self, name: &HeaderName) -> &str {
        header(self.parts, name)
    }

    pub(super) fn target(&self) -> Target<'_> {
        Target { verb: self.verb, resource: &self.resource, user: Some(&self.user.name), watch: None }
    }

    /// The fault that this request meets, counted.
    pub(super) fn strike(&self, wanted: impl Fn(&Fault) -> bool) -> Option<Fault> {
        self.cluster().strike(self.target(), wanted).map(|(_, fault)| fault)
    }

    pub(super) fn encoder(&self, wanted: Representation) -> Encoder<'_> {
        Encoder::new(&self.info.kind, wanted, self.cluster().now_s())
    }
}

pub(super) fn header<'a>(parts: &'a Parts, name: &HeaderName) -> &'a str {
    parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The parts of a resource's path.
#[derive(Clone, Debug)]
pub(super) struct RequestInfo {
    pub(super) kind: Arc<ResourceType>,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) subresource: String,
}

impl RequestInfo {
    /// Reads a path below a group and version; none if no resource is served there.
    pub(super) fn read(catalog: &Catalog, path: &str) -> Option<Self> {
        // Go decodes a path before it splits it: an escaped slash is a slash.
        let path = decoded(path);
        let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
        let (group, version, rest) = match segments.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return None,
        };
        if let ["namespaces", namespace, plural, rest @ ..] = rest
            && let Some(kind) = catalog.find(group, version, plural).filter(|kind| kind.namespaced)
        {
            return Self::below(kind, namespace, rest);
        }
        let [plural, rest @ ..] = rest else {
            return None;
        };
        let kind = catalog.find(group, version, plural)?;
        // A namespaced object is only found below its namespace.
        if kind.namespaced && !rest.is_empty() {
            return None;
        }
        Self::below(kind, "", rest)
    }

    fn below(kind: &Arc<ResourceType>, namespace: &str, rest: &[&str]) -> Option<Self> {
        let (name, subresource) = match rest {
            [] => ("", ""),
            [name] => (*name, ""),
            [name, subresource] => (*name, *subresource),
            _ => return None,
        };
        let known = subresource.is_empty() || kind.has_subresource(subresource);
        known.then(|| Self {
            kind: Arc::clone(kind),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            subresource: subresource.to_owned(),
        })
    }

    /// What a container of a pod writes.
    pub(super) fn is_log(&self) -> bool {
        self.subresource == "log"
    }

    pub(super) fn key(&self) -> String {
        key_of(&self.namespace, &self.name)
    }

    /// What the authorizer is asked for a request with this verb.
    pub(super) fn attributes<'a>(&'a self, verb: &'a str) -> Attributes<'a> {
        // A namespace is asked for within itself.
        let is_namespace = self.kind.is("", "namespaces");
        let requested = Requested::Resource {
            group: &self.kind.group,
            resource: &self.kind.plural,
            subresource: &self.subresource,
            namespace: if is_namespace { &self.name } else { &self.namespace },
            name: &self.name,
        };
        Attributes { verb, requested }
    }

    /// The verb of rights and faults; empty if the method isn't allowed on this path.
    pub(super) fn verb(&self, method: &Method, query: &Query) -> &'static str {
        let named = !self.name.is_empty();
        // Across namespaces objects are only read.
        let everywhere = self.kind.namespaced && self.namespace.is_empty();
        match *method {
            Method::GET if named => "get",
            Method::GET if query.is_on("watch") => "watch",
            Method::GET => "list",
            Method::POST if !named && !everywhere => "create",
            Method::PUT if named => "update",
            Method::PATCH if named => "patch",
            Method::DELETE if named && self.subresource.is_empty() => "delete",
            Method::DELETE if !named && !everywhere => "deletecollection",
            _ => "",
        }
    }
}

/// The options of a list or a watch, with the fields that the resource is selected by.
pub(super) type ListOptions = kubernetes_api::ListOptions<FieldSelector>;

/// Reads and checks them.
///
/// # Errors
/// What the real server says of them.
pub(super) fn list_options(
    query: &Query,
    kind: &ResourceType,
    can_watch_list: bool,
) -> Result<ListOptions, Failure> {
    let fields = |text: &str| FieldSelector::parse(text, kind);
    ListOptions::read(query, can_watch_list, fields, opaque::decode)
}

/// Whether the selectors choose an object.
pub(super) fn choose(options: &ListOptions, object: &Object) -> bool {
    options.labels.matches(|key| object.labels.get(key).map(String::as_str)) && options.fields.matches(object)
}
