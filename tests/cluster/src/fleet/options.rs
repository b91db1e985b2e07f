//! How fast a fleet lives, and what that asks of the API server. It knows no folder and no process.

use serde::{Deserialize, Serialize};

/// How fast a fleet lives. What counts in minutes by the cron clock doesn't get faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fleet {
    /// How many times faster than usual: 1 for people who watch, 10 for a test.
    pub speed: u32,
    /// How long an Event is kept.
    pub event_ttl_minutes: u32,
}

impl Default for Fleet {
    fn default() -> Fleet {
        // The fleet tells 200 a minute; the usual hour of them is forty times the rest of it.
        Fleet { speed: 1, event_ttl_minutes: 10 }
    }
}

impl Fleet {
    /// Seconds of the story, never less than one.
    pub(super) fn seconds(self, usual: u32) -> u32 {
        (usual / self.speed.max(1)).max(1)
    }

    pub(crate) fn apiserver_flags(self) -> [String; 3] {
        // How long a pod stays on a node that is gone. Kubernetes' 300 s are too long for a demonstration.
        let patience = self.seconds(30);
        [
            format!("--default-not-ready-toleration-seconds={patience}"),
            format!("--default-unreachable-toleration-seconds={patience}"),
            format!("--event-ttl={}m", self.event_ttl_minutes),
        ]
    }

    /// Renewed four times as often. Below 8 s a busy machine loses nodes that answer.
    pub(super) fn lease_seconds(self) -> u32 {
        self.seconds(40).max(8)
    }
}
