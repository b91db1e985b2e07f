//! From a row of a table to an [`Object`]: redacted, with its id, its labels, and its cells. The cells have instants
//! instead of the durations that the server printed, which were true at one moment only. A cell that isn't known to be
//! a time stays as it was printed.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use shared::cell::{Ago, Cell};
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::instant;
use shared::json_path::Outline;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::{Extra, Owner, Row, RowId, order_key};

use super::instants;
use super::printer::{Defined, Parts, PrinterColumns, Undefined};
use super::redact::Redacted;
use super::role::AskedKind;
use crate::feed::health::rows::RowsOfKind;
use crate::feed::health::{Judge, Lifetime, Subject};
use crate::feed::json;
use crate::feed::labels::Labels;
use crate::feed::redaction::Rules;
use crate::feed::{LeftOut, Managed, Object};

/// `cells`: as the server printed them. If it prints none, the name is the first cell. `managed`: the object's
/// managedFields, within the bytes that `whole` is.
pub(super) fn build(
    plan: &Plan,
    (rules, kind, (judge, rows)): (&Rules, AskedKind, (Judge, Option<&RowsOfKind>)),
    cells: Option<&[&RawValue]>,
    redacted: Redacted,
    (managed, whole): (&[u8], &Bytes),
) -> Result<Object, LeftOut> {
    let metadata: Metadata =
        serde_json::from_slice(redacted.metadata()).map_err(|_| unreadable("an object"))?;
    if metadata.name.is_empty() {
        return Err(unreadable("an object without a name"));
    }
    let source = Source { metadata: &metadata, redacted: &redacted, rules };
    let mut filled = plan.cells(cells.unwrap_or_default(), &source);
    if let (None, Some(first)) = (cells, filled.first_mut()) {
        *first = Cell::text(&metadata.name);
    }
    let row = Row {
        id: row_id(&metadata),
        resource_version: resource_version(&source),
        namespace: metadata.namespace().map(Into::into),
        name: metadata.name.as_ref().into(),
        created: metadata.created(),
        cells: filled,
        extra: metadata.extra(),
    };
    let labels = Labels::pack(metadata.labels.iter().flatten().map(|(key, value)| (&*key.0, &*value.0)));
    let managed = match kind {
        // Copied, because a slice would keep the whole answer with its values in memory.
        AskedKind::Secret => Managed(Bytes::copy_from_slice(managed)),
        AskedKind::ConfigMap | AskedKind::Event | AskedKind::Other => Managed(whole.slice_ref(managed)),
    };
    let subject = Subject {
        lifetime: metadata.lifetime(),
        metadata: redacted.metadata(),
        spec: redacted.spec(),
        status: redacted.status(),
        whole: &redacted.bytes,
        managed: &managed.0,
    };
    let verdict = judge.verdict(&subject, rows).map(Box::new);
    let (body, masks) = redacted.finish();
    Ok(Object { row, labels, managed, verdict, body: body.into(), masks })
}

/// If the API has no resourceVersion (metrics.k8s.io), a hash of the content without the metadata, whose
/// creationTimestamp is the time of the request.
fn resource_version(source: &Source<'_>) -> ResourceVersion {
    if !source.metadata.resource_version.is_empty() {
        return ResourceVersion::new(&source.metadata.resource_version);
    }
    let whole = source.redacted.bytes.as_slice();
    let metadata = source.redacted.metadata_range();
    let before = whole.get(..metadata.start).unwrap_or_default();
    let after = whole.get(metadata.end..).unwrap_or_default();
    let labels = serde_json::to_vec(&source.metadata.labels).unwrap_or_default();
    ResourceVersion::new(&format!("h{:016x}", hash_of(&[before, after, &labels])))
}

/// A namespaced object has one uid in its lifetime; an API without uids goes by the name.
pub(super) fn row_id(metadata: &Metadata<'_>) -> RowId {
    if metadata.uid.is_empty() {
        return RowId::from_hash(hash_of(&[order_key(metadata.namespace(), &metadata.name).as_bytes()]));
    }
    row_of_uid(&metadata.uid)
}

