//! Everything that the page *is*, in plain Rust: what a reader does goes in as an action, what the gateway
//! says as an output of the client; effects and a model come out. Never the DOM, a socket or a clock.

pub mod action;
mod cx;
pub mod effect;
pub mod model;
pub mod page;
pub mod pane;
pub mod panel;

pub mod address;
pub mod cells;
pub mod changes;
pub mod clipboard;
pub mod clusters;
pub mod columns;
pub mod detail;
pub mod element;
pub mod export;
pub mod fields;
pub mod help;
pub mod kind_link;
mod kinds;
mod kubectl;
pub mod limits;
mod linked;
pub mod location;
pub mod log;
pub mod login;
pub mod logs;
pub mod messages;
pub mod names;
pub mod namespaces;
pub mod navigation;
pub mod notice;
mod numbers;
pub mod order;
pub mod palette;
pub mod past;
mod picker;
pub mod piece;
pub mod pill;
pub mod preferences;
mod proof;
pub mod query;
pub mod rights;
pub mod status;
pub mod tab;
pub mod table_view;
pub mod tell;
pub mod theme;
mod traffic;
pub mod usage;
pub mod who;
pub mod window;
pub mod wrong;
mod zone;

pub use login::session::{Elsewhere, LastLogin, Renewed, TOLD_IN, TOLD_OUT};
pub use page::{Environment, Host, Page};
pub use pane::columns::font;

#[cfg(any(test, feature = "testing"))]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "only tests call it"
)]
pub mod testing;
