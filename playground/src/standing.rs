//! A cluster that was recorded, as it is when its server starts: it stands still, prints what its own server printed, and
//! can't be changed.

use std::collections::HashMap;
use std::sync::Arc;

use shared::resource::Kind;

use crate::built_in;
use crate::cluster::State;
use crate::json::text;
use crate::recording::Recording;
use crate::resource::{Catalog, ResourceType, Verbs};
use crate::store::{Object, Store};
use crate::table::{Printer, RecordedTable};

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
        // Reviews are answered and never kept, so none was recorded.
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
    // What containers wrote isn't recorded.
    let subresources = own.subresources.iter().filter(|name| *name != "log").cloned().collect();
    ResourceType {
        subresources,
        singular: kind.singular.to_string(),
        short_names: kind.short.iter().map(ToString::to_string).collect(),
        namespaced: kind.namespaced,
        verbs: if kind.watch { Verbs::Read } else { Verbs::GetList },
        built_in: !kind.custom,
        ..own
    }
}
