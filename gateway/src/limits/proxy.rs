//! The bounds of what stands before the gateway: a reverse proxy, the keys that verify its tokens, TLS.

/// The longest name of a user or a group that is taken of a proxy: an address of mail has 254 bytes.
pub const PROXY_NAME_BYTES_MAX: usize = 256;
/// The groups that are taken of a proxy. Each review names them all; a token that lists more is refused, because a
/// part of them would be another identity.
pub const PROXY_GROUPS_MAX: usize = 512;
/// The age at which a file of keys that verify a proxy's tokens is read anew.
pub const PROXY_KEYS_AGE_S: u64 = 10;
/// The interval at which the files of TLS are looked at: Kubernetes needs a minute to show a changed Secret.
pub const TLS_LOOK_S: u64 = 5;
