//! What a reader copies, and whether the browser put it on the clipboard. The answer is shown for a moment. Never the
//! clipboard itself, which is the browser's.

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
    /// For screen readers, and for everybody if the browser refused.
    pub fn message(&self) -> &'static str {
        if self.is_done { messages::COPIED } else { messages::NOT_COPIED }
    }
}

/// The last answer, as long as it is shown.
#[derive(Default)]
pub(crate) struct Clipboard(Option<(Copied, UnixMillis)>);

const DONE_SHOWN_MS: i64 = 1_500;
/// A sentence takes longer to read than a tick.
const REFUSED_SHOWN_MS: i64 = 6_000;

impl Clipboard {
    pub(crate) fn answered(&mut self, clip: Clip, is_done: bool, now_ms: UnixMillis) {
        // Of a link there may be something to read, too.
        let is_tick = is_done && !matches!(clip, Clip::Link(_) | Clip::ViewLink(_));
        let shown_ms = if is_tick { DONE_SHOWN_MS } else { REFUSED_SHOWN_MS };
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
