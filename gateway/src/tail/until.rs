//! `--until`: what the rows come to for a question. Never a row that is printed.

use page::table_view::{Client, View};
use replica::table::Delta;
use shared::duration::UnixSeconds;
use shared::state::UnixMillis;

use super::End;
use super::report;
use super::target::Target;
use crate::question::{Asking, Form, Observed, Question, Verdict, proof_of};

pub(super) struct Until {
    question: Question,
    asking: Asking,
    observed: Observed,
    /// What `kubectl get -o name` prints before a name.
    kind: String,
}

impl Until {
    pub(super) fn new(question: &Question, target: &Target) -> Self {
        let mut asking = Asking::new(question.clone(), target.scope.name.is_none());
        if let Some(name) = &target.scope.name {
            asking.expect(target.place(0, name));
        }
        let observed = Observed::new(0, &question.forms, false);
        Self { question: question.clone(), asking, observed, kind: target.kind.clone() }
    }

    /// Takes what a frame changed. Fails with one sentence: the rows can't be asked this.
    pub(super) fn take(&mut self, view: &View, delta: &Delta, now: UnixSeconds) -> Result<(), String> {
        self.observed.take(&mut self.asking, view, delta, now)
    }

    /// What time alone makes so.
    pub(super) fn grow_old(&mut self, view: &View, now: UnixSeconds) {
        self.observed.grow_old(&mut self.asking, view, now);
    }

    /// `None`: it isn't so yet.
    pub(super) fn look(&mut self, client: &Client, view: &View, now_ms: UnixMillis) -> Option<End> {
        let verdict = self.asking.look(proof_of(client, view, now_ms), now_ms);
        let form = |at: usize| self.question.forms.get(at).map_or("", Form::text);
        for fired in self.asking.tell(verdict == Verdict::So) {
            report::line(&fired.in_words(&self.kind, form(fired.form)));
        }
        match verdict {
            Verdict::Open => None,
            Verdict::So => Some(End::Done),
            Verdict::Refused(sentence) => Some(End::Problem(sentence.to_owned())),
            Verdict::Masked(place, at) => Some(End::NotExact(format!(
                "{} of {} is masked by this gateway, so it can't be compared",
                form(at),
                place.name()
            ))),
        }
    }
}
