//! The clusters of the active pane, and the picker that chooses others. Where the gateway has one cluster there is nothing
//! to choose. The options of the open picker come with a piece of the program.

mod model;
pub(crate) mod options;
pub(crate) mod part;
pub mod words;

use std::sync::Arc;

use crate::action::PickerAction;
use crate::cx::Cx;
use crate::model::PageModel;
use crate::pane::Pane;
use crate::picker::{self, Typed};
pub use model::{ClusterList, ClusterOption, ClusterPickerModel};
pub(crate) use part::ClusterChoice;
use part::{Part, Shown};

/// Open or closed.
#[derive(Default)]
pub(crate) struct ClusterPicker(Option<Typed>);

impl ClusterPicker {
    /// `pane`: the active one. Returns the clusters that the reader chose in place of its own.
    pub(crate) fn update(
        &mut self,
        action: PickerAction,
        pane: Option<&Pane>,
        cx: &Cx,
    ) -> Option<ClusterChoice> {
        let asked = picker::update(&mut self.0, action)?;
        let (part, shown) = shown(pane, cx)?;
        (part.update)(self.0.as_mut()?, asked, &shown).carry_out(&mut self.0)
    }

    pub(crate) fn render(&self, pane: Option<&Pane>, model: &mut PageModel, cx: &Cx) {
        let picker = self.0.as_ref().map(|typed| match shown(pane, cx) {
            Some((part, shown)) => (part.model)(typed, &shown),
            None => ClusterPickerModel { typed: typed.text.clone(), ..ClusterPickerModel::default() },
        });
        let can_choose = is_replay(cx) || cx.client.clusters().len() > 1;
        let shown = ClusterList { label: model.cluster.clone(), can_choose, picker };
        if *model.clusters != shown {
            model.clusters = Arc::new(shown);
        }
    }
}

/// Whether a record is shown, of which the picker says what it is.
pub(crate) fn is_replay(cx: &Cx) -> bool {
    cx.client.welcome().is_some_and(|welcome| welcome.replays.is_some())
}

/// `None`: there is no pane, or the options aren't there yet.
fn shown<'a>(pane: Option<&'a Pane>, cx: &'a Cx) -> Option<(Part, Shown<'a>)> {
    let (part, pane) = (cx.more?.clusters, pane?);
    let resource = &*pane.place().resource;
    let shown = Shown {
        client: &cx.client,
        resource,
        singular: pane.kind().map_or(resource, |kind| &*kind.singular),
        is_of_all: pane.place().is_of_all_clusters(),
        clusters: pane.clusters(),
        states: pane.cluster_states(),
        whole: pane.freshness().map(|freshness| (freshness, pane.counted(cx).map(|(_, (rows, _))| rows))),
        now_ms: cx.now_ms(),
        zone: cx.zone,
    };
    Some((part, shown))
}
