//! The state of the bar of the past: whether it is open, its span, what was recorded in it, and the drag of the slider.
//! Never the time that is shown, which is the panes'.

use std::any::Any;

use replica::client::ViewKey;
use shared::frame::client::{PastAsked, SubscriptionId};
use shared::frame::server::{Past, PastAnswer};
use shared::problem::{Problem, Reason};
use shared::scope::Scope;

use super::bar_place::BarPlace;
use super::density::{Asked, Density, SLOTS};
use super::here::Here;
use super::recorded_changes::RecordedChanges;
use super::span::{Span, Window};
use super::word_search::WordSearch;
use super::words;
use crate::table_view::Client;

/// The bar of a page. [`crate::Page`] opens it, asks for the density while it is open, and drags its slider.
#[derive(Default)]
pub(crate) struct TimeBar {
    is_open: bool,
    /// The reader's choice.
    chosen: Option<Span>,
    density: Option<Density>,
    /// What was asked for and isn't answered yet.
    question: Option<Question>,
    /// Why the typed text is no time.
    error: &'static str,
    drag: Option<Drag>,
    search: WordSearch,
    /// Those of [`RecordedChanges`], of which only the piece knows.
    changes: Option<Box<dyn Any>>,
    /// `span=1h&find=x`, as the address says it, and whether that wasn't read yet.
    link: Box<str>,
    is_led: bool,
}

/// What was asked for and isn't answered yet.
struct Question {
    ids: Vec<SubscriptionId>,
    density: Density,
}

/// The place of the pointer. `is_due`: the page isn't as of that place yet.
#[derive(Clone, Copy)]
struct Drag {
    part: f64,
    is_due: bool,
    has_moved: bool,
}

impl TimeBar {
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(crate) fn open(&mut self, is_open: bool) {
        self.is_open = is_open;
        (self.error, self.drag) = ("", None);
    }

    /// A reader in the past sees the bar, also when the page is live again.
    pub(crate) fn open_in_past(&mut self, is_past: bool) {
        self.is_open |= is_past;
    }

    /// What an address says of it, while it is open.
    pub(crate) fn link(&self, is_past: bool) -> Box<str> {
        if self.is_open || is_past { self.link.clone() } else { Box::default() }
    }

    /// An address says this of it, which is read with the next question.
    pub(crate) fn go_to(&mut self, link: Box<str>) {
        if self.link != link {
            self.is_open |= !link.is_empty();
            (self.link, self.is_led) = (link, true);
        }
    }

    /// Shows what an address says. What that doesn't say stays as it is.
    pub(super) fn follow_link(&mut self) {
        if !std::mem::take(&mut self.is_led) {
            return;
        }
        let BarPlace { span, word, is_unread } = BarPlace::read(&self.link);
        self.chosen = span.or(self.chosen);
        if is_unread {
            self.error = words::SPAN_EXPECTED;
        }
        if *self.search.word() != *word {
            self.search.go_to(word);
        }
    }

    /// What the reader chose is in the address.
    pub(super) fn note_link(&mut self) {
        let word = self.search.word().into();
        self.link = BarPlace { span: self.chosen, word, is_unread: false }.link();
    }

    pub(crate) fn is_searching(&self) -> bool {
        self.search.is_open()
    }

    /// Before its piece is there.
    pub(crate) fn open_search(&mut self) {
        self.search.open();
    }

    pub(super) fn search_mut(&mut self) -> &mut WordSearch {
        &mut self.search
    }

    pub(crate) fn span(&self) -> Span {
        let usual = self.density.as_ref().and_then(Density::usual_span);
        self.chosen.or(usual).unwrap_or_default()
    }

    pub(crate) fn set_span(&mut self, span: Span) {
        self.chosen = Some(span);
    }

