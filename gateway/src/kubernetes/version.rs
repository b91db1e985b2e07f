//! One version of an object, as a client of Kubernetes is told of it.

use std::borrow::Cow;
use std::sync::Arc;

use kubernetes_api::{Include, Representation};
use shared::cell::Cell;
use shared::row::{Row, RowId};

use super::json::{member, with_masks_named, with_resource_version};
use crate::feed::labels::Labels;
use crate::feed::masks::MASK;
use crate::feed::{Object, ObjectBody};
use crate::hub::HeardVersion;

/// An object at one resourceVersion, redacted.
pub struct Version {
    /// As etcd's key ends: `namespace/name`, or the name.
    pub key: Box<str>,
    pub revision: u64,
    pub row: Arc<Row>,
    pub labels: Labels,
    is_masked: bool,
    body: Body,
}

enum Body {
    /// Compressed still.
    Heard(Box<HeardVersion>),
    Read(ObjectBody),
}

impl Version {
    /// `None`: its resourceVersion isn't a number, so events of its kind have no order.
    pub(super) fn heard(mut heard: HeardVersion) -> Option<Self> {
        // They and the JSON are parts of a whole answer, which would be kept with them.
        heard.managed = crate::feed::Managed::default();
        heard.drop_json();
        Some(Self {
            key: heard.row.order_key().into(),
            revision: heard.row.resource_version.as_str().parse().ok()?,
            row: Arc::clone(&heard.row),
            labels: heard.labels.clone(),
            is_masked: !heard.masks.is_empty(),
            body: Body::Heard(Box::new(heard)),
        })
    }

    /// An object of a list. What has no resourceVersion has the revision 0.
    pub(super) fn listed(object: Object) -> Self {
        let Object { row, labels, body, masks, .. } = object;
        Self {
            key: row.order_key().into(),
            revision: row.resource_version.as_str().parse().unwrap_or_default(),
            row: Arc::new(row),
            labels,
            is_masked: !masks.is_empty(),
            body: Body::Read(body),
        }
    }

    pub(super) fn id(&self) -> RowId {
        self.row.id
    }

    /// Whether a form of it shows a mask.
    pub(super) fn is_masked_in(&self, representation: Representation) -> bool {
        let is_whole =
            matches!(representation, Representation::Whole | Representation::Table(Include::Object));
        let is_in_cells = || {
            matches!(representation, Representation::Table(_))
                && self.row.cells.iter().any(|cell| matches!(cell, Cell::Text(text) if text.contains(MASK)))
        };
        let is_in_metadata = || {
            representation != Representation::Table(Include::None)
                && self.json(None).is_some_and(|json| {
                    let metadata = member(&json, "metadata").unwrap_or_default();
                    metadata.contains(MASK)
                })
        };
        self.is_masked && (is_whole || is_in_cells() || is_in_metadata())
    }

    /// What it keeps in memory, about.
    pub(super) fn kept_bytes(&self) -> usize {
        match &self.body {
            Body::Heard(heard) => heard.kept_bytes(),
            Body::Read(ObjectBody::Json(json)) => json.len(),
            Body::Read(ObjectBody::Kept(_)) => 0,
        }
    }

    /// Its JSON, which says what is masked. `deleted`: the revision of its deletion.
    pub(super) fn json(&self, deleted: Option<u64>) -> Option<String> {
        let json = match &self.body {
            Body::Heard(heard) => Cow::Owned(heard.bytes()?.into()),
            Body::Read(body) => body.json()?,
        };
        let json = String::from_utf8(json.into_owned()).ok()?;
        let json = match deleted {
            Some(revision) => with_resource_version(&json, revision),
            None => json,
        };
        Some(if self.is_masked { with_masks_named(&json).into_owned() } else { json })
    }
}
