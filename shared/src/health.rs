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

    /// When it is next another one, if nothing changes.
    #[must_use]
    pub fn next_s(&self, now_s: UnixSeconds) -> Option<UnixSeconds> {
        self.then.iter().map(|later| later.at).find(|at| *at > now_s)
    }
}

words! {
    HealthClass: "failing" => Failing, "not-ready" => NotReady, "changing" => Changing, "fine" => Fine; else Unknown
}
fields! { Health: class; reason, since, then }
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
    fn a_class_of_a_later_gateway_is_unknown() {
        let health: Health = serde_json::from_str(r#"{"class":"resting"}"#).expect("health");
        assert_eq!(health.class, HealthClass::Unknown);
    }
}
