//! What the gateway says about the rights of the viewer with the rows of a view.

use shared::problem::Reason;
use shared::scope::Namespaces;
use shared::state::{ViewState, Whom};

use super::ViewKey;
use super::views::Views;
use crate::observer::RowObserver;
use crate::subscription::{Allowed, Subscription};

/// `are_reviewed`: whether the gateway reviews the viewer's rights; `None` before its welcome. Returns `None` where the
/// gateway hasn't answered yet, or the view ended for another reason than a right.
pub(super) fn allowed<O: RowObserver>(
    views: &Views<O>,
    key: ViewKey,
    are_reviewed: Option<bool>,
) -> Option<Allowed> {
    let subscription = views.rows_of(key)?;
    if !subscription.clusters.is_empty() {
        // Each of them has rights of its own.
        return None;
    }
    let is_allowed = |subscription: &Subscription| is_allowed(subscription, are_reviewed);
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
        (Namespaces::These(_), _) if !subscription.phase.parts().is_empty() => {
            let parts = subscription.phase.parts().iter().filter_map(|key| views.part(*key));
            let parts = parts
                .filter_map(|part| Some((part.namespace()?.clone(), is_allowed(&part.source.subscription)?)));
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
fn is_allowed(subscription: &Subscription, are_reviewed: Option<bool>) -> Option<bool> {
    if let Some(problem) = subscription.ended() {
        return (problem.reason == Reason::Forbidden).then_some(false);
    }
    let is_reviewed = are_reviewed?;
    match subscription.state()? {
        ViewState::Forbidden { to: Whom::You } => Some(false),
        ViewState::Live | ViewState::Polled { .. } | ViewState::Past(_) => Some(true),
        ViewState::Syncing { .. } | ViewState::Resuming { .. } | ViewState::Stale { .. } => {
            is_reviewed.then_some(true)
        }
        ViewState::Forbidden { to: Whom::Gateway } | ViewState::Gone { .. } | ViewState::Failed { .. } => {
            None
        }
    }
}
