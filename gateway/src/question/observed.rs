//! How the rows of one view come to a question: what its forms say of each row, by the view's columns and the cluster's
//! clock. Never a decision.

use std::collections::BTreeSet;
use std::sync::Arc;

use page::table_view::{Client, View};
use replica::freshness::{self, Break, Freshness};
use replica::table::{Delta, Entry, Slot};
use serde_json::Value;
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::asking::{Asking, Place, Proof, Seen};
use super::form::{Form, Truth};

/// How well a view is proven.
pub(crate) fn proof_of(client: &Client, view: &View, now_ms: UnixMillis) -> Proof {
    let has_clusters = !view.subscription().clusters.is_empty();
    match freshness::of(client, view, now_ms) {
        state if state.is_current() && (has_clusters || view.is_exact()) => Proof::Now,
        // The watch goes on from where it was, and a list anew would say so.
        Freshness::Resuming { cause: Break::Upstream { .. }, .. } => Proof::Soon,
        _ => Proof::Unknown,
    }
}

/// A view that answers a question. It has a copy of the forms, because each view has columns of its own.
#[derive(Debug)]
pub(crate) struct Observed {
    target: usize,
    forms: Vec<Form>,
    columns: Option<Arc<[Column]>>,
    /// The objects themselves are printed.
    keeps_objects: bool,
}

impl Observed {
    pub(crate) fn new(target: usize, forms: &[Form], keeps_objects: bool) -> Self {
        Self { target, forms: forms.to_vec(), columns: None, keeps_objects }
    }

    pub(crate) fn keeps_objects(&self) -> bool {
        self.keeps_objects
    }

    /// Takes what a frame changed. Fails with one sentence: a form asks for a column that the view doesn't have.
    pub(crate) fn take(
        &mut self,
        asking: &mut Asking,
        view: &View,
        delta: &Delta,
        now: UnixSeconds,
    ) -> Result<(), String> {
        let is_new = self.bind(view)?;
        if is_new || delta.replaced || delta.columns {
            self.take_all(asking, view, now);
            return Ok(());
        }
        let entry = |slot: &Slot| view.table().entry(*slot);
        for gone in delta.removed.iter().filter_map(entry) {
            asking.remove(&self.place(view, gone), &delta.resource_version);
        }
        let changed = delta.changed.iter().map(|changed| &changed.slot);
        for there in delta.added.iter().chain(changed).filter_map(entry) {
            self.put(asking, view, there, now);
        }
        Ok(())
    }

    /// Takes every row, and that the others aren't there.
    pub(crate) fn take_all(&mut self, asking: &mut Asking, view: &View, now: UnixSeconds) {
        let mut there = BTreeSet::new();
        for (_, entry) in view.table().iter().filter(|(_, entry)| !entry.is_tombstone()) {
            there.insert(self.place(view, entry));
            self.put(asking, view, entry, now);
        }
        for gone in asking.there(self.target).into_iter().filter(|place| !there.contains(place)) {
            asking.remove(&gone, &ResourceVersion::default());
        }
    }

    /// What time made of the rows: an age, a health.
    pub(crate) fn grow_old(&self, asking: &mut Asking, view: &View, now: UnixSeconds) {
        let of_rows: Vec<_> = self.forms.iter().enumerate().filter(|(_, form)| form.reads_row()).collect();
        if of_rows.is_empty() || self.columns.is_none() {
            return;
        }
        for (_, entry) in view.table().iter().filter(|(_, entry)| !entry.is_tombstone()) {
            let place = self.place(view, entry);
            for (at, form) in &of_rows {
                asking.set_truth(&place, *at, form.of(entry, None, now));
            }
        }
    }

    fn bind(&mut self, view: &View) -> Result<bool, String> {
        let columns = view.table().columns();
        if self.columns.as_ref().is_some_and(|bound| Arc::ptr_eq(bound, columns)) {
            return Ok(false);
        }
        for form in &mut self.forms {
            form.bind(columns)?;
        }
        self.columns = Some(Arc::clone(columns));
        Ok(true)
    }

    fn place(&self, view: &View, entry: &Entry) -> Place {
        let key = entry.row().order_key();
        let key = view.table().cluster_of(entry.row()).map_or(key.clone(), |name| format!("{name}/{key}"));
        Place { target: self.target, key: key.into() }
    }

    fn put(&self, asking: &mut Asking, view: &View, entry: &Entry, now: UnixSeconds) {
        let row = entry.row();
        let json = row.extra.as_ref().and_then(|extra| extra.object.as_ref()).map(|object| object.json());
        let reads_object = self.forms.iter().any(Form::reads_object);
        let object: Option<Value> =
            json.filter(|_| reads_object).and_then(|json| serde_json::from_str(json).ok());
        let truths: Vec<Truth> = self.forms.iter().map(|form| form.of(entry, object.as_ref(), now)).collect();
        let seen = Seen {
            version: row.resource_version.clone(),
            object: json.filter(|_| self.keeps_objects).map(Arc::from),
        };
        asking.put(self.place(view, entry), truths, seen);
    }
}
