//! The task of one cluster: reaches it, and then keeps its kinds current and looks whether it still answers. Never what
//! follows from an answer.

use std::sync::Arc;
use std::time::Duration;

use shared::problem::{Problem, Reason};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::entry::Entry;
use super::listed::{Inventory, Reached};
use super::members::{MemberEvent, MemberNumber};
use crate::cluster::{Cluster, Rule, Source};
use crate::limits::{
    CLUSTER_LOOK_AGAIN_MS, CLUSTER_LOOK_MS, CLUSTER_LOOK_TIMEOUT_S, CLUSTER_RETRY_FIRST_MS,
    CLUSTER_RETRY_MAX_MS, CLUSTER_RETRY_MIN_MS,
};
use crate::metrics::Metrics;

/// What is done with a cluster before it is shown.
#[derive(Clone)]
pub struct Connecting {
    pub metrics: Metrics,
    /// The gateway's account there must not itself be impersonated.
    pub impersonates: bool,
    /// The gateway's account there should have no rights that it doesn't need.
    pub checks_own_rights: bool,
    /// The rights that it does need.
    pub needed: Arc<[Rule]>,
}

impl Connecting {
    /// Looks at the gateway's own account in a cluster that answered.
    ///
    /// # Errors
    /// The account must not be impersonated there.
    pub async fn examine(&self, cluster: Cluster) -> Result<Reached, Problem> {
        if self.impersonates {
            cluster.may_impersonate()?;
        }
        let own_rights = match self.checks_own_rights {
            true => cluster.check_own_rights(self.impersonates, &self.needed).await,
            false => Ok(()),
        };
        Ok(Reached::new(cluster, own_rights))
    }
}

pub(super) type Events = mpsc::Sender<(MemberNumber, MemberEvent<Reached>)>;

pub(super) struct MemberTask {
    pub(super) number: MemberNumber,
    pub(super) entry: Entry,
    pub(super) inventory: Inventory,
    pub(super) connecting: Connecting,
    pub(super) events: Events,
}

impl MemberTask {
    /// Runs until it is aborted. `cluster`: it answered already.
    pub(super) async fn run(self, cluster: Option<Cluster>) {
        let cluster = match (cluster, self.entry.access.clone()) {
            (Some(cluster), _) => cluster,
            (None, Ok(source)) => self.reach(source).await,
            (None, Err(problem)) => {
                self.say(MemberEvent::NotReached(problem)).await;
                // The owner of the inventory replaces this entry as soon as there is something to try.
                return std::future::pending().await;
            }
        };
        let discovering = cluster.clone().keep_discovering(CancellationToken::new());
        tokio::join!(discovering, self.pass_kinds_on(&cluster), self.look(&cluster));
    }

    /// Tries again and again, less and less often, until it answers.
    async fn reach(&self, source: Source) -> Cluster {
        for tries in 0_u32.. {
            match self.connect(source.clone()).await {
                Ok(reached) => {
                    let cluster = reached.cluster.clone();
                    self.say(MemberEvent::Reached(reached)).await;
                    return cluster;
                }
                Err(problem) => self.say(MemberEvent::NotReached(problem)).await,
            }
            sleep(Duration::from_millis(CLUSTER_RETRY_MIN_MS)).await;
            let random = getrandom::u64().unwrap_or_default();
            drop(timeout(pause(tries, random), self.inventory.retried()).await);
        }
        std::future::pending().await
    }

    async fn connect(&self, source: Source) -> Result<Reached, Problem> {
        let (name, ceiling) = (self.entry.name.clone(), self.inventory.ceiling());
        let metrics = self.connecting.metrics.clone();
        let cluster = Cluster::connect_as(Some(name), source, ceiling, metrics).await?;
        // It may have changed meanwhile.
        cluster.set_ceiling(self.inventory.ceiling());
        let reached = self.connecting.examine(cluster).await?;
        if let Err(why) = &reached.own_rights {
            tracing::warn!("in the cluster {}: {why}", self.entry.name);
        }
        Ok(reached)
    }

    async fn pass_kinds_on(&self, cluster: &Cluster) {
        let mut kinds = cluster.kinds();
        kinds.mark_unchanged();
        while kinds.changed().await.is_ok() {
            self.say(MemberEvent::Kinds).await;
        }
    }

    /// Where there are several clusters, a page shows which of them answer. The views of a single one say it by
    /// themselves.
    async fn look(&self, cluster: &Cluster) {
        let mut pause_ms = CLUSTER_LOOK_MS;
        loop {
            sleep(Duration::from_millis(pause_ms)).await;
            if !self.inventory.has_several() {
                continue;
            }
            let looked = timeout(Duration::from_secs(CLUSTER_LOOK_TIMEOUT_S), cluster.look()).await;
            let looked = looked.unwrap_or_else(|_| {
                let message = format!("the API server doesn't answer within {CLUSTER_LOOK_TIMEOUT_S} s");
                Err(Problem::new(Reason::TimedOut, message))
            });
            if looked.as_ref().is_err_and(|problem| problem.reason == Reason::Unauthorized) {
                // The cluster may have no feed that would read the credentials again. A failure shows at the next
                // look.
                drop(cluster.refresh_credentials().await);
            }
            pause_ms = if looked.is_ok() { CLUSTER_LOOK_MS } else { CLUSTER_LOOK_AGAIN_MS };
            self.say(MemberEvent::Looked(looked)).await;
        }
    }

    /// If the owner is gone, this task is about to be.
    async fn say(&self, event: MemberEvent<Reached>) {
        drop(self.events.send((self.number, event)).await);
    }
}

/// Doubling up to the bound, and of that a random part, so that many clusters that went away at once aren't all tried at
/// once.
fn pause(tries: u32, random: u64) -> Duration {
    let doubled = CLUSTER_RETRY_FIRST_MS.saturating_mul(1 << tries.min(20));
    let bound = doubled.min(CLUSTER_RETRY_MAX_MS);
    Duration::from_millis(bound / 2 + random % (bound / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_bound_with_a_random_part() {
        let ms = |tries, random| pause(tries, random).as_millis();
        assert_eq!([ms(0, 0), ms(1, 0), ms(2, 0), ms(40, 0)], [500, 1_000, 2_000, 15_000]);
        assert!((15_000..30_000).contains(&ms(40, u64::MAX)) && ms(40, 7) != ms(40, 8));
    }
}
