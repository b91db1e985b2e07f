//! What the page says outside its views: a hint, what was copied, a message for screen readers, the document's title, and
//! what the reader asked to be told of.

use replica::client::ViewKey;
use shared::state::UnixMillis;

use super::announcer::Announcer;
use super::hint::Hint;
use super::tell::Telling;
use super::title::Title;
use crate::clipboard::{Clip, Clipboard};
use crate::cx::Cx;
use crate::effect::{Effect, TabIcon};
use crate::model::PageModel;

/// Each says one thing for a time. [`super::Page`] says it at an action or once a second, and renders what is left.
#[derive(Default)]
pub(super) struct Feedback {
    hint: Hint,
    clipboard: Clipboard,
    announcer: Announcer,
    title: Title,
    tell: Telling,
}

impl Feedback {
    /// What the reader asked to be told of.
    pub(super) fn telling(&mut self) -> &mut Telling {
        &mut self.tell
    }

    /// Whether a question uses the view.
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.tell.holds(key)
    }

    /// Says a sentence for a moment.
    pub(super) fn hint(&mut self, text: impl Into<String>, cx: &Cx) {
        self.hint.say(text, cx.now_ms());
    }

    /// The browser copied, or refused to.
    pub(super) fn copied(&mut self, clip: Clip, is_done: bool, now_ms: UnixMillis) {
        self.clipboard.answered(clip, is_done, now_ms);
    }

    /// When something is no longer said.
    pub(super) fn timers_ms(&self) -> impl Iterator<Item = UnixMillis> {
        self.clipboard.until_ms().into_iter().chain(self.hint.until_ms())
    }

    /// Once a second: the message for screen readers that is due.
    pub(super) fn announce(&mut self, message: Option<String>, model: &mut PageModel, cx: &Cx) {
        if let Some(said) = self.announcer.next(message, cx.now_ms()) {
            model.announced = said;
        }
    }

    /// `state`: before the title. `icon` goes with it.
    pub(super) fn set_title(
        &mut self,
        shown: String,
        cluster: &str,
        (state, icon): (&str, TabIcon),
        cx: &mut Cx,
    ) {
        let title = self.title.write(shown, cluster, state);
        cx.effects.extend(title.map(|title| Effect::SetTitle(title, icon)));
    }

    pub(super) fn render(&mut self, model: &mut PageModel, cx: &Cx) {
        (model.tell, model.bell) = self.tell.shown(cx);
        model.copied = self.clipboard.shown(cx.now_ms()).cloned();
        self.hint.shown(cx.now_ms()).clone_into(&mut model.hint);
    }
}
