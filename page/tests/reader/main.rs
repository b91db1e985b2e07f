//! What readers do in the page, and what they then see: each test drives a whole page without a browser.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that meets the unexpected fails"
)]

mod address;
mod around;
mod board;
mod clusters;
mod columns;
mod export;
mod find_past;
mod finding;
mod former;
mod go_to;
mod host;
mod last_lines;
mod log;
mod login;
mod logs;
mod logs_of_clusters;
mod panel;
mod past;
mod past_changes;
mod pause;
mod pieces;
mod purge;
mod return_to;
mod rights;
mod rollout;
mod table;
mod tell;
mod two_times;
mod usage;
mod why;
mod wrong;
