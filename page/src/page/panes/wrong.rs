//! The list of what is wrong, in the panes that show it, and its tally in the top bar. Never which panes there are.

use replica::client::ViewKey;

use crate::action::WrongAction;
use crate::address::Look;
use crate::cx::Cx;
use crate::location::PanelPlace;
use crate::pane::Pane;
use crate::pane::links::PageLinks;
use crate::query::sort::HEALTH_KEY;
use crate::query::{Direction, Filter, Sort};
use crate::wrong;
use crate::wrong::part::Around;
use crate::wrong::{TallyReport, WrongTally, WrongViews};

/// The list has one order, in two directions.
const SINCE_KEY: &str = "since";

/// The views of each place where a pane looks. The first place's tally stands in the top bar.
#[derive(Default)]
pub(super) struct WhatIsWrong(Vec<WrongViews>);

/// Places at once: each has a view of each kind, some 40, and a gateway takes 256 at once.
const PLACES_MAX: usize = 6;

impl WhatIsWrong {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.0.iter().any(|views| views.holds(key))
    }

    pub(super) fn rows_came(&mut self, key: ViewKey) {
        self.0.iter_mut().for_each(|views| views.rows_came(key));
    }

    pub(super) fn second(&self, cx: &mut Cx) {
        let now_ms = cx.now_ms();
        self.0.iter().for_each(|views| views.grow_old(&mut cx.client, now_ms));
    }

    /// Opens the views of the places where panes look. `stays`: the last place's, so that its tally goes on. Returns those
    /// that aren't needed any more.
    pub(super) fn follow(&mut self, panes: &[Pane], stays: bool, cx: &mut Cx) -> Vec<ViewKey> {
        let Some(part) = cx.more.map(|more| more.wrong) else { return Vec::new() };
        let places = panes.iter().filter_map(Pane::wrong_place);
        if stays && places.clone().next().is_none() {
            return Vec::new();
        }
        let mut former = std::mem::take(&mut self.0);
        let mut left = Vec::new();
        for place in places {
            if self.0.len() < PLACES_MAX && !self.0.iter().any(|views| views.is_of(&place)) {
                let held = former.iter().position(|views| views.is_of(&place));
                let mut views = held.map(|at| former.swap_remove(at)).unwrap_or_default();
                left.extend((part.follow)(&mut views, &place, &mut cx.client, cx.now));
                self.0.push(views);
            }
        }
        left.extend(former.iter().flat_map(WrongViews::keys));
        left
    }

    /// Shows the list in place of the rows.
    pub(super) fn render(&mut self, panes: &mut [Pane], links: Option<&PageLinks>, cx: &Cx) {
        let Some(part) = cx.more.map(|more| more.wrong) else { return };
        for (at, pane) in panes.iter_mut().enumerate().filter(|(_, pane)| pane.wrong_place().is_some()) {
            let place = pane.place();
            let href = |panel: PanelPlace| Some(links?.of_panel(at, panel));
            let oldest_first = place.sort.as_ref().is_some_and(|sort| sort.direction == Direction::Ascending);
            let (now_ms, zone) = (cx.now_ms(), cx.zone);
            let around = Around { filter: &place.query, oldest_first, href: &href, now_ms, zone };
            let Some(views) = pane.wrong_place().and_then(|place| held_of(&mut self.0, &place)) else {
                continue;
            };
            let shown = (part.list)(views, &around, &cx.client);
            pane.show_wrong(shown, cx);
        }
    }

    /// `None`: its reader hasn't looked yet.
    pub(super) fn tally(&self, cx: &Cx) -> Option<WrongTally> {
        (cx.more?.wrong.tally)(self.0.first()?, (cx.now_ms(), cx.zone), &cx.client)
    }

    /// What the chip of another page is told of its place. `None`: the pane shows something else, or the piece isn't there.
    pub(super) fn report(&self, pane: &Pane, cx: &Cx) -> Option<TallyReport> {
        let part = cx.more.filter(|_| pane.look() == Look::Wrong)?.wrong;
        let nowhere = WrongViews::default();
        let held = match (pane.wrong_place(), &pane.model().empty_state) {
            (Some(place), _) => {
                let held = self.0.iter().find(|views| views.is_of(&place));
                // Discovery isn't over, or there are too many.
                if self.0.len() < PLACES_MAX {
                    Ok(held.unwrap_or(&nowhere))
                } else {
                    held.ok_or(wrong::words::TOO_MANY_PLACES)
                }
            }
            (None, Some(refused)) => Err(&*refused.title),
            (None, None) => Ok(&nowhere),
        };
        let link = pane.place().href_of_all_kinds("/wrong");
        Some((part.report)(held, link, (cx.now_ms(), cx.zone), &cx.client))
    }

    pub(super) fn update(&mut self, pane: &mut Pane, action: WrongAction) {
        match action {
            WrongAction::Fold(key) => {
                if let Some(views) = pane.wrong_place().and_then(|place| held_of(&mut self.0, &place)) {
                    views.fold(key);
                }
            }
            WrongAction::Only(health) => {
                let word = health.word().replace(' ', "-");
                let text =
                    Filter::parse(&pane.place().query).toggled(health, &format!("{HEALTH_KEY}={word}"));
                pane.set_wrong_filter(text);
            }
            WrongAction::Turn => {
                let place = pane.place_mut();
                let was = place.sort.take();
                let turned = Sort { column: SINCE_KEY.into(), direction: Direction::Ascending };
                place.sort = was.is_none().then_some(turned);
            }
        }
    }
}

fn held_of<'a>(all: &'a mut [WrongViews], place: &wrong::Place) -> Option<&'a mut WrongViews> {
    all.iter_mut().find(|views| views.is_of(place))
}
