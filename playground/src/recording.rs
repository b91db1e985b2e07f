//! A cluster as somebody recorded it: it stands still, prints what its own server printed, and can't be changed.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};
use shared::cell::Cell;
use shared::column::Column;
use shared::resource::Kind;

use crate::built_in;
use crate::cluster::State;
use crate::json::text;
use crate::resource::{Catalog, ResourceType, Verbs};
use crate::store::{Object, Store};
use crate::table::Printer;

/// What was recorded. Kinds that aren't in it aren't served.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The time at which it stands, in milliseconds since 1970.
    pub at_ms: i64,
    /// The version at `/version`.
    pub git_version: String,
    pub kinds: Vec<RecordedKind>,
}

#[derive(Clone, Debug)]
pub struct RecordedKind {
    pub kind: Kind,
    pub columns: Arc<[Column]>,
    /// The resourceVersion of its list.
    pub revision: u64,
    /// Each with its cells.
    pub objects: Vec<(Value, Vec<Cell>)>,
}

/// The rows of one kind as its own server printed them.
#[derive(Clone, Debug)]
pub struct RecordedTable {
    columns: Arc<[Column]>,
    /// By uid.
    cells: HashMap<String, Vec<Cell>>,
}

impl RecordedTable {
    pub(crate) fn definitions(&self) -> Vec<Value> {
        let definition = |column: &Column| {
            json!({
                "name": column.name, "type": column.kind, "format": column.format,
                "description": column.description, "priority": column.priority,
            })
        };
        self.columns.iter().map(definition).collect()
    }

    /// The cells of one object at an instant (seconds since 1970).
    pub(crate) fn cells(&self, object: &Value, now_s: i64) -> Vec<Value> {
        let cells = self.cells.get(text(object, "/metadata/uid")).into_iter().flatten();
        cells.map(|cell| printed(cell, now_s)).collect()
    }
}

fn printed(cell: &Cell, now_s: i64) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Bool(value) => json!(value),
        Cell::Int(value) => json!(value),
        Cell::Float(value) => json!(value),
        Cell::Text(_) | Cell::Age(_) | Cell::Ago(_) | Cell::Span(_) => json!(cell.print(now_s)),
    }
}

impl State {
    /// The state of a cluster that was recorded.
    pub(crate) fn of_recording(recording: &Recording) -> Self {
        let built_in = built_in::types();
        let mut store = Store::new(0);
        let mut types = Vec::new();
        for recorded in &recording.kinds {
            let found = described(&recorded.kind, &built_in);
            let at = found.group_resource();
            let mut cells = HashMap::new();
            for (object, row) in &recorded.objects {
                let revision = text(object, "/metadata/resourceVersion").parse().unwrap_or_default();
                let object = Object::new(object.clone(), revision);
                cells.insert(object.uid.clone(), row.clone());
                store.put_as_it_is(&at, object);
            }
            store.advance_to(recorded.revision);
            let table = RecordedTable { columns: Arc::clone(&recorded.columns), cells };
            types.push(ResourceType { printer: Printer::Recorded(Arc::new(table)), ..found });
        }
        // What anybody may ask about themselves isn't kept, so it wasn't recorded.
        types.extend(built_in.into_iter().filter(|found| found.verbs == Verbs::Create));
        store.compact(None);
        Self { store, catalog: Catalog::new(types) }
    }
}

/// A kind with what discovery said of it, and what is known of Kubernetes' own.
fn described(kind: &Kind, built_in: &[ResourceType]) -> ResourceType {
    let resource = &kind.resource;
    let (group, version, plural) =
        (resource.group.as_str(), resource.version.as_str(), resource.resource.as_str());
    let known = built_in.iter().find(|known| known.is(group, plural) && known.version == version);
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let own =
        known.cloned().unwrap_or_else(|| ResourceType::new(&api_version, plural, &kind.kind, Verbs::All));
    ResourceType {
        singular: kind.singular.to_string(),
        short_names: kind.short.iter().map(ToString::to_string).collect(),
        namespaced: kind.namespaced,
        verbs: if kind.watch { Verbs::Read } else { Verbs::GetList },
        built_in: !kind.custom,
        ..own
    }
}
