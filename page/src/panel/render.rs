//! One write an animation frame: what of the panel is seen, where it differs.

use std::sync::Arc;

use crate::detail::Now;
use crate::location::Tab;
use crate::messages::{self, Zone};
use crate::table_view::Client;
use replica::freshness::{self, Freshness};
use replica::object::Standing;
use shared::frame::timeline::EntryType;
use shared::state::UnixMillis;

use super::{Opened, Panel, overview};
use crate::model::{PanelHead, PanelNote, Pill, Theme};
use crate::pill::pill;
use crate::proof::proof;

impl Panel {
    pub(crate) fn render(&mut self, client: &Client, theme: Theme, now_ms: UnixMillis, zone: Zone) {
        self.model.theme = theme;
        let generation = self.generation;
        let Some(opened) = &mut self.opened else {
            self.model.head = None;
            return;
        };
        let panel = &opened.wanted.panel;
        let namespace = panel.namespace.as_ref().map(ToString::to_string);
        let kind = messages::kind_in(&opened.wanted.kind.kind, namespace.as_deref());
        let name = panel.name.to_string();
        let resource = opened.wanted.kind.resource.to_string();
        let kubectl = messages::kubectl_get(&resource, namespace.as_deref(), &name);
        self.model.head = Some(PanelHead { generation, kind, name, kubectl });
        self.model.tab = panel.tab;
        self.model.picks = opened.picks();
        let freshness = opened.freshness(client, now_ms);
        self.model.is_stale = freshness.is_stale();
        self.model.pill = opened.pill(&freshness, now_ms, zone);
        self.model.note = opened.note(client, &freshness, now_ms, zone);
        if let Some(object) = opened.object(client) {
            self.model.proof = proof(client, object.subscription(), None, &freshness, now_ms);
        }
        let second = now_ms.div_euclid(1_000);
        let is_due = opened.is_new || opened.drawn_second != second;
        if is_due {
            opened.drawn_second = second;
            self.render_parts(client, &freshness, now_ms, zone);
        }
    }

    /// What changes with the object, its log and its age.
    fn render_parts(&mut self, client: &Client, freshness: &Freshness, now_ms: UnixMillis, zone: Zone) {
        let Some(opened) = &mut self.opened else { return };
        let is_new = std::mem::take(&mut opened.is_new);
        let now = opened.now(client, freshness, now_ms, zone);
        if let Some((view, row)) = opened.row(client) {
            self.model.top = overview::top_facts(view, row, now);
        } else if opened.value.is_none() {
            self.model.top = Vec::new();
        }
        self.model.changes = messages::count(opened.change_count(client));
        match opened.wanted.panel.tab {
            Tab::Overview => {
                let Some(value) = opened.value.clone() else { return };
                self.model.overview = Arc::new(overview::model(&value, now, client));
                self.model.tree = Arc::new(opened.tree(client, &value, now));
                self.model.events = Arc::new(opened.events(client, now));
            }
            Tab::Timeline => {
                self.model.strip = opened.strip(client, now_ms, zone).map(Arc::new);
                if is_new {
                    self.model.timeline = Arc::new(opened.timeline(client, now_ms, zone));
                    self.model.comparison = opened.comparison(client, now_ms, zone);
                }
            }
            Tab::Yaml => {
                self.model.tools = opened.yaml_tools(now_ms, zone);
                if is_new {
                    self.model.yaml = Arc::new(opened.yaml_model());
                    self.model.yaml_scroll = opened.yaml.scroll;
                }
            }
        }
    }
}

impl Opened {
    fn freshness(&self, client: &Client, now_ms: UnixMillis) -> Freshness {
        match self.object(client) {
            Some(object) => freshness::of_object(client, object, now_ms),
            None => Freshness::Syncing { n: 0, of: None, asked_ms: now_ms },
        }
    }

    fn pill(&self, freshness: &Freshness, now_ms: UnixMillis, zone: Zone) -> Pill {
        let resource = self.wanted.kind.resource.to_string();
        pill(freshness, &resource, now_ms, zone)
    }

    /// Relative times stop at the last proof of what is stale.
    fn now(&self, client: &Client, freshness: &Freshness, now_ms: UnixMillis, zone: Zone) -> Now {
        let proof = self.object(client).and_then(|object| object.subscription().proof());
        let ahead_ms = proof.map_or(0, |proof| proof.cluster_ahead_ms);
        let at_ms = proof.filter(|_| freshness.is_stale()).map_or(now_ms, |proof| proof.heard_ms);
        Now { ms: now_ms, cluster_s: at_ms.saturating_add(ahead_ms).div_euclid(1_000), zone }
    }

    fn note(
        &self,
        client: &Client,
        freshness: &Freshness,
        now_ms: UnixMillis,
        zone: Zone,
    ) -> Option<PanelNote> {
        let has_body = self.value.is_some();
        let note = |class, icon, strong: String, text: String| {
            Some(PanelNote { class, icon, strong, text, has_body })
        };
        let said = |problem: &Option<shared::problem::Problem>| {
            problem.as_ref().map(messages::with_reason).unwrap_or_default()
        };
        let resource = self.wanted.kind.resource.to_string();
        match freshness {
            Freshness::Forbidden { problem, .. } => {
                note("notice-bad", "#i-lock", messages::may_not_get(&resource), said(problem))
            }
            Freshness::Gone { problem, .. } => {
                note("notice-bad", "#i-gone", messages::no_longer_serves(&resource), said(problem))
            }
            Freshness::Failed { problem, .. } => {
                note("notice-bad", "#i-alert", messages::cannot_be_shown(&resource), said(problem))
            }
            _ => match self.object(client).map(replica::object::ObjectView::standing) {
                Some(Standing::Deleted) if has_body => {
                    let at = messages::instant(self.deleted_ms(client).unwrap_or(now_ms), now_ms, zone);
                    note(
                        "notice-gap",
                        "#i-gone",
                        messages::deleted_at(&at),
                        messages::LAST_SEEN_STATE.to_owned(),
                    )
                }
                Some(Standing::Deleted) => {
                    let text = messages::APPEARS_BY_ITSELF.to_owned();
                    note("", "#i-gone", messages::NOT_THERE.to_owned(), text)
                }
                Some(Standing::There) => None,
                _ if has_body => None,
                _ => note(
                    "",
                    "#i-clock",
                    messages::FIRST_LOAD.to_owned(),
                    messages::ASKED_FOR_OBJECT.to_owned(),
                ),
            },
        }
    }

    /// As the log says it, else when we heard of it.
    fn deleted_ms(&self, client: &Client) -> Option<UnixMillis> {
        let log = self.log(client)?;
        let deleted = log.entries().rev().find(|(_, entry)| entry.kind == EntryType::Deleted);
        let logged = deleted.map(|(_, entry)| client.local_ms(entry.time_ms));
        logged.or_else(|| self.object(client)?.moved_ms())
    }
}
