//! A rollout of a workload, as the object tells it: the phase that it is in, when it began and ended, and its images in
//! few words. Never its pods.

use serde_json::Value;
use shared::duration::UnixSeconds;

use super::read;
use crate::cells::shown;

/// A kind whose pods are replaced by those of a new template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    Deployment,
    StatefulSet,
    DaemonSet,
}

/// What the workload does with its pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Its controller hasn't looked at this generation yet.
    NotObserved {
        generation: i64,
    },
    Paused,
    Rolling,
    /// The deadline for progress is over, or a pod can't be made: the condition's reason and message.
    Stuck {
        reason: String,
        message: String,
    },
    /// The old pods stay on purpose below this ordinal.
    Partition(i64),
    /// An old pod stays until it is deleted.
    OnDelete,
    Settled,
}

impl Workload {
    pub fn of(object: &Value) -> Option<Self> {
        match read::group_and_kind(object)? {
            ("apps", "Deployment") => Some(Self::Deployment),
            ("apps", "StatefulSet") => Some(Self::StatefulSet),
            ("apps", "DaemonSet") => Some(Self::DaemonSet),
            _ => None,
        }
    }

    /// The pods that it is to have.
    pub fn wanted(self, object: &Value) -> i64 {
        match self {
            Self::DaemonSet => whole(object, "/status/desiredNumberScheduled"),
            _ => read::whole(object, "/spec/replicas").unwrap_or(1),
        }
    }

    /// The pods of the new template, by its own count.
    pub fn updated(self, object: &Value) -> i64 {
        match self {
            Self::DaemonSet => whole(object, "/status/updatedNumberScheduled"),
            _ => whole(object, "/status/updatedReplicas"),
        }
    }

    /// The pods that are ready, by its own count.
    pub fn ready(self, object: &Value) -> i64 {
        match self {
            Self::DaemonSet => whole(object, "/status/numberReady"),
            _ => whole(object, "/status/readyReplicas"),
        }
    }

    pub fn phase(self, object: &Value) -> Phase {
        let generation = whole(object, "/metadata/generation");
        if generation > whole(object, "/status/observedGeneration") {
            return Phase::NotObserved { generation };
        }
        let is_rolling = match self {
            Self::Deployment => is_deployment_rolling(object),
            Self::StatefulSet => {
                let revision = |which: &str| read::raw(object, &format!("/status/{which}Revision"));
                revision("update").is_some()
                    && revision("update") != revision("current")
                    && self.updated(object) < whole(object, "/status/replicas").max(self.wanted(object))
            }
            Self::DaemonSet => self.updated(object) < self.wanted(object),
        };
        if !is_rolling {
            return Phase::Settled;
        }
        if self == Self::Deployment {
            let is_paused = object.pointer("/spec/paused").and_then(Value::as_bool) == Some(true);
            return if is_paused { Phase::Paused } else { stuck(object).unwrap_or(Phase::Rolling) };
        }
        if read::raw(object, "/spec/updateStrategy/type") == Some("OnDelete") {
            return Phase::OnDelete;
        }
        let partition = read::whole(object, "/spec/updateStrategy/rollingUpdate/partition").unwrap_or(0);
        let is_held = partition > 0 && self.updated(object) >= self.wanted(object).saturating_sub(partition);
        if is_held { Phase::Partition(partition) } else { Phase::Rolling }
    }

    /// When the last rollout of a Deployment ended: its controller writes this condition once for each.
    pub fn ended(self, object: &Value) -> Option<UnixSeconds> {
        let progressing = condition(object, "Progressing").filter(|_| self == Self::Deployment)?;
        let is_over = read::raw(progressing, "/reason") == Some("NewReplicaSetAvailable");
        read::time(progressing, "/lastUpdateTime").filter(|_| is_over)
    }
}

fn whole(object: &Value, pointer: &str) -> i64 {
    read::whole(object, pointer).unwrap_or(0)
}

fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    let mut conditions = read::list(object, "/status/conditions").iter();
    conditions.find(|condition| read::raw(condition, "/type") == Some(kind))
}

/// By its condition: while a settled Deployment is scaled, it keeps the reason that its rollout ended with. Without a
/// deadline it has no such condition, and the counts decide.
fn is_deployment_rolling(object: &Value) -> bool {
    let count = |name: &str| whole(object, &format!("/status/{name}Replicas"));
    let updated = count("updated");
    let has_old = whole(object, "/status/replicas") > updated;
    match condition(object, "Progressing").and_then(|held| read::raw(held, "/reason")) {
        Some("NewReplicaSetAvailable") => has_old,
        Some(_) => true,
        None => {
            let wanted = Workload::Deployment.wanted(object);
            has_old || updated < wanted || count("available") < updated
        }
    }
}

