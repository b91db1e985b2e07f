//! Content negotiation: which representation the Accept header asks for.

use crate::failure::Failure;
use crate::shape::{Include, Shape};

/// The first clause that can be served decides.
///
/// # Errors
/// No clause can: 406.
pub(super) fn shape(accept: &str, include: &str) -> Result<Shape, Failure> {
    if accept.trim().is_empty() {
        return Ok(Shape::Whole);
    }
    accept.split(',').find_map(|clause| of_clause(clause, include)).ok_or_else(Failure::not_acceptable)
}

fn of_clause(clause: &str, include: &str) -> Option<Shape> {
    let mut parts = clause.split(';').map(str::trim);
    let media = parts.next()?;
    if !matches!(media, "application/json" | "*/*" | "application/*") {
        return None;
    }
    let (mut wanted, mut version, mut group) = ("", "", "");
    for part in parts {
        match part.split_once('=') {
            Some(("as", value)) => wanted = value,
            Some(("v", value)) => version = value,
            Some(("g", value)) => group = value,
            _ => {}
        }
    }
    match (wanted, group, version) {
        ("", _, _) => Some(Shape::Whole),
        ("Table", "meta.k8s.io", "v1") => Some(Shape::Table(match include {
            "Object" => Include::Object,
            "None" => Include::None,
            _ => Include::Metadata,
        })),
        ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1") => Some(Shape::Partial),
        _ => None,
    }
}

/// Does the header ask for aggregated discovery?
pub(super) fn wants_aggregated(accept: &str) -> bool {
    accept.split(',').any(|clause| {
        let parts: Vec<&str> = clause.split(';').map(str::trim).collect();
        parts.first() == Some(&"application/json")
            && ["as=APIGroupDiscoveryList", "g=apidiscovery.k8s.io", "v=v2"]
                .iter()
                .all(|wanted| parts.contains(wanted))
    })
}
