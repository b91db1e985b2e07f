//! A request's path and query, read once: which verb of which resource, with which options.
//! It never looks at objects.

use std::borrow::Cow;
use std::num::{IntErrorKind, ParseIntError};
use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use http::header::HeaderName;
use http::request::Parts;
use percent_encoding::percent_decode_str;
use shared::selector::LabelSelector;

use super::Server;
use super::connection::Connection;
use crate::cluster::Cluster;
use crate::failure::{Cause, Failure};
use crate::faults::{Fault, Target};
use crate::opaque;
use crate::rbac::{Attributes, Requested, User};
use crate::representation::{Encoder, Representation};
use crate::resource::{Catalog, ResourceType};
use crate::selector::FieldSelector;
use crate::store::{Object, key_of};

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

/// The parameters of a query string, decoded.
#[derive(Clone, Debug, Default)]
pub(super) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    pub(super) fn read(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(&key.replace('+', " ")), decoded(&value.replace('+', " ")))
        });
        Self { pairs: pairs.collect() }
    }

    pub(super) fn text(&self, key: &str) -> &str {
        self.pairs.iter().find(|(found, _)| found == key).map_or("", |(_, value)| value)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        !self.text(key).is_empty()
    }

    /// As Go's conversion reads a flag: present and neither `false` nor `0`.
    pub(super) fn is_on(&self, key: &str) -> bool {
        self.pairs
            .iter()
            .find(|(found, _)| found == key)
            .is_some_and(|(_, value)| !matches!(value.to_lowercase().as_str(), "false" | "0"))
    }
}

/// The options of a list or a watch.
#[derive(Clone, Debug)]
pub(super) struct ListOptions {
    pub(super) labels: LabelSelector,
    pub(super) fields: FieldSelector,
    /// None where unset.
    pub(super) revision: Option<u64>,
    /// `resourceVersionMatch`, as it was asked for.
    pub(super) exact: bool,
    pub(super) not_older: bool,
    pub(super) limit: usize,
    pub(super) page: String,
    pub(super) bookmarks: bool,
    pub(super) send_initial_events: Option<bool>,
    pub(super) timeout_s: Option<u64>,
    /// A fault: the server is too old to know the end mark.
    pub(super) ignores_end_mark: bool,
}

impl ListOptions {
    /// Whether the selectors choose an object.
    pub(super) fn choose(&self, object: &Object) -> bool {
        self.labels.matches(|key| object.labels.get(key).map(String::as_str)) && self.fields.matches(object)
    }

    /// Reads and checks the options in the real server's order.
    pub(super) fn read(query: &Query, kind: &ResourceType, can_watch_list: bool) -> Result<Self, Failure> {
        let labels = LabelSelector::parse(query.text("labelSelector"))
            .map_err(|problem| Failure::bad_request(problem.message))?;
        let number = |key: &str| -> Result<Option<u64>, Failure> {
            let text = query.text(key);
            if text.is_empty() {
                return Ok(None);
            }
            text.parse::<i64>().map(|number| u64::try_from(number).ok()).map_err(|why| {
                Failure::bad_request(format!("strconv.ParseInt: {}", unreadable_number(text, &why)))
            })
        };
        let limit = number("limit")?.and_then(|limit| usize::try_from(limit).ok()).unwrap_or_default();
        let timeout_s = number("timeoutSeconds")?.filter(|seconds| *seconds > 0);
        let fields = FieldSelector::parse(query.text("fieldSelector"), kind).map_err(Failure::bad_request)?;
        check_matches(query, can_watch_list)?;
        let asked = revision(query);
        // The cache reads it before the store does, in a list alone.
        let revision = if query.is_on("watch") { asked } else { asked.map_err(Failure::in_list) }?;
        Ok(Self {
            labels,
            fields,
            revision,
            exact: query.text("resourceVersionMatch") == "Exact",
            not_older: query.text("resourceVersionMatch") == "NotOlderThan",
            limit,
            page: query.text("continue").to_owned(),
            bookmarks: query.is_on("allowWatchBookmarks"),
            send_initial_events: query.has("sendInitialEvents").then(|| query.is_on("sendInitialEvents")),
            timeout_s,
            ignores_end_mark: false,
        })
    }
}

/// The resourceVersion that is asked for; none where it is unset.
pub(super) fn revision(query: &Query) -> Result<Option<u64>, Failure> {
    let text = query.text("resourceVersion");
    if text.is_empty() {
        return Ok(None);
    }
    if let Some(revision) = opaque::decode(text) {
        return Ok(Some(revision));
    }
    let unreadable = |why| {
        let why = unreadable_number(text, &why);
        Failure::wrong_revision(&format!(
            "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: {why}"
        ))
    };
    // A sign is no digit, whatever Rust thinks of it.
    let digits = if text.starts_with('+') { "" } else { text };
    digits.parse().map(Some).map_err(unreadable)
}

/// Go's error for a number that it can't read.
fn unreadable_number(text: &str, why: &ParseIntError) -> String {
    let why = match why.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
        _ => "invalid syntax",
    };
    format!("parsing {text:?}: {why}")
}

/// The rules about `resourceVersionMatch` and `sendInitialEvents`; a breach is 422.
fn check_matches(query: &Query, can_watch_list: bool) -> Result<(), Failure> {
    const MATCH: &str = "resourceVersionMatch";
    const INITIAL: &str = "sendInitialEvents";
    const CONTINUED: &str = "resourceVersionMatch is forbidden when continue is provided";
    let wanted = query.text(MATCH);
    let (matching, initial, continued) = (!wanted.is_empty(), query.has(INITIAL), query.has("continue"));
    let rules: &[(bool, &str, &str)] = if query.is_on("watch") {
        &[
            (
                initial && wanted != "NotOlderThan",
                MATCH,
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ),
            (
                initial && !can_watch_list,
                INITIAL,
                "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
            ),
            (
                matching && !initial,
                MATCH,
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            ),
            (continued, MATCH, CONTINUED),
        ]
    } else {
        &[
            (
                matching && !query.has("resourceVersion"),
                MATCH,
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            ),
            (matching && continued, MATCH, CONTINUED),
            (
                wanted == "Exact" && query.text("resourceVersion") == "0",
                MATCH,
                "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            ),
            (initial, INITIAL, "sendInitialEvents is forbidden for list"),
        ]
    };
    let broken = rules.iter().filter(|(is_broken, ..)| *is_broken);
    let mut causes: Vec<Cause> = broken
        .map(|(_, field, why)| ("FieldValueForbidden", format!("Forbidden: {why}"), (*field).to_owned()))
        .collect();
    let (supported, listed): (&[&str], _) = match query.is_on("watch") {
        true => (&["NotOlderThan"], r#""NotOlderThan""#),
        false => (&["Exact", "NotOlderThan"], r#""Exact", "NotOlderThan", """#),
    };
    if matching && !supported.contains(&wanted) {
        let message = format!("Unsupported value: \"{wanted}\": supported values: {listed}");
        causes.push(("FieldValueNotSupported", message, MATCH.to_owned()));
    }
    if causes.is_empty() { Ok(()) } else { Err(Failure::invalid("meta.k8s.io", "ListOptions", "", &causes)) }
}

/// Percent-decoding; a text that isn't UTF-8 afterwards is kept as it was.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}
