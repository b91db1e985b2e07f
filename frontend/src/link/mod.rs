//! The page's connection: the socket, and the key that opens it. It passes messages on; the replica knows what a
//! frame means.

pub(crate) mod key;
pub(crate) mod socket;
