//! What the newest part ended with, for a recorder that goes on there. Its objects were written by several replicas, each
//! against a model of its own, so they are packed anew against one.

use postgres::{Error, Transaction};
use shared::resource::Resource;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::read::objects;
use crate::kind::KindKey;
use crate::kind_state::Content;
use crate::store::{Entry, ObjectEntry, VersionEntry, columns_of};
use crate::version::{Head, Op};

pub(super) fn last_entries(transaction: &mut Transaction<'_>, part: i32) -> Result<Vec<Entry>, Error> {
    let kinds = transaction.query(
        "SELECT k.kind, k.cluster, k.grp, k.version, k.resource FROM dogwatch_kind k
         WHERE EXISTS (SELECT 1 FROM dogwatch_proof p WHERE p.part = $1 AND p.kind = k.kind) ORDER BY k.kind",
        &[&part],
    )?;
    let mut entries = Vec::new();
    let mut objects_before = 0;
    for row in &kinds {
        let Ok(resource) = Resource::parse(row.get(2), row.get(3), row.get(4)) else { continue };
        let (kind, key) = (row.get(0), KindKey { cluster: row.get::<_, &str>(1).into(), resource });
        entries.push(Entry::Kind { number: i64::from(kind), key });
        kind_entries(transaction, (part, kind), &mut objects_before, &mut entries)?;
    }
    Ok(entries)
}

fn kind_entries(
    transaction: &mut Transaction<'_>,
    (part, kind): (i32, i32),
    object: &mut i64,
    entries: &mut Vec<Entry>,
) -> Result<(), Error> {
    let columns = transaction.query_opt(
        "SELECT at_ms, definitions FROM dogwatch_columns WHERE part = $1 AND kind = $2 ORDER BY at_ms DESC LIMIT 1",
        &[&part, &kind],
    )?;
    let number = i64::from(kind);
    if let Some(row) = columns {
        let columns = columns_of(row.get(1));
        entries.push(Entry::Columns { kind: number, at_ms: row.get(0), columns });
    }
    let mut model: Option<Content> = None;
    for found in objects(transaction, (part, kind), UnixMillis::MAX)? {
        let Some(body) = found.body.unpack() else { continue };
        let Ok(head) = serde_json::from_slice::<Head>(&found.head) else { continue };
        let content = Content { head: found.head, body };
        if model.is_none()
            && let Some(Content { head, body }) = content.text().pack(&Content::default())
        {
            entries.push(Entry::Model { kind: number, head, body });
            model = Some(content.clone());
        }
        let Some(packed) = model.as_ref().and_then(|model| content.text().pack(model)) else { continue };
        *object += 1;
        entries.push(Entry::Object(ObjectEntry {
            number: *object,
            kind: number,
            row: found.row,
            namespace: head.namespace,
            namespace_row: found.namespace_row,
            name: head.name,
            about: found.about,
        }));
        entries.push(Entry::Version(VersionEntry {
            object: *object,
            kind: number,
            number: *object,
            at_ms: found.at_ms,
            resource_version: found.resource_version,
            op: Op::Keyframe { moved: true },
            skipped: 0,
            trouble: found.trouble,
            listed: true,
            head: packed.head,
            body: packed.body,
        }));
    }
    let proof = transaction.query_opt(
        "SELECT at_ms, rv FROM dogwatch_proof WHERE part = $1 AND kind = $2 ORDER BY at_ms DESC LIMIT 1",
        &[&part, &kind],
    )?;
    if let Some(row) = proof {
        let resource_version = ResourceVersion::new(row.get(1));
        entries.push(Entry::Proof { kind: number, at_ms: row.get(0), resource_version });
    }
    Ok(())
}
