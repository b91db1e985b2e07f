//! The second subscription of a pane with pods or nodes: what they use. Its rows are joined to the pane's by their
//! names. Where the cluster doesn't serve it, or the reader may not read it, there are no such columns.

use replica::client::ViewKey;
use replica::freshness::{self, Freshness};
use replica::table::{Delta, Joined};
use shared::frame::client::RowDetail;
use shared::name::ClusterName;
use shared::resource::Kind;
use shared::scope::{Namespaces, Scope};

use super::words;
use crate::cx::Cx;
use crate::messages;
use crate::table_view::TableView;
use crate::usage;

#[derive(Default)]
pub(super) enum Usage {
    #[default]
    None,
    /// `is_stale`: the figures are too old to be shown.
    Joined { key: ViewKey, is_stale: bool },
    /// It isn't asked again before the pane shows another view.
    Refused,
}

impl Usage {
    pub(super) fn key(&self) -> Option<ViewKey> {
        if let Self::Joined { key, .. } = self { Some(*key) } else { None }
    }

    /// For the rows that the pane shows now: `shown` is their view. Returns a view that isn't needed any more.
    pub(super) fn open(
        &mut self,
        shown: Option<ViewKey>,
        (kind, namespaces, clusters): (&Kind, Namespaces, &[ClusterName]),
        is_other_view: bool,
        cx: &mut Cx,
    ) -> Option<ViewKey> {
        if matches!(self, Self::Refused) && !is_other_view {
            return None;
        }
        let (client, now) = (&mut cx.client, cx.now);
        let mut kinds = clusters.iter().filter_map(|name| client.kinds_of(Some(name)));
        let measures = kinds.find_map(|kinds| usage::measured_by(&kinds.kinds, kind));
        let opened = measures.map(|measures| measures.resource.clone()).map(|resource| {
            let cluster = match clusters {
                [only] => client.in_scope(only),
                _ => None,
            };
            let scope = Scope { cluster, namespaces, ..Scope::all(resource) };
            let key = client.open_clusters(scope, clusters, (usage::asked(kind), RowDetail::Changes), now);
            client.set_clusters(key, clusters, now);
            key
        });
        let left = self.key().filter(|key| Some(*key) != opened);
        *self = opened.map_or(Self::None, |key| Self::Joined { key, is_stale: false });
        self.join(shown, cx);
        left
    }

    /// No such columns stand in the view that is shown. Returns a view that isn't needed any more.
    pub(super) fn end(&mut self, shown: Option<ViewKey>, cx: &mut Cx) -> Option<ViewKey> {
        let left = self.leave();
        if left.is_some() {
            self.join(shown, cx);
        }
        left
    }

    pub(super) fn leave(&mut self) -> Option<ViewKey> {
        std::mem::take(self).key()
    }

    pub(super) fn rows_came(&mut self, shown: Option<ViewKey>, (key, delta): (ViewKey, &Delta), cx: &mut Cx) {
        if self.key() == Some(key) && delta.cut {
            self.join(shown, cx);
        }
    }

    /// Figures that nothing confirms any more aren't shown.
    pub(super) fn second(&mut self, shown: Option<ViewKey>, cx: &mut Cx) {
        let Self::Joined { key, is_stale } = *self else { return };
        match cx.client.view(key).map(|view| freshness::of(&cx.client, view, cx.now_ms())) {
            None | Some(Freshness::Forbidden { .. } | Freshness::Gone { .. }) => {
                cx.client.close(key);
                *self = Self::Refused;
                self.join(shown, cx);
            }
            Some(state) if is_stale != is_too_old(&state) => self.join(shown, cx),
            Some(_) => {}
        }
    }

    fn join(&mut self, shown: Option<ViewKey>, cx: &mut Cx) {
        let now_ms = cx.now_ms();
        let client = &mut cx.client;
        let joined = match self {
            Self::None | Self::Refused => Joined::default(),
            Self::Joined { key, is_stale } => {
                let Some(measures) = client.view(*key) else { return };
                *is_stale = is_too_old(&freshness::of(client, measures, now_ms));
                match is_stale {
                    true => Joined { columns: usage::columns(), ..Joined::default() },
                    false => usage::joined(measures),
                }
            }
        };
        if let Some(view) = shown.and_then(|key| client.view_mut(key)) {
            view.join_cells(joined);
        }
    }

    /// In the head of the columns: since when the figures are as they are.
    pub(super) fn polled(&self, cx: &Cx) -> String {
        let proof = self.key().and_then(|key| cx.client.view(key)?.subscription().proof.as_ref());
        let at = proof.map(|proof| messages::instant(proof.proven_ms, cx.now_ms(), cx.zone));
        match (self, at) {
            (Self::Joined { is_stale: true, .. }, at) => words::usage_stale(at.as_deref()),
            (_, Some(at)) => words::usage_polled(&at),
            (_, None) => words::usage_awaited(),
        }
    }
}

fn is_too_old(state: &Freshness) -> bool {
    state.is_stale() || matches!(state, Freshness::Failed { .. })
}
