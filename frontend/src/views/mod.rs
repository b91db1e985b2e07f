//! The components, in builder syntax: each reads signals and sends actions. Never the socket, never a cast, never
//! `view!` (its static parts become `innerHTML`, which Trusted Types refuse), and no style from Rust but custom
//! properties and sizes through CSSOM.

mod css;
pub(crate) mod icons;

mod bar;
mod board;
mod help;
mod login;
mod namespaces;
mod nav;
mod palette;
pub(crate) mod shell;
mod top;
mod who;

mod change;
mod columns;
mod copy;
mod empty_state;
mod export;
mod filter;
mod log;
mod notice;
mod panel;
mod pill;
pub(crate) mod root;
mod status_bar;
mod table;
pub(crate) mod view;
mod wide;
