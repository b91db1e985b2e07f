//! Content negotiation: which representation the Accept header asks for.

use crate::failure::Failure;
use crate::representation::{Include, Representation};

const NO_REPRESENTATION: &str = "only the following media types are accepted: application/json";

/// The clause with the highest quality that can be served decides; among equals, the first.
///
/// # Errors
/// No clause can (406), or the rows can't carry what was asked for (400).
pub fn representation(accept: &str, include: &str, verb: &str) -> Result<Representation, Failure> {
    if accept.trim().is_empty() {
        return Ok(Representation::Whole);
    }
    let mut clauses: Vec<Clause<'_>> = accept.split(',').map(Clause::read).collect();
    clauses.sort_by(|one, other| other.quality.total_cmp(&one.quality));
    let understood = clauses.iter().filter(|clause| matches!(clause.media, "application/json" | "*/*"));
    let mut understood = understood.peekable();
    if understood.peek().is_none() {
        return Err(Failure::no_such_media());
    }
    let wanted =
        understood.find_map(Clause::wanted).ok_or_else(|| Failure::not_acceptable(NO_REPRESENTATION))?;
    match wanted {
        Wanted::Whole => Ok(Representation::Whole),
        Wanted::Table => included(include).map(Representation::Table),
        Wanted::Partial { of_list: true } if verb == "watch" => Ok(Representation::PartialList),
        Wanted::Partial { of_list } if of_list == (verb == "list") => Ok(Representation::Partial),
        Wanted::Partial { of_list: true } => Err(Failure::not_acceptable(
            "you requested PartialObjectMetadataList, but the requested object is not a list",
        )),
        Wanted::Partial { of_list: false } => Err(Failure::not_acceptable(
            "you requested PartialObjectMetadata, but the requested object is a list",
        )),
    }
}

fn included(include: &str) -> Result<Include, Failure> {
    match include {
        "Object" => Ok(Include::Object),
        "None" => Ok(Include::None),
        "Metadata" | "" => Ok(Include::Metadata),
        other => Err(Failure::bad_request(format!(
            "Unable to convert to Table as requested: includeObject: Invalid value: {other:?}: must be 'Metadata', 'Object', 'None', or empty"
        ))),
    }
}

enum Wanted {
    Whole,
    Table,
    Partial { of_list: bool },
}

/// One of the header's alternatives.
#[derive(Default)]
struct Clause<'a> {
    media: &'a str,
    quality: f64,
    target: &'a str,
    group: &'a str,
    version: &'a str,
}

impl<'a> Clause<'a> {
    fn read(text: &'a str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        let mut clause = Clause { media, quality: 1.0, ..Clause::default() };
        for part in parts {
            match part.split_once('=') {
                Some(("q", value)) => clause.quality = value.parse().unwrap_or(1.0),
                Some(("as", value)) => clause.target = value,
                Some(("g", value)) => clause.group = value,
                Some(("v", value)) => clause.version = value,
                _ => {}
            }
        }
        clause
    }

    fn wanted(&self) -> Option<Wanted> {
        let of_list = self.target == "PartialObjectMetadataList";
        match (self.target, self.group, self.version) {
            ("", _, _) => Some(Wanted::Whole),
            ("Table", "meta.k8s.io", "v1" | "v1beta1") => Some(Wanted::Table),
            ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1" | "v1beta1") => {
                Some(Wanted::Partial { of_list })
            }
            _ => None,
        }
    }
}

/// Does the header ask for aggregated discovery?
pub fn wants_aggregated(accept: &str) -> bool {
    accept.split(',').map(Clause::read).any(|clause| {
        clause.media == "application/json"
            && (clause.target, clause.group, clause.version)
                == ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2")
    })
}
