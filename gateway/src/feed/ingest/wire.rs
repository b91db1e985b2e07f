//! The JSON of a watch and of a list, borrowed from the bytes, with objects and cells unparsed.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use shared::column::Column;
use shared::resource_version::ResourceVersion;

/// `T` is what the object is read as: mostly a [`WireTable`] at once, so that the bytes are read once.
#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
pub(super) struct WireEvent<'a, T> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    pub(super) object: T,
}

/// A `Table`, or another object, of which only `kind` and `metadata` are read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireTable<'a> {
    #[serde(borrow, default)]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) metadata: WireListMetadata<'a>,
    #[serde(default)]
    pub(super) column_definitions: Option<Vec<Column>>,
    #[serde(borrow, default)]
    pub(super) rows: Option<Vec<WireRow<'a>>>,
    /// The items of a list that isn't a table.
    #[serde(borrow, default)]
    pub(super) items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireListMetadata<'a> {
    #[serde(borrow, default)]
    resource_version: Option<Cow<'a, str>>,
    #[serde(rename = "continue", borrow, default)]
    pub(super) next: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) remaining_item_count: Option<u64>,
}

impl WireListMetadata<'_> {
    /// Empty if there is none.
    pub(super) fn resource_version(&self) -> ResourceVersion {
        ResourceVersion::new(self.resource_version.as_deref().unwrap_or_default())
    }
}

#[derive(Deserialize)]
pub(super) struct WireRow<'a> {
    #[serde(borrow, default)]
    pub(super) cells: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) object: Option<&'a RawValue>,
}

/// Any list without its items: the answer to a request for a proof.
pub(crate) fn resource_version_of_list(body: &[u8]) -> Option<ResourceVersion> {
    #[derive(Deserialize)]
    struct Head<'a> {
        #[serde(borrow)]
        metadata: WireListMetadata<'a>,
    }
    let head: Head = serde_json::from_slice(body).ok()?;
    Some(head.metadata.resource_version())
}
