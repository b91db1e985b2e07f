//! How entries are written: one statement for each table, its rows in the order of the key, so that two replicas that
//! write the same versions never wait for each other in a circle.

use std::collections::BTreeMap;

use postgres::{Error, Transaction};
use shared::past::Unrecorded;
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::row::RowId;
use shared::state::UnixMillis;

use super::OwnSegment;
use crate::kind::KindKey;
use crate::share::Share;
use crate::store::{Entry, ObjectEntry, VersionEntry};
use crate::version::Op;

/// The entries of a transaction, by table.
#[derive(Default)]
pub(super) struct Batch<'a> {
    models: Vec<(i32, &'a [u8], &'a [u8])>,
    columns: Vec<(i32, UnixMillis, String)>,
    /// The last entry of an object has all of the former ones.
    objects: BTreeMap<(i32, i64), &'a ObjectEntry>,
    keyframes: Vec<&'a VersionEntry>,
    versions: BTreeMap<VersionKey<'a>, &'a VersionEntry>,
    unrecorded: Vec<(i32, &'a Unrecorded)>,
    proofs: Vec<(i32, UnixMillis, &'a ResourceVersion)>,
    /// The time of the last version of a kind.
    heard: BTreeMap<i32, UnixMillis>,
}

/// The primary key of a version within its part.
type VersionKey<'a> = (i32, i64, i64, bool, &'a str);

/// Where a version stands among those of its kind. The number of a resourceVersion, as Kubernetes compares them; of one
/// that isn't a number the time, which differs a little between replicas. All that one list found gone has its number, so
/// a part of the id tells them apart: a reader goes on after a place.
fn place(resource_version: &ResourceVersion, at_ms: UnixMillis, id: i64) -> i64 {
    const PLACES_OF_A_NUMBER: i64 = 1 << 16;
    let number = resource_version.as_str().parse::<i64>().ok();
    let place = number.and_then(|number| number.checked_mul(PLACES_OF_A_NUMBER));
    place.unwrap_or_else(|| at_ms.saturating_mul(PLACES_OF_A_NUMBER)).saturating_add(id % PLACES_OF_A_NUMBER)
}

impl<'a> Batch<'a> {
    /// The kinds get their numbers.
    pub(super) fn of(
        entries: &'a [Entry],
        own: &mut OwnSegment,
        transaction: &mut Transaction<'_>,
    ) -> Result<Self, Error> {
        let mut batch = Self::default();
        for entry in entries {
            batch.add(entry, own, transaction)?;
        }
        Ok(batch)
    }

    fn add(
        &mut self,
        entry: &'a Entry,
        own: &mut OwnSegment,
        transaction: &mut Transaction<'_>,
    ) -> Result<(), Error> {
        if let Entry::Kind { number, key } = entry {
            own.kinds.insert(*number, number_of(key, own.share, transaction)?);
            return Ok(());
        }
        let kind = match entry {
            Entry::Object(object) => object.kind,
            Entry::Version(version) => version.kind,
            Entry::Kind { number: kind, .. }
            | Entry::Named { kind, .. }
            | Entry::Model { kind, .. }
            | Entry::Columns { kind, .. }
            | Entry::Unrecorded { kind, .. }
            | Entry::Proof { kind, .. } => *kind,
        };
        // A recorder names a kind first.
        let Some(kind) = own.kinds.get(&kind).copied() else { return Ok(()) };
        match entry {
            // A database is read by gateways alone, which ask their cluster.
            Entry::Kind { .. } | Entry::Named { .. } => {}
            Entry::Model { head, body, .. } => self.models.push((kind, head, body)),
            Entry::Columns { at_ms, columns, .. } => {
                let definitions = serde_json::to_string(&**columns).unwrap_or_default();
                self.columns.push((kind, *at_ms, definitions));
            }
            Entry::Object(object) => {
                let key = (kind, object.row.number());
                own.objects.insert(object.number, key);
                self.objects.insert(key, object);
            }
            Entry::Version(version) => {
                let Some((kind, id)) = own.objects.get(&version.object).copied() else { return Ok(()) };
                if matches!(version.op, Op::Keyframe { .. }) {
                    self.keyframes.push(version);
                }
                if !version.listed && !matches!(version.op, Op::Keyframe { moved: true }) {
                    let heard_ms = self.heard.entry(kind).or_insert(version.at_ms);
                    *heard_ms = version.at_ms.max(*heard_ms);
                }
                let is_gone = matches!(version.op, Op::Deleted { .. });
                let resource_version = &version.resource_version;
                let place = place(resource_version, version.at_ms, id);
                self.versions.insert((kind, id, place, is_gone, resource_version.as_str()), version);
            }
            Entry::Unrecorded { unrecorded, .. } => self.unrecorded.push((kind, unrecorded)),
            Entry::Proof { at_ms, resource_version, .. } => {
                self.proofs.push((kind, *at_ms, resource_version));
            }
        }
        Ok(())
    }

