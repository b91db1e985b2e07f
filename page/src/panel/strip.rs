//! The strip above the tabs: why the object isn't well. It keeps its place and its height until another object is
//! opened, so that no tab moves away under a pointer while a state comes and goes.

use shared::row::Row;

use super::words;
use crate::cells;
use crate::detail::Now;
use crate::detail::why::Why;
use crate::status::{Class, RowHealth};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    pub why: Why,
    /// Parts that it had once: their places stay.
    pub has_message: bool,
    pub has_command: bool,
}

impl Strip {
    /// `held`: what it showed until now. `why`: what is wrong now.
    pub(super) fn after(held: Option<Self>, why: Option<Why>) -> Option<Self> {
        let (had_message, had_command) =
            held.as_ref().map_or((false, false), |held| (held.has_message, held.has_command));
        let why = why.or_else(|| held.map(|held| held.why.over()))?;
        Some(Self {
            has_message: had_message || !why.message.is_empty(),
            has_command: had_command || why.command.is_some(),
            why,
        })
    }

    /// Until the object arrives: its row says that it is in trouble, and where the tabs will stand.
    pub(super) fn of_row(row: &Row, now: Now) -> Option<Self> {
        Some(Self { why: trouble(None, row, now)?, has_message: true, has_command: true })
    }
}

/// What is wrong by the row's health, in the object's own words where it has some. `None`: nothing is.
pub(super) fn trouble(said: Option<Why>, row: &Row, now: Now) -> Option<Why> {
    let health = RowHealth::of(row, now.cluster_s);
    if !health.is_trouble() {
        return None;
    }
    let class = health.class();
    let reason = row.health().map(|health| cells::shown(&health.reason).into_owned());
    Some(Why { class, ..said.unwrap_or_else(|| Why::new(class, reason.unwrap_or_default())) })
}

impl Why {
    /// It was so, and isn't any more, or its object isn't.
    ///
    /// Its message stays: the reason was that. Its times would be taken for those of now.
    fn over(self) -> Self {
        if self.class == Class::Idle {
            return self;
        }
        Self { class: Class::Idle, reason: words::was_before(&self.reason), facts: Vec::new(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_wrong_keeps_its_place_after_it_is_over() {
        let failing = Why { message: "m".to_owned(), ..Why::new(Class::Bad, "ErrImagePull") };
        let crashed = Why { command: Some("kubectl logs".to_owned()), ..Why::new(Class::Bad, "Error") };
        assert_eq!(Strip::after(None, None), None);
        let mut strip = None;
        for (why, reason, places) in [
            (Some(failing), "ErrImagePull", (true, false)),
            (None, "Before: ErrImagePull", (true, false)),
            (None, "Before: ErrImagePull", (true, false)),
            (Some(crashed), "Error", (true, true)),
            (None, "Before: Error", (true, true)),
        ] {
            strip = Strip::after(strip, why);
            let shown = strip.as_ref().expect("it stays");
            assert_eq!((shown.why.reason.as_str(), (shown.has_message, shown.has_command)), (reason, places));
        }
    }
}
