//! The status of one container: what it was, and what it becomes.

use serde_json::{Value, json};

use crate::fleet::recorder::hash_of;
use crate::json::{int, list, set, text};
use crate::random::mix;

/// A container of a pod: what is asked for, and how it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Container<'a> {
    pod: &'a Value,
    spec: &'a Value,
    status: &'a Value,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State<'a> {
    /// No kubelet has seen it yet.
    None,
    Waiting(&'a str),
    Running,
    Ended,
}

static NULL: Value = Value::Null;

fn each(pod: &Value, specs: &str, statuses: &str, what: impl Fn(Container<'_>) -> Value) -> Value {
    list(pod, specs)
        .iter()
        .map(|spec| {
            let status = list(pod, statuses).iter().find(|found| text(found, "/name") == text(spec, "/name"));
            what(Container { pod, spec, status: status.unwrap_or(&NULL) })
        })
        .collect()
}

/// The statuses of all containers, each as `what` makes it.
pub(super) fn all(pod: &Value, what: impl Fn(Container<'_>) -> Value) -> Value {
    each(pod, "/spec/containers", "/status/containerStatuses", what)
}

pub(super) fn all_init(pod: &Value, what: impl Fn(Container<'_>) -> Value) -> Value {
    each(pod, "/spec/initContainers", "/status/initContainerStatuses", what)
}

impl<'a> Container<'a> {
    pub(super) fn first(pod: &'a Value) -> Self {
        let status = pod.pointer("/status/containerStatuses/0").unwrap_or(&NULL);
        Self { pod, spec: pod.pointer("/spec/containers/0").unwrap_or(&NULL), status }
    }

    pub(super) fn state(&self) -> State<'a> {
        let state = self.status.get("state").unwrap_or(&NULL);
        if state.get("waiting").is_some() {
            State::Waiting(text(state, "/waiting/reason"))
        } else if state.get("running").is_some() {
            State::Running
        } else if state.get("terminated").is_some() {
            State::Ended
        } else {
            State::None
        }
    }

    pub(super) fn waiting(&self, reason: &str, message: &str) -> Value {
        let mut waiting = json!({"reason": reason});
        if !message.is_empty() {
            set(&mut waiting, &["message"], json!(message));
        }
        let last = match self.state() {
            State::Ended => self.status.get("state"),
            _ => self.status.get("lastState"),
        };
        self.with(json!({"waiting": waiting}), last.cloned(), false, self.restarts())
    }

    /// It runs. Coming from a wait after an end, it was started again.
    pub(super) fn running(&self, now: &str, ready: bool) -> Value {
        let last = self.status.get("lastState").cloned();
        if self.state() == State::Running {
            let state = self.status.get("state").cloned().unwrap_or_default();
            return self.with(state, last, ready, self.restarts());
        }
        let had_ended = last.as_ref().is_some_and(|last| last.get("terminated").is_some());
        let restarts = self.restarts() + i64::from(had_ended);
        self.with(json!({"running": {"startedAt": now}}), last, ready, restarts)
    }

    /// With its exit code, the reason and what it wrote to its termination log.
    pub(super) fn ended(&self, (code, reason, message): (i64, &str, &str), now: &str) -> Value {
        let started = self.status.pointer("/state/running/startedAt").and_then(Value::as_str).unwrap_or(now);
        let mut terminated = json!({
            "exitCode": code, "reason": reason, "startedAt": started, "finishedAt": now,
            "containerID": self.id(self.restarts()),
        });
        if !message.is_empty() {
            set(&mut terminated, &["message"], json!(message));
        }
        let state = json!({"terminated": terminated});
        self.with(state, self.status.get("lastState").cloned(), false, self.restarts())
    }

    /// An init container that has done its work.
    pub(super) fn completed(&self, now: &str) -> Value {
        let mut done = self.ended((0, "Completed", ""), now);
        set(&mut done, &["ready"], json!(true));
        done
    }

    fn restarts(&self) -> i64 {
        int(self.status, "/restartCount")
    }

    fn id(&self, restarts: i64) -> String {
        let words = [text(self.pod, "/metadata/uid"), text(self.spec, "/name"), &restarts.to_string()];
        format!("containerd://{}", digest_of(&words))
    }

    fn with(&self, state: Value, last: Option<Value>, ready: bool, restarts: i64) -> Value {
        let image = text(self.spec, "/image");
        let is_running = state.get("running").is_some();
        let was_started = state.get("waiting").is_none();
        let repository = image.rsplit_once(':').map_or(image, |(repository, _)| repository);
        let mut status = json!({
            "name": text(self.spec, "/name"), "image": image, "imageID": "",
            "ready": ready, "started": is_running && ready, "restartCount": restarts,
            "state": state, "lastState": last.unwrap_or_else(|| json!({})),
        });
        if was_started {
            let digest = digest_of(&[image]);
            set(&mut status, &["imageID"], json!(format!("{repository}@sha256:{digest}")));
            set(&mut status, &["containerID"], json!(self.id(restarts)));
        }
        status
    }
}

/// 64 hexadecimal digits.
fn digest_of(words: &[&str]) -> String {
    let hash = hash_of(words);
    (0..4).map(|part| format!("{:016x}", mix(hash ^ part))).collect()
}