    pub(super) fn forget_heard(&mut self) {
        self.heard.clear();
    }

    pub(super) fn write(&self, own: &OwnSegment, transaction: &mut Transaction<'_>) -> Result<(), Error> {
        self.write_models(own, transaction)?;
        self.write_objects(own, transaction)?;
        self.write_keyframes(own, transaction)?;
        self.write_versions(own, transaction)?;
        self.write_proofs(own, transaction)
    }

    fn write_models(&self, own: &OwnSegment, transaction: &mut Transaction<'_>) -> Result<(), Error> {
        for (kind, head, body) in &self.models {
            let model = "INSERT INTO dogwatch_model VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
            transaction.execute(model, &[&own.part, &own.segment, kind, head, body])?;
        }
        for (kind, at_ms, definitions) in &self.columns {
            let columns = "INSERT INTO dogwatch_columns VALUES ($1, $2, $3, $4, $5)";
            transaction.execute(columns, &[&own.part, &own.segment, kind, at_ms, definitions])?;
        }
        Ok(())
    }

    fn write_objects(&self, own: &OwnSegment, transaction: &mut Transaction<'_>) -> Result<(), Error> {
        if self.objects.is_empty() {
            return Ok(());
        }
        let (kinds, ids): (Vec<i32>, Vec<i64>) = self.objects.keys().copied().unzip();
        let objects = || self.objects.values();
        let namespaces: Vec<Option<&str>> = objects().map(|object| object.namespace.as_deref()).collect();
        let namespace_ids: Vec<Option<i64>> =
            objects().map(|object| object.namespace_row.map(RowId::number)).collect();
        let names: Vec<&str> = objects().map(|object| &*object.name).collect();
        let about: Vec<Option<i64>> = objects().map(|object| object.about.map(RowId::number)).collect();
        transaction.execute(
            "INSERT INTO dogwatch_object
             SELECT $1, * FROM unnest($2::integer[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::bigint[])
             ON CONFLICT (part, kind, id) DO UPDATE
             SET namespace_id = coalesce(excluded.namespace_id, dogwatch_object.namespace_id)
             WHERE dogwatch_object.namespace_id IS NULL AND excluded.namespace_id IS NOT NULL",
            &[&own.part, &kinds, &ids, &namespaces, &namespace_ids, &names, &about],
        )?;
        Ok(())
    }

    fn write_keyframes(&self, own: &OwnSegment, transaction: &mut Transaction<'_>) -> Result<(), Error> {
        if self.keyframes.is_empty() {
            return Ok(());
        }
        let keyframes = || self.keyframes.iter();
        let numbers: Vec<i64> = keyframes().map(|keyframe| keyframe.number).collect();
        let heads: Vec<&[u8]> = keyframes().map(|keyframe| &*keyframe.head).collect();
        let bodies: Vec<&[u8]> = keyframes().map(|keyframe| &*keyframe.body).collect();
        transaction.execute(
            "INSERT INTO dogwatch_keyframe
             SELECT $1, $2, * FROM unnest($3::bigint[], $4::bytea[], $5::bytea[]) ON CONFLICT DO NOTHING",
            &[&own.part, &own.segment, &numbers, &heads, &bodies],
        )?;
        Ok(())
    }

    /// A version of the replica that brings it first is kept, with the time of the replica that heard it first.
    fn write_versions(&self, own: &OwnSegment, transaction: &mut Transaction<'_>) -> Result<(), Error> {
        if self.versions.is_empty() {
            return Ok(());
        }
        let versions = || self.versions.values();
        let (mut kinds, mut ids, mut places, mut gone, mut names) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (kind, id, place, is_gone, name) in self.versions.keys() {
            kinds.push(*kind);
            ids.push(*id);
            places.push(*place);
            gone.push(*is_gone);
            names.push(*name);
        }
        let times: Vec<i64> = versions().map(|version| version.at_ms).collect();
        let ops: Vec<i16> =
            versions().map(|version| i16::try_from(version.op.number().0).unwrap_or_default()).collect();
        let keyframes: Vec<i64> = versions()
            .map(|version| match version.op {
                Op::Patch { keyframe } => keyframe,
                Op::Keyframe { .. } => version.number,
                Op::Deleted { .. } => 0,
            })
            .collect();
        let skipped: Vec<i64> = versions().map(|version| i64::from(version.skipped)).collect();
        let trouble: Vec<bool> = versions().map(|version| version.trouble).collect();
        // What a keyframe holds is in its own table.
        let of_patch = |version: &VersionEntry| matches!(version.op, Op::Patch { .. });
        let heads: Vec<Option<&[u8]>> =
            versions().map(|version| of_patch(version).then_some(&*version.head)).collect();
        let bodies: Vec<Option<&[u8]>> =
            versions().map(|version| of_patch(version).then_some(&*version.body)).collect();
        transaction.execute(
            "INSERT INTO dogwatch_version
             SELECT $1, v.kind, v.id, v.place, v.gone, v.rv, $2, v.at_ms, v.op, v.keyframe, v.skipped, v.trouble, v.head, v.body
             FROM unnest($3::integer[], $4::bigint[], $5::bigint[], $6::boolean[], $7::text[], $8::bigint[],
                         $9::smallint[], $10::bigint[], $11::bigint[], $12::boolean[], $13::bytea[], $14::bytea[])
                  AS v (kind, id, place, gone, rv, at_ms, op, keyframe, skipped, trouble, head, body)
             ON CONFLICT (part, kind, id, place, gone, rv) DO UPDATE SET at_ms = excluded.at_ms
             WHERE excluded.at_ms < dogwatch_version.at_ms",
            &[
                &own.part,
                &own.segment,
                &kinds,
                &ids,
                &places,
                &gone,
                &names,
                &times,
                &ops,
                &keyframes,
                &skipped,
                &trouble,
                &heads,
                &bodies,
            ],
        )?;
        Ok(())
    }

    fn write_proofs(&self, own: &OwnSegment, transaction: &mut Transaction<'_>) -> Result<(), Error> {
        for (kind, Unrecorded { from_ms, to_ms, why }) in &self.unrecorded {
            let why = serde_json::to_string(why).unwrap_or_default();
            let unrecorded = "INSERT INTO dogwatch_unrecorded VALUES ($1, $2, $3, $4, $5, $6)";
            transaction.execute(unrecorded, &[&own.part, &own.segment, kind, from_ms, to_ms, &why])?;
        }
        for (kind, at_ms) in &self.heard {
            let heard = "INSERT INTO dogwatch_heard VALUES ($1, $2, $3, $4)
                ON CONFLICT (part, segment, kind) DO UPDATE SET at_ms = greatest(dogwatch_heard.at_ms, excluded.at_ms)";
            transaction.execute(heard, &[&own.part, &own.segment, kind, at_ms])?;
        }
        for (kind, at_ms, resource_version) in &self.proofs {
            let proof = "INSERT INTO dogwatch_proof VALUES ($1, $2, $3, $4, $5)";
            let resource_version = resource_version.as_str();
            transaction.execute(proof, &[&own.part, &own.segment, kind, at_ms, &resource_version])?;
        }
        Ok(())
    }
}

/// The database's number of a kind, which it gets if it has none.
fn number_of(key: &KindKey, share: Share, transaction: &mut Transaction<'_>) -> Result<i32, Error> {
    let Resource { group, version, resource } = &key.resource;
    let cluster = &*key.cluster;
    let names: [&(dyn postgres::types::ToSql + Sync); 4] =
        [&cluster, &group.as_str(), &version.as_str(), &resource.as_str()];
    let [cluster, group, version, resource] = names;
    transaction.execute(
        "INSERT INTO dogwatch_kind (cluster, grp, version, resource, share) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (cluster, grp, version, resource) DO UPDATE SET share = excluded.share
         WHERE dogwatch_kind.share <> excluded.share",
        &[cluster, group, version, resource, &share.number()],
    )?;
    let number =
        "SELECT kind FROM dogwatch_kind WHERE cluster = $1 AND grp = $2 AND version = $3 AND resource = $4";
    Ok(transaction.query_one(number, &names)?.get(0))
}
