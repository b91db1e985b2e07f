//! Connects [`page`], which decides, to the browser: the socket (`link`), events and effects (`app`, `dom`), the model
//! as signals (`signals`), and the elements (`views`).
//!
//! Never a decision that `page` could take. Natively this crate is empty, so that `cargo test` builds no browser crate.

#[cfg(target_arch = "wasm32")]
mod app;
#[cfg(target_arch = "wasm32")]
mod dispatch;
#[cfg(target_arch = "wasm32")]
mod dom;
#[cfg(target_arch = "wasm32")]
mod element;
#[cfg(target_arch = "wasm32")]
mod field;
#[cfg(target_arch = "wasm32")]
mod files;
#[cfg(target_arch = "wasm32")]
mod link;
#[cfg(target_arch = "wasm32")]
mod pieces;
#[cfg(target_arch = "wasm32")]
mod prelude;
#[cfg(target_arch = "wasm32")]
mod signals;
#[cfg(target_arch = "wasm32")]
mod start;
#[cfg(target_arch = "wasm32")]
mod stopped;
#[cfg(target_arch = "wasm32")]
mod storage;
#[cfg(target_arch = "wasm32")]
mod views;
