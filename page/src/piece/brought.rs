//! What comes with a piece of the program. It names features, so it stands apart from what says which pieces are there.

use super::Piece;
use super::more::{MORE, MoreParts};
use crate::logs::{MAKE_LOGS, MakeLogs};
use crate::panel::{MAKE_PANEL, MakePanel};

/// What the page itself gets with a piece: functions that nothing else names, so that they are in no other file.
pub enum Brought {
    Shell,
    Panel(MakePanel),
    More(&'static MoreParts),
    Logs(MakeLogs),
}

impl Brought {
    /// Called in the piece alone.
    pub fn panel() -> Self {
        Self::Panel(MAKE_PANEL)
    }

    /// Called in the piece alone.
    pub fn more() -> Self {
        Self::More(&MORE)
    }

    /// Called in the piece alone.
    pub fn logs() -> Self {
        Self::Logs(MAKE_LOGS)
    }

    pub(crate) fn piece(&self) -> Piece {
        match self {
            Self::Shell => Piece::Shell,
            Self::Panel(_) => Piece::Panel,
            Self::More(_) => Piece::More,
            Self::Logs(_) => Piece::Logs,
        }
    }
}