/// The row of the object that has this uid.
#[must_use]
pub fn row_of_uid(uid: &str) -> RowId {
    RowId::from_hash(hash_of(&[uid.as_bytes()]))
}

/// The upper 64 bits of SHA-256.
fn hash_of(parts: &[&[u8]]) -> u64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

pub(super) fn unreadable(what: &str) -> LeftOut {
    LeftOut {
        object: what.into(),
        problem: Problem::new(Reason::InternalError, "the API server sent an object that can't be read"),
    }
}

/// Names a value that was too large from its first bytes, for the object's metadata stands near the
/// beginning.
pub(super) fn name_in(head: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let after_rows = text.split_once("\"rows\":").map_or(&*text, |(_, rows)| rows);
    let after_object = after_rows.split_once("\"object\":").map_or(after_rows, |(_, object)| object);
    let (_, metadata) = after_object.split_once("\"metadata\":")?;
    let member = |key: &str| {
        let (_, rest) = metadata.split_once(&format!("\"{key}\":\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let name = member("name")?;
    Some(order_key(member("namespace").as_deref(), &name))
}

/// The metadata of an object as a row needs it, borrowed from the answer's bytes.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata<'a> {
    #[serde(borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(borrow, default)]
    namespace: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    uid: Cow<'a, str>,
    #[serde(borrow, default)]
    resource_version: Cow<'a, str>,
    #[serde(borrow, default)]
    creation_timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    deletion_timestamp: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "json::number")]
    deletion_grace_period_seconds: Option<i64>,
    #[serde(borrow, default, deserialize_with = "json::texts")]
    finalizers: Vec<Cow<'a, str>>,
    #[serde(default, deserialize_with = "json::number")]
    generation: Option<i64>,
    #[serde(borrow, default)]
    labels: Option<BTreeMap<Text<'a>, Text<'a>>>,
    #[serde(borrow, default)]
    owner_references: Option<Vec<OwnerReference<'a>>>,
    #[serde(borrow, default)]
    annotations: Option<Annotations<'a>>,
}

/// A text within a collection, which serde borrows only with a type of its own.
#[derive(Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct OwnerReference<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    uid: Cow<'a, str>,
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

    fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty())
    }

    fn created(&self) -> Option<UnixSeconds> {
        self.creation_timestamp.as_deref().and_then(instant::seconds)
    }

    fn deleted(&self) -> Option<UnixSeconds> {
        self.deletion_timestamp.as_deref().and_then(instant::seconds)
    }

    fn lifetime(&self) -> Lifetime<'_> {
        Lifetime {
            created: self.created(),
            deleted: self.deleted(),
            grace_s: self.deletion_grace_period_seconds,
            finalizers: &self.finalizers,
            generation: self.generation,
        }
    }

    fn label(&self, wanted: &str) -> Option<&str> {
        let mut labels = self.labels.iter().flatten();
        labels.find(|(key, _)| key.0 == wanted).map(|(_, value)| &*value.0)
    }

    fn extra(&self) -> Option<Box<Extra>> {
        let owner = self.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
        let extra = Extra {
            deleted: self.deleted(),
            owner: owner.map(|owner| Owner {
                kind: owner.kind.as_ref().into(),
                name: owner.name.as_ref().into(),
                row: (!owner.uid.is_empty()).then(|| row_of_uid(&owner.uid)),
            }),
            hash: self.label(POD_TEMPLATE_HASH).map(Into::into),
            health: None,
            object: None,
        };
        (extra != Extra::default()).then(|| Box::new(extra))
    }
}

/// How each column of a table is filled.
#[derive(Debug)]
pub(super) struct Plan {
    fills: Vec<Fill>,
    /// What the paths of printer columns lead to.
    outline: Outline,
}

#[derive(Clone, Debug)]
enum Fill {
    Printed,
    Age,
    Restarts,
    FirstSeen,
    LastSeen,
    LastSchedule,
    JobDuration,
    Defined(Defined),
    Undefined(Undefined),
}

/// The parts of an object that its cells need.
struct Source<'a> {
    metadata: &'a Metadata<'a>,
    redacted: &'a Redacted,
    rules: &'a Rules,
}

