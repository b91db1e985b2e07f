//! Who is it. Never what they see, and in mode `local` never a cookie.
//!
//! Read in this order: [`identity`] (the answer), [`authenticator`] (the question), [`local`] (how
//! the one mode there is works: a code that opens the page once, a secret of the page's own, and a
//! Unix socket where the kernel says who asks).

pub mod authenticator;
pub mod identity;
pub mod local;

pub use authenticator::Authenticator;
pub use identity::{Identity, Login, Peer};
