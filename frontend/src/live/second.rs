//! What grows old by itself: once a second, seen or not.

use replica::client::Input;
use replica::freshness;
use shared::state::UnixMillis;

use super::page::Page;
use crate::dom;

impl Page {
    /// Once a second: what grows old by itself, seen or not.
    pub(super) fn second(&mut self) {
        let now_ms = self.now_ms();
        self.handle(Input::Timer);
        self.traffic.turn(now_ms);
        self.screen.recent.expire(now_ms);
        self.follow_reader(now_ms);
        let (held, is_stale) = (self.held(), self.is_stale(now_ms));
        if let Some(view) = self.key().and_then(|key| self.client.view_mut(key)) {
            self.screen.rows_changed |= view.expire(&held, now_ms);
            // In a stale table nothing moves.
            self.screen.rows_changed |= !is_stale && view.grow_old(now_ms);
        }
        self.write_title(is_stale);
    }

    fn is_stale(&self, now_ms: UnixMillis) -> bool {
        let view = self.key().and_then(|key| self.client.view(key));
        view.is_some_and(|view| freshness::of(&self.client, view, now_ms).is_stale())
    }

    fn held(&self) -> Vec<replica::table::Slot> {
        let view = self.key().and_then(|key| self.client.view(key));
        view.zip(self.screen.focused).and_then(|(view, id)| view.table().slot_of(id)).into_iter().collect()
    }

    /// Also while the page is hidden: a tab tells of its staleness.
    fn write_title(&mut self, is_stale: bool) {
        let cluster = self.client.welcome().map(|welcome| welcome.cluster.name.to_string());
        let parts: Vec<String> =
            [Some(self.place.resource.to_string()), cluster, Some("Dogwatch".to_owned())]
                .into_iter()
                .flatten()
                .filter(|part| !part.is_empty())
                .collect();
        dom::page::set_title(&format!("{}{}", if is_stale { "(stale) " } else { "" }, parts.join(" · ")));
    }
}
