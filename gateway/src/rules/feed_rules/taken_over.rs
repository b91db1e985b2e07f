//! Other rules for a feed that goes on. Pure, as what it is a part of.

use std::mem;
use std::sync::Arc;

use super::{Expressions, FeedRules, Fired, Group, GroupKey, Unsettled};
use crate::feed::Proof;
use crate::rules::notification::{Notification, ToldObject, Turn, id_of};
use crate::rules::rule::Rule;

impl FeedRules {
    /// Has these rules from now on. What a rule knows that asks as before stays: what is pending, and what fires. Where a
    /// rule of the same name asks otherwise, the next proof says whether what fired still does; where none is left, it is
    /// told as resolved.
    pub fn take_over(
        &mut self,
        rules: Vec<Arc<Rule>>,
        expressions: &mut dyn Expressions,
    ) -> Vec<Notification> {
        let Self { rules, outline, .. } = Self::new(self.place.clone(), rules);
        let former = mem::replace(&mut self.rules, rules);
        self.outline = outline;
        let of = |was: &Rule| self.rules.iter().position(|now| now.rule.asks_as(was));
        let moved: Vec<Option<usize>> = former.iter().map(|was| of(&was.rule)).collect();
        let moved = |place: usize| moved.get(place).copied().flatten();
        for known in self.objects.values_mut() {
            known.held.retain_mut(|held| moved(held.rule).map(|to| held.rule = to).is_some());
            known.watched.take_over(moved);
        }
        let Unsettled { objects, gone, happened } = mem::take(&mut self.unsettled);
        let to = |place: usize| moved(place);
        self.unsettled = Unsettled {
            objects: objects.into_iter().filter_map(|(place, id)| Some((to(place)?, id))).collect(),
            gone: gone
                .into_iter()
                .filter_map(|(place, key, id, told)| Some((to(place)?, key, id, told)))
                .collect(),
            happened: happened
                .into_iter()
                .filter_map(|(place, key, told)| Some((to(place)?, key, told)))
                .collect(),
        };
        let mut told = Vec::new();
        for ((place, key), group) in mem::take(&mut self.groups) {
            let Some(was) = former.get(place) else { continue };
            let named = |now: &super::FeedRule| now.rule.name == was.rule.name && now.rule.form.is_of_state();
            if let Some(place) = moved(place) {
                self.groups.insert((place, key), group);
                continue;
            }
            let Some(fired) = group.fired else { continue };
            match self.rules.iter().position(named) {
                Some(place) => {
                    let group = Group { fired: Some(fired), is_remembered: true, ..Group::default() };
                    self.groups.insert((place, key), group);
                }
                None => told.push(self.resolved(&was.rule, key, fired)),
            }
        }
        for (place, was) in former.into_vec().into_iter().enumerate() {
            if let Some(now) = moved(place).and_then(|place| self.rules.get_mut(place)) {
                now.told_values = was.told_values;
            }
        }
        let ids: Vec<_> = self.objects.keys().copied().collect();
        for id in ids {
            self.look_again(id, self.clock.now_s, expressions);
        }
        told
    }

    /// What fired by a rule that is gone.
    fn resolved(&self, rule: &Arc<Rule>, key: GroupKey, fired: Fired) -> Notification {
        let id = id_of(&rule.name, self.place.cluster.as_str(), &fired.lead, Turn::Resolved);
        let lead = ToldObject { reason: Some("RuleRemoved".into()), ..fired.lead };
        let proof = Proof { at_ms: self.clock.now_s * 1_000, cluster_ahead_ms: 0 };
        self.notification((id, Turn::Resolved, Arc::clone(rule), key), (vec![lead], 1), fired.since_s, proof)
    }
}
