//! Who is it, and what may they see. In mode `local` never a cookie.
//!
//! Read in this order: [`identity`] (the answer to the first question), [`authenticator`] (how it is
//! found), [`local`] (the one mode there is: a code that opens the page once, a secret of the page's own,
//! and a Unix socket where the kernel says who connects), [`admission`] (the answer to the second).
//!
//! The identity here is the viewer's. It ends at admission: the feeds behind it are shared, and ask the
//! API server with the gateway's own credentials.

mod admission;
mod authenticator;
mod identity;
pub mod local;

pub use admission::admit;
pub use authenticator::Authenticator;
pub use identity::{Identity, Login, Peer};
