//! What a reader copies, and whether the browser put it on the clipboard. The answer is shown for a moment. Never the
//! clipboard itself, which is the browser's.

pub mod words;

use std::borrow::Cow;

use shared::state::UnixMillis;

use crate::messages;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clip {
    Text(String),
    /// The YAML of the panel's object.
    Yaml(String),
    /// With a tab between two cells.
    Rows(String),
    /// The page's own address with its origin, which only the browser knows.
    Link(LinkButton),
    /// The address of one view, which the browser makes whole.
    ViewLink(String),
}

/// The button that copies the page's address, or whose key does. It has the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkButton {
    /// Over the view, or over the board.
    Page,
    Panel,
}

/// The browser's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    pub clip: Clip,
    /// A browser may refuse, for example where the page isn't focused.
    pub is_done: bool,
}

impl Copied {
    /// The sentence for screen readers. `is_local`: the page's address is of this machine, so a link works on no other
    /// one.
    pub fn message(&self, is_local: bool) -> Cow<'static, str> {
        match (&self.clip, self.is_done) {
            (_, false) => words::NOT_COPIED.into(),
            (clip, true) if is_local && clip.is_link() => words::COPIED_LOCAL_LINK.into(),
            // The first line has the titles.
            (Clip::Rows(text), true) => words::copied_rows(text.lines().count().saturating_sub(1)).into(),
            (_, true) => messages::COPIED.into(),
        }
    }

    /// Whether the sentence is visible, and not for screen readers only. In the other cases a tick is enough.
    pub fn is_seen(&self, is_local: bool) -> bool {
        self.message(is_local) != messages::COPIED
    }
}

impl Clip {
    fn is_link(&self) -> bool {
        matches!(self, Self::Link(_) | Self::ViewLink(_))
    }
}

/// The last answer, as long as it is shown.
#[derive(Default)]
pub(crate) struct Clipboard(Option<(Copied, UnixMillis)>);

const DONE_SHOWN_MS: i64 = 1_500;
/// A sentence takes longer to read than a tick.
const SENTENCE_SHOWN_MS: i64 = 6_000;

impl Clipboard {
    pub(crate) fn answered(&mut self, clip: Clip, is_done: bool, now_ms: UnixMillis) {
        // A copied link may have a sentence, too.
        let is_tick = is_done && !clip.is_link() && !matches!(clip, Clip::Rows(_));
        let shown_ms = if is_tick { DONE_SHOWN_MS } else { SENTENCE_SHOWN_MS };
        self.0 = Some((Copied { clip, is_done }, now_ms.saturating_add(shown_ms)));
    }

    pub(crate) fn shown(&mut self, now_ms: UnixMillis) -> Option<&Copied> {
        self.0.take_if(|(_, until_ms)| *until_ms <= now_ms);
        self.0.as_ref().map(|(copied, _)| copied)
    }

    /// When the answer is no longer shown.
    pub(crate) fn until_ms(&self) -> Option<UnixMillis> {
        self.0.as_ref().map(|(_, until_ms)| *until_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_this_machine_and_a_refusal_have_a_sentence_that_everybody_sees() {
        let link = || Clip::Link(LinkButton::Page);
        for (clip, is_done, is_local, said, is_seen) in [
            (Clip::Text("web".to_owned()), true, true, messages::COPIED, false),
            (Clip::Rows("NAME\nweb\ndb\n".to_owned()), true, true, "Copied 2 rows.", true),
            (link(), true, false, messages::COPIED, false),
            (link(), true, true, words::COPIED_LOCAL_LINK, true),
            (link(), false, true, words::NOT_COPIED, true),
        ] {
            let copied = Copied { clip, is_done };
            assert_eq!((&*copied.message(is_local), copied.is_seen(is_local)), (said, is_seen), "{copied:?}");
        }
    }
}
