//! The way into the past and back: one time for all panes. The bar's state is its own, the time is the panes'.

use replica::freshness::AsOf;
use shared::frame::client::SubscriptionId;
use shared::frame::server::PastAnswer;
use shared::problem::Problem;

use super::{HeldElsewhere, Panes};
use crate::action::{PaneId, PastAction};
use crate::cx::Cx;
use crate::messages;
use crate::notice::Notice;
use crate::page::history::History;
use crate::pane::{IsHeld, Pane};
use crate::past::here::Here;
use crate::past::part::{Move, Shown};
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

impl Panes {
    /// `pane`: whose changes are stepped through. Returns why the action did nothing.
    pub(in crate::page) fn update_past(
        &mut self,
        pane: PaneId,
        action: PastAction,
        around: &mut AroundPast<'_>,
    ) -> Option<&'static str> {
        if !around.history.is_own_page() {
            // The host of an element decides what it shows.
            return None;
        }
        if !records(around.cx) && self.at().is_none() {
            return Some(words::NOT_RECORDED_HERE);
        }
        let Some(part) = around.cx.more.map(|more| more.past) else {
            // The open bar waits for its piece.
            self.time_bar.open(true);
            if action == PastAction::Find {
                self.time_bar.open_search();
            }
            return None;
        };
        let as_of = self.get(pane).and_then(|pane| pane.as_of_now(around.cx));
        let here = self.here(as_of.as_ref(), around.cx);
        match (part.update)(&mut self.time_bar, Some(action), &here) {
            Move::Say(why) => return Some(why),
            asked => self.carry_out(asked, around),
        }
        // The address has the span and the word, too.
        around.history.replace(self, around.cx);
        None
    }

    /// While the slider is dragged, the page is as of its place; one time is read after the other.
    pub(in crate::page) fn follow_drag(&mut self, around: &mut AroundPast<'_>) {
        if self.time_bar.dragged().is_none() {
            return;
        }
        let is_reading = |pane: &Pane| pane.as_of_now(around.cx).is_some_and(|as_of| as_of.is_reading());
        let Some(part) = around.cx.more.map(|more| more.past) else { return };
        if !self.panes.iter().any(is_reading) {
            let here = self.here(None, around.cx);
            let due = (part.update)(&mut self.time_bar, None, &here);
            self.carry_out(due, around);
        }
    }

    fn carry_out(&mut self, asked: Move, around: &mut AroundPast<'_>) {
        if asked == Move::Found {
            if !self.time_bar.is_searching() {
                // What had the focus is gone with the list.
                self.focus_rows();
            }
            return;
        }
        if asked == Move::CompareAgain {
            return self.comparisons.read_again();
        }
        if let Move::Against(against) = asked {
            around.history.leave(self);
            self.panes.iter_mut().for_each(|pane| pane.place_mut().against = against);
            if against.is_none() {
                // What had the focus is gone with the comparison.
                self.focus_rows();
            }
            return around.history.push_view(self, around.cx);
        }
        let (at, is_step, is_entry) = match asked {
            Move::To { at, is_step, is_entry } if self.at() != at => (at, is_step, is_entry),
            Move::Begin => (self.at(), false, true),
            _ => return,
        };
        if is_entry {
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
        match is_entry {
            true => around.history.push_view(self, around.cx),
            false => around.history.replace(self, around.cx),
        }
    }

    pub(super) fn here<'a>(&self, as_of: Option<&'a AsOf>, cx: &Cx) -> Here<'a> {
        let ahead_ms = cx.client.gateway_ms(0);
        let against = self.panes.first().and_then(|pane| pane.place().against);
        let replays = cx.client.welcome().and_then(|welcome| welcome.replays);
        Here { at: self.at(), against, as_of, now_ms: cx.now_ms(), ahead_ms, replays, zone: cx.zone }
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
        let of = |pane: &Pane| Some((pane.key()?, pane.scopes(cx)));
        let changes = self.panes.iter().find(|pane| pane.shows_past_changes()).and_then(of);
        let of_both = self.active().and_then(of).map(|of| (of, changes));
        if let Some((of, part)) = of_both.zip(cx.more.map(|more| more.past)) {
            let here = self.here(None, cx);
            (part.ask)(&mut self.time_bar, of, &here, &mut cx.client);
        }
    }

    pub(in crate::page) fn recorded_came(&mut self, answer: &PastAnswer, cx: &Cx) {
        // It was asked by the piece, which reads it as well.
        if let Some(part) = cx.more.map(|more| more.past) {
            (part.came)(&mut self.time_bar, answer);
        }
    }

    pub(in crate::page) fn recorded_failed(&mut self, id: SubscriptionId, problem: Problem, cx: &Cx) {
        if let Some(part) = cx.more.map(|more| more.past) {
            (part.failed)(&mut self.time_bar, id, problem);
        }
    }

    /// Shows the bar in the only pane, or returns the one over a board.
    pub(in crate::page) fn render_past(&mut self, is_own_page: bool, cx: &Cx) -> Option<PastBar> {
        let at = self.at();
        let has_past = is_own_page && (records(cx) || at.is_some());
        let is_open = has_past && (self.time_bar.is_open() || at.is_some());
        let bar = if is_open { self.past_bar(cx) } else { None };
        if let Some(stopped) = bar.as_ref().and_then(|_| self.record_stopped(cx))
            && let Some(pane) = self.get_mut(self.active_id())
        {
            pane.note_record(stopped);
        }
        let is_board = self.panes.len() > 1;
        for pane in &mut self.panes {
            pane.show_past(has_past.then_some(is_open), bar.clone().filter(|_| !is_board));
        }
        bar.filter(|_| is_board)
    }

    /// Why the kind of the active view is recorded no more.
    fn record_stopped(&self, cx: &Cx) -> Option<Notice> {
        let (part, pane) = (cx.more?.past, self.active()?);
        let shown = Shown { here: self.here(None, cx), resource: &pane.place().resource, counts: None };
        (part.stopped)(&self.time_bar, &shown)
    }

    /// `None`: its piece isn't there.
    fn past_bar(&self, cx: &Cx) -> Option<PastBar> {
        let (part, pane) = (cx.more?.past, self.active()?);
        let here = self.here(pane.as_of(), cx);
        let shown = Shown { here, resource: &pane.place().resource, counts: pane.row_counts(cx) };
        Some((part.model)(&self.time_bar, shown))
    }
}

/// The gateway records, so that the past can be asked for.
fn records(cx: &Cx) -> bool {
    cx.client.welcome().is_some_and(|welcome| welcome.records)
}
