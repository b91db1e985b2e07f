//! What a request proves itself with. Reading a file or calling a plugin is left to `authorization`.

use super::shape::Exec;

/// What each request proves itself with, besides a certificate.
pub(in crate::cluster) enum Credential {
    Nothing,
    Basic {
        user: String,
        password: String,
    },
    Token(String),
    /// `else_token` counts while the file can't be read.
    TokenFile {
        path: String,
        else_token: Option<String>,
    },
    Exec {
        exec: Box<Exec>,
        user: String,
    },
}
