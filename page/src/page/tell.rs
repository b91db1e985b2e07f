//! "Tell me when", in the page: what stands there before its piece has come, which holds the questions.

use replica::client::ViewKey;

use crate::action::TellAction;
use crate::cx::Cx;
use crate::effect::{Effect, MayNotify};
use crate::tell::TellSheet;
use crate::tell::part::{Around, Part, Questions, Subject};

#[derive(Default)]
pub(super) struct Telling {
    /// Once the piece is there.
    questions: Option<Box<dyn Questions>>,
    /// The sheet was opened before that.
    waits: bool,
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

    /// The piece has come. Returns whether the sheet was opened before.
    pub(super) fn fill(&mut self, part: Part) -> bool {
        let mut questions = (part.make)();
        questions.may_notify(self.may_notify);
        self.questions = Some(questions);
        std::mem::take(&mut self.waits)
    }

    /// Returns the views that it no longer uses.
    pub(super) fn update(&mut self, action: TellAction, subjects: Vec<Subject>, cx: &mut Cx) -> Vec<ViewKey> {
        match &mut self.questions {
            Some(questions) => questions.update(action, subjects, &mut around(cx)),
            None => {
                self.waits = action == TellAction::Open;
                Vec::new()
            }
        }
    }

    /// Returns the views that it no longer uses.
    pub(super) fn second(&mut self, cx: &mut Cx) -> Vec<ViewKey> {
        self.questions.as_mut().map(|questions| questions.second(&mut around(cx))).unwrap_or_default()
    }

    /// The open sheet, and how many answers its reader hasn't seen.
    pub(super) fn shown(&self, cx: &Cx) -> (Option<TellSheet>, Option<usize>) {
        match &self.questions {
            Some(questions) => (questions.sheet(cx.now_ms(), cx.zone), questions.bell()),
            None => (self.waits.then(TellSheet::default), None),
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
        self.waits = false;
    }
}

fn around(cx: &mut Cx) -> Around<'_> {
    let Cx { client, effects, now, zone, .. } = cx;
    Around { client, effects, now: *now, zone: *zone }
}
