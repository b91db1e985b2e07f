//! The frames of `dogwatch.v2`, one WebSocket message each; `docs/PROTOCOL.md` shows every one.
//! Types only: how they are written is in [`crate::codec`], what they do to rows is the replica's.

/// Declares the frames of one end, each with its type on the wire: the only list of them.
macro_rules! frames {
    (read $(#[$meta:meta])* $name:ident: $($(#[doc = $doc:literal])* $frame:ident($content:ty) = $type:literal,)*) => {
        frames! { $(#[$meta])* $name: $($(#[doc = $doc])* $frame($content) = $type,)* }

        impl Read for $name {
            fn read(json: &mut Reader<'_>) -> json::Result<Self> {
                let mut frame = None;
                json.object(&mut |json, name| {
                    $(if name == $type && frame.is_none() {
                        frame = Some(Self::$frame(Read::read(json)?));
                        return Ok(());
                    })*
                    Err(Malformed)
                })?;
                frame.ok_or(Malformed)
            }
        }
    };
    ($(#[$meta:meta])* $name:ident: $($(#[doc = $doc:literal])* $frame:ident($content:ty) = $type:literal,)*) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum $name {
            $($(#[doc = $doc])* #[serde(rename = $type)] $frame($content),)*
        }

        impl $name {
            /// The types of all frames, in their order.
            pub const TYPES: &[&str] = &[$($type),*];

            /// The only key of the frame's JSON.
            pub fn frame_type(&self) -> &'static str {
                match self {
                    $(Self::$frame(_) => $type,)*
                }
            }
        }
    };
}

pub mod client;
mod log;
pub mod object;
mod past;
mod rows;
pub mod server;
pub mod timeline;

/// The subprotocol, and the version in `hello` and `welcome`.
pub const VERSION: &str = "dogwatch.v2";
const VERSION_PREFIX: &str = "dogwatch.v";
const VERSION_DIGITS_MAX: usize = 4;

/// Whether a subprotocol names a version of the protocol, known or not. The upgrade accepts each of them, because a
/// browser can't see why an upgrade was refused. Only digits may follow the prefix, so that no other text is sent back
/// to the client.
#[must_use]
pub fn is_version(protocol: &str) -> bool {
    protocol.strip_prefix(VERSION_PREFIX).is_some_and(|number| {
        (1..=VERSION_DIGITS_MAX).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// A frame is cut here, so that no reader waits long for what is behind it.
pub const FRAME_BYTES_MAX: usize = 256 * 1024;
/// A frame of so many bytes is sent deflated, as a binary message. A tick at 1,000 changes a second has
/// 600 and stays text; a client that comes back after 20 changes gets two frames of 2 to 4 KiB.
pub const DEFLATE_BYTES_MIN: usize = 1024;
/// Far above any frame of a client: a scope with 200 namespaces of 63 characters is 13 KiB.
pub const CLIENT_FRAME_BYTES_MAX: usize = 64 * 1024;

/// A live view gets a `sync` at the latest after this time.
pub const SYNC_INTERVAL_MS: u32 = 5_000;
/// The browser declares itself stale after this without a `sync`.
pub const SYNC_MISSING_MS: u32 = 12_000;
/// A view whose last proof is older than this is stale.
pub const PROOF_MISSING_MS: u32 = 15_000;

/// The codes of a close: RFC 6455's own and IANA's below 4000, then ours.
pub mod close {
    /// What came isn't WebSocket: a frame without a mask, a reserved bit.
    pub const PROTOCOL_ERROR: u16 = 1002;
    /// A text that isn't UTF-8.
    pub const NOT_UTF8: u16 = 1007;
    /// More messages than a client has reason to send.
    pub const POLICY: u16 = 1008;
    /// A message of which no end was read.
    pub const TOO_LONG: u16 = 1009;
    /// Its identity has too many connections.
    pub const TRY_AGAIN_LATER: u16 = 1013;
    /// The gateway ends; come back as `goaway` says.
    pub const SERVICE_RESTART: u16 = 1012;
    /// The first message wasn't a `hello` that can be read, or a frame broke the protocol.
    pub const BAD_FRAME: u16 = 4400;
    /// No credential, or one that isn't valid.
    pub const UNAUTHORIZED: u16 = 4401;
    /// A new credential on an open connection was another person's.
    pub const OTHER_IDENTITY: u16 = 4403;
    /// Another version.
    pub const VERSION: u16 = 4406;
    /// No `hello` within its time.
    pub const HELLO_TIMEOUT: u16 = 4408;
    /// No sign of life for 120 s.
    pub const SILENT: u16 = 4409;
}
