//! The list of what is wrong, in the panes that show it, and its tally in the top bar. Never which panes there are.

use replica::client::ViewKey;

use crate::action::WrongAction;
use crate::cx::Cx;
use crate::location::PanelPlace;
use crate::pane::Pane;
use crate::pane::links::PageLinks;
use crate::query::sort::HEALTH_KEY;
use crate::query::{Direction, Filter, Sort};
use crate::wrong::part::Around;
use crate::wrong::{WrongTally, WrongViews};

/// The list has one order, in two directions.
const SINCE_KEY: &str = "since";

/// The views of one place: that of the first pane with the list.
#[derive(Default)]
pub(super) struct WhatIsWrong(WrongViews);

impl WhatIsWrong {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.0.holds(key)
    }

    pub(super) fn rows_came(&mut self, key: ViewKey) {
        self.0.rows_came(key);
    }

    pub(super) fn second(&self, cx: &mut Cx) {
        let now_ms = cx.now_ms();
        self.0.grow_old(&mut cx.client, now_ms);
    }

    /// Opens the views of the place where a pane looks. Returns those that aren't needed any more.
    pub(super) fn follow(&mut self, panes: &[Pane], cx: &mut Cx) -> Vec<ViewKey> {
        let place = panes.iter().find_map(Pane::wrong_place);
        let Some((place, part)) = place.zip(cx.more.map(|more| more.wrong)) else { return Vec::new() };
        (part.follow)(&mut self.0, &place, &mut cx.client, cx.now)
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
            let shown = (part.list)(&mut self.0, &around, &cx.client);
            pane.show_wrong(shown, cx);
        }
    }

    /// `None`: its reader hasn't looked yet.
    pub(super) fn tally(&self, cx: &Cx) -> Option<WrongTally> {
        (cx.more?.wrong.tally)(&self.0, cx.now_ms(), &cx.client)
    }

    pub(super) fn update(&mut self, pane: &mut Pane, action: WrongAction) {
        match action {
            WrongAction::Fold(key) => self.0.fold(key),
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
