//! "Tell me when", in the page: what stands there before its piece has come, which holds the questions.

use replica::client::ViewKey;

use crate::action::TellAction;
use crate::cx::Cx;
use crate::effect::{Effect, MayNotify};
use crate::tell::TellShown;
use crate::tell::part::{Around, AskedAt, Linked, Part, Questions, Subject};

#[derive(Default)]
pub(super) struct Telling {
    /// Once the piece is there.
    questions: Option<Box<dyn Questions>>,
    /// What opened the sheet before that.
    waits: Option<TellAction>,
    /// The question of the page's link is in the sheet.
    is_linked: bool,
    may_notify: MayNotify,
}

impl Telling {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.questions.as_ref().is_some_and(|questions| questions.holds(key))
    }

    /// Whether a question waits for its answer.
    pub(super) fn is_asking(&self) -> bool {
        self.questions.as_ref().is_some_and(|questions| questions.is_asking())
    }

    pub(super) fn may_notify(&mut self, may: MayNotify) {
        self.may_notify = may;
        if let Some(questions) = &mut self.questions {
            questions.may_notify(may);
        }
    }

    /// The piece has come. Returns what opened the sheet before.
    pub(super) fn fill(&mut self, part: Part) -> Option<TellAction> {
        let mut questions = (part.make)();
        questions.may_notify(self.may_notify);
        self.questions = Some(questions);
        self.waits.take()
    }

    /// Whether the question of the page's link isn't shown yet.
    pub(super) fn waits_for(&mut self, question: &str) -> bool {
        self.is_linked &= !question.is_empty();
        !self.is_linked && !question.is_empty()
    }

    /// The question of the page's link, which waits for a click. `None`: nothing became of it now.
    pub(super) fn link(&mut self, question: &str, at: &AskedAt<'_>) -> Option<Linked> {
        let linked = self.questions.as_mut()?.link(question, at);
        self.is_linked = linked == Linked::Drafted;
        Some(linked)
    }

    /// Returns the views that it no longer uses.
    pub(super) fn update(&mut self, action: TellAction, subjects: Vec<Subject>, cx: &mut Cx) -> Vec<ViewKey> {
        match &mut self.questions {
            Some(questions) => questions.update(action, subjects, &mut around(cx)),
            None => {
                self.waits = Some(action).filter(|action| action.opens());
                Vec::new()
            }
        }
    }

    /// Returns the views that it no longer uses.
    pub(super) fn second(&mut self, cx: &mut Cx) -> Vec<ViewKey> {
        self.questions.as_mut().map(|questions| questions.second(&mut around(cx))).unwrap_or_default()
    }

    /// The open sheet, and how many answers its reader hasn't seen.
    pub(super) fn shown(&mut self, cx: &Cx) -> (Option<TellShown>, Option<usize>) {
        match &mut self.questions {
            Some(questions) => (questions.sheet(cx.now_ms(), cx.zone), questions.bell()),
            None => (self.waits.as_ref().map(|_| TellShown::default()), None),
        }
    }

    /// What was told has objects' names, and ends with the login.
    pub(super) fn leave(&mut self, cx: &mut Cx) {
        let part = cx.more.map(|more| more.tell);
        if self.questions.as_ref().is_some_and(|questions| questions.bell().is_some()) {
            cx.effect(Effect::CloseNotifications);
        }
        self.questions = None;
        if let Some(part) = part {
            self.fill(part);
        }
        self.waits = None;
    }
}

fn around(cx: &mut Cx) -> Around<'_> {
    let Cx { client, effects, preferences, now, zone, .. } = cx;
    Around { client, effects, preferences, now: *now, zone: *zone }
}
