//! The head of a rollout: from which version to which, how many pods are new, what it waits for and since when. From the
//! workload, and the rows of its ReplicaSets and pods. Never a guess: what no row says isn't there.

use serde_json::Value;
use shared::column::Column;
use shared::duration::{self, UnixSeconds};
use shared::row::Row;

use super::related::Related;
use super::words;
use crate::cells;
use crate::detail::Now;
use crate::detail::rollout::{self, Phase, Workload};
use crate::detail::tree::{self, Branch};
use crate::names;
use crate::panel::object::ShownObject;
use crate::status::{Class, RowHealth, StatusColumns};
use crate::table_view::View;

/// The head of a rollout in words and as a bar. [`model`] makes it with each rendering of the overview; the view draws it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RolloutModel {
    pub status: Option<(Class, String)>,
    pub since: String,
    /// `api:v1.6.0`; empty where there was none before, or the images are the same.
    pub old: String,
    pub new: String,
    /// `revision 6 → 7`
    pub revisions: String,
    /// Places from 0 at the left to 1 at the right.
    pub parts: Vec<(PodPart, f64, f64)>,
    pub legend: Vec<(PodPart, usize, &'static str)>,
    /// The bar in words.
    pub label: String,
    pub hold: Option<Hold>,
}

/// What a pod is in a rollout, in the order of the bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PodPart {
    Ready,
    Starting,
    NotReady,
    Old,
    /// It is being deleted.
    Ending,
    /// It isn't there yet.
    Missing,
}

/// What a rollout waits for: words, the pod that is first to be looked at, and more words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hold {
    pub before: String,
    /// Its name in two parts, as the tree has it, and its link.
    pub pod: Option<((String, String), Option<String>)>,
    pub after: String,
}

/// A pod of the workload.
struct Pod<'a> {
    row: &'a Row,
    part: PodPart,
    is_failing: bool,
}

/// The pods, and what only some kinds of workload tell.
#[derive(Default)]
struct Pods<'a> {
    of: Option<(&'a Branch, &'a View)>,
    all: Vec<Pod<'a>>,
    old_images: Vec<String>,
    /// The number of the former revision, and that of the new one.
    revisions: (Option<String>, String),
    began: Option<Began>,
}

/// What tells when a rollout began.
#[derive(Clone, Copy)]
enum Began {
    /// Its ReplicaSet was made for it.
    Exactly(UnixSeconds),
    /// The oldest of the new pods that are there.
    FirstPod(UnixSeconds),
}

/// More pods than these are drawn as one part for all of their sort.
const PODS_APART_MAX: usize = 40;

/// How far a rollout is that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// New pods that are ready.
    pub ready: usize,
    pub wanted: i64,
    pub is_stuck: bool,
}

/// `None`: nothing rolls out, the rollout is held on purpose, or not all its pods are known.
pub(super) fn progress(object: &Value, related: &Related, shown: ShownObject<'_>) -> Option<Progress> {
    let workload = Workload::of(object)?;
    let wanted = workload.wanted(object);
    let (phase, pods) = read(workload, object, &rollout::template_images(object), related, shown);
    let pods = pods?;
    let is_going_on = matches!(phase, Phase::NotObserved { .. } | Phase::Rolling | Phase::Stuck { .. });
    is_going_on.then(|| {
        let (class, _) = status(&phase, &pods, wanted, RowHealth::Fine);
        Progress { ready: pods.count(PodPart::Ready), wanted, is_stuck: class == Class::Bad }
    })
}

/// The phase of the workload, and its pods if all of them are known.
fn read<'a>(
    workload: Workload,
    object: &Value,
    images: &[String],
    related: &'a Related,
    shown: ShownObject<'a>,
) -> (Phase, Option<Pods<'a>>) {
    let pods = match workload {
        Workload::Deployment => of_sets(object, images, related, shown),
        _ => of_template(object, images, related, shown),
    };
    let phase = match workload.phase(object) {
        // A status without revisions doesn't say it.
        Phase::Settled if pods.as_ref().is_some_and(|pods| pods.count(PodPart::Old) > 0) => Phase::Rolling,
        phase => phase,
    };
    (phase, pods)
}

