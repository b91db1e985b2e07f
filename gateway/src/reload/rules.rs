//! Other rules for a gateway that runs. Receivers have queues and files of their own, and need a restart.

use std::sync::Arc;

use shared::problem::{Problem, Reason};
use tokio::sync::watch;

use crate::metrics::Metrics;
use crate::rules::{Rule, RulesSettings};

/// The rules that are in effect, where they may be changed.
#[derive(Clone)]
pub struct LiveRules {
    receivers: Vec<Box<str>>,
    rules: watch::Sender<Vec<Arc<Rule>>>,
    metrics: Metrics,
}

/// The rules of a configuration, and where others of them come from later.
#[must_use]
pub fn rules_channel(
    settings: &RulesSettings,
    metrics: Metrics,
) -> (LiveRules, watch::Receiver<Vec<Arc<Rule>>>) {
    let (rules, changes) = watch::channel(settings.rules.clone());
    let live = LiveRules { receivers: names(settings), rules, metrics };
    live.count();
    (live, changes)
}

impl LiveRules {
    /// # Errors
    /// A rule tells a receiver that this gateway doesn't have yet.
    pub fn admit(&self, settings: &RulesSettings) -> Result<(), Problem> {
        for rule in &settings.rules {
            if let Some(receiver) = rule.receivers.iter().find(|name| !self.receivers.contains(name)) {
                return Err(no_receiver(&rule.name, receiver));
            }
        }
        Ok(())
    }

    /// Takes the rules over, once they were admitted. Returns those that weren't there before, or ask otherwise.
    #[must_use]
    pub fn replace(&self, settings: &RulesSettings) -> Vec<Arc<Rule>> {
        let former = self.rules.send_replace(settings.rules.clone());
        self.count();
        settings.rules.iter().filter(|rule| !former.contains(rule)).cloned().collect()
    }

    fn count(&self) {
        self.metrics.rules.set(i64::try_from(self.rules.borrow().len()).unwrap_or(i64::MAX));
    }
}

/// Rules of a gateway that began without any receiver.
///
/// # Errors
/// There are some.
pub(super) fn admit_none(settings: &RulesSettings) -> Result<(), Problem> {
    let named = settings.rules.iter().find_map(|rule| Some((rule, rule.receivers.first()?)));
    named.map_or(Ok(()), |(rule, receiver)| Err(no_receiver(&rule.name, receiver)))
}

fn no_receiver(rule: &str, receiver: &str) -> Problem {
    let message = format!("the rule {rule} tells {receiver}, a receiver that only a restart brings");
    Problem::new(Reason::Configuration, message)
}

fn names(settings: &RulesSettings) -> Vec<Box<str>> {
    settings.receivers.iter().map(|receiver| receiver.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Grouping, ReceiverKind, ReceiverSettings, rule_of_test as rule};

    fn settings(receiver: &str, rules: &[(&str, i64)]) -> RulesSettings {
        let of = |(name, for_s): &(&str, i64)| {
            let receivers = vec![receiver.into()];
            Arc::new(Rule { name: (*name).into(), receivers, ..rule("created", *for_s, Grouping::default()) })
        };
        let receiver = ReceiverSettings {
            name: receiver.into(),
            kind: ReceiverKind::Alertmanager,
            url: "http://127.0.0.1:1".parse().expect("a URL"),
            ca_file: None,
            token_file: None,
        };
        RulesSettings { rules: rules.iter().map(of).collect(), receivers: vec![receiver] }
    }

    #[test]
    fn rules_of_receivers_that_are_there_are_taken_over_and_others_refused_in_a_sentence() {
        let (live, rules) = rules_channel(&settings("ops", &[("a", 0), ("b", 0)]), Metrics::new());
        let others = settings("pager", &[("a", 0)]);
        let refused = live.admit(&others).expect_err("no such receiver");
        assert_eq!(refused.message, "the rule a tells pager, a receiver that only a restart brings");
        assert!(admit_none(&others).is_err() && admit_none(&settings("pager", &[])).is_ok());
        let later = settings("ops", &[("b", 0), ("a", 60), ("c", 0)]);
        assert!(live.admit(&later).is_ok());
        let fresh: Vec<_> = live.replace(&later).into_iter().map(|rule| rule.name.clone()).collect();
        assert_eq!(fresh.iter().map(|name| &**name).collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!((rules.borrow().len(), live.metrics.rules.get()), (3, 3));
    }
}
