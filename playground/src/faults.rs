//! Failures on demand: a list of rules, each a matcher, a fault, and how long it stands. Pure.
//! It never acts; the HTTP layer asks which fault meets a request or a running watch.

use serde::{Deserialize, Serialize};

use crate::limits::FAULT_RULES_MAX;

/// One way to fail. `http/help.txt` says what a client sees of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    Drop,
    Stall,
    HalfOpen,
    GoneStatus,
    GoneEvent,
    TooManyRequests { retry_after_s: u32 },
    Unavailable { retry_after_s: u32 },
    InternalError,
    Unauthorized,
    Forbidden,
    NotFound,
    TruncatedJson,
    CutInValue,
    UnknownEvent,
    NoBookmarks,
    WatchListRefused,
    WatchListIgnored,
    SlowBytes { chunk_bytes: usize, pause_ms: u64 },
    NoTable,
    OpaqueRevisions,
    DuplicateEvents,
    ReorderEvents,
}

impl Fault {
    /// Whether it decides the answer of a request.
    pub fn is_answer(&self) -> bool {
        matches!(
            self,
            Self::Drop
                | Self::Stall
                | Self::HalfOpen
                | Self::GoneStatus
                | Self::TooManyRequests { .. }
                | Self::Unavailable { .. }
                | Self::InternalError
                | Self::Unauthorized
                | Self::Forbidden
                | Self::NotFound
        )
    }

    /// Whether it meets a stream that runs already.
    pub fn is_running(&self) -> bool {
        matches!(
            self,
            Self::Drop
                | Self::Stall
                | Self::HalfOpen
                | Self::GoneEvent
                | Self::TruncatedJson
                | Self::CutInValue
                | Self::UnknownEvent
        )
    }
}

/// A fault, and when it strikes. An absent field matches everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    pub fault: Fault,
    /// `list`, `watch`, `get`, `create`, …; `discovery` for everything that isn't a resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verb: Option<String>,
    /// `pods`, `deployments.apps`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Only new requests of this user: the user of a running stream isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Only watches that were open when the rule was made.
    #[serde(default)]
    pub open_only: bool,
    /// How often it strikes; always where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// How long it stands; until it is cleared where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_ms: Option<u64>,
}

impl Rule {
    pub fn new(fault: Fault) -> Self {
        Self { fault, verb: None, resource: None, user: None, open_only: false, times: None, for_ms: None }
    }

    pub fn verb(mut self, verb: &str) -> Self {
        self.verb = Some(verb.to_owned());
        self
    }

    pub fn resource(mut self, resource: &str) -> Self {
        self.resource = Some(resource.to_owned());
        self
    }

    pub fn open_only(mut self) -> Self {
        self.open_only = true;
        self
    }

    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }
}

/// What a fault could strike.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    pub verb: &'a str,
    pub resource: &'a str,
    /// None for a running watch.
    pub user: Option<&'a str>,
    /// The number of a running watch; none for a new request.
    pub watch: Option<u64>,
}

#[derive(Debug)]
struct Standing {
    id: u64,
    rule: Rule,
    left: Option<u32>,
    until_ms: Option<u64>,
    /// The newest watch that was open when the rule was made.
    newest_watch: u64,
}

/// All rules that stand.
#[derive(Debug, Default)]
pub struct Faults {
    standing: Vec<Standing>,
    next_id: u64,
}

impl Faults {
    /// Adds a rule and gives its number; none if too many stand.
    pub fn add(&mut self, rule: Rule, now_ms: u64, newest_watch: u64) -> Option<u64> {
        self.expire(now_ms);
        if self.standing.len() >= FAULT_RULES_MAX {
            return None;
        }
        self.next_id += 1;
        self.standing.push(Standing {
            id: self.next_id,
            left: rule.times,
            until_ms: rule.for_ms.map(|for_ms| now_ms.saturating_add(for_ms)),
            rule,
            newest_watch,
        });
        Some(self.next_id)
    }

    pub fn remove(&mut self, id: u64) {
        self.standing.retain(|found| found.id != id);
    }

    pub fn clear(&mut self) {
        self.standing.clear();
    }

    pub fn rules(&self) -> Vec<(u64, Rule)> {
        self.standing.iter().map(|found| (found.id, found.rule.clone())).collect()
    }

    /// The fault that strikes now, counted. `wanted` chooses the kinds of fault.
    pub fn strike(
        &mut self,
        target: Target<'_>,
        now_ms: u64,
        wanted: impl Fn(&Fault) -> bool,
    ) -> Option<(u64, Fault)> {
        self.expire(now_ms);
        let at = self.standing.iter().position(|found| wanted(&found.rule.fault) && found.meets(target))?;
        let found = self.standing.get_mut(at)?;
        let struck = (found.id, found.rule.fault.clone());
        if let Some(left) = &mut found.left {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.standing.remove(at);
            }
        }
        Some(struck)
    }

    /// Whether a rule still stands: a stream that it stopped asks this.
    pub fn stands(&mut self, id: u64, now_ms: u64) -> bool {
        self.expire(now_ms);
        self.standing.iter().any(|found| found.id == id)
    }

    fn expire(&mut self, now_ms: u64) {
        self.standing.retain(|found| found.until_ms.is_none_or(|until_ms| now_ms < until_ms));
    }
}

impl Standing {
    fn meets(&self, target: Target<'_>) -> bool {
        let rule = &self.rule;
        let named =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        let in_time = match target.watch {
            Some(number) => !rule.open_only || number <= self.newest_watch,
            None => !rule.open_only,
        };
        let by_them = rule.user.is_none() || rule.user.as_deref() == target.user;
        in_time && by_them && named(&rule.verb, target.verb) && named(&rule.resource, target.resource)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PODS: Target<'_> = Target { verb: "list", resource: "pods", user: Some("ada"), watch: None };

    #[test]
    fn a_rule_stands_as_long_as_it_says() {
        let mut faults = Faults::default();
        faults.add(Rule { for_ms: Some(10), ..Rule::new(Fault::Drop) }, 100, 0);
        assert!(faults.strike(PODS, 109, Fault::is_answer).is_some());
        assert!(faults.strike(PODS, 110, Fault::is_answer).is_none());
    }

    #[test]
    fn a_rule_may_mean_one_user_and_never_a_stream_that_runs() {
        let mut faults = Faults::default();
        faults.add(Rule { user: Some("ada".to_owned()), ..Rule::new(Fault::Forbidden) }, 0, 0);
        let mut met = |user| faults.strike(Target { user, ..PODS }, 0, Fault::is_answer).is_some();
        assert_eq!([met(Some("ada")), met(Some("bob")), met(None)], [true, false, false]);
    }
}