impl Plan {
    pub(super) fn of(
        resource: &Resource,
        columns: &[Column],
        printer: &PrinterColumns,
        rules: &Rules,
    ) -> Self {
        let group = resource.group.as_str();
        let fill = |(place, column): (usize, &Column)| {
            if let Some(defined) = printer.at(place, column) {
                return Fill::Defined(defined);
            }
            match (group, resource.resource.as_str(), &*column.name) {
                ("", "pods", "Restarts") => Fill::Restarts,
                ("" | "events.k8s.io", "events", "First Seen") => Fill::FirstSeen,
                ("" | "events.k8s.io", "events", "Last Seen") => Fill::LastSeen,
                ("batch", "cronjobs", "Last Schedule") => Fill::LastSchedule,
                ("batch", "jobs", "Duration") => Fill::JobDuration,
                (_, _, "Age") => Fill::Age,
                _ => Undefined::of(resource, column, rules).map_or(Fill::Printed, Fill::Undefined),
            }
        };
        let fills: Vec<Fill> = columns.iter().enumerate().map(fill).collect();
        let mut outline = Outline::default();
        for fill in &fills {
            if let Fill::Defined(defined) = fill {
                outline.add(defined.path());
            }
        }
        Self { fills, outline }
    }

    /// As many cells as there are columns, whatever the row has.
    fn cells(&self, printed: &[&RawValue], source: &Source<'_>) -> Vec<Cell> {
        let parts = Parts { outline: &self.outline, redacted: source.redacted, read: OnceCell::new() };
        let cell = |(place, fill): (usize, &Fill)| {
            let json = printed.get(place).map_or("null", |raw| raw.get());
            match fill {
                Fill::Defined(defined) => defined.cell(read(json), &parts),
                Fill::Undefined(column) => column.cell(read(json), json, source.redacted, source.rules),
                fill => fill.apply(read(json), source),
            }
        };
        self.fills.iter().enumerate().map(cell).collect()
    }
}

impl Fill {
    fn apply(&self, printed: Cell, source: &Source<'_>) -> Cell {
        let (status, whole) = (source.redacted.status(), &source.redacted.bytes);
        let known = match self {
            Self::Printed | Self::Defined(_) | Self::Undefined(_) => None,
            Self::Age => return Cell::Age(source.created()),
            Self::Restarts => restarts(&printed, source.redacted),
            Self::FirstSeen => instants::first_seen(whole).map(age),
            Self::LastSeen => instants::last_seen(whole).map(age),
            Self::LastSchedule => instants::last_schedule(status).map(age),
            Self::JobDuration => instants::run(status).map(|run| Cell::Span(Box::new(run))),
        };
        known.unwrap_or(printed)
    }
}

/// A pod's `3 (5m ago)`: the number as it was printed.
fn restarts(printed: &Cell, pod: &Redacted) -> Option<Cell> {
    let Cell::Text(text) = printed else { return None };
    let (count, _) = text.split_once(" (")?;
    let at = instants::last_restart(pod.spec(), pod.status())?;
    Some(Cell::Ago(Box::new(Ago { text: count.into(), at })))
}

fn age(at: UnixSeconds) -> Cell {
    Cell::Age(Some(at))
}

impl Source<'_> {
    fn created(&self) -> Option<UnixSeconds> {
        self.metadata.created()
    }
}

/// A cell as the server printed it. Lists and objects, which kubectl never prints, are shown as JSON.
fn read(json: &str) -> Cell {
    match json.as_bytes().first() {
        Some(b'n') | None => Cell::Null,
        Some(b't') => Cell::Bool(true),
        Some(b'f') => Cell::Bool(false),
        Some(b'"') => serde_json::from_str(json).map_or(Cell::Null, Cell::Text),
        Some(b'{' | b'[') => Cell::text(json),
        Some(_) => json
            .parse()
            .map(Cell::Int)
            .or_else(|_| json.parse().map(Cell::Float))
            .unwrap_or_else(|_| Cell::text(json)),
    }
}
