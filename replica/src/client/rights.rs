//! What the gateway says about the rights of the viewer: with the rows of a view, and where it is asked about a kind.

use shared::frame::client::{ClientFrame, Rights};
use shared::name::ClusterName;
use shared::problem::Reason;
use shared::resource::Resource;
use shared::scope::Namespaces;
use shared::state::{ViewState, Whom};

use super::{Client, Output, ViewKey, Visibility};
use crate::observer::RowObserver;
use crate::subscription::{Allowed, Subscription};

impl<O: RowObserver> Client<O> {
    /// Asks what may be listed of a kind in a cluster, the gateway's own one without a name; [`Output::Rights`] answers, unless the connection ends before. Returns whether
    /// it could be asked.
    pub fn ask_rights(&mut self, cluster: Option<ClusterName>, resource: Resource) -> bool {
        if !self.connection.is_open() || self.visibility == Visibility::Parked {
            return false;
        }
        let id = self.new_id();
        self.outputs.push_back(Output::Send(ClientFrame::Rights(Rights { id, cluster, resource })));
        true
    }

    /// `None`: the gateway hasn't answered yet, or the view ended for another reason than a right.
    #[must_use]
    pub fn allowed(&self, key: ViewKey) -> Option<Allowed> {
        let view = self.view(key)?;
        let subscription = view.subscription();
        if !subscription.clusters.is_empty() {
            // Each of them has rights of its own.
            return None;
        }
        let is_allowed = |subscription: &Subscription| self.is_allowed(subscription);
        match (&subscription.scope.namespaces, &subscription.granted) {
            // Several that are refused as one view have a feed each.
            (Namespaces::All, Some(Namespaces::These(names)))
                if names.len() > 1 || is_allowed(subscription) != Some(false) =>
            {
                Some(Allowed::Only(names.clone()))
            }
            (Namespaces::All, _) => Some(match is_allowed(subscription)? {
                true => Allowed::Everywhere,
                false => Allowed::Only(Vec::new()),
            }),
            (Namespaces::These(_), _) if !subscription.parts().is_empty() => {
                let parts = self.parts(view).filter_map(|part| {
                    Some((part.namespace()?.clone(), is_allowed(&part.source.subscription)?))
                });
                Some(Allowed::Each(parts.collect()))
            }
            // One of several is enough to refuse them all, and the answer doesn't say which.
            (Namespaces::These(names), _) => {
                let is_allowed = is_allowed(subscription).filter(|allowed| *allowed || names.len() == 1)?;
                Some(Allowed::Each(names.iter().map(|name| (name.clone(), is_allowed)).collect()))
            }
        }
    }

    /// A review comes before the feed is opened; without reviews the feed's own answer is the first.
    fn is_allowed(&self, subscription: &Subscription) -> Option<bool> {
        if let Some(problem) = subscription.ended() {
            return (problem.reason == Reason::Forbidden).then_some(false);
        }
        let is_reviewed = self.welcome()?.viewer.rights.are_reviewed();
        match subscription.state()? {
            ViewState::Forbidden { to: Whom::You } => Some(false),
            ViewState::Live | ViewState::Polled { .. } => Some(true),
            ViewState::Syncing { .. } | ViewState::Resuming { .. } | ViewState::Stale { .. } => {
                is_reviewed.then_some(true)
            }
            ViewState::Forbidden { to: Whom::Gateway }
            | ViewState::Gone { .. }
            | ViewState::Failed { .. } => None,
        }
    }
}
