//! The sessions that were ended before their time, as far as this gateway has heard. Pure: the time is an argument.
//! Gateways tell each other their lists, and merging is all that they do with them.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use shared::state::UnixMillis;

use super::session::{SessionKey, hashed};
use crate::limits::{REVOCATIONS_MAX, REVOKED_LEEWAY_MS, SESSION_HOURS_MAX};

/// What was ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Target {
    /// One session of a gateway.
    #[serde(rename = "i")]
    Session(Box<str>),
    /// All that came from one session of the provider.
    #[serde(rename = "p")]
    ProviderSession(Box<str>),
    /// All of a person that had begun.
    #[serde(rename = "s")]
    Subject(Box<str>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Revoked {
    at_ms: UnixMillis,
    /// From then on no session is left that it could be about.
    until_ms: UnixMillis,
}

#[derive(Debug, Default)]
pub(super) struct Revocations(HashMap<Target, Revoked>);

/// As gateways tell each other, and as a file keeps it.
pub(super) type List = Vec<(Target, Revoked)>;

/// What a list came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Merged {
    /// Something of it wasn't known.
    pub(super) is_new: bool,
    /// `false`: there are too many, and one that would have ended first was forgotten.
    pub(super) is_whole: bool,
}

const HOUR_MS: UnixMillis = 60 * 60 * 1_000;

/// In the log. A name that is whole could be looked for in what others logged.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(id) => write!(f, "the session {}", hashed(id)),
            Self::ProviderSession(id) => write!(f, "all of the provider's session {}", hashed(id)),
            Self::Subject(subject) => write!(f, "all of the person {}", hashed(subject)),
        }
    }
}

impl Revocations {
    pub(super) fn add(&mut self, target: Target, until_ms: UnixMillis, now_ms: UnixMillis) -> Merged {
        self.merge(vec![(target, Revoked { at_ms: now_ms, until_ms })], now_ms)
    }

    /// What another gateway has heard, or this one before it was restarted.
    pub(super) fn merge(&mut self, list: List, now_ms: UnixMillis) -> Merged {
        let latest_ms = now_ms + i64::from(SESSION_HOURS_MAX) * HOUR_MS;
        let mut is_new = false;
        for (target, heard) in list {
            let heard = Revoked { until_ms: heard.until_ms.min(latest_ms), ..heard };
            let known = self.0.get(&target).copied();
            let both = known.map_or(heard, |known| Revoked {
                at_ms: known.at_ms.max(heard.at_ms),
                until_ms: known.until_ms.max(heard.until_ms),
            });
            is_new |= known != Some(both);
            self.0.insert(target, both);
        }
        self.0.retain(|_, revoked| revoked.until_ms > now_ms);
        let is_whole = self.0.len() <= REVOCATIONS_MAX;
        while self.0.len() > REVOCATIONS_MAX {
            let first = self.0.iter().min_by_key(|(_, revoked)| revoked.until_ms);
            let Some(first) = first.map(|(target, _)| target.clone()) else { break };
            self.0.remove(&first);
        }
        Merged { is_new, is_whole }
    }

    pub(super) fn list(&self) -> List {
        self.0.iter().map(|(target, revoked)| (target.clone(), *revoked)).collect()
    }

    pub(super) fn holds(&self, session: &SessionKey) -> bool {
        let has = |target: Target| self.0.get(&target);
        let of_subject = has(Target::Subject(session.subject.clone()));
        has(Target::Session(session.id.clone())).is_some()
            || session.of_browser.as_ref().is_some_and(|id| has(Target::Session(id.clone())).is_some())
            || session
                .provider_session
                .as_ref()
                .is_some_and(|sid| has(Target::ProviderSession(sid.clone())).is_some())
            // A session that begins afterwards is another login.
            || of_subject.is_some_and(|revoked| session.begun_ms <= revoked.at_ms + REVOKED_LEEWAY_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: UnixMillis = 1_795_000_000_000;
    const NEW: Merged = Merged { is_new: true, is_whole: true };
    const KNOWN: Merged = Merged { is_new: false, is_whole: true };

    fn session(id: &str, subject: &str, provider_session: Option<&str>, begun_ms: UnixMillis) -> SessionKey {
        let provider_session = provider_session.map(Into::into);
        SessionKey {
            id: id.into(),
            subject: subject.into(),
            provider_session,
            begun_ms,
            renewed_ms: begun_ms,
            of_browser: None,
        }
    }

    #[test]
    fn r_authn_11_what_was_ended_is_a_session_a_providers_session_or_all_of_a_person_so_far() {
        let heard = |target: Target| {
            let mut revocations = Revocations::default();
            assert_eq!(revocations.add(target, NOW_MS + HOUR_MS, NOW_MS), NEW);
            revocations
        };
        let alice = session("1", "alice", Some("p1"), NOW_MS - 60_000);
        let later = session("2", "alice", Some("p2"), NOW_MS + REVOKED_LEEWAY_MS + 1);
        let bob = session("3", "bob", None, NOW_MS - 60_000);
        let program =
            SessionKey { of_browser: Some("1".into()), ..session("4", "alice", None, NOW_MS - 60_000) };
        let ended = |revocations: &Revocations| [&alice, &later, &bob].map(|key| revocations.holds(key));
        assert_eq!(ended(&Revocations::default()), [false; 3]);
        assert_eq!(ended(&heard(Target::Session("1".into()))), [true, false, false]);
        assert_eq!(ended(&heard(Target::ProviderSession("p2".into()))), [false, true, false]);
        assert_eq!(ended(&heard(Target::Subject("alice".into()))), [true, false, false]);
        assert_eq!(ended(&heard(Target::Session("alice".into()))), [false; 3], "kinds aren't mixed up");
        assert!(heard(Target::Session("1".into())).holds(&program), "it ends with its browser's session");
        assert!(heard(Target::Session("4".into())).holds(&program));
        assert_eq!(ended(&heard(Target::Session("4".into()))), [false; 3], "a browser goes on without it");
    }

    #[test]
    fn what_gateways_tell_each_other_is_kept_until_no_session_is_left_and_bounded() {
        let mut revocations = Revocations::default();
        let far = Revoked { at_ms: NOW_MS, until_ms: UnixMillis::MAX };
        assert_eq!(revocations.merge(vec![(Target::Session("far".into()), far)], NOW_MS), NEW);
        assert_eq!(revocations.add(Target::Session("near".into()), NOW_MS + 1_000, NOW_MS), NEW);
        assert_eq!(revocations.merge(revocations.list(), NOW_MS), KNOWN);
        assert_eq!(revocations.list().len(), 2);
        assert_eq!(revocations.merge(Vec::new(), NOW_MS + 1_000), KNOWN);
        assert_eq!(revocations.list().len(), 1, "over");
        let longest_ms = i64::from(SESSION_HOURS_MAX) * HOUR_MS;
        assert_eq!(revocations.merge(Vec::new(), NOW_MS + longest_ms), KNOWN);
        assert!(revocations.list().is_empty(), "no peer can fill it for ever");
        let many = (0..=REVOCATIONS_MAX).map(|number| {
            let until_ms = NOW_MS + 1_000 + i64::try_from(number).expect("small");
            (Target::Session(number.to_string().into()), Revoked { at_ms: NOW_MS, until_ms })
        });
        assert_eq!(revocations.merge(many.collect(), NOW_MS), Merged { is_new: true, is_whole: false });
        assert_eq!(revocations.list().len(), REVOCATIONS_MAX);
        assert!(!revocations.holds(&session("0", "a", None, NOW_MS)), "the one that ends first made room");
    }
}
