//! The pieces of the program that a browser fetches when a reader opens what they show, or when there is time: the
//! first rows wait for neither.

mod brought;
mod more;

use shared::state::UnixMillis;

use crate::limits::{PIECE_AGAIN_MAX_MS, PIECE_AGAIN_MS, PIECE_IDLE_MS};
use crate::messages;

pub use brought::Brought;
pub use more::MoreParts;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Dogwatch's own page around the views.
    Shell,
    /// The panel of one object.
    Panel,
    /// What else a reader opens: the log, the palette, menus and sheets.
    More,
    /// What containers write, in the panel.
    Logs,
}

/// Why a piece isn't there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotBrought {
    /// The gateway can't be reached, or answered with an error.
    Unanswered,
    /// The gateway is of another build and hasn't got this file.
    Gone,
}

/// A piece on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PieceShown {
    /// It was asked for, or no feature needs it.
    #[default]
    Coming,
    Here,
    /// It couldn't be fetched, as this sentence says.
    Failed(String),
    /// Only a reload brings it.
    Gone,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    NotAsked,
    Asked {
        /// How often it failed before.
        failures: u32,
    },
    Here,
    Failed {
        failures: u32,
        again_ms: UnixMillis,
    },
    Gone,
}

/// Which pieces are there, and when one that failed is asked for again.
#[derive(Default)]
pub(crate) struct Pieces {
    shell: State,
    panel: State,
    more: State,
    logs: State,
    /// Since when rows are shown.
    rows_ms: Option<UnixMillis>,
}

impl Pieces {
    /// The pieces to prefetch: all of them, once the table has been idle for a moment.
    pub(crate) fn when_idle(&mut self, pieces: &[Piece], has_rows: bool, now_ms: UnixMillis) -> Vec<Piece> {
        if !has_rows {
            self.rows_ms = None;
            return Vec::new();
        }
        let since_ms = *self.rows_ms.get_or_insert(now_ms);
        if now_ms.saturating_sub(since_ms) < PIECE_IDLE_MS {
            return Vec::new();
        }
        let mut first_asked =
            |piece: &Piece| *self.state(*piece) == State::NotAsked && self.need(*piece, now_ms);
        pieces.iter().copied().filter(|piece| first_asked(piece)).collect()
    }

    /// A feature needs the piece now. Returns whether it is to be asked for.
    pub(crate) fn need(&mut self, piece: Piece, now_ms: UnixMillis) -> bool {
        let failures = match *self.state(piece) {
            State::NotAsked => 0,
            State::Failed { failures, again_ms } if again_ms <= now_ms => failures,
            _ => return false,
        };
        *self.state(piece) = State::Asked { failures };
        true
    }

    /// The reader asks once more, now.
    pub(crate) fn again(&mut self, now_ms: UnixMillis) {
        for state in [&mut self.shell, &mut self.panel, &mut self.more, &mut self.logs] {
            if let State::Failed { again_ms, .. } = state {
                *again_ms = now_ms;
            }
        }
    }

    pub(crate) fn came(&mut self, piece: Piece) {
        *self.state(piece) = State::Here;
    }

    pub(crate) fn failed(&mut self, piece: Piece, why: NotBrought, now_ms: UnixMillis) {
        let failures = match *self.state(piece) {
            State::Asked { failures } => failures,
            _ => 0,
        };
        *self.state(piece) = match why {
            NotBrought::Gone => State::Gone,
            NotBrought::Unanswered => {
                let wait_ms = (PIECE_AGAIN_MS << failures.min(16)).min(PIECE_AGAIN_MAX_MS);
                State::Failed { failures: failures + 1, again_ms: now_ms.saturating_add(wait_ms) }
            }
        };
    }

    pub(crate) fn shown(&self, piece: Piece, now_ms: UnixMillis) -> PieceShown {
        let state = match piece {
            Piece::Shell => self.shell,
            Piece::Panel => self.panel,
            Piece::More => self.more,
            Piece::Logs => self.logs,
        };
        match state {
            State::NotAsked | State::Asked { failures: 0 } => PieceShown::Coming,
            State::Here => PieceShown::Here,
            State::Asked { .. } => PieceShown::Failed(messages::piece_failed(0)),
            State::Failed { again_ms, .. } => {
                PieceShown::Failed(messages::piece_failed(again_ms.saturating_sub(now_ms)))
            }
            State::Gone => PieceShown::Gone,
        }
    }

    fn state(&mut self, piece: Piece) -> &mut State {
        match piece {
            Piece::Shell => &mut self.shell,
            Piece::Panel => &mut self.panel,
            Piece::More => &mut self.more,
            Piece::Logs => &mut self.logs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = 1_000_000;

    #[test]
    fn a_piece_is_asked_for_once_and_again_after_longer_and_longer_times() {
        let mut pieces = Pieces::default();
        assert!(pieces.need(Piece::Panel, NOW_MS));
        assert!(!pieces.need(Piece::Panel, NOW_MS), "it was asked for");
        let mut now_ms = NOW_MS;
        let mut waits = Vec::new();
        for _ in 0..8 {
            pieces.failed(Piece::Panel, NotBrought::Unanswered, now_ms);
            assert!(!pieces.need(Piece::Panel, now_ms), "at once");
            let wait_ms = (0..).find(|wait_ms| pieces.need(Piece::Panel, now_ms + wait_ms)).unwrap();
            waits.push(wait_ms);
            now_ms += wait_ms;
        }
        assert_eq!(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
        pieces.failed(Piece::Panel, NotBrought::Unanswered, now_ms);
        pieces.again(now_ms);
        assert!(pieces.need(Piece::Panel, now_ms), "the reader asked");
        pieces.came(Brought::panel().piece());
        assert_eq!(pieces.shown(Piece::Panel, now_ms), PieceShown::Here);
        assert!(!pieces.need(Piece::Panel, now_ms + 60_000));
    }

    #[test]
    fn what_another_build_has_not_got_is_not_asked_for_again() {
        let mut pieces = Pieces::default();
        assert!(pieces.need(Piece::More, NOW_MS));
        pieces.failed(Piece::More, NotBrought::Gone, NOW_MS);
        pieces.again(NOW_MS);
        assert!(!pieces.need(Piece::More, NOW_MS + 60_000));
        assert_eq!(pieces.shown(Piece::More, NOW_MS), PieceShown::Gone);
    }

    #[test]
    fn both_are_fetched_when_rows_have_stood_for_a_moment() {
        const BOTH: &[Piece] = &[Piece::Panel, Piece::More];
        let mut pieces = Pieces::default();
        assert!(pieces.when_idle(BOTH, false, NOW_MS).is_empty());
        assert!(pieces.when_idle(BOTH, true, NOW_MS + 10_000).is_empty());
        assert!(pieces.when_idle(BOTH, true, NOW_MS + 10_000 + PIECE_IDLE_MS - 1).is_empty());
        assert_eq!(pieces.when_idle(BOTH, true, NOW_MS + 10_000 + PIECE_IDLE_MS), BOTH);
        assert!(pieces.when_idle(BOTH, true, NOW_MS + 60_000).is_empty(), "once");
    }
}
