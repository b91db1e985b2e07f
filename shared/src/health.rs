//! How an object stands, decided once, where it is read. Table, tally, panel and `tail` say the same of the same object.
//!
//! Nothing arrives when a minute is over, so an answer says what it becomes if nothing changes; its reader applies that
//! by the cluster's clock.

use serde::{Deserialize, Serialize};

use crate::duration::UnixSeconds;
use crate::json::{fields, words};

/// What the rules say of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HealthClass {
    Failing,
    /// It works, but is short of what it should be.
    NotReady,
    /// It comes or goes, or another version of it comes.
    Changing,
    Fine,
    /// It has a state that no rule reads. A later gateway may know more classes.
    #[serde(other)]
    Unknown,
}

/// A row without one is fine: nothing is wrong with it, or its kind has no state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    pub class: HealthClass,
    /// In Kubernetes' words; empty where it has none.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub reason: Box<str>,
    /// When it began, by the cluster's clock: the object's own time, or when the gateway saw it begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<UnixSeconds>,
    /// What it becomes if nothing changes, the earliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Later>,
    /// When it failed first, where it has recovered since without having been fine: as far as the gateway saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<UnixSeconds>,
}

/// How an object stands with a question that may ask whether it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    So,
    /// It isn't so now, but goes on: it fails again and again, and hasn't been fine in between.
    Between,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Later {
    pub class: HealthClass,
    /// By the cluster's clock.
    pub at: UnixSeconds,
}

impl HealthClass {
    /// The worst first.
    pub const ALL: [Self; 5] = [Self::Failing, Self::NotReady, Self::Changing, Self::Unknown, Self::Fine];

    /// As it is on the wire, and in the configuration.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Failing => "failing",
            Self::NotReady => "not-ready",
            Self::Changing => "changing",
            Self::Fine => "fine",
            Self::Unknown => "unknown",
        }
    }
}

impl Health {
    /// `now_s`: by the cluster's clock.
    #[must_use]
    pub fn at(&self, now_s: UnixSeconds) -> HealthClass {
        self.then.iter().rev().find(|later| later.at <= now_s).map_or(self.class, |later| later.class)
    }

    /// The classes that it has been in up to now, each with when it entered it.
    pub fn steps(
        &self,
        now_s: UnixSeconds,
    ) -> impl Iterator<Item = (HealthClass, Option<UnixSeconds>)> + use<'_> {
        let later = self.then.iter().filter(move |later| later.at <= now_s);
        std::iter::once((self.class, self.since)).chain(later.map(|later| (later.class, Some(later.at))))
    }

    /// Since when it fails. What recovers from it and fails again has never stopped, unless it was fine in between: a pod
    /// that crashes in a loop runs between two crashes, and is fine when it has run for ten minutes.
    #[must_use]
    pub fn failing_since(&self, now_s: UnixSeconds) -> Option<UnixSeconds> {
        self.steps(now_s).fold(self.failed, |failed, (class, at)| match class {
            HealthClass::Fine => None,
            HealthClass::Failing => failed.into_iter().chain(at).min(),
            HealthClass::NotReady | HealthClass::Changing | HealthClass::Unknown => failed,
        })
    }

    /// It has failed and recovered, and hasn't been fine since.
    #[must_use]
    pub fn is_between_failures(&self, now_s: UnixSeconds) -> bool {
        self.at(now_s) != HealthClass::Failing && self.failing_since(now_s).is_some()
    }

    /// When it is next another one, if nothing changes.
    #[must_use]
    pub fn next_s(&self, now_s: UnixSeconds) -> Option<UnixSeconds> {
        self.then.iter().map(|later| later.at).find(|at| *at > now_s)
    }
}

words! {
    HealthClass: "failing" => Failing, "not-ready" => NotReady, "changing" => Changing, "fine" => Fine; else Unknown
}
fields! { Health: class; reason, since, then, failed }
fields! { Later: class, at; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_becomes_what_it_says_when_the_time_has_come() {
        let health: Health = serde_json::from_str(
            r#"{"class":"changing","reason":"ContainersNotReady","since":100,"then":[{"class":"not-ready","at":160},{"class":"failing","at":700}]}"#,
        )
        .expect("health");
        for (now_s, class, next_s) in [
            (100, HealthClass::Changing, Some(160)),
            (159, HealthClass::Changing, Some(160)),
            (160, HealthClass::NotReady, Some(700)),
            (700, HealthClass::Failing, None),
        ] {
            assert_eq!((health.at(now_s), health.next_s(now_s)), (class, next_s), "at {now_s}");
        }
    }

    #[test]
    fn only_what_was_fine_in_between_has_stopped_failing() {
        let check = |health: &str, at: &[(UnixSeconds, Option<UnixSeconds>, bool)]| {
            let read: Health = serde_json::from_str(health).expect("health");
            for (now_s, since, is_between) in at {
                let found = (read.failing_since(*now_s), read.is_between_failures(*now_s));
                assert_eq!(found, (*since, *is_between), "{health} at {now_s}");
            }
        };
        check(r#"{"class":"failing","since":100}"#, &[(200, Some(100), false)]);
        check(r#"{"class":"failing","since":100,"failed":40}"#, &[(200, Some(40), false)]);
        check(
            r#"{"class":"not-ready","since":100,"then":[{"class":"fine","at":700}],"failed":40}"#,
            &[(100, Some(40), true), (700, None, false)],
        );
        check(
            r#"{"class":"not-ready","since":100,"then":[{"class":"failing","at":700}]}"#,
            &[(699, None, false), (700, Some(700), false)],
        );
        check(r#"{"class":"failing"}"#, &[(200, None, false)]);
    }

    #[test]
    fn a_class_of_a_later_gateway_is_unknown() {
        let health: Health = serde_json::from_str(r#"{"class":"resting"}"#).expect("health");
        assert_eq!(health.class, HealthClass::Unknown);
    }
}
