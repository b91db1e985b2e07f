//! One upstream list+watch: the state machine (pure) and its driver. It knows nothing of who reads:
//! what it learns leaves as [`FeedOutput`], in order, to the hub of the same [`FeedKey`].

pub mod change;
pub mod driver;
pub mod event;
mod exchange;
pub mod ingest;
pub mod key;
pub mod machine;
pub mod options;
pub mod reading;

pub use change::{Change, FeedOutput, Managed, Object, Proof};
pub use driver::{FeedCommand, drive};
pub use key::{FeedKey, Representation};
pub use options::FeedOptions;
