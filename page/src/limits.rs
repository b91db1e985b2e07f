//! The bounds and intervals of the page, with the reasons for their sizes.

pub use replica::limits::{PARTS_MAX, PROOF_MISSING_MS, SYNC_MISSING_MS, TIMELINE_ENTRIES_MAX};

/// Marks, signs and tombstones are shown for this time.
pub const MARK_MS: i64 = 10_000;
/// What changed behind a pause is marked, and told, for this time.
pub const RESUMED_MS: i64 = 30_000;
/// A cell doesn't flash again within this.
pub const FLASH_INTERVAL_MS: i64 = 2_000;
/// If more than this part of the visible rows changes within a second, no cell flashes.
pub const FLASH_PERCENT_MAX: usize = 30;
/// Deleted rows that are shown; if a namespace with thousands is deleted, the oldest leave at once.
pub const TOMBSTONES_MAX: usize = 1_000;
/// After this time without a reader, rows that wait are moved to their places.
pub const READER_GONE_MS: i64 = 3_000;
/// A pointer that has moved within this time may be about to click, so the row under it stays there: a reader points at a
/// row, reads its message, and then clicks.
pub const POINTER_RESTS_MS: i64 = 10_000;
/// The room of the minimap at the end of a table, as in the style sheet.
pub const MINIMAP_PX: f64 = 18.0;
/// A column grows at most this often.
pub const WIDEN_INTERVAL_MS: i64 = 2_000;
/// Rows whose cells are measured for the widths of their columns, spread over all rows: takes 2 ms, and the 95th
/// percentile of more would be the same.
pub const MEASURED_ROWS_MAX: usize = 500;
/// Rows on paper: twenty pages.
pub const PRINTED_ROWS_MAX: usize = 1_000;
/// A row in two lines.
pub const FOLDED_ROW_PX: f64 = 52.0;

/// What the gateway's word that a login ends takes on its way ([`shared::login_end`] says when it comes).
pub const LOGIN_TOLD_LATE_MS: i64 = 1_000;
/// The next try of a renewal that wasn't answered, and the pause after one that was: six tries fit before the page
/// speaks of the end, and two where a login holds for two minutes.
pub const RENEW_AGAIN_MS: i64 = 10_000;

/// A filter, or another part of a link: more than a person types.
pub const QUERY_BYTES_MAX: usize = 4_096;
/// Rows that are read for suggestions with each key: the first thousands show the values of a column, and reading
/// them takes 1 ms.
pub const COMPLETION_ROWS_MAX: usize = 10_000;
/// Different values that are counted for suggestions: a longer list is too long to choose from.
pub const COMPLETION_VALUES_MAX: usize = 1_000;
/// Suggestions in one list.
pub const SUGGESTIONS_MAX: usize = 12;
/// Columns that a link or a preference names: no kind has half as many.
pub const COLUMNS_CHOSEN_MAX: usize = 256;
/// A link's `cols` has at most 32 custom columns with a path of 200 bytes each.
pub const COLS_BYTES_MAX: usize = 8_192;
/// The widths between which a reader may drag a column, in pixels.
pub const COLUMN_PX_MIN: u16 = 40;
pub const COLUMN_PX_MAX: u16 = 2_000;
/// Characters of a cell on the screen: no column has room for half as many.
pub const CELL_CHARACTERS_MAX: usize = 2_000;
/// Places that "go to" remembers: more than a reader looks through.
pub const RECENT_PLACES_MAX: usize = 6;
/// Namespaces that a list shows at once: in a longer list a reader types a part of the name.
pub const NAMESPACES_SHOWN_MAX: usize = 200;
/// Kinds, and selections of kinds, of whose rights the page knows: three times the kinds of a cluster with many custom
/// resources, which takes 1 MB if each may be listed in ten namespaces.
pub const RIGHTS_KNOWN_MAX: usize = 1_024;
/// Kinds that "What may I see?" asks about, those of all shown clusters together: half of what is known, so that an answer
/// isn't dropped for another one while the list is open.
pub const RIGHTS_ASKED_MAX: usize = RIGHTS_KNOWN_MAX / 2;
/// Withdrawn namespaces that are kept of each, and of these the ones that a list shows.
pub const RIGHTS_WITHDRAWN_MAX: usize = 100;
pub const RIGHTS_WITHDRAWN_SHOWN_MAX: usize = 8;
/// An answer about rights is asked for again after this time while it is shown, as the gateway's reviews are.
pub const RIGHTS_AGAIN_MS: i64 = 30_000;
/// An answer about rights that nothing has confirmed for so long is shown with its time. The gateway keeps a right that
/// can't be reviewed for as long.
pub const RIGHTS_CURRENT_MS: i64 = 45_000;
/// Kinds whose rights are asked for at once, and then each second: a quarter of the gateway's bound on subscriptions, whose
/// pace this has, and somewhat less than its pace, so that views still open.
pub const RIGHTS_AT_ONCE_MAX: usize = 64;
pub const RIGHTS_PER_SECOND_MAX: usize = 8;
/// Kinds that are offered in place of one that may not be seen: two lines.
pub const RIGHTS_OFFERED_MAX: usize = 8;
/// A compiled regex, in bytes, so that a hostile link can't fill the memory.
pub const REGEX_BYTES_MAX: usize = 64 * 1024;

