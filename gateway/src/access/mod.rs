//! Authentication and admission: who the viewer is, and what the viewer may see. Never a cookie.
//!
//! Read in this order: [`identity`] (who the viewer is), [`authenticator`] (how the gateway knows), [`local`] (the
//! only mode: a code that opens the page once, a key of the page's own, and a Unix socket where the kernel
//! says who connects), [`admission`] (what the viewer may see).
//!
//! The viewer's identity is used up to admission. The feeds are shared by all viewers, and send requests with the
//! gateway's own credentials.

mod admission;
mod authenticator;
mod bearer;
mod identity;
pub mod local;
mod rights;

pub use admission::admit;
pub use authenticator::Authenticator;
pub use identity::{Caller, Identity, Login, Peer, Rights};
pub use local::sessions::SessionId;
pub use rights::{Grant, Question, Reviews};
