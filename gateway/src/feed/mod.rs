//! One upstream list+watch: the state machine (pure) and its driver. What it learns leaves as
//! [`FeedOutput`], in order, to the hub of the same [`FeedKey`]. It knows no subscriber.

pub mod change;
pub mod driver;
pub mod event;
pub mod ingest;
pub mod key;
pub mod machine;
pub mod options;
pub mod reading;
mod request_stream;

pub use change::{Change, FeedCommand, FeedOutput, Managed, Object, Proof};
pub use driver::drive;
pub(crate) use driver::wall_ms;
pub use key::{FeedKey, Representation, UpstreamIdentity};
pub use options::FeedOptions;
