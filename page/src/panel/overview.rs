//! The tab Overview: the object's current state. The owner tree and the Events come from [`super::related`].

use serde_json::Value;

use super::link;
use crate::detail::Now;
use crate::detail::condition::{self, Condition};
use crate::detail::summary::{self, Container, Fact};
use crate::table_view::Client;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverviewModel {
    pub facts: Vec<LinkedFact>,
    pub containers: Vec<Container>,
    pub conditions: Vec<(Condition, String)>,
    pub annotations: Vec<(String, String)>,
    pub finalizers: Vec<String>,
    pub data: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinkedFact {
    pub fact: Fact,
    pub href: Option<String>,
}

/// A part of the tab that a key scrolls to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverviewPart {
    #[default]
    OwnerTree,
    Events,
}

pub(super) fn model(object: &Value, now: Now, client: &Client) -> OverviewModel {
    let overview = summary::overview(object, now);
    let fact = |fact: Fact| {
        let href = fact.link.as_ref().and_then(|to| link::to_reference(to, client));
        LinkedFact { fact, href }
    };
    let with_time = |condition: Condition| {
        let since = condition.since.map(|at| now.clock(at)).unwrap_or_default();
        (condition, since)
    };
    OverviewModel {
        facts: overview.facts.into_iter().map(fact).collect(),
        containers: overview.containers,
        conditions: condition::conditions(object).into_iter().map(with_time).collect(),
        annotations: overview.annotations,
        finalizers: overview.finalizers,
        data: overview.data,
    }
}
