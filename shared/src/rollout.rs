//! Whether a rollout goes on, as `kubectl rollout status` decides
//! (<https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go>).

use crate::resource::Resource;

/// The kinds that have rollouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    Deployment,
    StatefulSet,
    DaemonSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rollout {
    Going,
    Complete,
    /// It took longer than its progress deadline.
    Failed,
    /// kubectl doesn't follow it: its pods are replaced when they are deleted.
    ByHand,
}

/// The fields that decide, each at its place in what [`Workload::rollout`] reads.
pub const PATHS: [&str; 16] = [
    ".metadata.generation",
    ".status.observedGeneration",
    ".spec.replicas",
    ".status.replicas",
    ".status.updatedReplicas",
    ".status.availableReplicas",
    ".status.readyReplicas",
    ".status.conditions[?(@.type==\"Progressing\")].reason",
    ".spec.updateStrategy.type",
    ".spec.updateStrategy.rollingUpdate.partition",
    ".status.currentRevision",
    ".status.updateRevision",
    ".status.desiredNumberScheduled",
    ".status.updatedNumberScheduled",
    ".status.numberAvailable",
    ".metadata.annotations['deployment.kubernetes.io/revision']",
];

impl Workload {
    /// `None`: the kind has no rollouts.
    #[must_use]
    pub fn of(resource: &Resource) -> Option<Self> {
        Self::named(&resource.to_string())
    }

    /// As a resource prints itself: `deployments.apps`.
    #[must_use]
    pub fn named(resource: &str) -> Option<Self> {
        match resource {
            "deployments.apps" => Some(Self::Deployment),
            "statefulsets.apps" => Some(Self::StatefulSet),
            "daemonsets.apps" => Some(Self::DaemonSet),
            _ => None,
        }
    }

    /// `texts`: the values of [`PATHS`], empty where there is none.
    #[must_use]
    pub fn rollout(self, texts: &[String]) -> Rollout {
        let text = |at: usize| texts.get(at).map_or("", String::as_str);
        let number = |at: usize| text(at).parse::<i64>().ok();
        let count = |at: usize| number(at).unwrap_or(0);
        // Nothing is known of what no controller has looked at.
        let is_observed =
            number(0).zip(number(1)).is_some_and(|(generation, observed)| generation <= observed);
        let (wanted, pods, updated, available, ready) = (number(2), count(3), count(4), count(5), count(6));
        if self != Self::Deployment && text(8) != "RollingUpdate" {
            return Rollout::ByHand;
        }
        let is_going = !is_observed
            || match self {
                Self::Deployment if text(7) == "ProgressDeadlineExceeded" => return Rollout::Failed,
                Self::Deployment => {
                    wanted.is_some_and(|wanted| updated < wanted) || pods > updated || available < updated
                }
                Self::StatefulSet => {
                    let partition = wanted.zip(number(9)).map(|(wanted, from)| wanted - from);
                    count(1) == 0
                        || wanted.is_some_and(|wanted| ready < wanted)
                        || partition.map_or(text(10) != text(11), |wanted| updated < wanted)
                }
                Self::DaemonSet => count(13) < count(12) || count(14) < count(12),
            };
        if is_going { Rollout::Going } else { Rollout::Complete }
    }

    /// What names the pods' template. Empty: nothing does. Another generation of a DaemonSet is most often another template.
    fn revision(self, texts: &[String]) -> &str {
        let at = match self {
            Self::Deployment => 15,
            Self::StatefulSet => 11,
            Self::DaemonSet => 0,
        };
        texts.get(at).map_or("", String::as_str)
    }

    /// Whether what doesn't run now is of a template whose rollout was complete before.
    fn was_complete(self, texts: &[String]) -> bool {
        let text = |at: usize| texts.get(at).map_or("", String::as_str);
        text(0) == text(1)
            && match self {
                Self::Deployment => text(7) == "NewReplicaSetAvailable",
                Self::StatefulSet => text(10) == text(11),
                Self::DaemonSet => text(12) == text(13),
            }
    }
}

/// The rollouts of one workload, as far as they were seen. kubectl waits as long as a pod isn't available; here a rollout is
/// over once its pods were, so that pods that crash or are moved later, and other replicas, are no rollout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolloutWatch {
    /// What was seen last. `None`: nothing yet.
    last: Option<Rollout>,
    /// The revision whose rollout is complete.
    complete: Box<str>,
}

impl RolloutWatch {
    /// `texts`: as for [`Workload::rollout`]. Returns how the rollout stands.
    pub fn see(&mut self, workload: Workload, texts: &[String]) -> Rollout {
        let revision = workload.revision(texts);
        let is_first = self.last.is_none();
        let mut now = workload.rollout(texts);
        let was_complete = *self.complete == *revision || is_first && workload.was_complete(texts);
        if now == Rollout::Going && !revision.is_empty() && was_complete {
            now = Rollout::Complete;
        }
        if now == Rollout::Complete {
            self.complete = revision.into();
        }
        self.last = Some(now);
        now
    }

    /// Whether it went on when it was seen last.
    #[must_use]
    pub fn is_going(&self) -> bool {
        self.last == Some(Rollout::Going)
    }
}

