//! The past of Kubernetes objects: versions go in as a hub has them, redacted, and come out as of a time.
//!
//! [`Recorder`] is pure: what it is told becomes entries, of which a [`Store`] keeps each batch whole or not at all.
//! [`Keeper`] puts the two together and says since when nothing is recorded, if a store fails. A [`Past`] reads. [`Keepers`]
//! has a keeper for each [`Share`] of the budget.
//!
//! A version is either a keyframe or a patch to the keyframe before it, so reading one needs at most two of them. Both
//! are kept against what they resemble: a keyframe is compressed against the first object of its kind (its *model*), and
//! a patch has the places in which it differs from its keyframe. A store is a row of *segments*. Each begins with a
//! keyframe of every object, so the oldest is dropped as a whole, and an object that never changes is found in each.

mod bounds;
mod cells;
mod difference;
mod keeper;
mod keepers;
mod kind;
mod kind_state;
mod noise;
mod open_list;
mod pack;
mod past;
mod postgres;
mod purge;
mod recorder;
mod removed;
mod scan;
mod share;
mod sqlite;
mod store;
mod texts;
mod version;

pub use self::postgres::{Connect, Postgres, because, purge_tables};
pub use bounds::Bounds;
pub use keeper::{Keeper, Standing};
pub use keepers::Keepers;
pub use kind::KindKey;
pub use past::{
    Activity, Extent, Found, Moment, PackedBody, Past, PastChange, PastObject, PastState, PastVersion,
    Scanned, Slot, Within,
};
pub use purge::{Change, Purge, Purged};
pub use recorder::{Recorder, Segment, Told};
pub use share::Share;
pub use sqlite::{About, RecordFile, ReplayFile, Segments, purge_folder};
pub use store::{Entry, ObjectEntry, Store, StoreError, VersionEntry};
pub use version::{Head, Mask, Op, Version};

#[cfg(test)]
mod tests;
