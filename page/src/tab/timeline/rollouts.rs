//! The rollouts in the log of a workload: when each began and ended, of which version, and how many pods it had. A rollout
//! begins with a change of the pod template, and ends when the status says so.

use std::collections::BTreeMap;

use serde_json::Value;
use shared::duration;
use shared::frame::timeline::{Area, Entry, EntryType, Field};
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::words;
use crate::detail::history::{self, Headline};
use crate::detail::rollout::{self, Phase, Workload};
use crate::panel::log::Logged;
use crate::panel::object::ShownObject;
use crate::status::Class;

/// A rollout, by the viewer's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rollout {
    /// The number of the entry that it began with; of one whose beginning wasn't seen, that of the oldest entry.
    pub(super) number: u64,
    pub(super) from_ms: UnixMillis,
    /// `None`: it goes on.
    pub(super) to_ms: Option<UnixMillis>,
    pub(super) headline: Headline,
    pub(super) writers: Vec<(String, String)>,
}

/// Headlines of rollouts that ended: they have versions of the object in them that are dropped some time.
pub(super) type Ended = BTreeMap<u64, Headline>;

/// What is known of a rollout while its log is read.
struct Begun<'a> {
    number: u64,
    from_ms: UnixMillis,
    /// `None`: its beginning wasn't seen.
    entry: Option<&'a Entry>,
    is_stuck: bool,
    gap_ms: Option<UnixMillis>,
}

enum End<'a> {
    Complete(Option<&'a ResourceVersion>),
    /// The end wasn't seen: it was over after a gap.
    Unseen,
    Replaced,
    Deleted,
}

/// Oldest first.
pub(super) fn rollouts(shown: ShownObject<'_>, ended: &mut Ended) -> Vec<Rollout> {
    let value = shown.object.value.as_deref();
    let Some((workload, value)) = value.and_then(|value| Some((Workload::of(value)?, value))) else {
        return Vec::new();
    };
    let log = shown.log();
    let mut reader = Reader { shown, workload, value, found: Vec::new(), begun: None, ended };
    for logged in &log.entries {
        reader.read(logged);
    }
    reader.finish();
    reader.found
}

/// Reads the log of a workload entry by entry. It owns the rollouts that were found and the one that goes on; [`rollouts`]
/// makes one for each rendering, and hands it the headlines of those that ended.
struct Reader<'a, 'b> {
    shown: ShownObject<'a>,
    workload: Workload,
    value: &'a Value,
    found: Vec<Rollout>,
    begun: Option<Begun<'a>>,
    ended: &'b mut Ended,
}

