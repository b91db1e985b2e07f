//! The page's connection: the socket, and the exchange of the code that opens the page. It passes messages on; the
//! replica knows what a frame means.

pub(crate) mod login;
pub(crate) mod socket;