/// `None`: the kind doesn't roll out.
pub(super) fn model(object: &Value, related: &Related, shown: ShownObject<'_>) -> Option<RolloutModel> {
    let workload = Workload::of(object)?;
    let now = shown.now;
    let images = rollout::template_images(object);
    let (phase, pods) = read(workload, object, &images, related, shown);
    let health = shown.row().map_or(RowHealth::Fine, |(_, row)| RowHealth::of(row, now.cluster_s));
    let (old, new) = rollout::versions(pods.as_ref().map_or(&[], |pods| &pods.old_images), &images);
    let has_old_images = pods.as_ref().is_some_and(|pods| !pods.old_images.is_empty());
    let is_same = has_old_images && old.is_empty();
    let mut revisions = pods.as_ref().map_or_else(String::new, |pods| {
        let (held, now) = &pods.revisions;
        if now.is_empty() { String::new() } else { words::revisions(held.as_deref(), now) }
    });
    if is_same && !revisions.is_empty() {
        revisions = format!("{revisions}, {}", words::SAME_IMAGES);
    }
    let wanted = workload.wanted(object);
    let mut model = RolloutModel { old, new, revisions, ..RolloutModel::default() };
    let Some(pods) = pods else {
        model.status = Some(status(&phase, &Pods::default(), wanted, health));
        let counts = words::own_counts(workload.updated(object), workload.ready(object), wanted);
        model.hold = Some(Hold { before: counts, ..Hold::default() });
        return Some(model);
    };
    let status = status(&phase, &pods, wanted, health);
    // A scaling began later than the rollout ended.
    let is_said = phase != Phase::Settled || status.0 == Class::Done;
    model.since = if is_said { since(workload, &phase, object, &pods, now) } else { String::new() };
    model.status = Some(status);
    // A pod that ends has its place until it is gone.
    let missing = usize::try_from(wanted).unwrap_or_default().saturating_sub(pods.all.len());
    (model.parts, model.legend) = bar(&phase, &pods, missing);
    let counts = model.legend.iter().map(|(_, count, word)| format!("{count} {word}"));
    model.label = words::bar(&counts.collect::<Vec<_>>());
    model.hold = hold(&phase, object, &pods, missing, related, shown);
    Some(model)
}

/// The pods of a Deployment, by the ReplicaSets that they belong to.
fn of_sets<'a>(
    object: &Value,
    images: &[String],
    related: &'a Related,
    shown: ShownObject<'a>,
) -> Option<Pods<'a>> {
    let ShownObject { client, now, .. } = shown;
    let (sets, in_sets) = related.whole_branch(client, 0, now)?;
    let (pods, in_pods) = related.whole_branch(client, 1, now)?;
    let columns = in_sets.table().columns();
    let revision = |set: &Row| tree::revision(columns, set);
    let mut own: Vec<&Row> = in_sets.table().rows().filter(|row| sets.tie.is_of(row, None)).collect();
    shared::sorted::sort_by_key(&mut own, |row| std::cmp::Reverse((revision(row), row.created)));
    let named = object.pointer("/metadata/annotations/deployment.kubernetes.io~1revision");
    let named = named.and_then(Value::as_str).and_then(|it| it.parse::<u64>().ok());
    let images_of = |set: &Row| tree::text_in(columns, set, "Images").map(split).unwrap_or_default();
    // Until the controller has seen a new template, the newest ReplicaSet is of the former one.
    let is_seen = !matches!(Workload::Deployment.phase(object), Phase::NotObserved { .. });
    let is_new =
        |row: &Row| (named.is_none() || revision(row) == named) && (is_seen || images_of(row) == images);
    let new = own.iter().copied().find(|row| is_new(row));
    let mut found = Pods { of: Some((pods, in_pods)), ..Pods::default() };
    for row in in_pods.table().rows() {
        let Some(set) = own.iter().copied().find(|set| pods.tie.is_of(row, Some(set))) else { continue };
        let is_new = new.is_some_and(|new| new.id == set.id);
        found.add(row, is_new, now);
    }
    let has_pods = |set: &&Row| found.all.iter().any(|pod| pods.tie.is_of(pod.row, Some(set)));
    let mut others = own.iter().copied().filter(|set| new.is_none_or(|new| new.id != set.id));
    let before = others.clone().find(has_pods).or_else(|| others.next());
    found.old_images = before.map(images_of).unwrap_or_default();
    let number = |set: Option<&Row>| set.and_then(revision).map(|number| number.to_string());
    found.revisions = (number(before), number(new).unwrap_or_default());
    // When a ReplicaSet was taken into use again, it doesn't say.
    let made = new.filter(|new| tree::text_in(columns, new, tree::USED_BEFORE).is_none());
    found.began = made.and_then(|new| new.created).map(Began::Exactly).or_else(|| found.first_pod());
    Some(found)
}

