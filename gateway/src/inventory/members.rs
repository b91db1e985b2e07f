//! What became of each cluster: it is being reached, it was reached, or it is out of reach, since when and why. Pure: the
//! time is an argument, and a connection is whatever the caller makes of it.

use shared::frame::server::ClusterProblem;
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::state::UnixMillis;

use super::entry::Entry;

/// The number of one entry of the list. Another entry of the same name has another number.
pub type MemberNumber = u64;

/// The clusters, in the order in which they are wanted.
#[derive(Debug)]
pub struct Members<C> {
    list: Vec<Member<C>>,
    last_number: MemberNumber,
}

#[derive(Debug)]
pub struct Member<C> {
    pub number: MemberNumber,
    pub entry: Entry,
    state: MemberState<C>,
}

#[derive(Debug)]
enum MemberState<C> {
    /// It hasn't answered yet. The problem is the last try's, and its time is the first failure's.
    Connecting(Option<ClusterProblem>),
    Reached(C, Health),
}

#[derive(Debug)]
enum Health {
    Good,
    /// Its last check failed, and the one before it didn't.
    Suspected {
        since_ms: UnixMillis,
    },
    Bad(ClusterProblem),
}

/// What happened to a member.
#[derive(Debug)]
pub enum MemberEvent<C> {
    /// It answered for the first time.
    Reached(C),
    /// A try to reach it for the first time failed.
    NotReached(Problem),
    /// Whether it answered a look.
    Looked(Result<(), Problem>),
    /// Its kinds changed.
    Kinds,
}

/// What follows.
#[derive(Debug, Default, PartialEq)]
pub struct Effects {
    pub start: Vec<MemberNumber>,
    pub stop: Vec<(MemberNumber, ClusterName)>,
    /// Lines for the log. `true` stands for a warning.
    pub said: Vec<(bool, String)>,
    /// The list is another.
    pub is_changed: bool,
}

impl<C> Default for Members<C> {
    fn default() -> Self {
        Self { list: Vec::new(), last_number: 0 }
    }
}

impl<C: Clone> Members<C> {
    /// The clusters that are wanted from now on. A cluster that is wanted as before goes on.
    pub fn want(&mut self, entries: Vec<Entry>) -> Effects {
        let mut effects = Effects::default();
        let order = |list: &[Member<C>]| list.iter().map(|member| member.number).collect::<Vec<_>>();
        let before = order(&self.list);
        let mut former = std::mem::take(&mut self.list);
        for entry in entries {
            let same = former.iter().position(|member| member.entry == entry);
            let member = match same {
                Some(at) => former.remove(at),
                None => {
                    self.last_number += 1;
                    effects.start.push(self.last_number);
                    Member { number: self.last_number, entry, state: MemberState::Connecting(None) }
                }
            };
            self.list.push(member);
        }
        effects.stop = former.into_iter().map(|member| (member.number, member.entry.name)).collect();
        effects.is_changed = before != order(&self.list);
        effects
    }

    /// A cluster that answered already.
    pub fn begin_with(&mut self, entry: Entry, cluster: C) -> MemberNumber {
        self.last_number += 1;
        self.list.push(Member {
            number: self.last_number,
            entry,
            state: MemberState::Reached(cluster, Health::Good),
        });
        self.last_number
    }

    /// An event of a member that is gone changes nothing.
    pub fn apply(&mut self, number: MemberNumber, event: MemberEvent<C>, now_ms: UnixMillis) -> Effects {
        let mut effects = Effects::default();
        let Some(member) = self.list.iter_mut().find(|member| member.number == number) else {
            return effects;
        };
        let name = &member.entry.name;
        match (&mut member.state, event) {
            (_, MemberEvent::Kinds) => effects.is_changed = true,
            (MemberState::Connecting(before), MemberEvent::Reached(cluster)) => {
                let after = before.as_ref().map_or(String::new(), |problem| after(problem, now_ms));
                effects.said.push((false, format!("the cluster {name} is shown{after}")));
                effects.is_changed = true;
                member.state = MemberState::Reached(cluster, Health::Good);
            }
            (MemberState::Connecting(before), MemberEvent::NotReached(problem)) => {
                effects.is_changed = before.as_ref().is_none_or(|before| before.problem != problem);
                if effects.is_changed {
                    let line =
                        format!("the cluster {name} can't be shown yet, and is tried again: {problem}");
                    effects.said.push((true, line));
                }
                let since_ms = before.as_ref().map_or(now_ms, |before| before.since_ms);
                *before = Some(ClusterProblem { since_ms, problem });
            }
            (MemberState::Reached(_, health), MemberEvent::Looked(Ok(()))) => {
                if let Health::Bad(problem) = health {
                    let line = format!("the cluster {name} answers again{}", after(problem, now_ms));
                    effects.said.push((false, line));
                    effects.is_changed = true;
                }
                *health = Health::Good;
            }
            (MemberState::Reached(_, health), MemberEvent::Looked(Err(problem))) => {
                let since_ms = match health {
                    Health::Good => {
                        *health = Health::Suspected { since_ms: now_ms };
                        return effects;
                    }
                    Health::Suspected { since_ms } => {
                        let line =
                            format!("the cluster {name} doesn't answer, and is asked again: {problem}");
                        effects.said.push((true, line));
                        *since_ms
                    }
                    Health::Bad(before) if before.problem == problem => return effects,
                    Health::Bad(before) => before.since_ms,
                };
                effects.is_changed = true;
                *health = Health::Bad(ClusterProblem { since_ms, problem });
            }
            (MemberState::Connecting(_), MemberEvent::Looked(_))
            | (MemberState::Reached(..), MemberEvent::Reached(_) | MemberEvent::NotReached(_)) => {}
        }
        effects
    }

