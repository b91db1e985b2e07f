//! The tab Overview: the object's current state, with links to the objects that it names. The owner tree and the
//! Events come from [`super::related`].

use serde_json::Value;

use super::link;
use crate::detail::Now;
use crate::detail::summary::{self, Overview};
use crate::table_view::Client;

/// A part of the tab that a key scrolls to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverviewPart {
    #[default]
    OwnerTree,
    Events,
}

pub(super) fn model(object: &Value, now: Now, client: &Client) -> Overview {
    let mut overview = summary::overview(object, now);
    for fact in &mut overview.facts {
        fact.href = fact.link.as_ref().and_then(|to| link::to_reference(to, client));
    }
    overview
}
