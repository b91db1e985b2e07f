//! Why an object isn't well, in one line for the top of its panel: the reason, what belongs to it, since when, and the
//! command that shows more. Never a guess: all of it stands in the object's status.

use serde_json::Value;
use shared::duration::{self, UnixSeconds};

use super::condition::{self, Condition};
use super::read::{self, Now};
use super::words;
use crate::status::Class;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// `Bad`, or `Warn` while nothing has failed; `Busy` while it is being deleted.
    pub class: Class,
    pub reason: String,
    pub facts: Vec<WhyFact>,
    pub message: String,
    pub command: Option<String>,
}

/// `exit code` **1**; the strong part is the middle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhyFact {
    pub before: String,
    pub strong: String,
    pub after: String,
}

/// Objects furthest down of what an object owns, which fail for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingLeaf {
    /// `Pod`
    pub kind: String,
    pub reason: String,
    pub count: usize,
    /// What the first of them says of it; often nothing.
    pub message: String,
}

/// A container that is still being made after this time is worth a word.
const STARTING_MAX_S: i64 = 60;

impl Why {
    pub(crate) fn new(class: Class, reason: impl Into<String>) -> Self {
        Self { class, reason: reason.into(), facts: Vec::new(), message: String::new(), command: None }
    }

    fn of_condition(class: Class, condition: &Condition, now: Now) -> Self {
        let reason = if condition.reason.is_empty() {
            words::condition_is(&condition.kind, &condition.status)
        } else {
            condition.reason.clone()
        };
        Self::new(class, reason).said(&condition.message).since(condition.since, now)
    }

    fn said(self, message: &str) -> Self {
        Self { message: message.to_owned(), ..self }
    }

    fn fact(mut self, before: &str, strong: impl ToString, after: &str) -> Self {
        let (before, strong, after) = (before.to_owned(), strong.to_string(), after.to_owned());
        self.facts.push(WhyFact { before, strong, after });
        self
    }

    /// What is wrong with an object is what is wrong with those that it owns, where they say it: `1 Pod Unschedulable`.
    /// `why`: what the object says itself.
    pub(crate) fn of_leaves(why: Option<Self>, leaves: &[FailingLeaf]) -> Option<Self> {
        let Some(first) = leaves.first() else { return why };
        let words = |leaf: &FailingLeaf| words::failing(leaf.count, &leaf.kind, &leaf.reason);
        let reason = leaves.iter().map(words).collect::<Vec<_>>().join(", ");
        let mut why = why.map_or_else(
            || Self::new(Class::Warn, ""),
            |why| {
                let own = WhyFact { strong: why.reason.clone(), ..WhyFact::default() };
                Self { facts: [vec![own], why.facts.clone()].concat(), ..why }
            },
        );
        why.reason = reason;
        if !first.message.is_empty() {
            why.message.clone_from(&first.message);
        }
        Some(why)
    }

    /// Since the first of so many times, where the object's own time is that of the last one. `is_cut`: nothing is known of
    /// an earlier time. `well_ms`: it was never ready for so long between.
    pub(crate) fn again_and_again(
        self,
        (since, ago_ms): (&str, i64),
        times: usize,
        (well_ms, is_cut): (i64, bool),
    ) -> Self {
        let human = |ms: i64| duration::human(ms.max(0) / 1_000);
        self.fact(
            words::AGAIN_AND_AGAIN,
            since,
            &words::relapses(&human(ago_ms), times, &human(well_ms), is_cut),
        )
    }

    /// When the condition took its status. It may have another reason since: what the time is of is said with it.
    fn since(self, at: Option<UnixSeconds>, now: Now) -> Self {
        self.dated(words::SINCE, at, now)
    }

    /// No time where none is known.
    fn dated(self, what: &str, at: Option<UnixSeconds>, now: Now) -> Self {
        match at {
            Some(at) => self.fact(what, now.clock(at), &words::in_brackets(&now.age(at))),
            None => self,
        }
    }
}

/// `None`: nothing is wrong, or nothing that the object says.
pub fn why(object: &Value, now: Now) -> Option<Why> {
    let conditions = condition::conditions(object);
    if let Some(deletion) = of_deletion(object, now) {
        return Some(deletion);
    }
    let own = match read::group_and_kind(object)? {
        ("", "Pod") => return of_pod(object, &conditions, now),
        ("apps", "Deployment" | "StatefulSet" | "ReplicaSet" | "DaemonSet")
        | ("", "ReplicationController") => {
            return of_workload(object, &conditions, now);
        }
        ("", "PersistentVolumeClaim" | "PersistentVolume") => of_volume(object, now),
        _ => None,
    };
    own.or_else(|| of_conditions(&conditions, now))
}

