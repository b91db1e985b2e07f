//! The fields by which an API server selects objects: two for every kind, more for some of Kubernetes' own
//! kinds (its `AddFieldLabelConversionFunc`s; a test compares them with a real API server). A custom kind may
//! declare others (`selectableFields`): the page reads them as a column of the kind's definition. Never
//! evaluated here.

use shared::cell::Cell;
use shared::column::Column;
use shared::name::Version;
use shared::resource::{Kind, Resource};

use super::complete::{Note, Replaced, Suggestions};
use super::seen::rank;
use crate::messages;
use replica::table::Table;

/// By group and resource, beside `metadata.name` and `metadata.namespace`.
const FIELDS: [(&str, &str, &[&str]); 10] = [
    (
        "",
        "pods",
        &[
            "status.phase",
            "spec.nodeName",
            "status.podIP",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
    ),
    ("", "nodes", &["spec.unschedulable"]),
    ("", "namespaces", &["status.phase"]),
    ("", "services", &["spec.clusterIP", "spec.type"]),
    ("", "secrets", &["type"]),
    ("", "replicationcontrollers", &["status.replicas"]),
    ("", "events", &EVENT_FIELDS),
    ("events.k8s.io", "events", &REGARDING_FIELDS),
    ("batch", "jobs", &["status.successful"]),
    ("certificates.k8s.io", "certificatesigningrequests", &["spec.signerName"]),
];

const EVENT_FIELDS: [&str; 11] = [
    "type",
    "reason",
    "involvedObject.kind",
    "involvedObject.name",
    "involvedObject.namespace",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reportingComponent",
    "source",
];

const REGARDING_FIELDS: [&str; 10] = [
    "type",
    "reason",
    "regarding.kind",
    "regarding.name",
    "regarding.namespace",
    "regarding.uid",
    "regarding.apiVersion",
    "regarding.resourceVersion",
    "regarding.fieldPath",
    "reportingController",
];

/// The ones that are used most come first.
pub fn fields_of(resource: &Resource, is_namespaced: bool) -> impl Iterator<Item = &'static str> {
    let (group, plural) = (resource.group.as_str(), resource.resource.as_str());
    let own = FIELDS.iter().find(|(of, name, _)| *of == group && *name == plural);
    let of_all = ["metadata.name", "metadata.namespace"].into_iter().take(if is_namespaced { 2 } else { 1 });
    own.into_iter().flat_map(|(_, _, fields)| fields.iter().copied()).chain(of_all)
}

/// The path to the fields that one version of a CustomResourceDefinition declares.
pub fn declared_path(version: &Version) -> String {
    format!(r#".spec.versions[?(@.name=="{version}")].selectableFields[*].jsonPath"#)
}

/// The declared fields, as a selector names them; `table` has the column with [`declared_path`].
pub fn declared(table: &Table) -> Vec<String> {
    let Some(at) = table.columns().iter().position(Column::is_custom) else { return Vec::new() };
    let cells = table.rows().filter_map(|row| row.cells.get(at));
    let texts = cells.filter_map(|cell| if let Cell::Text(text) = cell { Some(text) } else { None });
    let paths = texts.flat_map(|text| text.split(','));
    paths.filter_map(|path| path.strip_prefix('.')).map(str::to_owned).collect()
}

/// Offers no values, because only the API server has them.
pub fn complete_fields(text: &str, caret: usize, kind: &Kind, declared: &[String]) -> Option<Suggestions> {
    let caret = text.floor_char_boundary(caret.min(text.len()));
    let start = text.get(..caret)?.rfind(',').map_or(0, |comma| comma + 1);
    let end = text.get(caret..)?.find(',').map_or(text.len(), |comma| caret + comma);
    let part = text.get(start..end)?;
    if part.contains('=') {
        return None;
    }
    let start = start + (part.len() - part.trim_start().len());
    let typed = text.get(start.min(caret)..caret)?.to_lowercase();
    let replaced = Replaced { text, range: start..end };
    let own = fields_of(&kind.resource, kind.namespaced).map(str::to_owned);
    let fields = declared.iter().cloned().chain(own).filter(|field| rank(field, &typed).is_some());
    let items = fields.map(|field| replaced.with(field + "=", Note::Words(String::new()), true)).collect();
    Suggestions::of(messages::COMPLETION_FIELDS.to_owned(), items, String::new())
}

#[cfg(test)]
mod tests {
    use shared::custom_column::CustomColumn;
    use shared::row::Row;

    use super::*;
    use replica::testing;

    fn resource(group: &str, plural: &str) -> Resource {
        Resource::parse(group, "v1", plural).expect("valid")
    }

    #[test]
    fn a_kind_has_its_own_fields_and_the_two_of_all() {
        let fields = |resource: &Resource, namespaced| fields_of(resource, namespaced).collect::<Vec<_>>();
        assert_eq!(fields(&resource("", "nodes"), false), ["spec.unschedulable", "metadata.name"]);
        let custom = resource("example.com", "pods");
        assert_eq!(fields(&custom, true), ["metadata.name", "metadata.namespace"]);
    }

    #[test]
    fn fields_are_offered_for_the_part_in_which_the_caret_stands() {
        let pods = Kind::new(resource("", "pods"), "Pod", true);
        let offered = |text: &str, caret| {
            Some(complete_fields(text, caret, &pods, &[])?.items.into_iter().next()?.whole)
        };
        assert_eq!(offered("", 0).as_deref(), Some("status.phase="));
        assert_eq!(offered("node", 4).as_deref(), Some("spec.nodeName="));
        assert_eq!(
            offered("status.phase=Running, restart", 29).as_deref(),
            Some("status.phase=Running, spec.restartPolicy=")
        );
        assert_eq!(offered("status.phase=Ru", 15), None);
    }

    #[test]
    fn what_a_definition_declares_is_offered_first() {
        let version = Version::parse("v1").expect("valid");
        let column = CustomColumn::parse("SEEN", &declared_path(&version)).expect("a path").column();
        let declared_by = |cell: &str| {
            let row = Row { cells: vec![Cell::text(cell)], ..testing::row(1, "a/b", &[]) };
            declared(&testing::table_with(vec![column.clone()], vec![row]))
        };
        let fields = declared_by(".spec.color,.spec.size");
        assert_eq!(fields, ["spec.color", "spec.size"]);
        assert!(declared_by("<none>").is_empty());
        let widgets = Kind::new(resource("example.com", "widgets"), "Widget", true);
        let offered = complete_fields("si", 2, &widgets, &fields).expect("a field");
        assert_eq!(offered.items[0].text, "spec.size=");
    }
}
