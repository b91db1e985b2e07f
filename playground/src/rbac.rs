//! Who may do what: role-based access control as the real authorizer does it, from the Role and
//! binding objects that are there at that moment. Pure; it never knows HTTP or tokens.
//!
//! Reading order: `user` (who asks), `ask` (what for), `rule` (one line of a role), `rights` (all of
//! them together), `defaults` (the roles that every cluster has).

mod ask;
mod defaults;
mod rights;
mod rule;
mod user;

pub use ask::{Ask, Wanted};
pub use defaults::default_objects;
pub use rights::{Decision, Rights};
pub use rule::Rule;
pub use user::{TokenFileError, User};