/// The pods of a StatefulSet or a DaemonSet, by the template that each was made from.
fn of_template<'a>(
    object: &Value,
    images: &[String],
    related: &'a Related,
    shown: ShownObject<'a>,
) -> Option<Pods<'a>> {
    let ShownObject { client, now, .. } = shown;
    let (branch, view) = related.whole_branch(client, 0, now)?;
    let columns = view.table().columns();
    let at = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
    let revision = at("/status/updateRevision");
    let generation = at("/metadata/annotations/deprecated.daemonset.template.generation");
    let images_of = |pod: &Row| tree::text_in(columns, pod, tree::POD_IMAGES).map(split).unwrap_or_default();
    let is_new = |row: &Row| {
        let of = |name| tree::text_in(columns, row, name);
        if let Some((held, new)) = of(tree::POD_REVISION).zip(revision) {
            return held == new;
        }
        if let Some((held, new)) = of(tree::POD_GENERATION).zip(generation) {
            return held == new;
        }
        // Others than the template's may be added to a pod, as those of a service mesh.
        let held = images_of(row);
        held.is_empty() || images.iter().all(|image| held.contains(image))
    };
    let mut found = Pods { of: Some((branch, view)), ..Pods::default() };
    for row in view.table().rows().filter(|row| branch.tie.is_of(row, None)) {
        found.add(row, is_new(row), now);
    }
    let old = found.all.iter().find(|pod| pod.part == PodPart::Old);
    found.old_images = old.map(|pod| images_of(pod.row)).unwrap_or_default();
    found.began = found.first_pod();
    Some(found)
}

fn split(images: &str) -> Vec<String> {
    images.split(',').map(str::to_owned).collect()
}

impl<'a> Pods<'a> {
    /// A pod that ended, as an evicted one, is no longer counted by its controller.
    fn add(&mut self, row: &'a Row, is_new: bool, now: Now) {
        let columns: &[Column] = self.of.map_or(&[], |(_, view)| view.table().columns());
        let of = |name| tree::text_in(columns, row, name);
        if matches!(of(tree::PHASE), Some("Failed" | "Succeeded")) {
            return;
        }
        let is_ending = row.extra.as_deref().is_some_and(|extra| extra.deleted.is_some());
        let health = RowHealth::of(row, now.cluster_s);
        let part = match is_new {
            _ if is_ending => PodPart::Ending,
            false => PodPart::Old,
            true if of(tree::IS_READY) == Some("True") => PodPart::Ready,
            true if health.is_trouble() => PodPart::NotReady,
            true => PodPart::Starting,
        };
        self.all.push(Pod { row, part, is_failing: health == RowHealth::Failing });
    }

    fn that_are(&self, part: PodPart) -> impl Iterator<Item = &Pod<'a>> {
        self.all.iter().filter(move |pod| pod.part == part)
    }

    fn count(&self, part: PodPart) -> usize {
        self.that_are(part).count()
    }

    fn first_pod(&self) -> Option<Began> {
        let new = self.all.iter().filter(|pod| pod.part < PodPart::Old);
        new.filter_map(|pod| pod.row.created).min().map(Began::FirstPod)
    }
}

