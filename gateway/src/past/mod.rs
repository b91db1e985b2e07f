//! The record of what was: hubs are listened to, a store keeps what they tell, and feeds of the past are played from it.
//!
//! Read in this order: [`settings`] (where the record is, and of which kinds), [`database`] (how PostgreSQL is reached),
//! [`queue`] and [`writer`] (the thread that writes it), [`record`], [`whole`], [`events`], [`changes`], [`search`] and [`turns`] (what is answered, and when),
//! [`archive`] (how hubs reach it), [`play`] (a feed as of a time), [`sees`] (what a viewer may see of it), [`lead`] (what a
//! demo lived through before its start), [`scene`] (the end of a file that is replayed), [`former_masks`] (what was
//! recorded before it was masked). The store itself is the crate `history`.

mod archive;
mod changes;
mod clock;
mod database;
pub mod events;
mod former_masks;
mod kept;
pub mod lead;
mod pass_file;
mod play;
mod queue;
mod record;
mod refused;
pub mod scene;
pub mod search;
mod sees;
mod settings;
mod turns;
pub mod whole;
mod writer;

pub use changes::changes;
pub(crate) use database::connect;
pub use kept::{keep, recorded_feeds};
pub use record::{Counted, Record};
pub use sees::Sees;
pub use settings::{Database, HistorySettings, KINDS, Place};
pub use turns::{SearchTurns, Turn};
pub use writer::told;
