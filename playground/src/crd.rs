//! The resources that a CustomResourceDefinition serves, and its status. Pure.
//! It never validates objects by the schema.

use serde_json::Value;
use shared::json_path::PathError;

use crate::json::{flag, int, list, text};
use crate::resource::{GroupResource, ResourceType, Verbs};
use crate::table::{CustomColumn, Printer};

/// Where the objects of a definition are kept.
pub fn group_resource(definition: &Value) -> GroupResource {
    GroupResource::new(text(definition, "/spec/group"), text(definition, "/spec/names/plural"))
}

/// The resources that a definition serves, newest version first.
pub fn types(definition: &Value) -> Result<Vec<ResourceType>, PathError> {
    let mut versions: Vec<&Value> =
        list(definition, "/spec/versions").iter().filter(|version| flag(version, "/served")).collect();
    versions.sort_by_key(|version| std::cmp::Reverse(rank(text(version, "/name"))));
    versions.into_iter().map(|version| type_of(definition, version)).collect()
}

fn type_of(definition: &Value, version: &Value) -> Result<ResourceType, PathError> {
    let of = |field: &str| text(definition, &format!("/spec/{field}"));
    let names = |pointer: &str| {
        list(definition, pointer).iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let has_status = version.pointer("/subresources/status").is_some();
    let selectable = list(version, "/selectableFields").iter();
    let api_version = format!("{}/{}", of("group"), text(version, "/name"));
    let mut kind = ResourceType {
        short_names: names("/spec/names/shortNames"),
        categories: names("/spec/names/categories"),
        namespaced: of("scope") == "Namespaced",
        subresources: has_status.then(|| "status".to_owned()).into_iter().collect(),
        printer: Printer::Custom(CustomColumn::read(list(version, "/additionalPrinterColumns"))?),
        selectable: selectable
            .map(|field| text(field, "/jsonPath").trim_start_matches('.').to_owned())
            .collect(),
        built_in: false,
        ..ResourceType::new(&api_version, of("names/plural"), of("names/kind"), Verbs::All)
    };
    for (name, written) in
        [(&mut kind.singular, of("names/singular")), (&mut kind.list_kind, of("names/listKind"))]
    {
        if !written.is_empty() {
            *name = written.to_owned();
        }
    }
    Ok(kind)
}

/// Kubernetes' order of versions: v2 before v1, v1 before v1beta2, that before v1alpha1.
fn rank(version: &str) -> (u8, u64, u64) {
    let digits = |text: &str| {
        text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or_default()
    };
    let major = digits(version.trim_start_matches('v'));
    if let Some((_, minor)) = version.split_once("beta") {
        (1, major, digits(minor))
    } else if let Some((_, minor)) = version.split_once("alpha") {
        (0, major, digits(minor))
    } else {
        (2, major, 0)
    }
}

/// The status that the server writes into a definition once it serves it.
pub fn established(definition: &Value, now: &str) -> Value {
    let condition = |kind: &str, reason: &str, message: &str| {
        serde_json::json!({
            "type": kind, "status": "True", "reason": reason, "message": message,
            "lastTransitionTime": now, "observedGeneration": int(definition, "/metadata/generation").max(1),
        })
    };
    let stored: Vec<&str> = list(definition, "/spec/versions")
        .iter()
        .filter(|version| flag(version, "/storage"))
        .map(|version| text(version, "/name"))
        .collect();
    serde_json::json!({
        "acceptedNames": definition.pointer("/spec/names"),
        "conditions": [
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        ],
        "storedVersions": stored,
    })
}
