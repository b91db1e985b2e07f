//! The rules of one feed: what its hub tells goes in, and notifications come out. Pure: the only clock is that of the
//! proofs.
//!
//! Each version is looked at when it comes, so that each replica finds the same version at which something began. What
//! follows from it is settled by the next proof: what was over by then fires nothing. Between two proofs nothing is told,
//! so a feed that is stale fires nothing and resolves nothing.

mod taken_over;
mod watched;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use shared::duration::UnixSeconds;
use shared::json_path::Outline;
use shared::name::Namespace;
use shared::resource_version::ResourceVersion;
use shared::rollout::Workload;
use shared::row::RowId;

use super::form::{Form, Look};
use super::group::GroupKey;
use super::notification::{FeedPlace, FieldChange, Notification, ToldObject, Turn, id_of};
use super::outbox::Firing;
use super::rule::Rule;
use crate::feed::masks::unmarked;
use crate::feed::{Managed, Proof};
use crate::hub::{Heard, HeardVersion};
use crate::limits::{RULE_NOW_S, RULE_OBJECTS_TOLD_MAX, RULE_VALUE_BYTES_MAX, RULE_VALUES_MAX};
use crate::waited_for::rollout_texts;
use watched::Watched;

/// Evaluates the expressions of rules.
pub trait Expressions {
    /// Whether it holds of an object. `None`: it can't be said now, and what was known stays.
    fn holds(&mut self, rule: &Rule, object: &[u8], old: Option<&[u8]>, now_s: UnixSeconds) -> Option<bool>;
}

/// Where no rule has an expression.
#[cfg(test)]
pub struct NoExpressions;

#[cfg(test)]
impl Expressions for NoExpressions {
    fn holds(&mut self, _: &Rule, _: &[u8], _: Option<&[u8]>, _: UnixSeconds) -> Option<bool> {
        None
    }
}

/// The rules of one feed, and how each of its objects stands with them.
pub struct FeedRules {
    place: FeedPlace,
    rules: Box<[FeedRule]>,
    /// The parts of an object that rules read.
    outline: Outline,
    objects: HashMap<RowId, Known>,
    groups: BTreeMap<(usize, GroupKey), Group>,
    /// What the next proof settles.
    unsettled: Unsettled,
    /// When an object is to be looked at again although nothing changes.
    due: BTreeSet<(UnixSeconds, RowId)>,
    list: List,
    clock: ProofClock,
}

/// Times by the cluster's clock.
#[derive(Default)]
struct ProofClock {
    /// When the last proof was.
    now_s: UnixSeconds,
    /// When all objects were looked at last because a rule reads the time.
    swept_s: UnixSeconds,
}

struct FeedRule {
    rule: Arc<Rule>,
    /// Rules that ask the same have the same number, so that each version is asked once.
    form: usize,
    reads_object: bool,
    /// The values that it was told for, where it is told once for each.
    told_values: HashSet<GroupKey>,
}

/// How much of the feed is known.
enum List {
    /// A list goes on, of which these came. `is_first`: nothing is known of before.
    Going {
        seen: HashSet<RowId>,
        is_first: bool,
    },
    Whole,
}

struct Known {
    version: HeardVersion,
    held: Vec<Held>,
    watched: Watched,
}

/// A rule that holds of an object.
struct Held {
    rule: usize,
    key: GroupKey,
    /// Since when. `None`: the next proof says.
    since_s: Option<UnixSeconds>,
    /// The object says since when, so no gap makes it doubtful.
    is_own_time: bool,
    began: ToldObject,
    /// It doesn't hold now, and goes on.
    is_between: bool,
    /// It held when its time was over.
    is_due: bool,
    /// Its group counts it.
    is_counted: bool,
    /// It holds no more, which a proof has to confirm.
    over: Option<ToldObject>,
}