impl Rollout {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Going => "going on",
            Self::Complete => "complete",
            Self::Failed => "ProgressDeadlineExceeded",
            Self::ByHand => "by hand",
        }
    }

    /// It is complete, or it failed.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Complete | Self::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values by the last parts of their paths.
    fn of(workload: Workload, values: &str) -> Rollout {
        workload.rollout(&texts(values))
    }

    fn texts(values: &str) -> Vec<String> {
        let mut texts = vec![String::new(); PATHS.len()];
        for part in values.split_whitespace() {
            let (path, value) = part.split_once('=').expect("a value");
            let at = PATHS.iter().position(|known| known.ends_with(path)).expect(path);
            texts[at] = value.to_owned();
        }
        texts
    }

    #[test]
    fn a_rollout_is_over_when_kubectl_says_so() {
        use Rollout::{ByHand, Complete, Failed, Going};
        const DEPLOYMENT: &str = "generation=3 observedGeneration=3 spec.replicas=2 status.replicas=2 updatedReplicas=2 availableReplicas=2";
        const SET: &str = "updateStrategy.type=RollingUpdate generation=3 observedGeneration=3 spec.replicas=3 readyReplicas=3 updatedReplicas=3 partition=0";
        const DAEMONS: &str = "updateStrategy.type=RollingUpdate generation=3 observedGeneration=3 desiredNumberScheduled=4 updatedNumberScheduled=4 numberAvailable=4";
        for (workload, values, change, expected) in [
            (Workload::Deployment, DEPLOYMENT, "", Complete),
            (Workload::Deployment, DEPLOYMENT, "observedGeneration=2", Going),
            (Workload::Deployment, DEPLOYMENT, "observedGeneration=", Going),
            (Workload::Deployment, "", "", Going),
            (Workload::Deployment, DEPLOYMENT, "updatedReplicas=1", Going),
            (Workload::Deployment, DEPLOYMENT, "status.replicas=3", Going),
            (Workload::Deployment, DEPLOYMENT, "availableReplicas=1", Going),
            (Workload::Deployment, DEPLOYMENT, "].reason=ProgressDeadlineExceeded", Failed),
            (Workload::Deployment, DEPLOYMENT, "generation=4 ].reason=ProgressDeadlineExceeded", Going),
            (Workload::StatefulSet, SET, "", Complete),
            (Workload::StatefulSet, SET, "updateStrategy.type=OnDelete", ByHand),
            (Workload::StatefulSet, SET, "readyReplicas=2", Going),
            (Workload::StatefulSet, SET, "updatedReplicas=1", Going),
            (Workload::StatefulSet, SET, "updatedReplicas=1 partition=2", Complete),
            (Workload::StatefulSet, SET, "partition= currentRevision=a updateRevision=b", Going),
            (Workload::DaemonSet, DAEMONS, "", Complete),
            (Workload::DaemonSet, DAEMONS, "updatedNumberScheduled=3", Going),
            (Workload::DaemonSet, DAEMONS, "numberAvailable=3", Going),
            (Workload::DaemonSet, DAEMONS, "updateStrategy.type=OnDelete", ByHand),
        ] {
            assert_eq!(of(workload, &format!("{values} {change}")), expected, "{workload:?} {change}");
        }
    }

    #[test]
    fn a_rollout_is_over_for_good_once_its_pods_were_available() {
        use Rollout::{Complete, Failed, Going};
        const NOW: &str = "generation=3 observedGeneration=3 spec.replicas=2 status.replicas=2 updatedReplicas=2 availableReplicas=2 revision']=7";
        const CRASHED: &str = "availableReplicas=1";
        const NEXT: &str = "generation=4 revision']=8";
        let seen = |steps: &[(&str, Rollout)]| {
            let mut watch = RolloutWatch::default();
            for (change, expected) in steps {
                let texts = texts(&format!("{NOW} {change}"));
                assert_eq!(watch.see(Workload::Deployment, &texts), *expected, "{change} of {steps:?}");
                assert_eq!(watch.is_going(), *expected == Going);
            }
        };
        seen(&[("", Complete), (CRASHED, Complete), ("", Complete)]);
        seen(&[("", Complete), ("generation=4 spec.replicas=5", Complete), ("spec.replicas=5", Complete)]);
        seen(&[
            ("", Complete),
            (NEXT, Going),
            ("updatedReplicas=1 revision']=8", Going),
            ("revision']=8", Complete),
        ]);
        seen(&[
            ("", Complete),
            ("].reason=ProgressDeadlineExceeded revision']=8", Failed),
            ("revision']=8", Complete),
        ]);
        // Nothing was seen before, but its controller says that the pods of this template were available.
        seen(&[("].reason=NewReplicaSetAvailable availableReplicas=1", Complete), ("", Complete)]);
        seen(&[
            ("].reason=ReplicaSetUpdated availableReplicas=1", Going),
            ("", Complete),
            (CRASHED, Complete),
        ]);
        // Without a revision it is as kubectl says.
        seen(&[("revision']=", Complete), ("revision']= availableReplicas=1", Going)]);
    }
}
