//! The way into the past and back: one time for all panes. The bar's state is its own, the time is the panes'.

use replica::client::ViewKey;
use shared::frame::client::SubscriptionId;
use shared::frame::server::Recorded;
use shared::problem::Problem;
use shared::state::UnixMillis;

use super::{HeldElsewhere, Panes};
use crate::action::{PaneId, PastAction};
use crate::cx::Cx;
use crate::messages;
use crate::page::history::History;
use crate::pane::{IsHeld, Pane};
use crate::past::part::{Shown, Typed};
use crate::past::{At, PastBar, words};

/// What the time is changed with.
pub(in crate::page) struct AroundPast<'a> {
    pub(in crate::page) history: &'a mut History,
    /// Other features that use a view.
    pub(in crate::page) held: HeldElsewhere<'a>,
    /// Those of them that show it as it is now. The panel follows the panes.
    pub(in crate::page) of_now: HeldElsewhere<'a>,
    pub(in crate::page) cx: &'a mut Cx,
}

/// What a change of the time does to the browser's history: another time is another page, a step or a drag is none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    Push,
    Replace,
}

impl Panes {
    /// `pane`: whose changes are stepped through. Returns why the action did nothing.
    pub(in crate::page) fn update_past(
        &mut self,
        pane: PaneId,
        action: PastAction,
        around: &mut AroundPast<'_>,
    ) -> Option<&'static str> {
        let at = self.at();
        if !around.history.is_own_page() {
            // The host of an element decides what it shows.
            return None;
        }
        if !records(around.cx) && at.is_none() {
            return Some(words::NOT_RECORDED_HERE);
        }
        let now_ms = gateway_now_ms(around.cx);
        let window = self.time_bar.window(at.map(At::ms), now_ms);
        match action {
            PastAction::Toggle => {
                let is_open = at.is_none() && !self.time_bar.is_open();
                self.go_to(None, Entry::Push, around);
                self.time_bar.open(is_open);
            }
            PastAction::Live => self.go_to(None, Entry::Push, around),
            PastAction::Step(by) => return self.step(pane, by, around),
            PastAction::Page(by) => {
                let tenth_ms = window.to_ms.saturating_sub(window.from_ms) / 10;
                let here_ms = at.map_or(now_ms, At::ms);
                let to_ms = here_ms.saturating_add(tenth_ms.saturating_mul(i64::from(by)));
                self.go_to_ms(to_ms, Entry::Replace, around);
            }
            PastAction::Start => self.go_to_ms(window.from_ms, Entry::Replace, around),
            PastAction::GoTo(gateway_ms) => self.go_to_ms(gateway_ms, Entry::Push, around),
            PastAction::Type(text) => self.go_to_typed(&text, around),
            PastAction::Drag(part) => {
                // The reader can go back to what was shown before.
                if self.time_bar.drag(part) && at.is_none() {
                    around.history.leave(self);
                    around.history.push_view(self, around.cx);
                }
            }
            PastAction::Drop => {
                self.drag_to_due(around);
                self.time_bar.drop_slider();
            }
            PastAction::Span(span) => self.time_bar.set_span(span),
        }
        None
    }

    /// A time that isn't over is now.
    fn go_to_ms(&mut self, gateway_ms: UnixMillis, entry: Entry, around: &mut AroundPast<'_>) {
        let at = (gateway_ms < gateway_now_ms(around.cx)).then(|| At::new(gateway_ms));
        self.go_to(at, entry, around);
    }

    fn go_to(&mut self, at: Option<At>, entry: Entry, around: &mut AroundPast<'_>) {
        self.go_by(at, false, entry, around);
    }

    /// `is_step`: it is the time of the next change.
    fn go_by(&mut self, at: Option<At>, is_step: bool, entry: Entry, around: &mut AroundPast<'_>) {
        let before = self.at();
        if before == at {
            return;
        }
        // The bar shows where the page is, and stays when it is live again.
        self.time_bar.open_in_past(at.or(before).is_some());
        if entry == Entry::Push {
            around.history.leave(self);
        }
        for place in 0..self.panes.len() {
            let with_clusters = self.are_clusters_named(place);
            let Some(pane) = self.panes.get_mut(place).filter(|pane| pane.place().at != at) else { continue };
            pane.set_at(at, is_step);
            let of_time = pane.key().is_some_and(around.of_now);
            let left = pane.open(IsHeld { with_clusters, of_time }, around.cx);
            self.close_unused(left, around.held, around.cx);
        }
        match entry {
            Entry::Push => around.history.push_view(self, around.cx),
            Entry::Replace => around.history.replace(self, around.cx),
        }
    }

    fn go_to_typed(&mut self, text: &str, around: &mut AroundPast<'_>) {
        let Some(part) = around.cx.more.map(|more| more.past) else { return };
        let read = (part.read)(text, around.cx.now_ms(), around.cx.zone);
        self.time_bar.set_error(if read.is_some() { "" } else { words::NO_TIME });
        match read {
            Some(Typed::Now) => self.go_to(None, Entry::Push, around),
            Some(Typed::At(local_ms)) => {
                let gateway_ms = around.cx.client.gateway_ms(local_ms);
                self.go_to_ms(gateway_ms, Entry::Push, around);
            }
            None => {}
        }
    }

    /// To the next change of this pane's view, or to the one before. From the present, to the last one.
    fn step(&mut self, pane: PaneId, by: i8, around: &mut AroundPast<'_>) -> Option<&'static str> {
        let now_ms = gateway_now_ms(around.cx);
        if self.at().is_none() {
            if by > 0 {
                return Some(words::NO_LATER_THAN_NOW);
            }
            let last_ms = self.time_bar.until_ms().unwrap_or(now_ms).min(now_ms.saturating_sub(1));
            self.go_to(Some(At::new(last_ms)), Entry::Push, around);
            return None;
        }
        let as_of = self.get(pane)?.as_of_now(around.cx).filter(|as_of| !as_of.is_reading())?;
        let (before_ms, after_ms) = as_of.steps_ms();
        let Some(ms) = (if by > 0 { after_ms } else { before_ms }) else {
            return Some(if by > 0 { words::NO_LATER } else { words::NO_EARLIER });
        };
        self.go_by(Some(At::new(as_of.gateway_ms(ms))), by > 0, Entry::Replace, around);
        None
    }

    /// While the slider is dragged, the page is as of its place; one time is read after the other.
    pub(in crate::page) fn follow_drag(&mut self, around: &mut AroundPast<'_>) {
        let is_reading = |pane: &Pane| pane.as_of_now(around.cx).is_some_and(|as_of| as_of.is_reading());
        if self.time_bar.dragged().is_some() && !self.panes.iter().any(is_reading) {
            self.drag_to_due(around);
        }
    }

    fn drag_to_due(&mut self, around: &mut AroundPast<'_>) {
        let Some(part) = self.time_bar.take_due() else { return };
        let window = self.time_bar.window(self.at().map(At::ms), gateway_now_ms(around.cx));
        self.go_to(window.at(part).map(At::new), Entry::Replace, around);
    }
}

