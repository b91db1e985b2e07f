//! Whether lines may exist that are older than those that were told: what was asked for left them out. Only what is known to be
//! so is said of a log that was told as a whole.

use shared::frame::client::LogAsked;

#[derive(Debug, Default)]
pub(super) struct Beginning {
    is_cut: bool,
    /// So many of the last lines of each source were asked for. `None`: all that was there has come.
    tail: Option<u32>,
    /// The lines that came of each source.
    lines: Vec<u32>,
    /// Sources that go on behind what is held, so that none of their lines is left out.
    going_on: Vec<u32>,
}

/// Lines older than the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Older {
    #[default]
    None,
    /// They weren't asked for.
    NotAsked,
    /// The page holds no more.
    Dropped,
}

impl Beginning {
    /// `is_anew`: nothing is held of what was told before.
    pub(super) fn asked(&mut self, asked: &LogAsked, going_on: Vec<u32>, is_anew: bool) {
        if is_anew {
            *self = Self::default();
        }
        self.is_cut |= asked.since.is_some();
        self.lines.clear();
        (self.tail, self.going_on) = (asked.tail, going_on);
    }

    /// A line of a source came.
    pub(super) fn line(&mut self, source: u32) {
        let Some(tail) = self.tail.filter(|_| !self.going_on.contains(&source)) else { return };
        let Ok(place) = usize::try_from(source) else { return };
        if self.lines.len() <= place {
            self.lines.resize(place + 1, 0);
        }
        if let Some(lines) = self.lines.get_mut(place) {
            *lines = lines.saturating_add(1);
            self.is_cut |= *lines >= tail;
        }
    }

    /// What comes from now on is new.
    pub(super) fn caught_up(&mut self) {
        self.tail = None;
    }

    /// `dropped`: the lines that the page let go.
    pub(super) fn older(&self, dropped: u64) -> Older {
        match (dropped, self.is_cut) {
            (0, false) => Older::None,
            (0, true) => Older::NotAsked,
            _ => Older::Dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::frame::server::LogTime;

    use super::*;

    fn of_tail(tail: u32) -> LogAsked {
        LogAsked { tail: Some(tail), ..LogAsked::default() }
    }

    #[test]
    fn a_log_of_fewer_lines_than_were_asked_for_is_whole() {
        let mut beginning = Beginning::default();
        beginning.asked(&of_tail(3), Vec::new(), true);
        for source in [0, 1, 0, 1] {
            beginning.line(source);
        }
        assert_eq!(beginning.older(0), Older::None, "two of each source");
        beginning.caught_up();
        (0..9).for_each(|_| beginning.line(0));
        assert_eq!((beginning.older(0), beginning.older(7)), (Older::None, Older::Dropped), "new lines");
        beginning.asked(&of_tail(3), vec![0], false);
        (0..9).for_each(|_| beginning.line(0));
        assert_eq!(beginning.older(0), Older::None, "it goes on behind what is held");
        (0..3).for_each(|_| beginning.line(1));
        assert_eq!((beginning.older(0), beginning.older(1)), (Older::NotAsked, Older::Dropped));
        beginning.asked(&LogAsked::default(), vec![0, 1], false);
        assert_eq!(beginning.older(0), Older::NotAsked, "what is held begins where it did");
        beginning.asked(&LogAsked::default(), Vec::new(), true);
        (0..9).for_each(|_| beginning.line(0));
        assert_eq!(beginning.older(0), Older::None, "all lines");
    }

    #[test]
    fn a_log_since_a_time_may_have_older_lines() {
        let mut beginning = Beginning::default();
        let since = Some(LogTime { ms: 5, ns: 0 });
        beginning.asked(&LogAsked { since, ..LogAsked::default() }, Vec::new(), true);
        assert_eq!(beginning.older(0), Older::NotAsked);
    }
}