#[derive(Default)]
struct Group {
    members: BTreeSet<RowId>,
    /// What it fired with.
    fired: Option<Fired>,
    /// It fired before this gateway began. The first proof says whether it still does.
    is_remembered: bool,
}

struct Fired {
    lead: ToldObject,
    since_s: UnixSeconds,
}

#[derive(Default)]
struct Unsettled {
    objects: BTreeSet<(usize, RowId)>,
    /// Objects that are gone, which a group counted.
    gone: Vec<(usize, GroupKey, RowId, ToldObject)>,
    happened: Vec<(usize, GroupKey, ToldObject)>,
}

/// What a proof changed in one group.
#[derive(Default)]
struct GroupTurn {
    joined: Vec<(UnixSeconds, ToldObject)>,
    left: Vec<ToldObject>,
}

impl FeedRules {
    #[must_use]
    pub fn new(place: FeedPlace, rules: Vec<Arc<Rule>>) -> Self {
        let mut outline = Outline::default();
        let mut forms = Vec::<String>::new();
        let feed_rule = |rule: Arc<Rule>| {
            let once_per = rule.grouping.once_per.as_ref().map(|it| it.path.clone());
            let paths: Vec<_> = rule.form.paths().into_iter().chain(once_per).collect();
            paths.iter().for_each(|path| outline.add(path));
            let form = rule.form.to_string();
            let form = forms.iter().position(|known| *known == form).unwrap_or_else(|| {
                forms.push(form);
                forms.len() - 1
            });
            FeedRule { rule, form, reads_object: !paths.is_empty(), told_values: HashSet::new() }
        };
        Self {
            place,
            rules: rules.into_iter().map(feed_rule).collect(),
            outline,
            objects: HashMap::new(),
            groups: BTreeMap::new(),
            unsettled: Unsettled::default(),
            due: BTreeSet::new(),
            list: List::Going { seen: HashSet::new(), is_first: true },
            clock: ProofClock::default(),
        }
    }

    /// What is shown or masked is another: what comes into sight isn't new, and what leaves it isn't gone.
    pub fn forget_changes(&mut self) {
        self.list = List::Going { seen: HashSet::new(), is_first: true };
    }

    /// What fired when a gateway last told of this feed: it isn't told again, and what is over by now is told as resolved.
    pub fn remember(&mut self, firing: &[Firing]) {
        let namespace = self.place.namespace.as_ref().map(Namespace::as_str);
        for Firing { key, uid, resource_version, since_s } in firing {
            let is_of_feed = *key.cluster == *self.place.cluster.as_str()
                && *key.kind == self.place.resource.to_string()
                && key.namespace.as_deref() == namespace;
            let place =
                self.rules.iter().position(|of| of.rule.name == key.rule && of.rule.form.is_of_state());
            let Some(place) = place.filter(|_| is_of_feed) else { continue };
            let (uid, resource_version) = (uid.clone(), resource_version.clone());
            let lead = ToldObject { uid, resource_version, ..ToldObject::default() };
            let fired = Some(Fired { lead, since_s: *since_s });
            let group = Group { members: BTreeSet::new(), fired, is_remembered: true };
            self.groups.insert((place, GroupKey(key.group.clone())), group);
        }
    }