    pub fn iter(&self) -> impl Iterator<Item = &Member<C>> {
        self.list.iter()
    }

    pub fn get(&self, number: MemberNumber) -> Option<&Member<C>> {
        self.list.iter().find(|member| member.number == number)
    }
}

impl<C> Member<C> {
    /// `None`: it never answered.
    pub fn cluster(&self) -> Option<&C> {
        match &self.state {
            MemberState::Connecting(_) => None,
            MemberState::Reached(cluster, _) => Some(cluster),
        }
    }

    pub fn problem(&self) -> Option<&ClusterProblem> {
        match &self.state {
            MemberState::Connecting(problem) => problem.as_ref(),
            MemberState::Reached(_, Health::Bad(problem)) => Some(problem),
            MemberState::Reached(_, Health::Good | Health::Suspected { .. }) => None,
        }
    }
}

fn after(problem: &ClusterProblem, now_ms: UnixMillis) -> String {
    format!(", {} s after it could not be reached", now_ms.saturating_sub(problem.since_ms).max(0) / 1_000)
}

#[cfg(test)]
mod tests {
    use shared::problem::Reason;

    use super::*;
    use crate::cluster::Source;

    fn entry(name: &str, context: &str) -> Entry {
        let access = Ok(Source::Kubeconfig { path: None, context: Some(context.to_owned()) });
        Entry { name: ClusterName::parse(name).expect("a name"), access }
    }

    fn refused(message: &str) -> Problem {
        Problem::new(Reason::ConnectionRefused, message)
    }

    fn stopped(effects: &Effects) -> Vec<MemberNumber> {
        effects.stop.iter().map(|(number, _)| *number).collect()
    }

    /// Two clusters, of which the first is reached.
    fn two() -> Members<&'static str> {
        let mut members = Members::default();
        let begun = members.want(vec![entry("a", "a"), entry("b", "b")]);
        assert_eq!((begun.start, begun.is_changed), (vec![1, 2], true));
        assert!(members.apply(1, MemberEvent::Reached("connection"), 0).is_changed);
        members
    }

    #[test]
    fn what_is_wanted_as_before_goes_on_and_another_way_to_the_same_name_begins_anew() {
        let mut members = two();
        let nothing = members.want(vec![entry("a", "a"), entry("b", "b")]);
        assert_eq!(nothing, Effects::default());
        let changed = members.want(vec![entry("a", "a"), entry("b", "elsewhere"), entry("c", "c")]);
        assert_eq!((&changed.start, stopped(&changed)), (&vec![3, 4], vec![2]));
        assert_eq!(members.get(1).and_then(Member::cluster), Some(&"connection"));
        let gone = members.want(vec![entry("c", "c")]);
        assert_eq!((gone.start.len(), stopped(&gone), gone.is_changed), (0, vec![1, 3], true));
        assert_eq!(
            members.apply(1, MemberEvent::Looked(Err(refused("r"))), 5),
            Effects::default(),
            "it is gone"
        );
        let other_order = members.want(vec![entry("d", "d"), entry("c", "c")]);
        assert!(other_order.is_changed && other_order.stop.is_empty());
    }

    #[test]
    fn one_that_never_answers_has_the_problem_of_its_last_try_since_its_first_and_says_each_once() {
        let mut members = two();
        let first = members.apply(2, MemberEvent::NotReached(refused("no")), 1_000);
        assert!(
            first.is_changed && first.said[0].1.contains("the cluster b can't be shown yet"),
            "{first:?}"
        );
        let again = members.apply(2, MemberEvent::NotReached(refused("no")), 2_000);
        assert_eq!(again, Effects::default(), "nothing new");
        let other = members.apply(2, MemberEvent::NotReached(refused("other")), 3_000);
        assert_eq!((other.is_changed, other.said.len()), (true, 1));
        let problem = members.get(2).and_then(Member::problem).expect("a problem");
        assert_eq!((problem.since_ms, problem.problem.message.as_str()), (1_000, "other"));
        let reached = members.apply(2, MemberEvent::Reached("late"), 61_000);
        assert_eq!(
            reached.said,
            [(false, "the cluster b is shown, 60 s after it could not be reached".to_owned())]
        );
        assert!(members.iter().all(|member| member.problem().is_none()));
    }

    #[test]
    fn one_that_was_reached_has_a_problem_after_two_looks_that_failed_and_none_after_one_that_did_not() {
        let mut members = two();
        let look =
            |members: &mut Members<_>, answer, now_ms| members.apply(1, MemberEvent::Looked(answer), now_ms);
        assert_eq!(look(&mut members, Err(refused("no")), 1_000), Effects::default(), "an accident");
        assert_eq!(look(&mut members, Ok(()), 2_000), Effects::default());
        look(&mut members, Err(refused("no")), 3_000);
        let bad = look(&mut members, Err(refused("no")), 4_000);
        assert!(bad.is_changed && bad.said[0].0, "{bad:?}");
        assert_eq!(look(&mut members, Err(refused("no")), 5_000), Effects::default(), "said already");
        let other = look(&mut members, Err(refused("other")), 6_000);
        assert_eq!((other.is_changed, other.said.len()), (true, 0));
        assert_eq!(members.get(1).and_then(Member::problem).map(|problem| problem.since_ms), Some(3_000));
        assert!(members.get(1).is_some_and(|member| member.cluster().is_some()), "it is kept");
        let good = look(&mut members, Ok(()), 13_000);
        assert_eq!(
            good.said,
            [(false, "the cluster a answers again, 10 s after it could not be reached".to_owned())]
        );
        assert_eq!(members.get(1).and_then(Member::problem), None);
    }
}
