//! A request's path and query, read once: which verb of which resource, with which options.
//! It never looks at objects.

use std::num::{IntErrorKind, ParseIntError};
use std::sync::Arc;

use http::Method;

use crate::failure::Failure;
use crate::opaque;
use crate::rbac::{Ask, Wanted};
use crate::resource::{Catalog, ResourceType};
use crate::selector::{FieldSelector, LabelSelector};

/// What the path names.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) kind: Arc<ResourceType>,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) subresource: String,
}

impl Place {
    /// What a request with this verb asks the authorizer for.
    pub(super) fn ask<'a>(&'a self, verb: &'a str) -> Ask<'a> {
        // A namespace itself is asked for within itself.
        let is_namespace = self.kind.plural == "namespaces" && self.kind.group.is_empty();
        let wanted = Wanted::Resource {
            group: &self.kind.group,
            resource: &self.kind.plural,
            subresource: &self.subresource,
            namespace: if is_namespace { &self.name } else { &self.namespace },
            name: &self.name,
        };
        Ask { verb, wanted }
    }
}

/// Reads a path below a group and version; none where nothing is served there.
pub(super) fn place(catalog: &Catalog, path: &str) -> Option<Place> {
    // Decoded before it is split, as Go does: an escaped slash is a slash.
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
        return below(kind, namespace, rest);
    }
    let [plural, rest @ ..] = rest else {
        return None;
    };
    let kind = catalog.find(group, version, plural)?;
    // A namespaced object is only found below its namespace.
    if kind.namespaced && !rest.is_empty() {
        return None;
    }
    below(kind, "", rest)
}

fn below(kind: &Arc<ResourceType>, namespace: &str, rest: &[&str]) -> Option<Place> {
    let (name, subresource) = match rest {
        [] => ("", ""),
        [name] => (*name, ""),
        [name, subresource] => (*name, *subresource),
        _ => return None,
    };
    let known = subresource.is_empty() || kind.subresources.iter().any(|found| found == subresource);
    known.then(|| Place {
        kind: Arc::clone(kind),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        subresource: subresource.to_owned(),
    })
}

/// The verb that rights and faults speak of; nothing where the method isn't allowed there.
pub(super) fn verb(method: &Method, place: &Place, query: &Query) -> &'static str {
    let named = !place.name.is_empty();
    // Across namespaces is only read.
    let everywhere = place.kind.namespaced && place.namespace.is_empty();
    match *method {
        Method::GET if named => "get",
        Method::GET if query.is_on("watch") => "watch",
        Method::GET => "list",
        Method::POST if !named && !everywhere => "create",
        Method::PUT if named => "update",
        Method::PATCH if named => "patch",
        Method::DELETE if named && place.subresource.is_empty() => "delete",
        Method::DELETE if !named && !everywhere => "deletecollection",
        _ => "",
    }
}

/// The parameters of a query string, decoded.
#[derive(Clone, Debug, Default)]
pub(super) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    pub(super) fn read(text: &str) -> Self {
        let pairs = text
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                (decoded(&key.replace('+', " ")), decoded(&value.replace('+', " ")))
            })
            .collect();
        Self { pairs }
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
    let unreadable = |why| Failure::malformed_revision(text, &unreadable_number(text, &why));
    // A sign is no digit, whatever Rust thinks of it.
    let digits = if text.starts_with('+') { "" } else { text };
    digits.parse().map(Some).map_err(unreadable)
}

/// What Go says of a number that it can't read.
fn unreadable_number(text: &str, why: &ParseIntError) -> String {
    let why = match why.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
        _ => "invalid syntax",
    };
    format!("parsing {text:?}: {why}")
}

/// The rules about `resourceVersionMatch` and `sendInitialEvents`, whose breach is 422.
fn check_matches(query: &Query, can_watch_list: bool) -> Result<(), Failure> {
    let wanted = query.text("resourceVersionMatch");
    let matching = !wanted.is_empty();
    let initial = query.has("sendInitialEvents");
    let mut causes = Vec::new();
    let mut forbid = |field: &str, why: &str| {
        causes.push(("FieldValueForbidden", format!("Forbidden: {why}"), field.to_owned()));
    };
    if query.is_on("watch") {
        if initial && wanted != "NotOlderThan" {
            forbid(
                "resourceVersionMatch",
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            );
        }
        if initial && !can_watch_list {
            forbid(
                "sendInitialEvents",
                "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
            );
        }
        if matching && !initial {
            forbid(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            );
        }
        if query.has("continue") {
            forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
        }
    } else {
        if matching && !query.has("resourceVersion") {
            forbid(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            );
        }
        if matching && query.has("continue") {
            forbid("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
        }
        if wanted == "Exact" && query.text("resourceVersion") == "0" {
            forbid(
                "resourceVersionMatch",
                "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            );
        }
        if initial {
            forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
        }
    }
    let supported: &[&str] =
        if query.is_on("watch") { &["NotOlderThan"] } else { &["Exact", "NotOlderThan", ""] };
    if matching && !supported.contains(&wanted) {
        let listed: Vec<String> = supported.iter().map(|value| format!("\"{value}\"")).collect();
        causes.push((
            "FieldValueNotSupported",
            format!("Unsupported value: \"{wanted}\": supported values: {}", listed.join(", ")),
            "resourceVersionMatch".to_owned(),
        ));
    }
    if causes.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid("meta.k8s.io", "ListOptions", "", &causes))
}

/// Percent-decoding; what isn't UTF-8 afterwards is kept as it was.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
