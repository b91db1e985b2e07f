//! The list of what is wrong, in the panes that show it, and its tally in the top bar. Never which panes there are.

use replica::client::ViewKey;

use crate::action::WrongAction;
use crate::address::Look;
use crate::cx::Cx;
use crate::location::PanelPlace;
use crate::pane::Pane;
use crate::pane::links::PageLinks;
use crate::query::{Direction, Sort};
use crate::wrong::part::{Around, Lists};
use crate::wrong::{Order, TallyReport, WrongTally};

/// The list is sorted by this column, or by size.
const SINCE_KEY: &str = "since";

/// The lists, once a pane looks and their piece has come. The first place's tally stands in the top bar.
#[derive(Default)]
pub(super) struct WhatIsWrong(Option<Box<dyn Lists>>);

impl WhatIsWrong {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.0.as_ref().is_some_and(|lists| lists.holds(key))
    }

    pub(super) fn rows_came(&mut self, key: ViewKey) {
        if let Some(lists) = &mut self.0 {
            lists.rows_came(key);
        }
    }

    pub(super) fn second(&self, cx: &mut Cx) {
        if let Some(lists) = &self.0 {
            let now_ms = cx.now_ms();
            lists.grow_old(&mut cx.client, now_ms);
        }
    }

    /// Opens the views of the places where panes look. `stays`: the last place's, so that its tally goes on. Returns those
    /// that aren't needed any more.
    pub(super) fn follow(&mut self, panes: &[Pane], stays: bool, cx: &mut Cx) -> Vec<ViewKey> {
        if self.0.is_none() && panes.iter().any(|pane| pane.look() == Look::Wrong) {
            self.0 = cx.more.map(|more| (more.wrong.make)());
        }
        let Some(lists) = &mut self.0 else { return Vec::new() };
        let places = panes.iter().filter_map(Pane::wrong_place).collect();
        lists.follow(places, stays, &mut cx.client, cx.now)
    }

    /// Shows the list in place of the rows.
    pub(super) fn render(&mut self, panes: &mut [Pane], links: Option<&PageLinks>, cx: &Cx) {
        let Some(lists) = &mut self.0 else { return };
        for (at, pane) in panes.iter_mut().enumerate() {
            let Some(looked) = pane.wrong_place() else { continue };
            let place = pane.place();
            let href = |panel: PanelPlace| Some(links?.of_panel(at, panel));
            let order = order(place.sort.as_ref());
            let (now_ms, zone) = (cx.now_ms(), cx.zone);
            let around = Around { filter: &place.query, order, href: &href, now_ms, zone };
            if let Some(shown) = lists.list(&looked, &around, &cx.client) {
                pane.show_wrong(shown, cx);
            }
        }
    }

    /// `None`: its reader hasn't looked yet.
    pub(super) fn tally(&self, cx: &Cx) -> Option<WrongTally> {
        self.0.as_ref()?.tally((cx.now_ms(), cx.zone), &cx.client)
    }

    /// What the chip of another page is told of its place. `None`: the pane shows something else, or the piece isn't there.
    pub(super) fn report(&self, pane: &Pane, cx: &Cx) -> Option<TallyReport> {
        let lists = self.0.as_ref().filter(|_| pane.look() == Look::Wrong)?;
        let refused = pane.model().empty_state.as_ref().map_or("", |refused| &refused.title);
        let place = pane.wrong_place().ok_or(refused);
        let link = pane.place().href_of_all_kinds("/wrong");
        Some(lists.report(place, link, (cx.now_ms(), cx.zone), &cx.client))
    }

    pub(super) fn update(&mut self, pane: &mut Pane, action: WrongAction) {
        let Some(lists) = &mut self.0 else { return };
        match action {
            WrongAction::Fold(key) => {
                if let Some(place) = pane.wrong_place() {
                    lists.fold(&place, key);
                }
            }
            WrongAction::Only(health) => pane.set_wrong_filter(lists.only(&pane.place().query, health)),
            WrongAction::Turn => {
                let sort = &mut pane.place_mut().sort;
                let next = match order(sort.as_ref()) {
                    Order::Largest => Some(Direction::Descending),
                    Order::Newest => Some(Direction::Ascending),
                    Order::Oldest => None,
                };
                *sort = next.map(|direction| Sort { column: SINCE_KEY.into(), direction });
            }
        }
    }
}

fn order(sort: Option<&Sort>) -> Order {
    match sort.map(|sort| sort.direction) {
        None => Order::Largest,
        Some(Direction::Descending) => Order::Newest,
        Some(Direction::Ascending) => Order::Oldest,
    }
}
