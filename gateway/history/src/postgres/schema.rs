//! The tables in a PostgreSQL database.
//!
//! A *part* is what a segment is in a folder: its tables are dropped together. Each share of the budget has its own parts.
//! All replicas write to the newest one, each in a segment of its own. Keyframes, models and proofs are of one segment. Versions are of all: the first replica
//! that brings one keeps it, and its patch builds on a keyframe of its own segment. `dogwatch_heard` says until when a
//! segment heard versions of a kind, whoever brought them first.

/// What `dogwatch_meta` says of the tables: those of a later version aren't read.
pub(super) const VERSION: &str = "3";

/// Held while tables are made or dropped, so that replicas don't do it at the same time.
pub(super) const LOCK: i64 = 0x4457_4831;

/// Each gateway that writes holds it together with the others; what removes something from the record holds it alone.
pub(crate) const LOCK_OF_WRITERS: i64 = 0x4457_4832;

pub(super) const TABLES: &str = "
CREATE TABLE IF NOT EXISTS dogwatch_meta (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE IF NOT EXISTS dogwatch_part (part serial PRIMARY KEY, from_ms bigint NOT NULL, share smallint NOT NULL);
CREATE TABLE IF NOT EXISTS dogwatch_segment (segment bigserial PRIMARY KEY, part integer NOT NULL, from_ms bigint NOT NULL);
CREATE TABLE IF NOT EXISTS dogwatch_kind (
    kind serial PRIMARY KEY, cluster text NOT NULL, grp text NOT NULL, version text NOT NULL, resource text NOT NULL,
    share smallint NOT NULL, UNIQUE (cluster, grp, version, resource)
);
CREATE TABLE IF NOT EXISTS dogwatch_model (
    part integer NOT NULL, segment bigint NOT NULL, kind integer NOT NULL, head bytea NOT NULL, body bytea NOT NULL,
    PRIMARY KEY (part, segment, kind)
) PARTITION BY LIST (part);
CREATE TABLE IF NOT EXISTS dogwatch_columns (
    part integer NOT NULL, segment bigint NOT NULL, kind integer NOT NULL, at_ms bigint NOT NULL, definitions text NOT NULL
) PARTITION BY LIST (part);
CREATE INDEX IF NOT EXISTS dogwatch_columns_time ON dogwatch_columns (kind, at_ms);
CREATE TABLE IF NOT EXISTS dogwatch_object (
    part integer NOT NULL, kind integer NOT NULL, id bigint NOT NULL, namespace text, namespace_id bigint,
    name text NOT NULL, about bigint,
    PRIMARY KEY (part, kind, id)
) PARTITION BY LIST (part);
CREATE INDEX IF NOT EXISTS dogwatch_object_about ON dogwatch_object (about) WHERE about IS NOT NULL;
CREATE TABLE IF NOT EXISTS dogwatch_keyframe (
    part integer NOT NULL, segment bigint NOT NULL, number bigint NOT NULL, head bytea NOT NULL, body bytea NOT NULL,
    PRIMARY KEY (part, segment, number)
) PARTITION BY LIST (part);
CREATE TABLE IF NOT EXISTS dogwatch_version (
    part integer NOT NULL, kind integer NOT NULL, id bigint NOT NULL, place bigint NOT NULL, gone boolean NOT NULL,
    rv text NOT NULL, segment bigint NOT NULL, at_ms bigint NOT NULL, op smallint NOT NULL, keyframe bigint NOT NULL,
    skipped bigint NOT NULL, trouble boolean NOT NULL, head bytea, body bytea,
    PRIMARY KEY (part, kind, id, place, gone, rv)
) PARTITION BY LIST (part);
CREATE INDEX IF NOT EXISTS dogwatch_version_time ON dogwatch_version (kind, at_ms);
CREATE INDEX IF NOT EXISTS dogwatch_version_place ON dogwatch_version (kind, place, gone);
CREATE TABLE IF NOT EXISTS dogwatch_unrecorded (
    part integer NOT NULL, segment bigint NOT NULL, kind integer NOT NULL, from_ms bigint NOT NULL, to_ms bigint NOT NULL,
    why text NOT NULL
) PARTITION BY LIST (part);
CREATE INDEX IF NOT EXISTS dogwatch_unrecorded_kind ON dogwatch_unrecorded (kind, from_ms);
CREATE TABLE IF NOT EXISTS dogwatch_heard (
    part integer NOT NULL, segment bigint NOT NULL, kind integer NOT NULL, at_ms bigint NOT NULL,
    PRIMARY KEY (part, segment, kind)
) PARTITION BY LIST (part);
CREATE TABLE IF NOT EXISTS dogwatch_proof (
    part integer NOT NULL, segment bigint NOT NULL, kind integer NOT NULL, at_ms bigint NOT NULL, rv text NOT NULL
) PARTITION BY LIST (part);
CREATE INDEX IF NOT EXISTS dogwatch_proof_time ON dogwatch_proof (kind, at_ms);
";

/// The tables of which each part has its own.
pub(super) const OF_PART: [&str; 8] =
    ["model", "columns", "object", "keyframe", "version", "unrecorded", "heard", "proof"];