    pub(crate) fn error(&self) -> &'static str {
        self.error
    }

    pub(crate) fn set_error(&mut self, error: &'static str) {
        self.error = error;
    }

    /// What is known of the span that is shown; until another answer comes, of the one before.
    pub(crate) fn density(&self) -> Option<&Density> {
        self.density.as_ref()
    }

    /// The time of the slider: that of its density, or of what is asked for.
    pub(super) fn window(&self, here: &Here<'_>) -> Window {
        let known = self.density.as_ref().filter(|density| density.of.span == self.span());
        let known = known.map(|density| density.of.window);
        known
            .filter(|window| here.at_ms().is_none_or(|at_ms| at_ms >= window.from_ms))
            .unwrap_or_else(|| here.window(self.span()))
    }

    /// Asks what was recorded of these scopes of a view, unless that is known.
    pub(super) fn ask(
        &mut self,
        (view, scopes): (ViewKey, Vec<Scope>),
        here: &Here<'_>,
        client: &mut Client,
    ) {
        self.follow_link();
        let span = self.span();
        let window = here.window(span);
        self.search.ask((view, &scopes), window, client);
        let is_known = |density: &Density| density.of.is_still(view, &scopes, span, window);
        if self.question.is_some() || self.density.as_ref().is_some_and(is_known) {
            return;
        }
        let asked = PastAsked::Recorded { from_ms: window.from_ms, to_ms: window.to_ms, slots: SLOTS };
        let ids = scopes.iter().filter_map(|scope| client.ask_past(scope.clone(), asked.clone()));
        let ids: Vec<SubscriptionId> = ids.collect();
        if ids.is_empty() {
            return;
        }
        if self.density.as_ref().is_some_and(|density| density.of.view != view) {
            self.density = None;
        }
        let of = Asked { view, scopes, span, window };
        let density = Density { of, answers: Vec::new(), problem: None };
        self.question = Some(Question { ids, density });
    }

    /// Asks for the changes of a view until the time of the page.
    pub(super) fn ask_changes(&mut self, of: (ViewKey, Vec<Scope>), here: &Here<'_>, client: &mut Client) {
        // How much happened says how far to look back.
        if self.question.is_none() || self.density.is_some() {
            let made = || Box::<RecordedChanges>::default() as Box<dyn Any>;
            let changes = self.changes.get_or_insert_with(made);
            if let Some(changes) = changes.downcast_mut::<RecordedChanges>() {
                changes.ask(of, self.density.as_ref(), here, client);
            }
        }
    }

    /// `None`: none were asked for.
    pub(super) fn changes_mut(&mut self) -> Option<&mut RecordedChanges> {
        self.changes.as_mut()?.downcast_mut()
    }

    pub(super) fn came(&mut self, answer: &PastAnswer) {
        self.search.came(answer);
        if let Some(changes) = self.changes_mut() {
            changes.came(answer);
        }
        self.answered(answer.id, |density| {
            if let Some(Past::Recorded(recorded)) = answer.read() {
                density.answers.push(recorded);
            }
        });
    }

    pub(super) fn failed(&mut self, id: SubscriptionId, problem: Problem) {
        self.search.failed(id, &problem);
        if let Some(changes) = self.changes_mut() {
            changes.failed(id, &problem);
        }
        // It is asked for again on the next connection.
        if problem.reason == Reason::ConnectionClosed {
            self.question.take_if(|question| question.ids.contains(&id));
            return;
        }
        self.answered(id, |density| density.problem = Some(problem));
    }

    fn answered(&mut self, id: SubscriptionId, note: impl FnOnce(&mut Density)) {
        let Some(question) = &mut self.question else { return };
        let Some(at) = question.ids.iter().position(|asked| *asked == id) else { return };
        question.ids.swap_remove(at);
        note(&mut question.density);
        if question.ids.is_empty() {
            self.density = self.question.take().map(|question| question.density);
        }
    }

    /// Answers whether the drag begins.
    pub(crate) fn drag(&mut self, part: f64) -> bool {
        let has_moved = self.drag.is_some_and(|drag| drag.has_moved);
        self.drag = Some(Drag { part, is_due: true, has_moved: true });
        !has_moved
    }

    pub(crate) fn dragged(&self) -> Option<f64> {
        self.drag.map(|drag| drag.part)
    }

    /// The place that the page isn't as of yet. Asked once.
    pub(crate) fn take_due(&mut self) -> Option<f64> {
        let drag = self.drag.as_mut().filter(|drag| drag.is_due)?;
        drag.is_due = false;
        Some(drag.part)
    }

    pub(crate) fn drop_slider(&mut self) {
        self.drag = None;
    }
}
