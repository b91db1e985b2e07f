//! Which hubs the rules listen to: those of their kinds, in each cluster that is reached. They run for as long as the
//! gateway does, whether they have viewers or not.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shared::name::{ClusterName, Namespace};
use shared::resource::{Kind, Resource};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::rule::Rule;
use super::worker::Worker;
use crate::cluster::Cluster;
use crate::feed::FeedKey;
use crate::hub::Registry;
use crate::inventory::Inventory;
use crate::limits::RULES_LOOK_S;

/// Has the rules listen to their hubs until it is cancelled.
pub async fn attend(
    rules: Vec<Arc<Rule>>,
    worker: Arc<Worker>,
    (registry, clusters): (Registry, Inventory),
    until: CancellationToken,
) {
    let mut look = interval(Duration::from_secs(RULES_LOOK_S));
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut attended =
        Attended { rules, worker, feeds: HashMap::new(), placed: HashMap::new(), said: BTreeSet::new() };
    while until.run_until_cancelled(look.tick()).await.is_some() {
        let listed = clusters.listed();
        let reached: Vec<_> = listed.borrow().iter().filter_map(|of| of.reached.clone()).collect();
        for reached in reached {
            let look = attended.look(&registry, &reached.cluster);
            let _ = until.run_until_cancelled(look).await;
        }
    }
}

type RulesByNamespace = BTreeMap<Option<Namespace>, Vec<Arc<Rule>>>;

struct Attended {
    rules: Vec<Arc<Rule>>,
    worker: Arc<Worker>,
    feeds: HashMap<FeedKey, Feed>,
    /// The feeds of a kind stay those that it began with: in two of one object each would tell of it.
    placed: HashMap<(ClusterName, Resource), RulesByNamespace>,
    /// The sentences that the log has already.
    said: BTreeSet<String>,
}

struct Feed {
    is_listening: Arc<AtomicBool>,
    /// The name of what was shown and masked when it began.
    shown_as: Box<str>,
}

impl Attended {
    async fn look(&mut self, registry: &Registry, cluster: &Cluster) {
        let kinds = cluster.kinds();
        let kinds = Arc::clone(&kinds.borrow());
        let mut by_kind = BTreeMap::<&str, Vec<Arc<Rule>>>::new();
        for rule in self.rules.iter().filter(|rule| rule.scope.is_of_cluster(&kinds.cluster)) {
            by_kind.entry(&rule.scope.kind).or_default().push(Arc::clone(rule));
        }
        let mut begun = Vec::new();
        let mut said = Vec::new();
        for (name, rules) in by_kind {
            let kind =
                kinds.kinds.iter().find(|kind| kind.resource.to_string() == name && kind.disabled.is_none());
            let Some(kind) = kind else {
                said.push(format!(
                    "rules of {name} watch nothing: the cluster {} doesn't show that kind",
                    kinds.cluster
                ));
                continue;
            };
            let place = (kinds.cluster.clone(), kind.resource.clone());
            let placed = match self.placed.get(&place) {
                Some(placed) => placed.clone(),
                None => feeds(cluster, kind, rules, &mut said).await,
            };
            if !placed.is_empty() {
                self.placed.insert(place, placed.clone());
            }
            for (namespace, rules) in placed {
                let key = FeedKey { namespace, ..FeedKey::of(kinds.cluster.clone(), kind.resource.clone()) };
                begun.push((key, rules));
            }
        }
        for (key, rules) in begun {
            self.listen(registry, &key, rules);
        }
        for sentence in said {
            if self.said.insert(sentence.clone()) {
                tracing::warn!("{sentence}");
            }
        }
    }

    fn listen(&mut self, registry: &Registry, key: &FeedKey, rules: Vec<Arc<Rule>>) {
        let shown_as = registry.rules().borrow().clone();
        let known = self.feeds.get(key);
        if known.is_some_and(|feed| feed.is_listening.load(Ordering::Relaxed)) {
            return;
        }
        let forgets = known.is_some_and(|feed| feed.shown_as != shown_as);
        let is_listening = Arc::<AtomicBool>::default();
        let listener = self.worker.listener(key, rules, forgets, Arc::clone(&is_listening));
        if let Err(problem) = registry.attend(key, listener) {
            tracing::debug!(resource = %key.resource, "rules don't listen now: {}", problem.message);
        }
        self.feeds.insert(key.clone(), Feed { is_listening, shown_as });
    }
}

/// The feeds of a kind, by their namespaces, and which rules each has. An account that may not list the whole cluster
/// lists the namespaces that rules name.
async fn feeds(
    cluster: &Cluster,
    kind: &Kind,
    rules: Vec<Arc<Rule>>,
    said: &mut Vec<String>,
) -> RulesByNamespace {
    let may = cluster.may_watch(&kind.resource, None).await;
    if may != Some(false) {
        return BTreeMap::from([(None, rules)]);
    }
    let mut feeds = RulesByNamespace::new();
    for rule in rules {
        let named = rule.scope.named_namespaces();
        if named.is_empty() || !kind.namespaced {
            said.push(format!(
                "the rule {} watches nothing: the gateway may not list {} in the whole cluster {}; `dogwatch rbac` with \
                 the same settings prints what its account needs, or name namespaces in the rule",
                rule.name,
                kind.resource,
                cluster.identity().name
            ));
        }
        for namespace in named.iter().filter(|_| kind.namespaced) {
            feeds.entry(Some(namespace.clone())).or_default().push(Arc::clone(&rule));
        }
    }
    feeds
}