fn status(phase: &Phase, pods: &Pods<'_>, wanted: i64, health: RowHealth) -> (Class, String) {
    let (class, word) = match phase {
        Phase::NotObserved { .. } => (Class::Busy, words::NOT_OBSERVED),
        Phase::Paused => (Class::Idle, words::PAUSED),
        Phase::Stuck { .. } => (Class::Bad, words::STUCK),
        Phase::Rolling if pods.that_are(PodPart::NotReady).any(|pod| pod.is_failing) => {
            (Class::Bad, words::STUCK)
        }
        Phase::Rolling if pods.count(PodPart::NotReady) > 0 => (Class::Warn, words::HELD_UP),
        Phase::Rolling => (Class::Busy, words::ROLLING_OUT),
        Phase::Partition(at) => return (Class::Idle, words::held_at_partition(*at)),
        Phase::OnDelete => (Class::Idle, words::ON_DELETE),
        Phase::Settled if wanted == 0 => (Class::Idle, words::SCALED_TO_0),
        Phase::Settled => match health {
            RowHealth::Failing => (Class::Bad, words::SHORT_OF_PODS),
            RowHealth::Short => (Class::Warn, words::SHORT_OF_PODS),
            RowHealth::Changing => (Class::Busy, words::SCALING),
            RowHealth::Unknown | RowHealth::Fine => (Class::Done, words::COMPLETE),
        },
    };
    (class, word.to_owned())
}

fn since(workload: Workload, phase: &Phase, object: &Value, pods: &Pods<'_>, now: Now) -> String {
    if *phase == Phase::Settled {
        let Some(ended) = workload.ended(object) else { return String::new() };
        // Both times are whole seconds: the same one says that the beginning isn't known, as after a restore.
        let took = match pods.began {
            Some(Began::Exactly(began)) => ended.checked_sub(began).filter(|took| *took > 0),
            _ => None,
        };
        let took = took.map(duration::human);
        return words::ended(&now.clock_and_age(ended), took.as_deref());
    }
    let said = |began| (now.clock(began), now.age(began));
    match pods.began.filter(|_| !matches!(phase, Phase::NotObserved { .. })) {
        Some(Began::Exactly(began)) => {
            let (clock, age) = said(began);
            words::since(&clock, &age)
        }
        Some(Began::FirstPod(began)) => {
            let (clock, age) = said(began);
            words::first_new_pod(&clock, &age)
        }
        None => String::new(),
    }
}

