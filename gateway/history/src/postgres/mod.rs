//! The record in a PostgreSQL database, which all replicas of a gateway write to and read from.

mod away;
mod changes;
mod coverage;
mod link;
mod purge;
mod read;
mod resume;
mod scan;
mod schema;
mod write;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use postgres::{Client, Transaction};
use shared::state::UnixMillis;

use crate::bounds::Bounds;
use crate::past::Past;
use crate::share::Share;
use crate::store::{Entry, Store, StoreError};
use away::Away;
use link::{Pool, check_version};
pub(crate) use schema::LOCK_OF_WRITERS;
use schema::{LOCK, OF_PART, TABLES, VERSION};
use write::Batch;

pub use link::{Connect, because};
pub use purge::purge_tables;

/// The bytes are asked for so often: it takes a while with many tables.
const WEIGHED: Duration = Duration::from_secs(10);
/// A commit that found its connection broken, or lost against another replica's, is tried so often in all.
const TRIES: usize = 3;

/// Where one share of the record is kept.
pub struct Postgres {
    connect: Connect,
    /// The connection of the writer, and those of readers. All shares have the same.
    client: Arc<Mutex<WriterLink>>,
    readers: Arc<Pool>,
    share: Share,
    bounds: Bounds,
    own: Own,
    /// The newest part that is known, of whichever replica.
    newest: i32,
    bytes: Weighed,
}

#[derive(Default)]
struct WriterLink {
    client: Option<Client>,
    away: Away,
}

/// Where this replica writes.
enum Own {
    /// Nowhere yet. Only what goes on from a part may be written into it: else its objects that went unheard stayed in
    /// it for ever.
    None {
        goes_on: bool,
    },
    Segment(OwnSegment),
}

struct OwnSegment {
    part: i32,
    share: Share,
    part_from_ms: UnixMillis,
    segment: i64,
    /// The database's numbers of the kinds, by those of the recorder.
    kinds: HashMap<i64, i32>,
    /// The kind and the id of each object, by the number of the recorder.
    objects: HashMap<i64, (i32, i64)>,
}

/// The bytes of all parts and of the newest, as they were when they were last asked for.
#[derive(Clone, Copy, Default)]
struct Weighed {
    all: u64,
    newest: u64,
    /// Those of the newest when it had what a part begins with.
    begun: u64,
    /// About what this replica has written since.
    written: u64,
    at: Option<Instant>,
}

impl Weighed {
    /// By how much the newest part has grown.
    fn grown(&self) -> u64 {
        (self.newest + self.written).saturating_sub(self.begun)
    }
}

impl Postgres {
    /// Nothing is connected before it is needed.
    #[must_use]
    pub fn new(connect: Connect, bounds: Bounds) -> Self {
        let readers = Arc::new(Pool::new(Arc::clone(&connect)));
        let (client, share, own) = (Arc::default(), Share::Kubernetes, Own::None { goes_on: false });
        Self { connect, client, readers, share, bounds, own, newest: 0, bytes: Weighed::default() }
    }

    /// Where another share is kept, over the same connections.
    #[must_use]
    pub fn of_share(&self, share: Share, bounds: Bounds) -> Self {
        let (client, readers) = (Arc::clone(&self.client), Arc::clone(&self.readers));
        let fresh = Self::new(Arc::clone(&self.connect), bounds);
        Self { client, readers, share, ..fresh }
    }

    /// Runs a transaction, on a new connection if the former one broke. What it does may be done twice.
    fn run<T>(
        &mut self,
        mut act: impl FnMut(&mut Transaction<'_>) -> Result<T, postgres::Error>,
    ) -> Result<T, StoreError> {
        let mut tries = 0;
        let mut kept = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            tries += 1;
            let WriterLink { client, away } = &mut *kept;
            let client = match client {
                Some(client) if !client.is_closed() => client,
                client => {
                    let begun = Instant::now();
                    if let Some(why) = away.why(begun) {
                        return Err(why);
                    }
                    let fresh = (self.connect)().inspect_err(|why| away.note(begun, Instant::now(), why));
                    let mut fresh = fresh?;
                    set_up(&mut fresh)?;
                    client.insert(fresh)
                }
            };
            let done = client.transaction().and_then(|mut transaction| {
                let done = act(&mut transaction)?;
                transaction.commit()?;
                Ok(done)
            });
            match done {
                Ok(done) => return Ok(done),
                Err(error) if tries < TRIES && is_worth_another(&error) => {
                    if client.is_closed() {
                        kept.client = None;
                    }
                }
                Err(error) => return Err(because(&error)),
            }
        }
    }

