//! The page: one socket ([`link`]), the viewer's copy driven by it ([`replica`], a crate of its own),
//! signals written once an animation frame ([`live`]), and what is seen ([`views`]).
//!
//! Never a word about Kubernetes that `replica` could say, and nothing that runs outside a browser:
//! natively this crate is empty, so that `cargo test` builds no browser crate.

#[cfg(target_arch = "wasm32")]
mod dom;
#[cfg(target_arch = "wasm32")]
mod element;
#[cfg(target_arch = "wasm32")]
mod link;
#[cfg(target_arch = "wasm32")]
mod live;
#[cfg(target_arch = "wasm32")]
mod start;
#[cfg(target_arch = "wasm32")]
mod views;