impl<'a> Reader<'a, '_> {
    fn read(&mut self, logged: &Logged<'a>) {
        let entry = logged.entry;
        let at_ms = self.shown.client.local_ms(entry.time_ms);
        match entry.kind {
            EntryType::Added | EntryType::Deleted => self.end(at_ms, &End::Deleted),
            EntryType::Gap => {
                if let Some(begun) = &mut self.begun {
                    begun.gap_ms = Some(at_ms);
                }
            }
            EntryType::Modified if entry.fields.iter().any(is_of_template) => {
                self.end(at_ms, &End::Replaced);
                let number = logged.number;
                self.begun =
                    Some(Begun { number, from_ms: at_ms, entry: Some(entry), is_stuck: false, gap_ms: None });
            }
            EntryType::Modified if self.ends(entry) => {
                if self.begun.is_none() {
                    self.begin_unseen(logged.number);
                }
                self.end(at_ms, &End::Complete(entry.resource_version.as_ref()));
            }
            EntryType::Modified => {
                if let (Some(begun), Some(is_stuck)) = (&mut self.begun, stuck(entry)) {
                    begun.is_stuck = is_stuck;
                }
            }
            _ => {}
        }
    }

    /// It went on before the first entry after the last one that ended.
    fn begin_unseen(&mut self, number: u64) {
        let from_ms = self.found.last().and_then(|last| last.to_ms).map_or(UnixMillis::MIN, |ms| ms + 1);
        self.begun = Some(Begun { number, from_ms, entry: None, is_stuck: false, gap_ms: None });
    }

    fn ends(&self, entry: &Entry) -> bool {
        entry.fields.iter().any(|field| match self.workload {
            Workload::Deployment => {
                let reason = if field.path.ends_with("/reason") {
                    field.new.as_ref()
                } else {
                    field.new.as_ref().and_then(|new| new.get("reason"))
                };
                field.path.starts_with("/status/conditions/")
                    && reason.and_then(Value::as_str) == Some("NewReplicaSetAvailable")
            }
            Workload::StatefulSet => *field.path == *"/status/currentRevision",
            Workload::DaemonSet => {
                *field.path == *"/status/updatedNumberScheduled"
                    && field.new.as_ref().and_then(Value::as_i64) == Some(self.workload.wanted(self.value))
            }
        })
    }

    fn end(&mut self, at_ms: UnixMillis, end: &End<'_>) {
        let Some(begun) = self.begun.take() else { return };
        let headline = match self.ended.get(&begun.number) {
            Some(held) => held.clone(),
            None => {
                let headline = self.ended_headline(&begun, at_ms, end);
                self.ended.insert(begun.number, headline.clone());
                headline
            }
        };
        // What replaces or deletes it is the beginning of the next thing.
        let to_ms = if matches!(end, End::Replaced) { at_ms - 1 } else { at_ms };
        self.push(&begun, Some(to_ms), headline);
    }

    fn push(&mut self, begun: &Begun<'_>, to_ms: Option<UnixMillis>, headline: Headline) {
        let writers = begun.entry.map(history::writers).unwrap_or_default();
        let Begun { number, from_ms, .. } = *begun;
        self.found.push(Rollout { number, from_ms, to_ms, headline, writers });
    }

    fn ended_headline(&self, begun: &Begun<'_>, at_ms: UnixMillis, end: &End<'_>) -> Headline {
        let took_s = at_ms.saturating_sub(begun.from_ms).max(0) / 1_000;
        let took = begun.entry.filter(|_| took_s > 0).map(|_| duration::human(took_s));
        let at_end = match end {
            End::Complete(version) => version.and_then(|version| self.version(version)),
            End::Unseen => Some(self.value.clone()),
            End::Replaced | End::Deleted => None,
        };
        let counts = at_end.as_ref().map(|value| (self.workload.ready(value), self.workload.wanted(value)));
        let what = what(begun.entry, at_end.as_ref());
        match end {
            End::Complete(_) => Headline::new(Class::Done, what, words::rolled_out(took.as_deref(), counts)),
            End::Unseen => Headline::new(Class::Done, what, words::rolled_out(None, counts)),
            End::Replaced => Headline::new(Class::Idle, what, words::replaced(took.as_deref())),
            End::Deleted => Headline::new(Class::Idle, what, words::DELETED_DURING.to_owned()),
        }
    }

    fn version(&self, version: &ResourceVersion) -> Option<Value> {
        let log = self.shown.log();
        self.shown.object.versions.at(version, log.iter()).map(|value| value.as_ref().clone())
    }

    /// What is begun at the end of the log goes on, if the object says so.
    fn finish(&mut self) {
        let phase = self.workload.phase(self.value);
        let goes_on = !matches!(phase, Phase::Settled) && self.shown.view().is_some();
        let Some(begun) = self.begun.take() else { return };
        if let (false, Some(gap_ms)) = (goes_on, begun.gap_ms) {
            self.begun = Some(begun);
            return self.end(gap_ms, &End::Unseen);
        }
        let (updated, wanted) = (self.workload.updated(self.value), self.workload.wanted(self.value));
        let is_stuck = begun.is_stuck || matches!(phase, Phase::Stuck { .. });
        let class = if is_stuck { Class::Bad } else { Class::Busy };
        let headline = Headline::new(
            class,
            what(begun.entry, Some(self.value)),
            words::goes_on(is_stuck, updated, wanted),
        );
        self.push(&begun, None, headline);
    }
}

/// What a person or another controller decided stands for itself, also while a rollout goes on.
pub(super) fn stands_alone(entry: &Entry) -> bool {
    entry.changed.contains(&Area::Spec) && !entry.fields.iter().any(is_of_template)
}

fn is_of_template(field: &Field) -> bool {
    field.path.starts_with("/spec/template/") || *field.path == *"/spec/template"
}

/// Whether the entry says that the rollout is stuck; `None`: it says nothing of it.
fn stuck(entry: &Entry) -> Option<bool> {
    let reason = entry
        .fields
        .iter()
        .find(|field| field.path.starts_with("/status/conditions/") && field.path.ends_with("/reason"))?;
    Some(reason.new.as_ref()?.as_str()? == "ProgressDeadlineExceeded")
}

/// `Rollout to api:v2`, by the images that changed, else by those of the object at its end.
fn what(entry: Option<&Entry>, at_end: Option<&Value>) -> String {
    let fields = entry.map_or(&[][..], |entry| &entry.fields);
    let is_image = |field: &&Field| is_of_template(field) && field.path.ends_with("/image");
    let images = fields.iter().filter(is_image).filter_map(|field| field.new.as_ref()?.as_str());
    let images: Vec<String> = images.map(str::to_owned).collect();
    if !images.is_empty() {
        return words::rollout_to(&rollout::listed(images.iter()));
    }
    if fields.iter().any(|field| field.path.ends_with("/kubectl.kubernetes.io~1restartedAt")) {
        return words::RESTART.to_owned();
    }
    match (entry, at_end) {
        (None, Some(value)) => words::rollout_to(&rollout::listed(rollout::template_images(value).iter())),
        _ => words::ROLLOUT_OF_TEMPLATE.to_owned(),
    }
}
