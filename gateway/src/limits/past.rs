//! The bounds of the record of what was.

/// The batches of hubs that the record has not written. A batch is one turn of a hub, at most 128 versions of a few
/// hundred bytes each, but for a first list. While the queue is full a hub's objects are told anew later, and the record has a gap.
pub const RECORD_QUEUE: usize = 1_024;
/// The bytes of bodies in that queue which aren't compressed, so that they needn't be unpacked: those of 500 pods. What comes
/// beyond it is unpacked when it is written.
pub const RECORD_JSON_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How often the record is committed. A process that is killed loses so much at most.
pub const RECORD_COMMIT_MS: u64 = 250;
/// How long a reader waits for a commit that it asked for: twice what a commit on a slow disk takes.
pub const RECORD_COMMIT_WAIT_S: u64 = 2;
/// The bytes of a record in memory, where no other bound is set.
pub const RECORD_MEMORY_BYTES: u64 = 64 * 1024 * 1024;
/// The bytes and the age of a record in a folder, where no other bound is set.
pub const RECORD_FOLDER_BYTES: u64 = 2 * 1024 * 1024 * 1024;
pub const RECORD_FOLDER_DAYS: u32 = 7;
/// A database that doesn't answer delays the start by so much.
pub const DATABASE_CONNECT_S: u64 = 3;
/// A statement that takes longer is ended by the database, and a connection that is dead for so long is given up.
pub const DATABASE_STATEMENT_S: u64 = 30;
/// What a demo lived through before its start: so many changes in each of these steps, a third of what it makes later. A
/// step waits so long at most until the record has heard of it.
pub const LEAD_STEP_S: u64 = 15;
pub const LEAD_CHANGES_PER_STEP: usize = 15;
pub const LEAD_STEP_WAIT_MS: u64 = 2_000;
/// The minutes that a demo lived before its start, where none are set, and at most.
pub const DEMO_MINUTES: u32 = 10;
pub const DEMO_MINUTES_MAX: u32 = 60;
/// The parts that a time is divided into, for how much happened in each: two for each pixel of a wide page.
pub const RECORDED_SLOTS_MAX: u16 = 2_000;
/// The versions of one object that are answered at once.
pub const HISTORY_ENTRIES_MAX: usize = 100;

/// Recorded objects of each kind that are held against the masks of now when the gateway starts: each takes 0.1 ms, so all
/// kinds together take a second at most.
pub const MASKS_LOOKED_AT_MAX: usize = 500;
/// The versions of one object among which one is looked for by its resourceVersion: as many as a page keeps of it.
pub const HISTORY_LOOKED_MAX: usize = 2_000;
/// The versions of Events that one answer is made of. An Event that goes on has many, and is told once.
pub const HISTORY_EVENTS_MAX: usize = 400;
/// The versions of a kind that one answer looks through, of which a selector may pass few: 12 ms for pods of 8 KB, 29 at most.
pub const CHANGES_READ_MAX: usize = 500;
/// The bytes of bodies with which an answer ends: half of a connection's credit.
pub const CHANGES_BYTES_MAX: usize = 256 * 1024;
/// A kind without a proof for so long isn't recorded: one a minute is written.
pub const RECORD_PROOF_MS: i64 = 150_000;
/// The bytes of a word that is searched for: fewer are in every object.
pub const SEARCH_WORD_MIN: usize = 2;
pub const SEARCH_WORD_MAX: usize = 200;
/// The versions that one search goes through: two a second over a day, which takes some seconds of one core.
pub const SEARCHED_VERSIONS_MAX: usize = 200_000;
/// Searches that wait for their turn: those of more readers are refused.
pub const SEARCHES_WAITING_MAX: usize = 64;
/// Searches that one connection waits for: a view of many clusters has one of each.
pub const SEARCHES_OF_CONNECTION_MAX: usize = 64;
/// The objects that one search tells, and the times of each.
pub const FOUND_OBJECTS_MAX: usize = 200;
pub const FOUND_TIMES_MAX: usize = 20;
/// The bytes of the text that is told of each.
pub const FOUND_TEXT_BYTES_MAX: usize = 200;
/// How often a gateway looks whether all that it records without viewers is recorded.
pub const RECORD_LOOK_S: u64 = 5;
/// Reviews of its own rights that it asks for at once: those of 20 kinds take some 50 ms.
pub const RECORD_REVIEWS_AT_ONCE: usize = 4;
/// The time that a view of the past is kept after its last viewer has left: a reader who goes from change to change has
/// many, one after the other.
pub const PAST_LINGER_S: u64 = 5;