type Bar = (Vec<(PodPart, f64, f64)>, Vec<(PodPart, usize, &'static str)>);

fn bar(phase: &Phase, pods: &Pods<'_>, missing: usize) -> Bar {
    // What the controller hasn't seen may be no rollout.
    let is_settled = *phase == Phase::Settled
        || matches!(phase, Phase::NotObserved { .. }) && pods.count(PodPart::Old) == 0;
    let word = |part: PodPart| match part {
        PodPart::Ready if is_settled => words::PODS_READY,
        PodPart::Starting if is_settled => words::PODS_STARTING,
        PodPart::NotReady if is_settled => words::PODS_NOT_READY,
        PodPart::Ready => words::NEW_READY,
        PodPart::Starting => words::NEW_STARTING,
        PodPart::NotReady => words::NEW_NOT_READY,
        PodPart::Old => words::OLD_PODS,
        PodPart::Ending => words::ENDING_PODS,
        PodPart::Missing => words::MISSING_PODS,
    };
    let all = [
        PodPart::Ready,
        PodPart::Starting,
        PodPart::NotReady,
        PodPart::Old,
        PodPart::Ending,
        PodPart::Missing,
    ];
    let counts = all.map(|part| match part {
        PodPart::Missing => (part, missing),
        part => (part, pods.count(part)),
    });
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let mut parts = Vec::new();
    let mut at = 0;
    for (part, count) in counts {
        let step = if total > PODS_APART_MAX { count } else { 1 };
        let end = at + count;
        while at < end {
            parts.push((part, fraction(at, total), fraction(at + step, total)));
            at += step;
        }
    }
    // Those that a rollout always has keep their place.
    let is_kept = |part: PodPart| match part {
        PodPart::Ready => true,
        PodPart::Starting | PodPart::Old => !is_settled,
        _ => false,
    };
    let legend = counts.into_iter().filter(|(part, count)| *count > 0 || is_kept(*part));
    (parts, legend.map(|(part, count)| (part, count, word(part))).collect())
}

fn fraction(part: usize, of: usize) -> f64 {
    let [part, of] = [part, of].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    f64::from(part) / f64::from(of.max(1))
}

fn hold(
    phase: &Phase,
    object: &Value,
    pods: &Pods<'_>,
    missing: usize,
    related: &Related,
    shown: ShownObject<'_>,
) -> Option<Hold> {
    let said = |before: String| Some(Hold { before, ..Hold::default() });
    match phase {
        Phase::NotObserved { generation } => return said(words::not_observed(*generation)),
        Phase::Paused => return said(words::PAUSED_IN_SPEC.to_owned()),
        Phase::Partition(_) => return said(words::below_partition(pods.count(PodPart::Old))),
        Phase::OnDelete => return said(words::UNTIL_DELETED.to_owned()),
        Phase::Rolling | Phase::Stuck { .. } | Phase::Settled => {}
    }
    if let Some(hold) = pods.held_by(related, shown) {
        return Some(hold);
    }
    if let Phase::Stuck { reason, message } = phase {
        return said(if message.is_empty() { reason.clone() } else { format!("{reason}: {message}") });
    }
    if *phase == Phase::Settled {
        return (missing > 0).then(|| Hold { before: words::waits_for_missing(missing), ..Hold::default() });
    }
    let ending = pods.count(PodPart::Ending);
    let min_ready = object.pointer("/spec/minReadySeconds").and_then(Value::as_i64).filter(|held| *held > 0);
    match min_ready {
        // What comes in the place of a pod may wait for its end.
        _ if ending > 0 => said(words::waits_for_old(ending)),
        _ if missing > 0 => said(words::waits_for_missing(missing)),
        Some(seconds) => said(words::waits_for_min_ready(seconds)),
        None if pods.count(PodPart::Old) > 0 => said(words::waits_for_old(pods.count(PodPart::Old))),
        None => None,
    }
}

impl Pods<'_> {
    /// The new pod that isn't ready, the worst one and of these the oldest.
    fn held_by(&self, related: &Related, shown: ShownObject<'_>) -> Option<Hold> {
        let ShownObject { client, now, .. } = shown;
        let rank = |pod: &&Pod<'_>| (pod.part != PodPart::NotReady, !pod.is_failing, pod.row.created);
        let waiting =
            || self.all.iter().filter(|pod| matches!(pod.part, PodPart::Starting | PodPart::NotReady));
        let first = waiting().min_by_key(rank)?;
        let is_alike = |pod: &&Pod<'_>| pod.part == first.part;
        let more = waiting().filter(is_alike).count().saturating_sub(1);
        let (branch, view) = self.of?;
        let reason = first.row.health().filter(|_| first.part == PodPart::NotReady);
        let word = match reason {
            Some(health) => cells::shown(&health.reason).into_owned(),
            None => {
                let columns = StatusColumns::of(view.table().columns());
                match columns.read(first.row, now.cluster_s) {
                    Some(("Running", _)) | None => words::RUNNING_NOT_READY.to_owned(),
                    Some((word, _)) => cells::shown(word).into_owned(),
                }
            }
        };
        let before = if first.part == PodPart::NotReady { words::BLOCKED_BY } else { words::WAITS_FOR };
        Some(Hold {
            before: before.to_owned(),
            pod: Some((names::with_end(names::parts(first.row)), related.href(client, branch, first.row))),
            after: words::held_by(&word, more),
        })
    }
}
