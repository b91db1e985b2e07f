//! Where the gateway is reached: its origin, the path below that, and the certificates that its listener shows. Pure: it
//! opens no file and no socket. Configuration, access and http use it; it uses none of them.

mod base_path;
pub mod origin;
pub mod page_name;
mod tls_files;

pub use base_path::BasePath;
pub use tls_files::{ProxyCertificate, TlsFiles};
