//! From a CustomResourceDefinition to what is served. Pure.
//! It never validates by the schema: objects are taken as they come.

use serde_json::Value;

use crate::json::{flag, int, list, text, text_opt};
use crate::resource::{GroupResource, ResourceType, Verbs};
use crate::table::{CustomColumn, Printer};

/// Where the objects of a definition are kept.
pub fn group_resource(definition: &Value) -> GroupResource {
    GroupResource::new(text(definition, "/spec/group"), text(definition, "/spec/names/plural"))
}

/// The resources that a definition serves, newest version first.
///
/// # Errors
/// Which column can't be read.
pub fn types(definition: &Value) -> Result<Vec<ResourceType>, String> {
    let mut versions: Vec<&Value> =
        list(definition, "/spec/versions").iter().filter(|version| flag(version, "/served")).collect();
    versions.sort_by_key(|version| std::cmp::Reverse(rank(text(version, "/name"))));
    versions.into_iter().map(|version| type_of(definition, version)).collect()
}

fn type_of(definition: &Value, version: &Value) -> Result<ResourceType, String> {
    let kind = text(definition, "/spec/names/kind");
    let names = |pointer: &str| {
        list(definition, pointer).iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let subresources = ["status"]
        .into_iter()
        .filter(|name| version.pointer(&format!("/subresources/{name}")).is_some())
        .map(str::to_owned)
        .collect();
    Ok(ResourceType {
        group: text(definition, "/spec/group").to_owned(),
        version: text(version, "/name").to_owned(),
        plural: text(definition, "/spec/names/plural").to_owned(),
        singular: text_opt(definition, "/spec/names/singular")
            .map_or_else(|| kind.to_lowercase(), str::to_owned),
        kind: kind.to_owned(),
        list_kind: text_opt(definition, "/spec/names/listKind")
            .map_or_else(|| format!("{kind}List"), str::to_owned),
        short_names: names("/spec/names/shortNames"),
        categories: names("/spec/names/categories"),
        namespaced: text(definition, "/spec/scope") == "Namespaced",
        verbs: Verbs::All,
        subresources,
        printer: Printer::Custom(CustomColumn::read(list(version, "/additionalPrinterColumns"))?),
        selectable: list(version, "/selectableFields")
            .iter()
            .map(|field| text(field, "/jsonPath").trim_start_matches('.').to_owned())
            .collect(),
        built_in: false,
    })
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

/// What the server writes into a definition's status once it serves it.
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