/// Since when it is being deleted, how long it may take to end, and what holds it.
fn of_deletion(object: &Value, now: Now) -> Option<Why> {
    let (began, ends) = (read::deletion_began(object)?, read::time(object, "/metadata/deletionTimestamp")?);
    let why = Why::new(Class::Busy, words::TERMINATING).since(Some(began), now);
    let why = match ends.saturating_sub(began) {
        // Nothing is given time to end.
        ..=0 => why,
        grace_s => {
            let until = words::grace_until(&now.clock(ends), ends <= now.cluster_s);
            why.fact(words::GRACE_PERIOD, duration::human(grace_s), &until)
        }
    };
    let finalizers: Vec<String> =
        read::list(object, "/metadata/finalizers").iter().map(read::scalar).collect();
    let held_by = |why: Why| why.fact(words::HELD_BY, finalizers.join(", "), "");
    Some(match (finalizers.is_empty(), read::group_and_kind(object)) {
        (false, _) => held_by(why).said(words::FINALIZERS_HOLD),
        (true, Some(("", "Pod"))) => why.said(&match read::text(object, "/spec/nodeName") {
            Some(node) => words::kubelet_ends_it(&node),
            None => words::NO_FINALIZER.to_owned(),
        }),
        (true, Some(("", "Namespace"))) => why.said(words::CONTENT_GOES_FIRST),
        (true, _) => why.said(words::NO_FINALIZER),
    })
}

/// Ready before any other condition that means trouble.
fn of_conditions(conditions: &[Condition], now: Now) -> Option<Why> {
    let named = |name: &str| conditions.iter().find(|condition| condition.kind == name);
    let lasting = ["Ready", "Failed"].iter().find_map(|name| {
        let is_unknown = |held: &&Condition| *name == "Ready" && held.class == Class::Unknown;
        named(name).filter(|held| held.class == Class::Bad || is_unknown(held))
    });
    match lasting {
        Some(condition) => Some(Why::of_condition(Class::Bad, condition, now)),
        None => {
            let first = conditions.iter().find(|condition| condition.class == Class::Bad)?;
            Some(Why::of_condition(Class::Warn, first, now))
        }
    }
}

fn of_pod(object: &Value, conditions: &[Condition], now: Now) -> Option<Why> {
    let named = |name: &str| conditions.iter().find(|condition| condition.kind == name);
    let ready = named("Ready").filter(|ready| ready.class != Class::Done && ready.status != "True");
    let unready_since = ready.and_then(|ready| ready.since);
    let phase = read::raw(object, "/status/phase").unwrap_or_default();
    if phase == "Succeeded" {
        return None;
    }
    if let Some(unscheduled) = named("PodScheduled").filter(|held| held.status == "False") {
        return Some(Why::of_condition(Class::Warn, unscheduled, now));
    }
    let lists = ["/status/initContainerStatuses", "/status/containerStatuses"];
    let containers = || lists.iter().flat_map(|list| read::list(object, list));
    if let Some(why) = containers().find_map(|status| of_container(object, status, unready_since, now)) {
        return Some(why);
    }
    if phase == "Failed" {
        let reason = read::text(object, "/status/reason").unwrap_or_else(|| phase.to_owned());
        let message = read::text(object, "/status/message").unwrap_or_default();
        return Some(Why::new(Class::Bad, reason).said(&message).dated(
            words::NOT_READY_SINCE,
            unready_since,
            now,
        ));
    }
    let waiting = containers().find_map(|status| read::text(status, "/state/waiting/reason"));
    if let Some(reason) = waiting {
        let since = named("PodScheduled").and_then(|held| held.since)?;
        let is_late = now.cluster_s.saturating_sub(since) > STARTING_MAX_S;
        return is_late.then(|| Why::new(Class::Warn, reason).dated(words::SCHEDULED_AT, Some(since), now));
    }
    let unready = containers().find(|status| {
        status.get("ready").and_then(Value::as_bool) == Some(false)
            && status.pointer("/state/running").is_some()
    });
    let why = Why::of_condition(Class::Warn, ready?, now);
    let Some(status) = unready else { return Some(why) };
    let why = match ended(status, "/lastState/terminated") {
        Some(end) => with_end(why, object, status, end, words::LAST_EXIT_CODE),
        None => why,
    };
    Some(with_restarts(Why { command: logs(object, status), ..why }, status))
}

/// A container that waits for another reason than its start, or that ended with an error.
fn of_container(object: &Value, status: &Value, since: Option<UnixSeconds>, now: Now) -> Option<Why> {
    let waiting = waits(status);
    let last = ended(status, "/lastState/terminated");
    let (reason, mut message, end) = match (waiting, ended(status, "/state/terminated")) {
        (Some((reason, waiting)), _) => (reason, read::text(waiting, "/message").unwrap_or_default(), last),
        (None, Some(end)) => (read::text(end, "/reason").unwrap_or_default(), String::new(), Some(end)),
        (None, None) => return None,
    };
    let mut why = Why::new(Class::Bad, reason.clone());
    if let Some(end) = end {
        why = with_end(why, object, status, end, words::EXIT_CODE);
        // What the process wrote at its end says more than the kubelet's sentence about waiting.
        // Its line break at the end isn't shown as a sign.
        if let Some(last_words) =
            read::raw(end, "/message").map(str::trim_end).filter(|said| !said.is_empty())
        {
            message = read::scalar(&Value::from(last_words));
        } else if reason == "CrashLoopBackOff" {
            message =
                message.split_once(" restarting").map_or_else(String::new, |(pause, _)| pause.to_owned());
        }
    }
    let why = with_restarts(why, status).dated(words::NOT_READY_SINCE, since, now).said(&message);
    Some(Why { command: logs(object, status), ..why })
}

