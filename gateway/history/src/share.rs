//! The shares of a record: kinds that can be noisy have room of their own, so that they drive out only their own past.
//!
//! Each share has a row of segments and loses its own oldest one. So what a noisy kind costs is how far back that kind is
//! known, and neither a gap in it nor anything of other kinds.

use shared::resource::Resource;

/// What kinds share a part of the budget. Databases have the places of their declaration, so none may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Share {
    /// All kinds of Kubernetes that have no share of their own. It comes first: its place is that of the whole record.
    Kubernetes,
    Events,
    Pods,
    /// Kinds that Kubernetes hasn't defined.
    Custom,
}

/// What a share may take, in eighths of the budget.
struct Eighths {
    /// So much is never taken by others.
    least: u64,
    /// So much at most, however little the others take.
    most: u64,
}

impl Share {
    pub const ALL: [Self; 4] = [Self::Kubernetes, Self::Events, Self::Pods, Self::Custom];

    #[must_use]
    pub fn of(resource: &Resource) -> Self {
        let group = resource.group.as_str();
        match resource.resource.as_str() {
            "events" if group.is_empty() || group == "events.k8s.io" => Self::Events,
            "pods" if group.is_empty() => Self::Pods,
            // A group without a dot is one of the API server itself, and `k8s.io` is kept for Kubernetes.
            _ if !group.contains('.') || group.ends_with(".k8s.io") => Self::Kubernetes,
            _ => Self::Custom,
        }
    }

    /// Its folder within that of the record. `None`: that itself.
    #[must_use]
    pub fn folder(self) -> Option<&'static str> {
        match self {
            Self::Kubernetes => None,
            Self::Events => Some("events"),
            Self::Pods => Some("pods"),
            Self::Custom => Some("custom"),
        }
    }

    /// Its place among [`Share::ALL`].
    pub(crate) fn place(self) -> usize {
        self as usize
    }

    /// The same as a database has it.
    pub(crate) fn number(self) -> i16 {
        self as i16
    }

    /// One that this release doesn't know is as good as any: only what is dropped together depends on it.
    pub(crate) fn of_number(number: i16) -> Self {
        Self::ALL.into_iter().find(|share| share.number() == number).unwrap_or(Self::Kubernetes)
    }

    /// The least sum up to the budget. A single kind never has more than half.
    fn eighths(self) -> Eighths {
        match self {
            Self::Kubernetes => Eighths { least: 2, most: 4 },
            Self::Events => Eighths { least: 2, most: 2 },
            Self::Pods => Eighths { least: 3, most: 4 },
            Self::Custom => Eighths { least: 1, most: 4 },
        }
    }

    /// How many bytes it may take where the others take so many.
    #[must_use]
    pub fn bytes(self, budget: u64, others: u64) -> u64 {
        let Eighths { least, most } = self.eighths();
        let eighth = budget / 8;
        budget.saturating_sub(others).clamp(least * eighth, most * eighth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_pods_have_shares_of_their_own_and_so_have_kinds_that_kubernetes_has_not() {
        for (group, plural, share) in [
            ("", "events", Share::Events),
            ("events.k8s.io", "events", Share::Events),
            ("", "pods", Share::Pods),
            ("metrics.k8s.io", "pods", Share::Kubernetes),
            ("apps", "deployments", Share::Kubernetes),
            ("", "namespaces", Share::Kubernetes),
            ("gateway.networking.k8s.io", "httproutes", Share::Kubernetes),
            ("example.org", "events", Share::Custom),
            ("argoproj.io", "rollouts", Share::Custom),
        ] {
            let resource = Resource::parse(group, "v1", plural).expect("a resource");
            assert_eq!(Share::of(&resource), share, "{resource}");
        }
    }

    #[test]
    fn the_place_of_a_share_is_what_databases_have_of_it() {
        let places: Vec<usize> = Share::ALL.into_iter().map(Share::place).collect();
        assert_eq!(places, [0, 1, 2, 3]);
        assert_eq!([Share::Events.number(), Share::Pods.number(), Share::Custom.number()], [1, 2, 3]);
        assert_eq!([Share::of_number(2), Share::of_number(9)], [Share::Pods, Share::Kubernetes]);
    }

    #[test]
    fn no_share_is_taken_by_others_and_none_is_above_half() {
        let budget = 800;
        let least: u64 = Share::ALL.iter().map(|share| share.bytes(budget, u64::MAX)).sum();
        assert_eq!(least, budget, "all of them fit, whoever is noisy");
        for share in Share::ALL {
            assert!(share.bytes(budget, 0) <= budget / 2, "{share:?}");
        }
        assert_eq!(Share::Events.bytes(budget, 0), budget / 4);
        // Room that the others don't need is lent.
        assert_eq!((Share::Custom.bytes(budget, 600), Share::Custom.bytes(budget, 790)), (200, 100));
    }
}
