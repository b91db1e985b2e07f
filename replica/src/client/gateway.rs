//! What the gateway said of itself: its clusters, their kinds, its rules, and its clock. It never looks into views.

use litemap::LiteMap;
use shared::frame::client::Has;
use shared::frame::server::{Cluster, Kinds, Welcome};
use shared::name::ClusterName;
use shared::state::UnixMillis;

use super::clock_offset::ClockOffset;

#[derive(Debug, Default)]
pub(super) struct Gateway {
    welcome: Option<Box<Welcome>>,
    /// The kinds of each cluster. They outlive connections, so that they needn't be sent again.
    kinds: LiteMap<ClusterName, Kinds>,
    clock_offset: ClockOffset,
}

/// A smaller difference of clocks can't be told from the way of a message.
const CLOCKS_AGREE_MS: i64 = 500;

impl Gateway {
    /// Whether this welcome names other rules than the last one: what is held may not be shown under them.
    pub(super) fn has_other_rules(&self, welcome: &Welcome) -> bool {
        !welcome.rules.is_empty() && self.welcome.as_ref().is_none_or(|known| known.rules != welcome.rules)
    }

    pub(super) fn welcomed(&mut self, welcome: Box<Welcome>, now_ms: UnixMillis) {
        self.clock_offset = ClockOffset::default();
        self.clock_offset.learn(welcome.now_ms, now_ms);
        self.kinds.retain(|name, _| welcome.clusters.iter().any(|cluster| cluster.name == *name));
        self.welcome = Some(welcome);
    }

    pub(super) fn set_kinds(&mut self, kinds: Kinds) {
        self.kinds.insert(kinds.cluster.clone(), kinds);
    }

    /// When a message was said, by the viewer's clock: earlier than now, where it was held up.
    pub(super) fn said_ms(&mut self, gateway_ms: UnixMillis, now_ms: UnixMillis) -> UnixMillis {
        now_ms.saturating_sub(self.clock_offset.learn(gateway_ms, now_ms))
    }

    /// How far its clock is ahead of the viewer's.
    pub(super) fn ahead_ms(&self) -> i64 {
        self.clock_offset.ahead_ms()
    }

    /// The same where times are translated, so that one that a reader types to the minute is a whole one by both clocks.
    fn difference_ms(&self) -> i64 {
        match self.ahead_ms() {
            way_ms if way_ms.abs() < CLOCKS_AGREE_MS => 0,
            ahead_ms => ahead_ms,
        }
    }

    /// An instant of the gateway's clock by the viewer's.
    pub(super) fn local_ms(&self, gateway_ms: UnixMillis) -> UnixMillis {
        gateway_ms.saturating_sub(self.difference_ms())
    }

    /// An instant of the viewer's clock by the gateway's.
    pub(super) fn gateway_ms(&self, local_ms: UnixMillis) -> UnixMillis {
        local_ms.saturating_add(self.difference_ms())
    }

    pub(super) fn welcome(&self) -> Option<&Welcome> {
        self.welcome.as_deref()
    }

    /// Its own one first.
    pub(super) fn clusters(&self) -> &[Cluster] {
        self.welcome().map(|welcome| welcome.clusters.as_slice()).unwrap_or_default()
    }

    /// The gateway's own one without a name.
    pub(super) fn cluster(&self, name: Option<&ClusterName>) -> Option<&Cluster> {
        match name {
            Some(name) => self.clusters().iter().find(|cluster| cluster.name == *name),
            None => self.welcome()?.cluster(),
        }
    }

    /// The kinds of a cluster, once they came; those of the gateway's own one without a name.
    pub(super) fn kinds(&self, cluster: Option<&ClusterName>) -> Option<&Kinds> {
        self.kinds.get(cluster.or(self.cluster(None).map(|own| &own.name))?)
    }

    /// The kinds that needn't be sent again.
    pub(super) fn has(&self) -> Vec<Has> {
        let known =
            self.clusters().iter().filter_map(|cluster| Some((cluster, self.kinds.get(&cluster.name)?)));
        known
            .map(|(cluster, kinds)| Has { cluster: cluster.id.clone(), kinds: kinds.digest.clone() })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_was_on_its_way_makes_no_other_time() {
        let mut gateway = Gateway::default();
        gateway.said_ms(100_000, 100_002);
        assert_eq!((gateway.local_ms(60_000), gateway.gateway_ms(60_000)), (60_000, 60_000));
        let mut gateway = Gateway::default();
        gateway.said_ms(100_000, 104_000);
        assert_eq!((gateway.local_ms(60_000), gateway.gateway_ms(60_000)), (64_000, 56_000));
    }
}
