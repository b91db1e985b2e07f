//! A sentence that the page shows for a moment, and that screen readers say: why an action did nothing, or what a link
//! changed. Never a state of a view, which has its own places.

use shared::state::UnixMillis;

#[derive(Default)]
pub(super) struct Hint(Option<(String, UnixMillis)>);

/// Long enough to read a sentence.
const SHOWN_MS: i64 = 6_000;

impl Hint {
    pub(super) fn say(&mut self, text: impl Into<String>, now_ms: UnixMillis) {
        self.0 = Some((text.into(), now_ms.saturating_add(SHOWN_MS)));
    }

    /// Empty: nothing is said.
    pub(super) fn shown(&mut self, now_ms: UnixMillis) -> &str {
        self.0.take_if(|(_, until_ms)| *until_ms <= now_ms);
        self.0.as_ref().map_or("", |(text, _)| text)
    }

    /// When the sentence is no longer shown.
    pub(super) fn until_ms(&self) -> Option<UnixMillis> {
        self.0.as_ref().map(|(_, until_ms)| *until_ms)
    }
}
