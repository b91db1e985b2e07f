//! The document's title. It is also set while the page is hidden, so that a tab shows that a view is stale.

use super::words;
use crate::effect::TabIcon;
use crate::past;
use crate::tab::overview::rollout::Progress;

/// What the title begins with. A reader who opens a rollout waits for it, so it stands before the rows that fail.
pub(super) enum News {
    /// As of this time.
    Past(String),
    Stale,
    Rollout(Progress),
    /// How many rows of the views fail.
    Failing(usize),
}

impl News {
    pub(super) fn said(&self, is_paused: bool) -> (String, TabIcon) {
        let (state, icon) = match self {
            Self::Past(clock) => return (past::words::title(clock), TabIcon::Usual),
            Self::Stale => return (words::TITLE_STALE.to_owned(), TabIcon::Stale),
            Self::Rollout(rollout) if rollout.is_stuck => (words::title_rollout(rollout), TabIcon::Failing),
            Self::Rollout(rollout) => (words::title_rollout(rollout), TabIcon::Rollout),
            Self::Failing(0) => (String::new(), TabIcon::Usual),
            Self::Failing(count) => (words::title_failing(*count), TabIcon::Failing),
        };
        (if is_paused { format!("{}{state}", words::TITLE_PAUSED) } else { state }, icon)
    }
}

#[derive(Default)]
pub(super) struct Title {
    written: String,
}

impl Title {
    /// `None`: the title is the same as before.
    pub(super) fn write(&mut self, shown: String, cluster: &str, state: &str) -> Option<String> {
        let parts = [&*shown, cluster, "Dogwatch"];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let title = format!("{state}{}", parts.join(" · "));
        let is_new = self.written != title;
        self.written.clone_from(&title);
        is_new.then_some(title)
    }
}
