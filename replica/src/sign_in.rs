//! How the client shows who it is. The driver says which way; the connection goes it.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SignIn {
    /// The connection itself says it: a Unix socket, or a cookie.
    #[default]
    Connection,
    Bearer(Box<str>),
    /// The driver holds a key. The gateway speaks first, and the key signs what it asks.
    Key,
}
