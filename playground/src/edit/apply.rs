//! Server-side apply: a configuration is merged in, its fields are noted under its manager, and a field
//! that another manager holds is a conflict unless it is forced. Fields that a manager no longer applies
//! stay; the real server would remove them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Edit, keep_status};
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::json;
use crate::patch;
use crate::store::{Object, conflicts};

impl Cluster {
    /// Applies a configuration; gives the object, and whether it is new.
    pub fn apply(
        &self,
        edit: &Edit<'_>,
        mut value: Value,
        is_forced: bool,
    ) -> Result<(Arc<Object>, bool), Failure> {
        let name = edit.fit(&mut value)?;
        json::set(&mut value, &["metadata", "name"], json!(name));
        json::remove(&mut value, &["metadata", "managedFields"]);
        let is_there = self.state().store.get(&edit.at(), &edit.key()).is_some();
        if !is_there {
            return self.create(edit, value).map(|object| (object, true));
        }
        let changed = self.change(edit, |before| {
            let mut after = before.clone();
            if edit.kind.built_in {
                patch::strategic(&mut after, &value);
            } else {
                patch::merge(&mut after, &value);
            }
            let after = keep_status(edit, before, after);
            let held = conflicts(before, &after, edit.manager);
            if held.is_empty() || is_forced { Ok(after) } else { Err(Failure::apply_conflict(&held)) }
        });
        changed.map(|object| (object, false))
    }
}