    /// Whether a proof has confirmed all that it knows.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.clock.now_s > 0
    }

    /// How many groups it has told of and not resolved.
    #[must_use]
    pub fn firing_count(&self) -> usize {
        self.groups.values().filter(|group| group.fired.is_some()).count()
    }

    /// Takes one thing that the hub heard. Only a proof makes notifications of it.
    pub fn hear(&mut self, heard: Heard, expressions: &mut dyn Expressions) -> Vec<Notification> {
        match heard {
            Heard::Lost(_) | Heard::Missed(_) => self.lose_track(),
            Heard::Begun => {
                let is_first = matches!(self.list, List::Going { is_first: true, .. });
                self.list = List::Going { seen: HashSet::new(), is_first };
            }
            Heard::Version(version) => self.version(*version, expressions),
            Heard::Deleted { row, resource_version, .. } => self.deleted(row, &resource_version),
            Heard::Loaded(_) => self.loaded(),
            Heard::Proof(_, proof) => return self.settle(proof, expressions),
            Heard::Columns(_) | Heard::LeftOut(_) => {}
        }
        Vec::new()
    }

    /// The gateway didn't see whether what holds now has held all the time.
    fn lose_track(&mut self) {
        let held = self.objects.values_mut().flat_map(|known| &mut known.held);
        for held in held.filter(|held| !held.is_counted && !held.is_own_time) {
            held.since_s = None;
        }
        let pending =
            self.objects.iter().flat_map(|(id, known)| known.held.iter().map(|held| (held.rule, *id)));
        self.unsettled.objects.extend(pending);
    }

    fn loaded(&mut self) {
        let List::Going { seen, is_first } = std::mem::replace(&mut self.list, List::Whole) else { return };
        let gone: Vec<RowId> = self.objects.keys().filter(|id| !seen.contains(id)).copied().collect();
        for id in gone {
            self.leave(id, &ResourceVersion::default(), !is_first);
        }
    }

    fn deleted(&mut self, id: RowId, version: &ResourceVersion) {
        let is_known = !matches!(self.list, List::Going { is_first: true, .. });
        self.leave(id, version, is_known);
    }

    /// `is_deletion`: it was deleted, as far as the gateway can see.
    fn leave(&mut self, id: RowId, version: &ResourceVersion, is_deletion: bool) {
        let Some(known) = self.objects.remove(&id) else { return };
        let row = Arc::clone(&known.version.row);
        let told = || {
            let resource_version =
                if version.is_empty() { row.resource_version.clone() } else { version.clone() };
            ToldObject { resource_version, reason: Some("Deleted".into()), ..named(&known.version) }
        };
        for held in known.held.iter().filter(|held| held.is_counted) {
            self.unsettled.gone.push((held.rule, held.key.clone(), id, told()));
        }
        let is_told = |of: &FeedRule| {
            is_deletion
                && matches!(of.rule.form, Form::Deleted)
                && of.rule.scope.selects(&row, &known.version.labels)
        };
        for (place, of) in self.rules.iter().enumerate().filter(|(_, of)| is_told(of)) {
            let object = self.read(&known.version, of.reads_object);
            self.unsettled.happened.push((place, of.rule.grouping.key(&row, &object), told()));
        }
    }

    fn version(&mut self, version: HeardVersion, expressions: &mut dyn Expressions) {
        let id = version.row.id;
        let mut is_watched = true;
        if let List::Going { seen, is_first } = &mut self.list {
            seen.insert(id);
            is_watched = !*is_first;
        }
        let (before, held, watched) = match self.objects.remove(&id) {
            Some(Known { version, held, watched }) => (Some(version), held, watched),
            None => (None, Vec::new(), Watched::default()),
        };
        // A list that begins anew tells what is known already.
        let is_known = before.as_ref().is_some_and(|before| {
            before.row.resource_version == version.row.resource_version
                && before.row.health() == version.row.health()
        });
        let mut known = Known { version, held, watched };
        if !is_known {
            let seen = Seen { before: before.as_ref(), is_watched, former_s: self.clock.now_s };
            self.look(&mut known, &seen, expressions);
        }
        // From here on it shares its body with the hub.
        known.version.drop_json();
        known.version.managed = Managed::default();
        self.objects.insert(id, known);
    }

    /// Looks at an object with every rule.
    fn look(&mut self, known: &mut Known, seen: &Seen<'_>, expressions: &mut dyn Expressions) {
        let Known { version, held, watched } = known;
        let (row, id) = (Arc::clone(&version.row), version.row.id);
        let in_scope: Vec<usize> = self.in_scope(version);
        let reads_object =
            in_scope.iter().any(|place| self.rules.get(*place).is_some_and(|of| of.reads_object));
        let object = self.read(version, reads_object);
        let now_s = self.clock.now_s;
        // What rules that ask the same have found.
        let (mut looks, mut hashes) = (HashMap::<usize, Look>::new(), HashMap::<usize, u64>::new());
        for place in in_scope.iter().copied() {
            let Some(of) = self.rules.get(place) else { continue };
            let form = of.form;
            let rule = Arc::clone(&of.rule);
            let key = || rule.grouping.key(&row, &object);
            let told = |before: Option<&HeardVersion>| {
                self.told(&rule, (version, &object, now_s), before.map(|before| (before, seen.former_s)))
            };
            let look = match &rule.form {
                Form::Created => {
                    if seen.is_new() {
                        self.unsettled.happened.push((place, key(), told(None)));
                    }
                    continue;
                }
                Form::Deleted => continue,
                Form::Changes(path) => {
                    let hash = *hashes.entry(form).or_insert_with(|| hash_of(&path.select(&object)));
                    let has_changed = watched.changes(place, hash);
                    if has_changed && seen.is_watched {
                        self.unsettled.happened.push((place, key(), told(seen.before)));
                    }
                    continue;
                }
                Form::Rollout => {
                    let Some(workload) = Workload::named(&rule.scope.kind) else { continue };
                    let ended = watched.ends(place, workload, &rollout_texts(&object));
                    if let Some(ended) = ended.filter(|_| seen.is_watched) {
                        let reason = Some(ended.word().into());
                        self.unsettled.happened.push((place, key(), ToldObject { reason, ..told(None) }));
                    }
                    continue;
                }
                Form::Expression { is_of_change: true, .. } => {
                    if let (Some(before), true) = (seen.before, seen.is_watched)
                        && let (Some(now), Some(old)) = (version.bytes(), before.bytes())
                        && expressions.holds(&rule, &now, Some(&old), now_s) == Some(true)
                    {
                        self.unsettled.happened.push((place, key(), told(Some(before))));
                    }
                    continue;
                }
                Form::Expression { .. } => {
                    let found = version.bytes().and_then(|body| expressions.holds(&rule, &body, None, now_s));
                    match found {
                        Some(true) => Look::Holds(None),
                        Some(false) => Look::Not,
                        None => continue,
                    }
                }
                asked => looks.entry(form).or_insert_with(|| asked.look(&row, &object, now_s)).clone(),
            };
            let known = held.iter().position(|held| held.rule == place);
            match (look, known.and_then(|at| held.get_mut(at))) {
                (Look::Holds(since_s), Some(held)) => {
                    // No proof saw that it was over.
                    (held.over, held.is_between) = (None, false);
                    if !held.is_counted && since_s.is_some() {
                        (held.since_s, held.is_own_time) = (since_s, true);
                    }
                    held.is_due |= held.since_s.is_some_and(|since_s| since_s + rule.for_s <= now_s);
                    self.unsettled.objects.extend((!held.is_counted).then_some((place, id)));
                }
                (Look::Holds(since_s), None) => {
                    let (key, began) = (key(), told(seen.before));
                    let is_own_time = since_s.is_some();
                    let is_due = since_s.is_some_and(|since_s| since_s + rule.for_s <= now_s);
                    let (is_between, is_counted, over) = (false, false, None);
                    held.push(Held {
                        rule: place,
                        key,
                        since_s,
                        is_own_time,
                        began,
                        is_between,
                        is_due,
                        is_counted,
                        over,
                    });
                    self.unsettled.objects.insert((place, id));
                }
                (Look::Between, Some(held)) => (held.over, held.is_between) = (None, true),
                (Look::Not, Some(held)) if held.is_counted => {
                    if held.over.is_none() {
                        held.over = Some(told(seen.before));
                    }
                    self.unsettled.objects.insert((place, id));
                }
                (Look::Not, Some(_)) => held.retain(|held| held.rule != place),
                (Look::Between | Look::Not, None) => {}
            }
        }
        // Its labels may have left a rule's scope.
        for held in held.iter_mut().filter(|held| !in_scope.contains(&held.rule)) {
            held.over.get_or_insert_with(|| named(version));
            self.unsettled.objects.insert((held.rule, id));
        }
        if let Some(at) = row.health().and_then(|health| health.next_s(now_s)) {
            let reads_health = |place: &usize| {
                self.rules.get(*place).is_some_and(|of| matches!(of.rule.form, Form::Health(_)))
            };
            if in_scope.iter().any(reads_health) {
                self.due.insert((at, id));
            }
        }
    }

    fn in_scope(&self, version: &HeardVersion) -> Vec<usize> {
        let is_of = |of: &FeedRule| of.rule.scope.selects(&version.row, &version.labels);
        self.rules.iter().enumerate().filter(|(_, of)| is_of(of)).map(|(place, _)| place).collect()
    }

    /// The parts of an object that rules read. What is masked is told apart by what it hides.
    fn read(&self, version: &HeardVersion, reads_object: bool) -> Value {
        let body = if reads_object { version.bytes() } else { None };
        let read = body.and_then(|body| {
            if version.masks.is_empty() { self.outline.read(&body) } else { version.masks.marked(&body) }
        });
        read.unwrap_or_default()
    }

    /// An object as it is told, with what the rule looks at before and after.
    fn told(
        &self,
        rule: &Rule,
        (now, object, now_s): (&HeardVersion, &Value, UnixSeconds),
        before: Option<(&HeardVersion, UnixSeconds)>,
    ) -> ToldObject {
        let shown = |version: &HeardVersion, object: &Value, at_s| {
            let (path, value) = rule.form.shown(&version.row, object, at_s)?;
            Some((Box::<str>::from(path), value.map(bounded)))
        };
        let reads_object = !rule.form.paths().is_empty();
        let before = before.and_then(|(before, at_s)| shown(before, &self.read(before, reads_object), at_s));
        let changed = shown(now, object, now_s).map(|(path, after)| FieldChange {
            path,
            before: before.and_then(|(_, value)| value),
            after,
        });
        let reason = rule.form.reason(&now.row, object);
        ToldObject { reason, changed: changed.into_iter().collect(), ..named(now) }
    }

    /// Settles what was heard since the last proof, which says that this is all there was to hear.
    fn settle(&mut self, proof: Proof, expressions: &mut dyn Expressions) -> Vec<Notification> {
        if !matches!(self.list, List::Whole) {
            return Vec::new();
        }
        let former_s = self.clock.now_s;
        self.clock.now_s = (proof.at_ms + proof.cluster_ahead_ms).div_euclid(1_000);
        self.look_by_time(former_s, expressions);
        let mut turns = BTreeMap::<(usize, GroupKey), GroupTurn>::new();
        let Unsettled { objects, gone, happened } = std::mem::take(&mut self.unsettled);
        for (place, key, id, told) in gone {
            self.groups.entry((place, key.clone())).or_default().members.remove(&id);
            turns.entry((place, key)).or_default().left.push(told);
        }
        for (place, id) in objects {
            self.settle_object(place, id, &mut turns);
        }
        for (of, group) in self.groups.iter_mut().filter(|(_, group)| group.is_remembered) {
            group.is_remembered = false;
            turns.entry(of.clone()).or_default();
        }
        let mut told = Vec::new();
        for (of, turn) in turns {
            told.extend(self.settle_group(of, turn, proof));
        }
        told.extend(self.settle_happened(happened, proof));
        told
    }

    fn look_by_time(&mut self, former_s: UnixSeconds, expressions: &mut dyn Expressions) {
        let mut ids = BTreeSet::new();
        while self.due.first().is_some_and(|(at, _)| *at <= self.clock.now_s) {
            ids.extend(self.due.pop_first().map(|(_, id)| id));
        }
        let reads_now = |of: &FeedRule| matches!(of.rule.form, Form::Expression { reads_now: true, .. });
        if self.clock.now_s - self.clock.swept_s >= RULE_NOW_S && self.rules.iter().any(reads_now) {
            self.clock.swept_s = self.clock.now_s;
            ids.extend(self.objects.keys());
        }
        for id in ids {
            self.look_again(id, former_s, expressions);
        }
    }

    fn look_again(&mut self, id: RowId, former_s: UnixSeconds, expressions: &mut dyn Expressions) {
        let Some(mut known) = self.objects.remove(&id) else { return };
        let same = known.version.clone();
        let seen = Seen { before: Some(&same), is_watched: false, former_s };
        self.look(&mut known, &seen, expressions);
        self.unsettled.objects.extend(known.held.iter().map(|held| (held.rule, id)));
        self.objects.insert(id, known);
    }

    /// Whether the rule's group counts the object from now on.
    fn settle_object(&mut self, place: usize, id: RowId, turns: &mut BTreeMap<(usize, GroupKey), GroupTurn>) {
        let (Some(known), Some(of)) = (self.objects.get_mut(&id), self.rules.get(place)) else { return };
        let Some(at) = known.held.iter().position(|held| held.rule == place) else { return };
        let Some(held) = known.held.get_mut(at) else { return };
        let of_group = (place, held.key.clone());
        if let Some(over) = held.over.take() {
            let was_counted = held.is_counted;
            known.held.swap_remove(at);
            if was_counted {
                self.groups.entry(of_group.clone()).or_default().members.remove(&id);
                turns.entry(of_group).or_default().left.push(over);
            }
            return;
        }
        if held.is_counted {
            return;
        }
        let since_s = *held.since_s.get_or_insert(self.clock.now_s);
        let is_remembered = self.groups.get(&of_group).is_some_and(|group| group.is_remembered);
        if since_s + of.rule.for_s > self.clock.now_s && !is_remembered {
            self.due.insert((since_s + of.rule.for_s, id));
            return;
        }
        if held.is_between && !held.is_due {
            return;
        }
        held.is_counted = true;
        let began = held.began.clone();
        self.groups.entry(of_group.clone()).or_default().members.insert(id);
        turns.entry(of_group).or_default().joined.push((since_s, began));
    }

    /// A group fires with its first member, and is over with its last.
    fn settle_group(&mut self, of: (usize, GroupKey), turn: GroupTurn, proof: Proof) -> Option<Notification> {
        let rule = Arc::clone(&self.rules.get(of.0)?.rule);
        let group = self.groups.get_mut(&of)?;
        let (is_empty, object_count) = (group.members.is_empty(), turn.joined.len());
        let (turn, lead, objects, object_count, since_s) = match (group.fired.take(), is_empty) {
            (None, false) => {
                let mut joined = turn.joined;
                joined.sort_by(|(_, one), (_, other)| order_of(one).cmp(&order_of(other)));
                let since_s = joined.iter().map(|(since_s, _)| *since_s).min()?;
                let lead = joined.first()?.1.clone();
                group.fired = Some(Fired { lead: lead.clone(), since_s });
                let objects = joined.into_iter().map(|(_, told)| told).collect();
                (Turn::Firing, lead, objects, object_count, since_s)
            }
            (Some(fired), true) => {
                let mut objects = turn.left;
                let count = objects.len();
                if objects.is_empty() {
                    objects.push(fired.lead.clone());
                }
                self.groups.remove(&of);
                (Turn::Resolved, fired.lead, objects, count, fired.since_s)
            }
            (Some(fired), false) => {
                group.fired = Some(fired);
                return None;
            }
            (None, true) => {
                self.groups.remove(&of);
                return None;
            }
        };
        let id = id_of(&rule.name, self.place.cluster.as_str(), &lead, turn);
        Some(self.notification((id, turn, rule, of.1), (objects, object_count), since_s, proof))
    }

    fn settle_happened(
        &mut self,
        happened: Vec<(usize, GroupKey, ToldObject)>,
        proof: Proof,
    ) -> Vec<Notification> {
        let (mut single, mut grouped) = (Vec::new(), BTreeMap::<_, Vec<ToldObject>>::new());
        for (place, key, told) in happened {
            let Some(of) = self.rules.get(place) else { continue };
            if of.rule.grouping.is_single() {
                single.push(((place, key), vec![told]));
            } else if !of.told_values.contains(&key) {
                grouped.entry((place, key)).or_default().push(told);
            }
        }
        let mut notifications = Vec::new();
        for ((place, key), mut objects) in single.into_iter().chain(grouped) {
            let Some(of) = self.rules.get_mut(place) else { continue };
            if of.rule.grouping.once_per.is_some() {
                if of.told_values.len() >= RULE_VALUES_MAX {
                    of.told_values.clear();
                }
                of.told_values.insert(key.clone());
            }
            let rule = Arc::clone(&of.rule);
            objects.sort_by(|one, other| order_of(one).cmp(&order_of(other)));
            let Some(lead) = objects.first() else { continue };
            let id = id_of(&rule.name, self.place.cluster.as_str(), lead, Turn::Happened);
            let count = objects.len();
            let told = (id, Turn::Happened, rule, key);
            notifications.push(self.notification(told, (objects, count), self.clock.now_s, proof));
        }
        notifications
    }

    fn notification(
        &self,
        (id, turn, rule, group): (Box<str>, Turn, Arc<Rule>, GroupKey),
        (mut objects, object_count): (Vec<ToldObject>, usize),
        since_s: UnixSeconds,
        proof: Proof,
    ) -> Notification {
        objects.truncate(RULE_OBJECTS_TOLD_MAX);
        let place = self.place.clone();
        let proven_ms = proof.at_ms + proof.cluster_ahead_ms;
        Notification { id, turn, rule, place, group, objects, object_count, since_s, proven_ms }
    }
}

