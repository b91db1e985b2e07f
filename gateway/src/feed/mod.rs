//! One upstream list+watch: the state machine (pure) and its driver. It sends [`FeedOutput`]s, in order, to the
//! hub of the same [`FeedKey`]. It never knows a subscriber.

pub mod change;
pub mod driver;
pub mod event;
pub mod ingest;
pub mod key;
pub mod machine;
pub mod masks;
pub mod options;
pub mod reading;
pub mod redaction;
mod request_stream;

pub use change::{Change, FeedCommand, FeedOutput, LeftOut, Managed, Object, Proof};
pub use driver::drive;
pub use key::{FeedKey, Representation};
pub use options::FeedOptions;
pub use redaction::{Redaction, RedactionSettings};