/// What was recorded, and the bar that shows it.
impl Panes {
    /// As of when the page is.
    pub(in crate::page) fn at(&self) -> Option<At> {
        self.panes.first()?.place().at
    }

    /// The time of a page of the past by the viewer's clock: `14:02:10`.
    pub(in crate::page) fn past_clock(&self, cx: &Cx) -> Option<String> {
        let at_ms = self.at()?.ms();
        Some(messages::instant(cx.client.local_ms(at_ms), cx.now_ms(), cx.zone))
    }

    /// While the bar is open, what was recorded is known.
    pub(in crate::page) fn ask_recorded(&mut self, is_own_page: bool, cx: &mut Cx) {
        let at = self.at();
        if !is_own_page || !records(cx) || !(self.time_bar.is_open() || at.is_some()) {
            return;
        }
        let Some(pane) = self.active() else { return };
        let of: (Option<ViewKey>, _) = (pane.key(), pane.scopes(cx));
        self.time_bar.ask(of, at.map(At::ms), cx);
    }

    pub(in crate::page) fn recorded_came(&mut self, answer: Recorded) {
        self.time_bar.came(answer);
    }

    pub(in crate::page) fn recorded_failed(&mut self, id: SubscriptionId, problem: Problem) {
        self.time_bar.failed(id, problem);
    }

    /// Shows the bar in the only pane, or returns the one over a board.
    pub(in crate::page) fn render_past(&mut self, is_own_page: bool, cx: &Cx) -> Option<PastBar> {
        let at = self.at();
        let has_past = is_own_page && (records(cx) || at.is_some());
        let is_open = has_past && (self.time_bar.is_open() || at.is_some());
        let bar = if is_open { self.past_bar(at, cx) } else { None };
        let is_board = self.panes.len() > 1;
        for pane in &mut self.panes {
            pane.show_past(has_past.then_some(is_open), bar.clone().filter(|_| !is_board));
        }
        bar.filter(|_| is_board)
    }

    /// `None`: its piece isn't there.
    fn past_bar(&self, at: Option<At>, cx: &Cx) -> Option<PastBar> {
        let part = cx.more?.past;
        let (now_ms, pane) = (gateway_now_ms(cx), self.active());
        let shown = Shown {
            span: self.time_bar.span(),
            window: self.time_bar.window(at.map(At::ms), now_ms),
            density: self.time_bar.density(),
            error: self.time_bar.error(),
            dragged: self.time_bar.dragged(),
            at,
            as_of: pane.and_then(Pane::as_of),
            resource: pane.map(|pane| &*pane.place().resource).unwrap_or_default(),
            counts: pane.and_then(|pane| pane.row_counts(cx)),
            now_ms: cx.now_ms(),
            ahead_ms: now_ms.saturating_sub(cx.now_ms()),
            zone: cx.zone,
        };
        Some((part.model)(shown))
    }
}

/// The gateway records, so that the past can be asked for.
fn records(cx: &Cx) -> bool {
    cx.client.welcome().is_some_and(|welcome| welcome.records)
}

fn gateway_now_ms(cx: &Cx) -> UnixMillis {
    cx.client.gateway_ms(cx.now_ms())
}