/// When a piece of the program that couldn't be fetched is asked for again: after this time, then twice as long each
/// time, up to the other.
pub const PIECE_AGAIN_MS: i64 = 1_000;
pub const PIECE_AGAIN_MAX_MS: i64 = 30_000;
/// What is done in the list of columns before its piece has come. The list is drawn by the same piece, so that a reader
/// can't do more than that; what a program does beyond it is dropped.
pub const COLUMNS_WAITING_MAX: usize = 32;

/// How long after the first rows the pieces are prefetched that no feature needs yet.
pub const PIECE_IDLE_MS: i64 = 500;

/// The newest Events of one object in its panel; the API server keeps Events for an hour.
pub const PANEL_EVENTS_MAX: usize = 100;
/// The newest changes of each kind of what an object owns, in its timeline: as many as a reader looks through.
pub const PANEL_CHILD_ENTRIES_MAX: usize = 2_000;
/// The objects that it is known to own, with those that are gone.
pub const PANEL_CHILD_NAMES_MAX: usize = 4_000;
/// The steps of one story in a timeline that are shown, the newest ones.
pub const PANEL_STEPS_MAX: usize = 300;
/// Characters of a text in a panel, so that a long one doesn't hide what stands below it. The message of an Event
/// has at most 1,024; the YAML shows the whole text.
pub const PANEL_TEXT_CHARACTERS_MAX: usize = 2_000;
/// Characters of a changed field's value in one line of the timeline.
pub const PANEL_VALUE_CHARACTERS_MAX: usize = 200;
/// Scalars of a spec, and of a status, that a panel shows of a kind without facts of its own: what fits above its
/// children. The YAML has all.
pub const PANEL_FIELDS_MAX: usize = 10;
/// Deleted objects of the panel's name whose logs stay: a pod of a StatefulSet is made anew a few times while its
/// panel is open.
pub const PANEL_FORMER_MAX: usize = 8;
/// Objects whose timelines stay after their panel is closed, for a reader who goes back and forth, and the entries and
/// bytes of versions of each: an entry takes 500 bytes, so that all together take 12 MB at most.
pub const PANEL_RECORDS_MAX: usize = 12;
pub const PANEL_RECORD_ENTRIES_MAX: usize = 1_000;
pub const PANEL_RECORD_VERSIONS_BYTES_MAX: usize = 512 * 1024;
/// Dates of an object that its timeline shows: a pod with ten containers has about fifty.
pub const PANEL_DATES_MAX: usize = 100;
/// While a reader walks along rows faster than this, the panel waits for the row at which they stop: an object costs up
/// to a dozen subscriptions.
pub const PANEL_WALK_MS: i64 = 200;
/// Owners of an object that its panel subscribes to, each with a watch of its own: Deployment, ReplicaSet and Pod are
/// three, operators of operators nest a little deeper.
pub const PANEL_OWNERS_MAX: usize = 6;
/// How long a panel waits for the kinds of its object's children before it asks again, and how long an answer holds: the
/// gateway remembers what it looked at for longer.
pub const CHILDREN_ANSWER_MS: i64 = 15_000;
pub const CHILDREN_AGAIN_MS: i64 = 60_000;
/// Versions of an object that a panel keeps to compare, and about how much memory they may take.
pub const PANEL_VERSIONS_MAX: usize = 100;
pub const PANEL_VERSIONS_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Lines of one version times lines of the other that are compared one by one: takes 16 MB for a moment.
pub const COMPARE_CELLS_MAX: usize = 4_000_000;
/// Lines of a comparison that are shown.
pub const COMPARE_LINES_MAX: usize = 2_000;
/// The status history shows at least this time, and has at most so many samples.
pub const STATUS_HISTORY_MIN_MS: i64 = 60_000;
pub const STATUS_SAMPLES_MAX: usize = 500;

/// The lines of logs that a page holds, with what each takes beside its text: half a million short ones.
pub const LOGS_BYTES_MAX: usize = 32 * 1024 * 1024;
pub const LOGS_ENTRY_BYTES: usize = 64;
/// A regex is looked for in so much at once, which takes 30 ms, so that a key is never waited for.
pub const LOGS_LOOKED_AT_ONCE_BYTES: usize = 512 * 1024;
/// Sources of one answer, also those of pods that came and went: the gateway reads 64 at a time for a person.
pub const LOGS_SOURCES_MAX: usize = 4_096;
/// Entries that wait while the logs are paused: a quarter of what the page holds, if they are short.
pub const LOGS_WAITING_MAX: usize = 100_000;
/// The newest lines that are copied at once: a browser's clipboard takes more, an editor seldom.
pub const LOGS_COPIED_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The last lines of a container that fails, with which the overview of its pod begins: what an error says and what led to it,
/// with room for the facts below.
pub const LOGS_LAST_LINES: u32 = 8;
/// How long before the first line an Event of its pod may have been, to stand above it: twice the longest time for which a
/// kubelet waits before it starts a container again.
pub const LOGS_EVENTS_BEFORE_MS: i64 = 600_000;
/// The newest Events that a log keeps after the API server has forgotten them: ten times those that are read at once, and at
/// most 2 MB.
pub const LOGS_EVENTS_MAX: usize = 1_000;
/// How often a screen reader is told how many lines came.
pub const LOGS_ANNOUNCED_MS: i64 = 10_000;
/// When logs that were refused are asked for again, as rights are.
pub const LOGS_AGAIN_MS: i64 = RIGHTS_AGAIN_MS;