fn stuck(object: &Value) -> Option<Phase> {
    let is = |kind: &str, status: &str| {
        condition(object, kind).filter(|held| read::raw(held, "/status") == Some(status))
    };
    let held = is("ReplicaFailure", "True").or_else(|| is("Progressing", "False"))?;
    let text = |part: &str| read::text(held, part).unwrap_or_default();
    Some(Phase::Stuck { reason: text("/reason"), message: text("/message") })
}

/// The images of a pod template, in its order.
pub fn template_images(object: &Value) -> Vec<String> {
    let containers = read::list(object, "/spec/template/spec/containers").iter();
    containers.filter_map(|container| read::raw(container, "/image").map(str::to_owned)).collect()
}

/// Which images differ, as `api:v1.6.0` and `v1.7.0`. The first is empty where there is nothing before, or no difference.
pub fn versions(old: &[String], new: &[String]) -> (String, String) {
    let before = |at: usize, image: &str| {
        let same = old.iter().find(|held| repository(held) == repository(image));
        same.or_else(|| old.get(at).filter(|_| old.len() == new.len()))
    };
    let changed: Vec<(&String, &String)> = new
        .iter()
        .enumerate()
        .filter_map(|(at, image)| before(at, image).map(|held| (held, image)))
        .filter(|(held, image)| held != image)
        .collect();
    match changed.as_slice() {
        [] => (String::new(), listed(new.iter())),
        [(held, image)] if repository(held) == repository(image) => (short(held), tag(image)),
        _ => (listed(changed.iter().map(|(held, _)| *held)), listed(changed.iter().map(|(_, image)| *image))),
    }
}

/// More are counted.
const IMAGES_MAX: usize = 2;

/// `api:v1, proxy:v3 +1`
pub fn listed<'a>(images: impl Iterator<Item = &'a String>) -> String {
    let all: Vec<String> = images.map(|image| short(image)).collect();
    let shown = all.iter().take(IMAGES_MAX).cloned().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(IMAGES_MAX) {
        0 => shown,
        more => format!("{shown} +{more}"),
    }
}

/// `api:v1.6.0`: without its registry, and a digest by its beginning, where it has no tag.
pub fn short(image: &str) -> String {
    let (repository, tag) = (repository(image), tag(image));
    let name = repository.rsplit('/').next().unwrap_or(repository);
    match &*tag {
        "" => shown(name).into_owned(),
        tag if tag.starts_with("sha256:") => format!("{}@{tag}", shown(name)),
        tag => format!("{}:{tag}", shown(name)),
    }
}

/// Characters of a digest, `sha256:` among them.
const DIGEST_CHARACTERS: usize = 19;

/// The tag, else the beginning of the digest, else nothing.
pub fn tag(image: &str) -> String {
    let (named, digest) = image.split_once('@').unwrap_or((image, ""));
    let tag = named.get(repository(image).len()..).unwrap_or_default().trim_start_matches(':');
    let end = digest.char_indices().nth(DIGEST_CHARACTERS).map_or(digest.len(), |(at, _)| at);
    let tag = if tag.is_empty() { digest.get(..end).unwrap_or_default() } else { tag };
    shown(tag).into_owned()
}

