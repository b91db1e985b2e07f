//! One upstream list+watch: the state machine (pure) and its driver. It sends [`FeedOutput`]s, in order, to the
//! hub of the same [`FeedKey`]. It never knows a subscriber.

pub mod change;
pub mod driver;
pub mod event;
pub mod health;
mod ingest;
mod json;
pub mod key;
pub mod labels;
pub mod machine;
pub mod masks;
pub mod options;
pub mod outage;
pub mod redaction;

pub use change::{Change, FeedCommand, FeedOutput, LeftOut, Managed, Object, ObjectBody, Proof};
pub use driver::{Once, drive, read_once};
pub use health::{HealthRow, WrittenRow};
pub use ingest::{AnswerReader, Memory, masked_again, masked_line, row_of_uid};
pub use key::{AsOf, FeedKey, Representation};
pub use options::FeedOptions;
pub use outage::{FeedProof, FeedProofs};
pub use redaction::{Redaction, RedactionSettings};
