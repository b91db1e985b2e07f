//! The contract of both ends of the wire: names, scopes, rows, cells, frames, problems.
//!
//! Pure, for wasm and native alike: never a clock, a socket, a task, a DOM, or a Kubernetes client.
//! Read in this order: [`resource`] and [`scope`] (what can be asked for), [`cell`] and [`row`]
//! (what is shown), [`frame`] (what is sent), [`codec`] (how it is written).

mod millis;
pub mod name;
pub mod resource;
pub mod scope;
pub mod selector;

pub mod cell;
pub mod column;
pub mod custom_column;
pub mod duration;
pub mod instant;
pub mod log_time;
pub mod resource_version;
pub mod row;

pub mod diff;
pub mod digest;
pub mod json;
pub mod json_path;
pub mod past;
pub mod patch;
pub mod problem;
pub mod sorted;
pub mod state;
pub mod token;
pub mod unseen;

pub mod codec;
pub mod frame;
pub mod go;
pub mod health;
pub mod login_end;
pub mod login_mode;

/// Whether a field has the value that the wire leaves out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