/// A colon in the last part is before the tag; one before that is before a registry's port.
fn repository(image: &str) -> &str {
    let named = image.split_once('@').map_or(image, |(named, _)| named);
    let last = named.rfind('/').map_or(0, |at| at + 1);
    match named.get(last..).and_then(|part| part.find(':')) {
        Some(at) => named.get(..last + at).unwrap_or(named),
        None => named,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_version_is_what_differs_between_two_lists_of_images() {
        let check = |old: &[&str], new: &[&str], expected: (&str, &str)| {
            let owned = |images: &[&str]| images.iter().map(|image| (*image).to_owned()).collect::<Vec<_>>();
            let found = versions(&owned(old), &owned(new));
            assert_eq!((&*found.0, &*found.1), expected, "{old:?} {new:?}");
        };
        check(
            &["r.example:5000/shop/api:v1.6.0"],
            &["r.example:5000/shop/api:v1.7.0-rc.1"],
            ("api:v1.6.0", "v1.7.0-rc.1"),
        );
        check(&[], &["shop/api:v1"], ("", "api:v1"));
        check(&["a:1"], &["a:1"], ("", "a:1"));
        check(&["api:1"], &["other/server:1"], ("api:1", "server:1"));
        check(&["a:1", "b:1"], &["a:1", "b:2"], ("b:1", "2"));
        check(&["b:1", "a:1"], &["a:1", "b:2"], ("b:1", "2"));
        check(&["a:1", "b:1", "c:1"], &["a:2", "b:2", "c:2"], ("a:1, b:1 +1", "a:2, b:2 +1"));
        check(&["a"], &["a:2"], ("a", "2"));
        let digest = |digit: &str| format!("r.example/api@sha256:{}", digit.repeat(64));
        check(&[&digest("0")], &[&digest("f")], ("api@sha256:000000000000", "sha256:ffffffffffff"));
        check(&["r.example/api:v1@sha256:00"], &["r.example/api:v2@sha256:11"], ("api:v1", "v2"));
    }

    fn workload(kind: &str, spec: Value, status: Value) -> Phase {
        let object = json!({"apiVersion": "apps/v1", "kind": kind, "metadata": {"generation": 3},
            "spec": spec, "status": status});
        Workload::of(&object).expect("a workload").phase(&object)
    }

    #[test]
    fn a_deployment_rolls_until_its_condition_says_that_it_ended() {
        let status = |observed: i64, replicas: i64, updated: i64, progressing: [&str; 2]| {
            let [status, reason] = progressing;
            json!({"observedGeneration": observed, "replicas": replicas, "updatedReplicas": updated,
                "conditions": [{"type": "Progressing", "status": status, "reason": reason, "message": "m"}]})
        };
        let spec = json!({"replicas": 4});
        let ended = ["True", "NewReplicaSetAvailable"];
        let check = |spec: &Value, status: Value, expected: Phase| {
            assert_eq!(workload("Deployment", spec.clone(), status.clone()), expected, "{status}");
        };
        check(&spec, status(2, 4, 4, ended), Phase::NotObserved { generation: 3 });
        check(&spec, status(3, 5, 2, ["True", "ReplicaSetUpdated"]), Phase::Rolling);
        check(&spec, status(3, 4, 4, ["True", "ReplicaSetUpdated"]), Phase::Rolling);
        check(&spec, status(3, 4, 4, ended), Phase::Settled);
        check(&spec, status(3, 2, 2, ended), Phase::Settled);
        let late = ["False", "ProgressDeadlineExceeded"];
        let stuck = Phase::Stuck { reason: "ProgressDeadlineExceeded".to_owned(), message: "m".to_owned() };
        check(&spec, status(3, 5, 1, late), stuck);
        let paused = json!({"replicas": 4, "paused": true});
        check(&paused, status(3, 5, 1, ["Unknown", "DeploymentPaused"]), Phase::Paused);
        check(&paused, status(3, 4, 4, ended), Phase::Settled);
        let without = |updated: i64, available: i64| {
            json!({"observedGeneration": 3, "replicas": updated, "updatedReplicas": updated,
                "availableReplicas": available})
        };
        check(&spec, without(4, 3), Phase::Rolling);
        check(&spec, without(4, 4), Phase::Settled);
    }

    #[test]
    fn a_stateful_set_and_a_daemon_set_hold_old_pods_where_their_strategy_says_so() {
        let set = |strategy: Value, updated: i64| {
            let spec = json!({"replicas": 3, "updateStrategy": strategy});
            let status = json!({"observedGeneration": 3, "replicas": 3, "updatedReplicas": updated,
                "currentRevision": "a", "updateRevision": "b"});
            workload("StatefulSet", spec, status)
        };
        let partition = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 2}});
        assert_eq!(set(partition.clone(), 0), Phase::Rolling);
        assert_eq!(set(partition, 1), Phase::Partition(2));
        assert_eq!(set(json!({"type": "OnDelete"}), 1), Phase::OnDelete);
        assert_eq!(set(json!({"type": "RollingUpdate"}), 1), Phase::Rolling);
        assert_eq!(set(json!({"type": "RollingUpdate"}), 3), Phase::Settled);
        let daemon = |updated: i64| {
            let status = json!({"observedGeneration": 3, "desiredNumberScheduled": 5, "updatedNumberScheduled": updated});
            workload("DaemonSet", json!({}), status)
        };
        assert_eq!((daemon(4), daemon(5)), (Phase::Rolling, Phase::Settled));
    }
}
