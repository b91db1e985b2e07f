//! The containers of a pod with their states: init containers first, in the order in which they run.
//! Never an image's meaning.

use serde_json::Value;

use super::super::read::{self, Now};
use crate::detail::words;
use crate::status::Class;

/// One container of a pod, with the texts that the panel shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Container {
    pub name: String,
    pub role: Role,
    pub class: Class,
    pub state: String,
    pub restarts: String,
    /// ` (4m29s ago)`
    pub restarted: String,
    pub last_state: String,
    /// Readiness, ports, requests and limits.
    pub details: String,
    /// It changed lately.
    pub is_new: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    #[default]
    Main,
    Init,
    Sidecar,
    Ephemeral,
}

const LISTS: [(&str, &str, Role); 3] = [
    ("/spec/initContainers", "/status/initContainerStatuses", Role::Init),
    ("/spec/containers", "/status/containerStatuses", Role::Main),
    ("/spec/ephemeralContainers", "/status/ephemeralContainerStatuses", Role::Ephemeral),
];

impl Role {
    /// Empty for a main container.
    pub fn word(self) -> &'static str {
        match self {
            Self::Main => "",
            Self::Init => "init",
            Self::Sidecar => "sidecar",
            Self::Ephemeral => "ephemeral",
        }
    }
}

pub fn containers(object: &Value, now: Now) -> Vec<Container> {
    if read::group_and_kind(object) != Some(("", "Pod")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (specs, statuses, role) in LISTS {
        let statuses = read::list(object, statuses);
        for spec in read::list(object, specs) {
            let name = read::raw(spec, "/name");
            let status = statuses.iter().find(|status| read::raw(status, "/name") == name);
            found.push(container(spec, status.unwrap_or(&Value::Null), role, now));
        }
    }
    found
}

fn container(spec: &Value, status: &Value, role: Role, now: Now) -> Container {
    let is_sidecar = role == Role::Init && read::raw(spec, "/restartPolicy") == Some("Always");
    let role = if is_sidecar { Role::Sidecar } else { role };
    let is_ready = status.get("ready").and_then(Value::as_bool);
    let (class, state) = state(status, is_ready, role);
    let ended = read::time(status, "/lastState/terminated/finishedAt");
    let restarts = read::whole(status, "/restartCount").unwrap_or(0);
    Container {
        name: read::text(spec, "/name").unwrap_or_default(),
        role,
        class,
        state,
        restarts: restarts.to_string(),
        restarted: ended
            .filter(|_| restarts > 0)
            .map(|at| words::in_brackets_ago(&now.age(at)))
            .unwrap_or_default(),
        last_state: terminated(status, "/lastState/terminated").unwrap_or_default(),
        details: details(spec, is_ready, class),
        is_new: false,
    }
}

fn state(status: &Value, is_ready: Option<bool>, role: Role) -> (Class, String) {
    if let Some(waiting) = status.pointer("/state/waiting") {
        let reason = read::text(waiting, "/reason").unwrap_or_default();
        // These reasons mean that the container is being created.
        let is_on_its_way = matches!(&*reason, "" | "ContainerCreating" | "PodInitializing");
        let class = if is_on_its_way { Class::Busy } else { Class::Bad };
        return (class, words::container_state(words::WAITING, &reason));
    }
    if let Some(code) = status.pointer("/state/terminated") {
        let is_well = read::whole(code, "/exitCode") == Some(0);
        let said = terminated(status, "/state/terminated").unwrap_or_default();
        return (if is_well { Class::Done } else { Class::Bad }, said);
    }
    if status.pointer("/state/running").is_some() {
        let is_short = is_ready == Some(false) && role != Role::Ephemeral;
        return (if is_short { Class::Warn } else { Class::Ok }, words::RUNNING.to_owned());
    }
    (Class::Idle, words::NOT_STARTED.to_owned())
}

/// `Terminated: Error, exit code 1, ran 9s`
fn terminated(status: &Value, pointer: &str) -> Option<String> {
    let ended = status.pointer(pointer)?;
    let ran = read::time(ended, "/startedAt")
        .zip(read::time(ended, "/finishedAt"))
        .map(|(from, to)| shared::duration::human(to.saturating_sub(from)));
    let reason = read::text(ended, "/reason").unwrap_or_default();
    Some(words::terminated(&reason, read::whole(ended, "/exitCode"), read::whole(ended, "/signal"), ran))
}

fn details(spec: &Value, is_ready: Option<bool>, class: Class) -> String {
    let port = |port: &Value| {
        let number = read::whole(port, "/containerPort")?;
        let protocol = read::text(port, "/protocol").unwrap_or_else(|| "TCP".to_owned());
        Some(format!("{number}/{protocol}"))
    };
    let ports: Vec<String> = read::list(spec, "/ports").iter().filter_map(port).collect();
    let resources = |pointer: &str| -> Vec<String> {
        read::pairs(spec, pointer).into_iter().map(|(name, value)| format!("{name} {value}")).collect()
    };
    let is_said = is_ready == Some(false) && matches!(class, Class::Warn | Class::Bad | Class::Busy);
    words::container_details(
        is_said,
        &ports,
        &resources("/resources/requests"),
        &resources("/resources/limits"),
    )
}
