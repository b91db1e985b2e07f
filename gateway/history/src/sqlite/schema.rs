//! The tables of a segment.

/// `PRAGMA application_id` of a segment: the characters `DWH1`.
pub(super) const APPLICATION: i32 = 0x4457_4831;
/// `PRAGMA user_version`: a file of a later one isn't read.
pub(super) const VERSION: i32 = 3;

/// Ops are as `Op::number` has them.
pub(super) const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE kind (
    number INTEGER PRIMARY KEY, cluster TEXT NOT NULL, grp TEXT NOT NULL, version TEXT NOT NULL, resource TEXT NOT NULL,
    named TEXT
);
CREATE TABLE model (kind INTEGER PRIMARY KEY, head BLOB NOT NULL, body BLOB NOT NULL);
CREATE TABLE columns (kind INTEGER NOT NULL, at_ms INTEGER NOT NULL, definitions TEXT NOT NULL);
CREATE TABLE object (
    number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, row INTEGER NOT NULL, namespace TEXT, namespace_row INTEGER,
    name TEXT NOT NULL, about INTEGER
);
CREATE INDEX object_row ON object (kind, row);
CREATE INDEX object_about ON object (about) WHERE about IS NOT NULL;
CREATE TABLE version (
    object INTEGER NOT NULL, number INTEGER NOT NULL, kind INTEGER NOT NULL, at_ms INTEGER NOT NULL, rv TEXT NOT NULL,
    op INTEGER NOT NULL, keyframe INTEGER, skipped INTEGER NOT NULL, trouble INTEGER NOT NULL,
    head BLOB NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (object, number)
) WITHOUT ROWID;
CREATE INDEX version_time ON version (kind, at_ms, number, op, trouble);
CREATE TABLE unrecorded (kind INTEGER NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, why TEXT NOT NULL);
CREATE TABLE proof (kind INTEGER NOT NULL, at_ms INTEGER NOT NULL, rv TEXT NOT NULL);
CREATE INDEX proof_time ON proof (kind, at_ms);
";
