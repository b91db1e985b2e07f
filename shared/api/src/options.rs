//! The options of a list or a watch.

use std::num::{IntErrorKind, ParseIntError};

use shared::selector::LabelSelector;

use crate::failure::{Cause, Failure};
use crate::query::Query;

/// The options of a list or a watch.
#[derive(Clone, Debug)]
pub struct ListOptions<F> {
    pub labels: LabelSelector,
    pub fields: F,
    /// None where unset.
    pub revision: Option<u64>,
    /// `resourceVersionMatch`, as it was asked for.
    pub exact: bool,
    pub not_older: bool,
    pub limit: usize,
    pub page: String,
    pub bookmarks: bool,
    pub send_initial_events: Option<bool>,
    pub timeout_s: Option<u64>,
}

impl<F> ListOptions<F> {
    /// Reads and checks the options in the real server's order. `fields` reads a field selector, and `opaque` a
    /// resourceVersion that isn't a number.
    ///
    /// # Errors
    /// What the real server says of them.
    pub fn read(
        query: &Query,
        can_watch_list: bool,
        fields: impl FnOnce(&str) -> Result<F, String>,
        opaque: fn(&str) -> Option<u64>,
    ) -> Result<Self, Failure> {
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
        let fields = fields(query.text("fieldSelector")).map_err(Failure::bad_request)?;
        check_matches(query, can_watch_list)?;
        let asked = revision(query, opaque);
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
        })
    }
}

/// The resourceVersion that is asked for; none where it is unset. `opaque` reads one that isn't a number.
///
/// # Errors
/// It can't be read.
pub fn revision(query: &Query, opaque: fn(&str) -> Option<u64>) -> Result<Option<u64>, Failure> {
    let text = query.text("resourceVersion");
    if text.is_empty() {
        return Ok(None);
    }
    if let Some(revision) = opaque(text) {
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
