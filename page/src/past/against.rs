//! What a page as of a time is compared with, as the address says it: `vs=now`, or `vs=` and another time.

use std::fmt;

use shared::state::UnixMillis;

use super::at::At;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    Now,
    At(At),
}

const NOW: &str = "now";

impl Against {
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == NOW { Some(Self::Now) } else { At::parse(text).map(Self::At) }
    }

    /// By the gateway's clock. `None`: now.
    #[must_use]
    pub fn at_ms(self) -> Option<UnixMillis> {
        match self {
            Self::Now => None,
            Self::At(at) => Some(at.ms()),
        }
    }

    /// The later of the two times; `None`: now.
    #[must_use]
    pub fn later(self, at: At) -> Option<At> {
        match self {
            Self::Now => None,
            Self::At(other) => Some(other.max(at)),
        }
    }
}

impl fmt::Display for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now => f.write_str(NOW),
            Self::At(at) => at.fmt(f),
        }
    }
}