    fn weigh(&mut self, written: u64) {
        self.bytes.written += written;
        let is_known = self.bytes.at.is_some_and(|at| at.elapsed() < WEIGHED);
        if is_known && self.bytes.grown() < self.bounds.segment_bytes() {
            return;
        }
        let (newest, share) = (self.newest, self.share);
        let weighed = self.run(|transaction| {
            let parts: Vec<i32> = parts(transaction, share)?.iter().map(|(part, _)| *part).collect();
            Ok((bytes_of(transaction, &parts)?, bytes_of(transaction, &[newest])?))
        });
        // Without an answer the bytes are those of before; the next commit says what is wrong.
        if let Ok((all, newest)) = weighed {
            self.bytes = Weighed { all, newest, written: 0, at: Some(Instant::now()), ..self.bytes };
        }
        if self.bytes.all > self.bounds.bytes
            && let Own::Segment(OwnSegment { part_from_ms, .. }) = self.own
        {
            // Its age is looked at when a part begins. What stays for want of a lock or of rights counts until then.
            drop(self.drop_oldest(part_from_ms));
        }
    }

    /// Makes the tables of another part, if no other replica did since. The newest part.
    fn begin_part(&mut self, from_ms: UnixMillis) -> Result<(), StoreError> {
        let (known, share) = (self.newest, self.share);
        self.newest = self.run(|transaction| {
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
            let newest = newest(transaction, share)?;
            if newest > known {
                return Ok(newest);
            }
            let part = "INSERT INTO dogwatch_part (from_ms, share) VALUES ($1, $2) RETURNING part";
            let part: i32 = transaction.query_one(part, &[&from_ms, &share.number()])?.get(0);
            for table in OF_PART {
                transaction.batch_execute(&format!(
                    "CREATE TABLE dogwatch_{table}_{part} PARTITION OF dogwatch_{table} FOR VALUES IN ({part})"
                ))?;
            }
            Ok(part)
        })?;
        Ok(())
    }

    /// Drops the oldest parts as far as the bounds say.
    fn drop_oldest(&mut self, now_ms: UnixMillis) -> Result<(), StoreError> {
        let (bounds, share) = (self.bounds, self.share);
        loop {
            let dropped = self.run(|transaction| {
                transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
                let parts = parts(transaction, share)?;
                // A part is as old as the next one's beginning.
                let [(oldest, _), (_, next_ms), ..] = parts[..] else { return Ok(false) };
                let all: Vec<i32> = parts.iter().map(|(part, _)| *part).collect();
                let bytes = bytes_of(transaction, &all)?;
                if bytes <= bounds.bytes && now_ms - next_ms <= bounds.age_ms {
                    return Ok(false);
                }
                for table in OF_PART {
                    transaction.batch_execute(&format!("DROP TABLE IF EXISTS dogwatch_{table}_{oldest}"))?;
                }
                transaction.execute("DELETE FROM dogwatch_segment WHERE part = $1", &[&oldest])?;
                transaction.execute("DELETE FROM dogwatch_part WHERE part = $1", &[&oldest])?;
                Ok(true)
            })?;
            if !dropped {
                return Ok(());
            }
            self.bytes.at = None;
        }
    }

    /// Writes what a segment begins with.
    fn begin_own(&mut self, entries: &[Entry], from_ms: UnixMillis) -> Result<(), StoreError> {
        let (part, share) = (self.newest, self.share);
        let begun = self.run(|transaction| {
            let of_part =
                transaction.query_opt("SELECT from_ms FROM dogwatch_part WHERE part = $1", &[&part])?;
            let Some(of_part) = of_part else { return Ok(None) };
            let segment = "INSERT INTO dogwatch_segment (part, from_ms) VALUES ($1, $2) RETURNING segment";
            let segment = transaction.query_one(segment, &[&part, &from_ms])?.get(0);
            let (kinds, objects) = (HashMap::new(), HashMap::new());
            let mut own = OwnSegment { part, share, part_from_ms: of_part.get(0), segment, kinds, objects };
            Batch::of(entries, &mut own, transaction)?.write(&own, transaction)?;
            Ok(Some(own))
        })?;
        let own = begun.ok_or_else(|| {
            StoreError("the newest part of the record in PostgreSQL was dropped by somebody else".into())
        })?;
        self.own = Own::Segment(own);
        Ok(())
    }
}

impl Store for Postgres {
    fn commit(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        let Own::Segment(mut own) = std::mem::replace(&mut self.own, Own::None { goes_on: false }) else {
            // The keeper begins one first.
            return Err(StoreError("there is no segment yet".into()));
        };
        let share = self.share;
        self.newest = self.run(|transaction| {
            let batch = Batch::of(entries, &mut own, transaction)?;
            batch.write(&own, transaction)?;
            newest(transaction, share)
        })?;
        self.own = Own::Segment(own);
        self.weigh(entries.iter().map(about_bytes).sum());
        Ok(())
    }

    fn is_segment_over(&self, now_ms: UnixMillis) -> bool {
        match &self.own {
            Own::None { .. } => true,
            Own::Segment(own) => {
                self.newest > own.part
                    || self.bytes.grown() >= self.bounds.segment_bytes()
                    || Bounds::is_old(own.part_from_ms, now_ms)
            }
        }
    }

