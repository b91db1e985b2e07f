//! The components, in builder syntax: each reads signals and sends actions. Never the socket, never a cast, never
//! `view!` (its static parts become `innerHTML`, which Trusted Types refuse), and no style from Rust but custom
//! properties and sizes through CSSOM.

mod css;
pub(crate) mod icons;

mod bar;
mod board;
pub(crate) mod clusters;
pub(crate) mod fetched;
pub(crate) mod help;
mod kind_link;
pub(crate) mod login;
pub(crate) mod namespaces;
mod nav;
pub(crate) mod palette;
pub(crate) mod rights;
pub(crate) mod shell;
mod top;
pub(crate) mod who;

mod change;
pub(crate) mod columns;
pub(crate) mod compare;
mod copy;
mod empty_state;
pub(crate) mod export;
mod filter;
pub(crate) mod guest_object;
pub(crate) mod in_place;
pub(crate) mod log;
mod notice;
pub(crate) mod panel;
mod panel_place;
pub(crate) mod past;
mod pill;
pub(crate) mod root;
mod said;
mod search_list;
mod status_bar;
pub(crate) mod tab;
mod table;
pub(crate) mod tell;
pub(crate) mod view;
mod wide;
pub(crate) mod wrong;
