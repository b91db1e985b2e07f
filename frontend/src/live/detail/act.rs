//! What a reader does in the panel. What the address says of it changes at the page: it is handed back.

use page::location::{PanelPlace, Tab};
use page::table_view::Client;
use shared::state::UnixMillis;

use super::Detail;
use super::action::{DetailAction, DetailKey};
use crate::dom;
use crate::live::model::Picks;
use crate::live::signals::put;

/// What becomes of the address.
pub(in crate::live) enum Moved {
    No,
    /// Another tab: the history gets an entry.
    Push(PanelPlace),
    Replace(PanelPlace),
    Closed,
}

const WIDTH_MIN_PX: f64 = 480.0;
/// Of the page.
const WIDTH_PART_MAX: f64 = 0.6;

impl Detail {
    pub(in crate::live) fn act(
        &mut self,
        client: &Client,
        action: DetailAction,
        now_ms: UnixMillis,
    ) -> Moved {
        let Some(opened) = &mut self.opened else { return Moved::No };
        let place = opened.wanted.panel.clone();
        opened.is_new = true;
        match action {
            DetailAction::Close => return Moved::Closed,
            DetailAction::Tab(tab) => return to_tab(place, tab),
            DetailAction::Key(key) => return self.key(client, key),
            DetailAction::Widen(by_px) => self.widen(by_px),
            DetailAction::Width(px) => self.set_width(px),
            // The page's: it knows what is remembered.
            DetailAction::KeepWidth => {}
            DetailAction::Filter(filter) => opened.history.filter = filter,
            DetailAction::Older => opened.history.show_older(),
            DetailAction::Pick(version) => return picked(place, opened.picked(client, version)),
            DetailAction::CompareLast => {
                if let Some(picks) = opened.last_two(client) {
                    return picked(place, picks);
                }
            }
            DetailAction::CloseComparison => return picked(place, Picks::default()),
            DetailAction::Follow => opened.toggle_follow(now_ms),
            DetailAction::Fold(path) => opened.yaml.folds.toggle(&path),
            DetailAction::FoldAll => opened.yaml.fold_all(),
            DetailAction::Search(needle) => opened.yaml.look_for(&needle),
            DetailAction::Found { forward } => opened.yaml.go_on(forward),
            DetailAction::CopyYaml => {
                if let Some(document) = opened.document() {
                    dom::page::copy(&document);
                }
            }
            DetailAction::YamlScrolled { top_px } => opened.yaml.viewport.scroll_top_px = top_px,
            DetailAction::YamlResized { height_px, row_px } => opened.yaml.resized(height_px, row_px),
            // The page's: it knows the rows.
            DetailAction::Open { .. } => {}
        }
        Moved::No
    }

    /// A key asks for a part of the open object.
    pub(in crate::live) fn key(&mut self, client: &Client, key: DetailKey) -> Moved {
        let Some(opened) = &mut self.opened else { return Moved::No };
        let place = opened.wanted.panel.clone();
        opened.is_new = true;
        let jump = |part: &'static str| {
            let (number, _) = leptos::prelude::GetUntracked::get_untracked(&self.signals.jump);
            put(self.signals.jump, (number.wrapping_add(1), part));
        };
        match key {
            DetailKey::Panel => Moved::No,
            DetailKey::Yaml => to_tab(place, Tab::Yaml),
            DetailKey::Timeline => to_tab(place, Tab::Timeline),
            DetailKey::Events => {
                jump("events");
                to_tab(place, Tab::Overview)
            }
            DetailKey::Owners => {
                jump("tree");
                to_tab(place, Tab::Overview)
            }
            DetailKey::Compare => match opened.last_two(client) {
                Some(Picks { a, b }) => Moved::Push(PanelPlace { tab: Tab::Timeline, a, b, ..place }),
                None => to_tab(place, Tab::Timeline),
            },
        }
    }

    /// The focus goes into the panel.
    pub(in crate::live) fn take_focus(&self) {
        let number = leptos::prelude::GetUntracked::get_untracked(&self.signals.focus);
        put(self.signals.focus, number.wrapping_add(1));
    }

    fn widen(&self, by_px: f64) {
        self.set_width(self.width_px() + by_px);
    }

    pub(in crate::live) fn width_px(&self) -> f64 {
        leptos::prelude::GetUntracked::get_untracked(&self.signals.width_px)
    }

    pub(in crate::live) fn set_width(&self, px: f64) {
        let most = (dom::page::width_px() * WIDTH_PART_MAX).max(WIDTH_MIN_PX);
        put(self.signals.width_px, px.clamp(WIDTH_MIN_PX, most));
    }
}

fn to_tab(place: PanelPlace, tab: Tab) -> Moved {
    if place.tab == tab { Moved::No } else { Moved::Push(PanelPlace { tab, ..place }) }
}

fn picked(place: PanelPlace, Picks { a, b }: Picks) -> Moved {
    Moved::Replace(PanelPlace { a, b, ..place })
}
