//! The strip above the tabs: why the object isn't well, and for a while after it that it wasn't.

use shared::duration::UnixSeconds;
use shared::row::Row;

use super::words;
use crate::cells;
use crate::detail::Now;
use crate::detail::why::Why;
use crate::status::{Class, RowHealth};

/// What was wrong is worth a line for so long.
const BEFORE_SHOWN_S: i64 = 600;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strip {
    Now(Why),
    /// The line that says what was wrong, with the times at which it began and ended.
    Before(String),
}

/// What the panel knows of the open object's trouble.
#[derive(Debug, Default)]
pub(super) enum Trouble {
    #[default]
    None,
    Now {
        why: Why,
        from: Option<UnixSeconds>,
    },
    Before {
        reason: String,
        from: Option<UnixSeconds>,
        to: UnixSeconds,
    },
}

impl Strip {
    /// Until the object arrives: its row says that it is in trouble.
    pub(super) fn of_row(row: &Row, now: Now) -> Option<Self> {
        trouble(None, row, now).map(Self::Now)
    }
}

impl Trouble {
    /// `why`: what is wrong now. `from`: since when, where that is known.
    pub(super) fn follow(&mut self, why: Option<Why>, from: Option<UnixSeconds>, now: Now) {
        *self = match (why, std::mem::take(self)) {
            (Some(why), _) => Self::Now { why, from },
            // A deletion that has ended was no trouble.
            (None, Self::Now { why, .. }) if why.class == Class::Busy => Self::None,
            (None, Self::Now { why, from }) => Self::Before { reason: why.reason, from, to: now.cluster_s },
            (None, Self::Before { to, .. }) if now.cluster_s.saturating_sub(to) >= BEFORE_SHOWN_S => {
                Self::None
            }
            (None, held) => held,
        };
    }

    /// The reader has read it.
    pub(super) fn dismiss(&mut self) {
        if matches!(self, Self::Before { .. }) {
            *self = Self::None;
        }
    }

    pub(super) fn strip(&self, now: Now) -> Option<Strip> {
        match self {
            Self::None => None,
            Self::Now { why, .. } => Some(Strip::Now(why.clone())),
            Self::Before { reason, from, to } => {
                let from = from.map(|from| now.clock(from));
                Some(Strip::Before(words::was_before(reason, from.as_deref(), &now.clock(*to))))
            }
        }
    }
}

/// What is wrong by the row's health, in the object's own words where it has some. `None`: nothing is, and it isn't being
/// deleted.
pub(super) fn trouble(said: Option<Why>, row: &Row, now: Now) -> Option<Why> {
    let health = RowHealth::of(row, now.cluster_s);
    if !health.is_trouble() {
        return said.filter(|why| why.class == Class::Busy);
    }
    let class = health.class();
    let reason = row.health().map(|health| cells::shown(&health.reason).into_owned());
    Some(Why { class, ..said.unwrap_or_else(|| Why::new(class, reason.unwrap_or_default())) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Zone;

    #[test]
    fn what_was_wrong_has_one_line_for_ten_minutes_or_until_it_was_read() {
        let now = |cluster_s: UnixSeconds| Now { ms: cluster_s * 1_000, cluster_s, zone: Zone::default() };
        let why = |reason: &str| Some(Why::new(Class::Bad, reason));
        let before = |text: &str| Some(Strip::Before(text.to_owned()));
        let mut trouble = Trouble::default();
        trouble.follow(None, None, now(0));
        assert_eq!(trouble.strip(now(0)), None, "it was never wrong");
        trouble.follow(why("ErrImagePull"), Some(60), now(100));
        assert_eq!(trouble.strip(now(100)), why("ErrImagePull").map(Strip::Now));
        trouble.dismiss();
        assert_eq!(trouble.strip(now(100)), why("ErrImagePull").map(Strip::Now), "what is wrong now stays");
        for at in [120, 121, 719] {
            trouble.follow(None, None, now(at));
            assert_eq!(trouble.strip(now(at)), before("Before: ErrImagePull, 00:01:00 to 00:02:00"));
        }
        trouble.follow(None, None, now(720));
        assert_eq!(trouble.strip(now(720)), None);
        trouble.follow(Some(Why::new(Class::Busy, "Terminating")), Some(730), now(740));
        trouble.follow(None, None, now(750));
        assert_eq!(trouble.strip(now(750)), None, "a deletion that ended was no trouble");
        trouble.follow(why("Error"), None, now(800));
        trouble.follow(None, None, now(860));
        assert_eq!(trouble.strip(now(860)), before("Before: Error, until 00:14:20"));
        trouble.dismiss();
        trouble.follow(None, None, now(861));
        assert_eq!(trouble.strip(now(861)), None);
    }
}
