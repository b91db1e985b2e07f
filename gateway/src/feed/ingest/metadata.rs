//! The parts of an object's metadata that a row needs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use shared::instant;
use shared::row::{Extra, Owner};

/// The metadata of an object as a row needs it, borrowed from the answer's bytes.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata<'a> {
    #[serde(borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) namespace: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) uid: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) resource_version: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) creation_timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    deletion_timestamp: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) labels: Option<BTreeMap<Box<str>, Box<str>>>,
    #[serde(borrow, default)]
    owner_references: Option<Vec<OwnerReference<'a>>>,
    #[serde(borrow, default)]
    annotations: Option<Annotations<'a>>,
}

#[derive(Deserialize)]
struct OwnerReference<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    controller: Option<bool>,
}

/// The only annotation that a watch reads.
#[derive(Deserialize)]
struct Annotations<'a> {
    #[serde(rename = "k8s.io/initial-events-end", borrow, default)]
    initial_events_end: Option<Cow<'a, str>>,
}

const POD_TEMPLATE_HASH: &str = "pod-template-hash";

impl Metadata<'_> {
    /// On a bookmark: the initial set of a WatchList is complete.
    pub(super) fn ends_initial(&self) -> bool {
        self.annotations.as_ref().and_then(|all| all.initial_events_end.as_deref()) == Some("true")
    }

    pub(super) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty())
    }

    pub(super) fn extra(&self) -> Option<Box<Extra>> {
        let owner = self.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
        let extra = Extra {
            deleted: self.deletion_timestamp.as_deref().and_then(instant::seconds),
            owner: owner
                .map(|owner| Owner { kind: owner.kind.as_ref().into(), name: owner.name.as_ref().into() }),
            hash: self.labels.as_ref().and_then(|labels| labels.get(POD_TEMPLATE_HASH)).cloned(),
            object: None,
        };
        (extra != Extra::default()).then(|| Box::new(extra))
    }
}
