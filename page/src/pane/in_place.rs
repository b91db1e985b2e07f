//! What stands in a pane in place of the rows: what differs between two times, or what is wrong of all kinds.

use replica::client::ViewKey;

use super::displayed::Displayed;
use super::{Pane, place};
use crate::cx::Cx;
use crate::model::{EmptyState, PillState};
use crate::past::comparisons::PaneTimes;
use crate::past::{At, ReplacedRows};
use crate::wrong::Made;
use crate::{pill, wrong};

impl Pane {
    /// The times that are compared.
    pub(crate) fn times(&self) -> Option<PaneTimes<'_>> {
        let place = self.place();
        let (at, against) = place.at.zip(place.against)?;
        Some(PaneTimes { pane: self.id, view: self.key()?, at, against, filter: &place.query })
    }

    /// What differs between two times, in place of the rows.
    pub(crate) fn replace_rows(&mut self, replaced: ReplacedRows) {
        // What can't be shown at all says why.
        if replaced.0.is_some() && self.model.head.content.takes_rows() {
            self.model.empty_state = Some(EmptyState { replaced, ..EmptyState::default() });
        }
    }

    /// What is wrong has no view of its own: the page holds those of all kinds.
    pub(super) fn open_wrong(&mut self, cx: &mut Cx) -> Vec<ViewKey> {
        let left = self.leave(cx);
        self.model.log.is_shown = false;
        let location = &mut self.address.location;
        place::settle_time(location, &cx.client, cx.now_ms());
        let refused = match place::complete_wrong(location, &cx.client) {
            Ok(clusters) => {
                self.view.set_clusters(clusters);
                Displayed::Wrong
            }
            Err(refused) => refused,
        };
        self.view.refuse(refused);
        self.model.filter = self.address.location.query.to_string();
        left
    }

    /// Where the list of what is wrong looks. `None`: the pane shows a view.
    pub(crate) fn wrong_place(&self) -> Option<wrong::Place> {
        let place = self.place();
        matches!(self.view.displayed(), Displayed::Wrong).then(|| wrong::Place {
            clusters: self.clusters().to_vec(),
            namespaces: place.namespaces(&[]),
            at_ms: place.at.map(At::ms),
        })
    }

    pub(crate) fn set_wrong_filter(&mut self, text: String) {
        self.model.filter.clone_from(&text);
        self.address.location.query = text.into();
    }

    /// The list of what is wrong, and how it stands.
    pub(crate) fn show_wrong(&mut self, made: Made, cx: &Cx) {
        let Made { list, state, marks, unread } = made;
        self.model.pill = pill::pill(&state, "", cx.now_ms(), cx.zone);
        self.model.head.state = PillState::of(&state);
        self.model.is_stale = state.is_stale();
        (self.model.marks, self.model.unread) = (marks, unread);
        self.view.set_freshness(state);
        self.model.empty_state = Some(EmptyState { replaced: list, ..EmptyState::default() });
    }
}
