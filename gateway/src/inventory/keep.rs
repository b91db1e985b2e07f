//! The task that owns the clusters: starts one task for each that is wanted, ends those of the others, and keeps the
//! list. Every decision is [`super::members`]'.

use std::collections::HashMap;

use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::entry::{Wanted, merged};
use super::listed::{Inventory, Listed, Reached};
use super::member::{Connecting, Events, MemberTask};
use super::members::{Effects, Member, MemberNumber};
use crate::clock::gateway_ms;
use crate::cluster::Cluster;
use crate::limits::{CLUSTER_EVENTS_MAX, CLUSTERS_MAX};

/// The owner of the clusters' tasks. It waits for wishes and for what the tasks report, and updates the list.
struct Keeper {
    inventory: Inventory,
    connecting: Connecting,
    tasks: JoinSet<()>,
    running: HashMap<MemberNumber, AbortHandle>,
    events: Events,
    /// Called after a cluster left the list.
    gone: Box<dyn Fn() + Send>,
}

impl Inventory {
    /// Runs until it is cancelled, or a part of it ends by surprise. `gone` is called after a cluster left the list.
    pub async fn keep(self, connecting: Connecting, gone: Box<dyn Fn() + Send>, cancel: CancellationToken) {
        let mut wanted = self.wanted();
        wanted.mark_changed();
        let (events, mut happened) = mpsc::channel(CLUSTER_EVENTS_MAX);
        let (tasks, running) = (JoinSet::new(), HashMap::new());
        let mut keeper = Keeper { inventory: self, connecting, tasks, running, events, gone };
        let known: Vec<(MemberNumber, Cluster)> = {
            let members = keeper.inventory.members();
            let reached = |member: &Member<Reached>| Some((member.number, member.cluster()?.cluster.clone()));
            members.iter().filter_map(reached).collect()
        };
        for (number, cluster) in known {
            keeper.start(number, Some(cluster));
        }
        keeper.count();
        loop {
            tokio::select! {
                () = cancel.cancelled() => break,
                changed = wanted.changed() => {
                    if changed.is_err() {
                        break;
                    }
                    let wanted = wanted.borrow_and_update().clone();
                    keeper.want(&wanted);
                }
                Some((number, event)) = happened.recv() => {
                    let effects = keeper.inventory.change(|members| members.apply(number, event, gateway_ms()));
                    keeper.carry_out(effects);
                }
                Some(ended) = keeper.tasks.join_next(), if !keeper.tasks.is_empty() => match ended {
                    Err(error) if error.is_cancelled() => {}
                    _ => break,
                },
            }
        }
        keeper.tasks.shutdown().await;
    }

    /// Whether there is another cluster than the home one.
    pub(super) fn has_several(&self) -> bool {
        self.listed().borrow().len() > 1
    }
}

impl Keeper {
    fn want(&mut self, wanted: &Wanted) {
        let (entries, left_out) = merged(&wanted.configured, &wanted.profiles, CLUSTERS_MAX);
        for sentence in left_out {
            tracing::warn!("{sentence}");
        }
        if entries.is_empty() {
            return;
        }
        let names = |inventory: &Inventory| -> Vec<String> {
            inventory.listed().borrow().iter().map(|cluster| cluster.name.to_string()).collect()
        };
        let before = names(&self.inventory);
        let effects = self.inventory.change(|members| members.want(entries));
        let after = names(&self.inventory);
        let only = |some: &[String], others: &[String]| -> Vec<String> {
            some.iter().filter(|name| !others.contains(name)).cloned().collect()
        };
        for (what, names) in [("come", only(&after, &before)), ("are gone", only(&before, &after))] {
            // At the start there is nothing to compare with.
            if !names.is_empty() && !before.is_empty() {
                tracing::info!("clusters that {what}: {}", names.join(", "));
            }
        }
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Effects) {
        let Effects { start, stop, said, is_changed } = effects;
        let has_stopped = !stop.is_empty();
        for (number, name) in stop {
            if let Some(task) = self.running.remove(&number) {
                task.abort();
            }
            self.connecting.metrics.forget_cluster(&name);
        }
        if has_stopped {
            (self.gone)();
        }
        for number in start {
            self.start(number, None);
        }
        for (warns, line) in said {
            if warns { tracing::warn!("{line}") } else { tracing::info!("{line}") }
        }
        if is_changed {
            self.count();
        }
    }

    fn start(&mut self, number: MemberNumber, cluster: Option<Cluster>) {
        let entry = self.inventory.members().get(number).map(|member| member.entry.clone());
        let Some(entry) = entry else { return };
        let (inventory, connecting) = (self.inventory.clone(), self.connecting.clone());
        let task = MemberTask { number, entry, inventory, connecting, events: self.events.clone() };
        self.running.insert(number, self.tasks.spawn(task.run(cluster)));
    }

    fn count(&self) {
        for Listed { name, reached, problem, .. } in self.inventory.listed().borrow().iter() {
            self.connecting.metrics.count_cluster(name, reached.is_some() && problem.is_none());
        }
    }
}
