//! The dates that an object carries: what happened to it before the page recorded its changes. An object keeps only
//! the last date of each event, so they are never its whole history.

use serde_json::Value;
use shared::duration::UnixSeconds;
use shared::sorted;

use super::condition::{self, Condition};
use super::history::Headline;
use super::read::{self, Now};
use crate::detail::history::words;
use crate::limits::PANEL_DATES_MAX;
use crate::status::Class;

pub use super::history::DatedLine;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dated {
    pub at: UnixSeconds,
    pub headline: Headline,
}

impl Dated {
    pub fn line(&self, now: Now) -> DatedLine {
        DatedLine { clock: now.clock(self.at), headline: self.headline.clone() }
    }
}

const CONTAINERS: [&str; 3] =
    ["/status/initContainerStatuses", "/status/containerStatuses", "/status/ephemeralContainerStatuses"];

/// Newest first. What has no date isn't among them.
pub fn dated(object: &Value) -> Vec<Dated> {
    let mut found = Vec::new();
    let mut add = |at: Option<UnixSeconds>, class: Class, strong: &str, rest: String| {
        found.extend(at.map(|at| Dated { at, headline: Headline::new(class, strong, rest) }));
    };
    add(read::created(object), Class::Idle, words::CREATED, String::new());
    add(read::deletion_began(object), Class::Unknown, words::DELETING, String::new());
    for Condition { kind, status, class, reason, since, .. } in condition::conditions(object) {
        add(since, class, &kind, words::to_status(&status, &reason));
    }
    for status in CONTAINERS.iter().flat_map(|list| read::list(object, list)) {
        let name = read::text(status, "/name").unwrap_or_default();
        for end in ["/state/terminated", "/lastState/terminated"] {
            let Some(end) = status.pointer(end) else { continue };
            let code = read::whole(end, "/exitCode");
            let class = if code == Some(0) { Class::Done } else { Class::Bad };
            let reason = read::text(end, "/reason").unwrap_or_else(|| words::TERMINATED.to_owned());
            add(read::time(end, "/finishedAt"), class, &reason, words::ended_in(code, &name));
        }
        let started = read::time(status, "/state/running/startedAt");
        add(started, Class::Ok, words::STARTED, words::ended_in(None, &name));
    }
    // Among dates of the same second, the one that was added last stands first.
    sorted::sort_by_key(&mut found, |dated| dated.at);
    found.reverse();
    found.truncate(PANEL_DATES_MAX);
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::messages::Zone;

    #[test]
    fn an_object_tells_the_last_date_of_each_thing_and_nothing_that_has_no_date() {
        let pod = json!({"metadata": {"creationTimestamp": "1970-01-01T00:00:01Z",
                "deletionTimestamp": "1970-01-01T00:01:30Z", "deletionGracePeriodSeconds": 30},
            "status": {"conditions": [
                {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "lastTransitionTime": "1970-01-01T00:00:40Z"},
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": null},
                {"type": "Initialized", "status": "True"}],
              "containerStatuses": [
                {"name": "app", "state": {"running": {"startedAt": "1970-01-01T00:00:50Z"}},
                 "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": "1970-01-01T00:00:39Z"}}},
                {"name": "side", "state": {"terminated": {"exitCode": 0, "finishedAt": "1970-01-01T00:00:20Z"}}},
                {"name": "lost", "state": {"terminated": {"exitCode": 1, "finishedAt": null}}}]}});
        let now = Now { ms: 100_000, cluster_s: 100, zone: Zone::default() };
        let told: Vec<String> = dated(&pod)
            .iter()
            .map(|dated| dated.line(now))
            .map(|line| format!("{} {:?} {}", line.clock, line.headline.class, line.headline.text()))
            .collect();
        assert_eq!(
            told,
            [
                "00:01:00 Unknown Deletion began",
                "00:00:50 Ok Started, container app",
                "00:00:40 Bad Ready → False, ContainersNotReady",
                "00:00:39 Bad OOMKilled, exit code 137, container app",
                "00:00:20 Done Terminated, container side",
                "00:00:01 Idle Created",
            ]
        );
        assert_eq!(dated(&json!({"metadata": 7, "status": "x"})), []);
    }
}
