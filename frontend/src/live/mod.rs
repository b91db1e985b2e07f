//! The only writer of the signals that show the cluster's state: once an animation frame it asks
//! the replica what is to be seen and writes what differs. Never a row, a word or a rule of its own.

pub(crate) mod action;
pub(crate) mod dispatch;
pub(crate) mod model;
pub(crate) mod signals;
