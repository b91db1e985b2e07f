//! The rim in the browser around [`page`], which decides: one socket (`link`), events and effects (`app`,
//! `dom`), signals written once an animation frame (`signals`), and what is seen (`views`).
//!
//! Never a decision that `page` could take, and nothing that runs outside a browser:
//! natively this crate is empty, so that `cargo test` builds no browser crate.

#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod dispatch;
#[cfg(target_arch = "wasm32")]
mod dom;
#[cfg(target_arch = "wasm32")]
mod element;
#[cfg(target_arch = "wasm32")]
mod link;
#[cfg(target_arch = "wasm32")]
mod signals;
#[cfg(target_arch = "wasm32")]
mod start;
#[cfg(target_arch = "wasm32")]
mod storage;
#[cfg(target_arch = "wasm32")]
mod views;