/// Why a container waits, unless it only waits for its start.
pub(super) fn waits(status: &Value) -> Option<(String, &Value)> {
    let waiting = status.pointer("/state/waiting")?;
    let reason = read::text(waiting, "/reason").unwrap_or_default();
    (!matches!(&*reason, "" | "ContainerCreating" | "PodInitializing")).then_some((reason, waiting))
}

/// How a container ended, unless it ended well.
pub(super) fn ended<'a>(status: &'a Value, pointer: &str) -> Option<&'a Value> {
    status.pointer(pointer).filter(|end| read::whole(end, "/exitCode") != Some(0))
}

/// The code that it ended with, and the limit where it was killed for its memory.
fn with_end(mut why: Why, object: &Value, status: &Value, end: &Value, exit_code: &str) -> Why {
    let ended_with = read::text(end, "/reason").unwrap_or_default();
    if ended_with == "OOMKilled" && why.reason != ended_with {
        why = why.fact("", ended_with, "");
        let spec = read::list(object, "/spec/containers").iter();
        let spec = spec.filter(|spec| spec.get("name") == status.get("name"));
        let limit = spec.filter_map(|spec| read::text(spec, "/resources/limits/memory")).next();
        why = limit.into_iter().fold(why, |why, limit| why.fact(words::LIMIT, limit, ""));
    }
    let code = read::whole(end, "/exitCode");
    code.into_iter().fold(why, |why, code| why.fact(exit_code, code, ""))
}

fn with_restarts(why: Why, status: &Value) -> Why {
    match read::whole(status, "/restartCount") {
        Some(count) if count > 0 => why.fact("", count, words::restarts_word(count)),
        _ => why,
    }
}

/// `None`: no container of this name ever ran.
fn logs(object: &Value, status: &Value) -> Option<String> {
    let has = |pointer: &str| status.pointer(pointer).is_some();
    let is_previous = has("/lastState/terminated") && !has("/state/terminated");
    let ran = is_previous || has("/state/terminated") || has("/state/running");
    let of = |pointer: &str| read::raw(object, pointer).unwrap_or_default();
    let container = read::raw(status, "/name")?;
    ran.then(|| words::kubectl_logs(of("/metadata/name"), of("/metadata/namespace"), container, is_previous))
}

fn of_workload(object: &Value, conditions: &[Condition], now: Now) -> Option<Why> {
    let number = |pointer: &str| read::whole(object, pointer);
    let (wanted, ready, updated) = match number("/status/desiredNumberScheduled") {
        Some(wanted) => (wanted, number("/status/numberReady"), number("/status/updatedNumberScheduled")),
        None => {
            let wanted = number("/spec/replicas").unwrap_or(1);
            (wanted, number("/status/readyReplicas"), number("/status/updatedReplicas"))
        }
    };
    let ready = ready.unwrap_or(0);
    let of_ready = |why: Why| why.fact("", words::ready_of(ready, wanted), words::READY);
    let bad = |name: &str| conditions.iter().find(|held| held.kind == name && held.class == Class::Bad);
    if let Some(condition) = bad("Progressing").or_else(|| bad("ReplicaFailure")) {
        return Some(of_ready(Why::of_condition(Class::Bad, condition, now)));
    }
    let is_rolling_out = updated.is_some_and(|updated| updated < wanted);
    if ready >= wanted || (is_rolling_out && ready > 0) {
        return None;
    }
    let class = if ready == 0 { Class::Bad } else { Class::Warn };
    let why = match bad("Available") {
        Some(condition) => Why::of_condition(class, condition, now),
        None => Why::new(class, words::SHORT_OF_PODS),
    };
    Some(of_ready(why))
}

fn of_volume(object: &Value, now: Now) -> Option<Why> {
    let phase = read::text(object, "/status/phase")?;
    let class = match &*phase {
        "Lost" | "Failed" => Class::Bad,
        "Pending" => Class::Warn,
        _ => return None,
    };
    let message = read::text(object, "/status/message").unwrap_or_default();
    let since = read::time(object, "/metadata/creationTimestamp").filter(|_| class == Class::Warn);
    Some(Why::new(class, phase).said(&message).since(since, now))
}

#[cfg(test)]
mod tests;