/// What is known of an object when it is looked at.
struct Seen<'a> {
    before: Option<&'a HeardVersion>,
    /// What happens to it is seen: it isn't only told of as it stands.
    is_watched: bool,
    /// The time of the former version, by the cluster's clock.
    former_s: UnixSeconds,
}

impl Seen<'_> {
    fn is_new(&self) -> bool {
        self.is_watched && self.before.is_none()
    }
}

/// The object alone, at this version.
fn named(version: &HeardVersion) -> ToldObject {
    #[derive(Deserialize, Default)]
    struct Metadata {
        #[serde(default)]
        uid: Box<str>,
    }
    #[derive(Deserialize)]
    struct Object {
        #[serde(default)]
        metadata: Metadata,
    }
    let body = version.bytes();
    let read = body.and_then(|body| serde_json::from_slice::<Object>(&body).ok());
    ToldObject {
        namespace: version.row.namespace.clone(),
        name: version.row.name.clone(),
        uid: read.map(|object| object.metadata.uid).unwrap_or_default(),
        resource_version: version.row.resource_version.clone(),
        ..ToldObject::default()
    }
}

/// The earliest version first. ResourceVersions of one length are in the order of their digits.
fn order_of(told: &ToldObject) -> (usize, &str, Option<&str>, &str) {
    let version = told.resource_version.as_str();
    (version.len(), version, told.namespace.as_deref(), &told.name)
}

/// Nothing of what a mask hides, and no more than a receiver reads.
fn bounded(value: Value) -> Value {
    let value = unmarked(&value);
    let bytes = value.to_string().len();
    if bytes > RULE_VALUE_BYTES_MAX { format!("({bytes} bytes)").into() } else { value }
}

/// Compared within this process alone.
fn hash_of(values: &[&Value]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for value in values {
        value.hash(&mut hasher);
    }
    hasher.finish()
}
