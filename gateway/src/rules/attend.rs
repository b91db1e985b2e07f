//! Which hubs the rules listen to: those of their kinds, in each cluster that is reached. They run for as long as the
//! gateway does, whether they have viewers or not.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use shared::name::{ClusterName, Namespace};
use shared::resource::{Kind, Resource};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::rule::Rule;
use super::worker::{Listening, Worker};
use crate::cluster::Cluster;
use crate::feed::FeedKey;
use crate::hub::Registry;
use crate::inventory::Inventory;
use crate::limits::RULES_LOOK_S;

/// Has the rules listen to their hubs until it is cancelled, from each moment on those that are there then.
pub async fn attend(
    mut rules: watch::Receiver<Vec<Arc<Rule>>>,
    worker: Arc<Worker>,
    (registry, clusters): (Registry, Inventory),
    until: CancellationToken,
) {
    let mut look = interval(Duration::from_secs(RULES_LOOK_S));
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut attended = Attended {
        rules: rules.borrow_and_update().clone(),
        worker,
        feeds: HashMap::new(),
        placed: HashMap::new(),
        former: HashMap::new(),
        said: BTreeSet::new(),
    };
    let mut is_open = true;
    loop {
        let due = async {
            tokio::select! {
                _ = look.tick() => None,
                changed = rules.changed(), if is_open => Some(changed.is_ok()),
            }
        };
        match until.run_until_cancelled(due).await {
            None => return,
            Some(None) => {}
            Some(Some(has_changed)) => {
                is_open = has_changed;
                attended.take_over(rules.borrow_and_update().clone());
            }
        }
        let listed = clusters.listed();
        let reached: Vec<_> = listed.borrow().iter().filter_map(|of| of.reached.clone()).collect();
        for reached in reached {
            let look = attended.look(&registry, &reached.cluster);
            let _ = until.run_until_cancelled(look).await;
        }
    }
}

type RulesByNamespace = BTreeMap<Option<Namespace>, Vec<Arc<Rule>>>;

/// It owns which feeds the rules listen to, in the namespaces and clusters that are reached, and what the log has of it.
struct Attended {
    rules: Vec<Arc<Rule>>,
    worker: Arc<Worker>,
    feeds: HashMap<FeedKey, Feed>,
    /// The feeds of a kind stay those that it began with: in two of one object each would tell of it.
    placed: HashMap<(ClusterName, Resource), RulesByNamespace>,
    /// The same, of rules that aren't there any more, until the new ones are placed.
    former: HashMap<(ClusterName, Resource), RulesByNamespace>,
    /// The sentences that the log has already.
    said: BTreeSet<String>,
}

struct Feed {
    listening: Arc<Listening>,
    rules: Vec<Arc<Rule>>,
    /// The name of what was shown and masked when it began.
    shown_as: Box<str>,
}

impl Attended {
    fn take_over(&mut self, rules: Vec<Arc<Rule>>) {
        self.rules = rules;
        self.former.extend(self.placed.drain());
    }

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
            let placed = match (self.placed.get(&place), self.former.remove(&place)) {
                (Some(placed), _) => placed.clone(),
                (None, Some(former)) if former.contains_key(&None) => BTreeMap::from([(None, rules)]),
                (None, Some(_)) => by_namespace(cluster, kind, rules, &mut said),
                (None, None) => feeds(cluster, kind, rules, &mut said).await,
            };
            if !placed.is_empty() {
                self.placed.insert(place, placed.clone());
            }
            for (namespace, rules) in placed {
                let key = FeedKey { namespace, ..FeedKey::of(kinds.cluster.clone(), kind.resource.clone()) };
                begun.push((key, rules));
            }
        }
        self.former.retain(|(cluster, _), _| *cluster != kinds.cluster);
        // A kind that only went away comes back.
        let is_over = |key: &FeedKey| {
            let is_of = |rule: &Arc<Rule>| *rule.scope.kind == *key.resource.to_string();
            let is_placed = self.placed.contains_key(&(key.cluster.clone(), key.resource.clone()));
            key.cluster == kinds.cluster
                && !begun.iter().any(|(of, _)| of == key)
                && (is_placed || !self.rules.iter().any(is_of))
        };
        let over: Vec<FeedKey> = self.feeds.keys().filter(|key| is_over(key)).cloned().collect();
        for key in over {
            if let Some(feed) = self.feeds.remove(&key) {
                feed.listening.is_over.store(true, Ordering::Relaxed);
                self.worker.replace(&key, Vec::new());
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
        if let Some(feed) = self.feeds.get_mut(key).filter(|feed| feed.rules != rules) {
            feed.rules.clone_from(&rules);
            self.worker.replace(key, rules.clone());
        }
        let known = self.feeds.get(key);
        if known.is_some_and(|feed| feed.listening.is_on.load(Ordering::Relaxed)) {
            return;
        }
        let forgets = known.is_some_and(|feed| feed.shown_as != shown_as);
        let listening = Arc::<Listening>::default();
        let listener = self.worker.listener(key, rules.clone(), forgets, Arc::clone(&listening));
        if let Err(problem) = registry.attend(key, listener) {
            tracing::debug!(resource = %key.resource, "rules don't listen now: {}", problem.message);
        }
        self.feeds.insert(key.clone(), Feed { listening, rules, shown_as });
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
    by_namespace(cluster, kind, rules, said)
}

fn by_namespace(
    cluster: &Cluster,
    kind: &Kind,
    rules: Vec<Arc<Rule>>,
    said: &mut Vec<String>,
) -> RulesByNamespace {
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
