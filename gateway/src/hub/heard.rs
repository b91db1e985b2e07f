//! What a hub tells a recorder of its objects: each version as the hub has it, and when its list was complete. The hub
//! fills it, and whoever runs the hub takes it; a hub without a recorder fills nothing.

use std::sync::Arc;

use bytes::Bytes;
use shared::column::Column;
use shared::frame::server::Gap;
use shared::past::Why;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};

use super::bodies::Body;
use super::objects::{Objects, SeenBy, Told, Touched};
use super::store::Stored;
use crate::feed::labels::Labels;
use crate::feed::masks::Masks;
use crate::feed::{Managed, Proof};

/// One thing that a hub heard, in the order of its feed.
#[derive(Clone)]
pub enum Heard {
    /// What was heard before it isn't all that happened. [`Heard::Begun`] follows.
    Lost(Why),
    /// All objects follow, then [`Heard::Loaded`].
    Begun,
    Columns(Arc<[Column]>),
    Version(Box<HeardVersion>),
    Deleted {
        row: RowId,
        resource_version: ResourceVersion,
        relisted: bool,
    },
    /// An object, by its key or by what is known of it, that can't be shown. If it was shown before, its deletion
    /// follows, which is none of the cluster.
    LeftOut(Box<str>),
    Loaded(ResourceVersion),
    Missed(Gap),
    /// All up to here was heard.
    Proof(ResourceVersion, Proof),
}

/// A version of an object. Its managedFields aren't read yet.
#[derive(Clone)]
pub struct HeardVersion {
    pub row: Arc<Row>,
    pub labels: Labels,
    body: Body,
    /// The body as the event told it. `None`: a list told it, or it takes too much room.
    json: Option<Bytes>,
    pub masks: Masks,
    pub managed: Managed,
    pub relisted: bool,
}

impl HeardVersion {
    fn of(stored: &Stored, Told { managed, json }: Told, relisted: bool) -> Self {
        let Stored { row, labels, body, masks, .. } = stored;
        let (row, labels) = (Arc::clone(row), labels.clone());
        Self { row, labels, body: body.clone(), json, masks: masks.clone(), managed, relisted }
    }

    /// A version that comes from no hub.
    pub(crate) fn of_json(row: Row, labels: Labels, json: Bytes) -> Self {
        Self {
            row: Arc::new(row),
            labels,
            body: super::bodies::Bodies::new().pack(&json),
            json: Some(json),
            masks: Masks::default(),
            managed: Managed::default(),
            relisted: false,
        }
    }

    /// As an event told it.
    #[cfg(test)]
    pub(crate) fn of_event(row: Row, json: &str) -> Self {
        Self::of_json(row, Labels::default(), Bytes::from(json.to_owned()))
    }

    /// The object's JSON, without a copy where it is at hand.
    #[must_use]
    pub fn bytes(&self) -> Option<Bytes> {
        self.json.clone().or_else(|| self.body.unpack().map(Bytes::from))
    }

    /// The bytes that it takes because its body isn't compressed.
    #[must_use]
    pub fn json_bytes(&self) -> usize {
        self.json.as_ref().map_or(0, Bytes::len)
    }

    /// The body is unpacked again when it is read.
    pub fn drop_json(&mut self) {
        self.json = None;
    }

    /// The bytes that it keeps in memory, about.
    #[must_use]
    pub fn kept_bytes(&self) -> usize {
        self.body.kept_bytes() + self.labels.packed().len() + 32 * self.row.cells.len()
    }
}

/// What was heard since it was taken last.
#[derive(Default)]
pub(super) struct Tap {
    heard: Vec<Heard>,
    has_begun: bool,
}

impl Tap {
    pub(super) fn take(&mut self) -> Vec<Heard> {
        std::mem::take(&mut self.heard)
    }

    pub(super) fn columns(&mut self, columns: &Arc<[Column]>) {
        self.heard.push(Heard::Columns(Arc::clone(columns)));
    }

    /// A list begins. One that follows a list that broke off goes on with what that told.
    pub(super) fn list_begins(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.heard.push(Heard::Begun);
        }
    }

    pub(super) fn touched(&mut self, touched: &Touched, now: Option<&Stored>) {
        let (told, relisted) = match &touched.seen_by {
            SeenBy::Event(told) => (told.clone(), false),
            SeenBy::List => (Told::default(), true),
        };
        let row = touched.id;
        self.heard.push(match (now, &touched.deleted_at) {
            (Some(stored), _) => Heard::Version(Box::new(HeardVersion::of(stored, told, relisted))),
            (None, version) => {
                Heard::Deleted { row, resource_version: version.clone().unwrap_or_default(), relisted }
            }
        });
    }

    pub(super) fn left_out(&mut self, object: Box<str>) {
        self.heard.push(Heard::LeftOut(object));
    }

    pub(super) fn loaded(&mut self, version: &ResourceVersion) {
        self.heard.push(Heard::Loaded(version.clone()));
    }

    pub(super) fn missed(&mut self, gap: &Gap) {
        self.heard.push(Heard::Missed(gap.clone()));
    }

    pub(super) fn proven(&mut self, version: &ResourceVersion, proof: Proof) {
        self.heard.push(Heard::Proof(version.clone(), proof));
    }

    /// What one who begins to listen has to hear first.
    pub(super) fn beginning(objects: &Objects) -> Vec<Heard> {
        let mut tap = Self::default();
        tap.all(objects, Why::TooFast);
        tap.heard
    }

    /// For the first listener, who has just heard [all that there is](Self::beginning).
    pub(super) fn after_beginning() -> Self {
        Self { heard: Vec::new(), has_begun: true }
    }

    /// Tells all that there is, to a recorder that has to begin anew because something was lost.
    pub(super) fn all(&mut self, objects: &Objects, lost: Why) {
        self.heard.clear();
        self.heard.push(Heard::Lost(lost));
        self.columns(&objects.epoch().columns().list);
        self.heard.push(Heard::Begun);
        let version = |(_, stored): (RowId, &Stored)| {
            Heard::Version(Box::new(HeardVersion::of(stored, Told::default(), true)))
        };
        self.heard.extend(objects.store().iter().map(version));
        self.heard.extend(objects.left_out_names().map(|object| Heard::LeftOut(object.into())));
        self.has_begun = true;
        if objects.is_loaded() {
            self.loaded(objects.resource_version());
        }
    }
}