    fn begin_segment(&mut self, entries: &[Entry], from_ms: UnixMillis) -> Result<(), StoreError> {
        let joins = match std::mem::replace(&mut self.own, Own::None { goes_on: false }) {
            Own::None { goes_on } => goes_on && self.newest > 0,
            // Another replica began a part, and this one has heard all that is to be in it.
            Own::Segment(own) => self.newest > own.part,
        };
        if !joins {
            let share = self.share;
            self.newest = self.run(|transaction| newest(transaction, share))?;
            self.begin_part(from_ms)?;
        }
        self.begin_own(entries, from_ms)?;
        self.bytes.at = None;
        self.weigh(0);
        if !joins {
            self.bytes.begun = self.bytes.newest;
            // What stays for want of a lock or of rights is dropped with the next part, and counts until then.
            drop(self.drop_oldest(from_ms));
        }
        Ok(())
    }

    fn bound(&mut self, bytes: u64) {
        // What is over it is dropped when the bytes are asked for.
        self.bounds.bytes = bytes;
    }

    fn resume(&mut self) -> Result<Vec<Entry>, StoreError> {
        let share = self.share;
        let (newest, entries) = self.run(|transaction| {
            let newest = newest(transaction, share)?;
            Ok((newest, resume::last_entries(transaction, newest)?))
        })?;
        self.newest = newest;
        self.own = Own::None { goes_on: true };
        Ok(entries)
    }

    /// Numbers are of one segment here, and each replica has its own clock.
    fn end(&self) -> (i64, UnixMillis) {
        (1, 0)
    }

    fn past(&self) -> Arc<dyn Past> {
        Arc::new(read::Reader::new(Arc::clone(&self.readers)))
    }

    fn byte_count(&self) -> u64 {
        self.bytes.all + self.bytes.written
    }
}

/// What an entry takes with its place in two indexes.
fn about_bytes(entry: &Entry) -> u64 {
    const A_ROW: usize = 200;
    let bytes = match entry {
        Entry::Version(version) => version.head.len() + version.body.len() + A_ROW,
        Entry::Model { head, body, .. } => head.len() + body.len() + A_ROW,
        _ => A_ROW,
    };
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Makes the tables that aren't there.
fn set_up(client: &mut Client) -> Result<(), StoreError> {
    check_version(client)?;
    let made = client.transaction().and_then(|mut transaction| {
        transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
        let has_tables =
            transaction.query_one("SELECT to_regclass('dogwatch_proof_time') IS NOT NULL", &[])?;
        if !has_tables.get::<_, bool>(0) {
            transaction.batch_execute(TABLES)?;
            let version = "INSERT INTO dogwatch_meta VALUES ('version', $1) ON CONFLICT DO NOTHING";
            transaction.execute(version, &[&VERSION])?;
        }
        transaction.commit()
    });
    made.map_err(|error| because(&error))?;
    // It is held until the connection ends.
    let beside_others = client.query_one("SELECT pg_try_advisory_lock_shared($1)", &[&LOCK_OF_WRITERS]);
    match beside_others.map(|row| row.get::<_, bool>(0)) {
        Ok(true) => Ok(()),
        Ok(false) => Err(StoreError("`dogwatch history purge` works on the record in PostgreSQL".into())),
        Err(error) => Err(because(&error)),
    }
}

fn newest(transaction: &mut Transaction<'_>, share: Share) -> Result<i32, postgres::Error> {
    let newest = "SELECT coalesce(max(part), 0) FROM dogwatch_part WHERE share = $1";
    let newest = transaction.query_one(newest, &[&share.number()])?;
    Ok(newest.get(0))
}

/// All parts of a share and when each began, the oldest first.
fn parts(transaction: &mut Transaction<'_>, share: Share) -> Result<Vec<(i32, UnixMillis)>, postgres::Error> {
    let parts = "SELECT part, from_ms FROM dogwatch_part WHERE share = $1 ORDER BY part";
    let parts = transaction.query(parts, &[&share.number()])?;
    Ok(parts.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// What the tables of these parts take, with their indexes.
fn bytes_of(transaction: &mut Transaction<'_>, parts: &[i32]) -> Result<u64, postgres::Error> {
    let bytes: i64 = transaction
        .query_one(
            "SELECT coalesce(sum(pg_total_relation_size(to_regclass('dogwatch_' || name || '_' || part))), 0)::bigint
             FROM unnest($1::integer[]) AS part CROSS JOIN unnest($2::text[]) AS name",
            &[&parts, &OF_PART.as_slice()],
        )?
        .get(0);
    Ok(u64::try_from(bytes).unwrap_or_default())
}

/// Whether the same may succeed when it is done again: the connection broke, or another replica was in the way.
fn is_worth_another(error: &postgres::Error) -> bool {
    use postgres::error::SqlState;
    match error.code() {
        None => true,
        Some(code) => {
            *code == SqlState::T_R_DEADLOCK_DETECTED
                || *code == SqlState::T_R_SERIALIZATION_FAILURE
                || *code == SqlState::ADMIN_SHUTDOWN
        }
    }
}
