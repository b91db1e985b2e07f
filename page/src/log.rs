//! What a reader sees of a view's event log: which entries, and how many there are of each type. The
//! entries themselves are the timeline's, and never change.

use std::collections::VecDeque;

use replica::timeline::TimelineView;
use shared::frame::timeline::{Area, Entry, EntryType};

use crate::limits::QUERY_BYTES_MAX;

/// The types, in the order in which they are named.
pub const TYPES: [EntryType; 5] =
    [EntryType::Added, EntryType::Modified, EntryType::Deleted, EntryType::Bookmark, EntryType::Error];

#[derive(Clone, Debug, Default)]
pub struct Log {
    text: Box<str>,
    /// Parts of the text, in lower case; all have to be found.
    words: Vec<String>,
    predicate: Option<Predicate>,
    hidden: Vec<EntryType>,
    /// Numbers of the entries that are shown, the oldest first.
    shown: VecDeque<u64>,
    /// Everything before this was looked at.
    next: u64,
    /// The oldest entry that is still counted.
    first: u64,
    counts: [usize; TYPES.len()],
    /// The reader paused here.
    end: Option<u64>,
}

/// As controller-runtime's predicates ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    SpecChanged,
    LabelsChanged,
    AnnotationsChanged,
    /// The status, and nothing else.
    StatusOnly,
}

impl Predicate {
    pub const ALL: [Self; 4] =
        [Self::SpecChanged, Self::LabelsChanged, Self::AnnotationsChanged, Self::StatusOnly];

    /// Asks about changes alone: additions, deletions and gaps pass.
    #[must_use]
    pub fn passes(self, entry: &Entry) -> bool {
        if entry.kind != EntryType::Modified {
            return true;
        }
        match self {
            Self::SpecChanged => entry.changed.contains(&Area::Spec),
            Self::LabelsChanged => entry.changed.contains(&Area::Labels),
            Self::AnnotationsChanged => entry.changed.contains(&Area::Annotations),
            Self::StatusOnly => entry.changed == [Area::Status],
        }
    }
}

impl Log {
    /// Takes what came, and lets go of what the timeline dropped. Whether anything did.
    pub fn follow(&mut self, timeline: &TimelineView) -> bool {
        let before = (self.next, self.first);
        let oldest = timeline.dropped();
        while self.shown.front().is_some_and(|number| *number < oldest) {
            self.shown.pop_front();
        }
        if self.first < oldest {
            // They are gone, so they are counted anew.
            self.recount(timeline);
        }
        let from = self.next.max(oldest);
        for number in from..timeline.end().min(self.end.unwrap_or(u64::MAX)) {
            let Some(entry) = timeline.entry(number) else { continue };
            self.count(entry);
            if self.matches(entry) {
                self.shown.push_back(number);
            }
            self.next = number + 1;
        }
        before != (self.next, self.first)
    }

    fn count(&mut self, entry: &Entry) {
        let place = TYPES.iter().position(|kind| *kind == entry.kind);
        if let Some(count) = place.and_then(|place| self.counts.get_mut(place)) {
            *count += 1;
        }
    }

    fn recount(&mut self, timeline: &TimelineView) {
        self.first = timeline.dropped();
        self.counts = Default::default();
        for number in self.first..self.next {
            if let Some(entry) = timeline.entry(number) {
                self.count(entry);
            }
        }
    }

    /// A gap is never filtered away: what lies around it would look whole.
    fn matches(&self, entry: &Entry) -> bool {
        entry.kind == EntryType::Gap
            || !self.hidden.contains(&entry.kind)
                && self.predicate.is_none_or(|predicate| predicate.passes(entry))
                && self.words.iter().all(|word| mentions(entry, word))
    }

    /// By object, field path or writer.
    pub fn set_text(&mut self, timeline: &TimelineView, text: &str) {
        let end = text.floor_char_boundary(QUERY_BYTES_MAX);
        self.text = text.get(..end).unwrap_or_default().into();
        self.words = self.text.to_lowercase().split_whitespace().map(str::to_owned).collect();
        self.look_again(timeline);
    }

    pub fn set_predicate(&mut self, timeline: &TimelineView, predicate: Option<Predicate>) {
        self.predicate = predicate;
        self.look_again(timeline);
    }

    pub fn toggle(&mut self, timeline: &TimelineView, kind: EntryType) {
        match self.hidden.iter().position(|hidden| *hidden == kind) {
            Some(at) => drop(self.hidden.remove(at)),
            None => self.hidden.push(kind),
        }
        self.look_again(timeline);
    }

    fn look_again(&mut self, timeline: &TimelineView) {
        self.shown = (timeline.dropped()..self.next)
            .filter(|number| timeline.entry(*number).is_some_and(|entry| self.matches(entry)))
            .collect();
    }

    /// What comes from now on waits.
    pub fn pause(&mut self) {
        self.end = Some(self.next);
    }

    pub fn resume(&mut self) {
        self.end = None;
    }

    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.end.is_some()
    }

    /// Entries that came since the pause began.
    #[must_use]
    pub fn waiting(&self, timeline: &TimelineView) -> u64 {
        self.end.map_or(0, |end| timeline.end().saturating_sub(end))
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn predicate(&self) -> Option<Predicate> {
        self.predicate
    }

    #[must_use]
    pub fn is_hidden(&self, kind: EntryType) -> bool {
        self.hidden.contains(&kind)
    }

    /// In the order of [`TYPES`].
    #[must_use]
    pub fn counts(&self) -> [usize; TYPES.len()] {
        self.counts
    }

    /// Numbers of the shown entries, the oldest first.
    #[must_use]
    pub fn shown(&self) -> &VecDeque<u64> {
        &self.shown
    }
}

fn mentions(entry: &Entry, word: &str) -> bool {
    let holds = |text: &str| text.to_lowercase().contains(word);
    let object = format!(
        "{}/{}",
        entry.namespace.as_deref().unwrap_or_default(),
        entry.name.as_deref().unwrap_or_default()
    );
    holds(&object)
        || entry.fields.iter().any(|field| holds(&field.path) || holds(&field.path.replace('/', ".")))
        || entry.writers.iter().any(|writer| holds(&writer.manager))
}

#[cfg(test)]
mod tests {
    use shared::frame::server::TimelineFrame;
    use shared::frame::timeline::{Area, Field, Writer};

    use super::*;
    use crate::limits::TIMELINE_ENTRIES_MAX;
    use replica::testing;

    struct Rig {
        timeline: TimelineView,
        log: Log,
        at: u64,
    }

    impl Rig {
        fn new() -> Self {
            let timeline = testing::timeline();
            Self { timeline, log: Log::default(), at: 0 }
        }

        fn come(&mut self, entries: Vec<Entry>) {
            let to = self.at + u64::try_from(entries.len()).expect("few");
            let frame = TimelineFrame { view: 1, from: self.at, to, entries, reset: self.at == 0 };
            testing::log(&mut self.timeline, frame);
            self.at = to;
            self.log.follow(&self.timeline);
        }

        fn names(&self) -> Vec<&str> {
            let entry = |number: &u64| self.timeline.entry(*number).expect("kept");
            self.log.shown().iter().map(|number| entry(number).name.as_deref().unwrap_or("-")).collect()
        }
    }

    fn entry(kind: EntryType, name: &str) -> Entry {
        Entry { name: Some(name.into()), namespace: Some("shop".into()), ..Entry::of(kind, 0) }
    }

    fn changed(name: &str, path: &str, area: Area, manager: &str) -> Entry {
        let field = Field {
            path: path.into(),
            old: None,
            old_bytes: None,
            new: Some(1.into()),
            new_bytes: None,
            by: None,
        };
        let writer = Writer {
            manager: manager.into(),
            operation: "Update".into(),
            subresource: "".into(),
            time: None,
        };
        Entry {
            fields: vec![field],
            changed: vec![area],
            writers: vec![writer],
            ..entry(EntryType::Modified, name)
        }
    }

    #[test]
    fn a_text_finds_objects_fields_and_writers() {
        let mut rig = Rig::new();
        rig.come(vec![
            changed("web", "/status/phase", Area::Status, "kubelet"),
            changed("api", "/spec/replicas", Area::Spec, "hpa"),
        ]);
        for (text, found) in [
            ("status.phase", vec!["web"]),
            ("HPA", vec!["api"]),
            ("shop/", vec!["web", "api"]),
            ("shop kubelet", vec!["web"]),
            ("nothing", vec![]),
        ] {
            rig.log.set_text(&rig.timeline, text);
            assert_eq!(rig.names(), found, "{text}");
        }
    }

    #[test]
    fn predicates_ask_about_changes_and_a_gap_is_never_hidden() {
        let mut rig = Rig::new();
        rig.log.set_predicate(&rig.timeline, Some(Predicate::SpecChanged));
        rig.log.toggle(&rig.timeline, EntryType::Bookmark);
        rig.come(vec![
            entry(EntryType::Added, "new"),
            changed("web", "/status/phase", Area::Status, "kubelet"),
            changed("api", "/spec/replicas", Area::Spec, "hpa"),
            Entry::of(EntryType::Bookmark, 0),
            Entry::of(EntryType::Gap, 0),
        ]);
        rig.log.set_text(&rig.timeline, "");
        assert_eq!(rig.names(), ["new", "api", "-"]);
        rig.log.set_text(&rig.timeline, "zzz");
        assert_eq!(rig.names(), ["-"]);
        assert_eq!(rig.log.counts(), [1, 2, 0, 1, 0]);
    }

    #[test]
    fn a_paused_log_stands_still_and_counts() {
        let mut rig = Rig::new();
        rig.come(vec![entry(EntryType::Added, "a")]);
        rig.log.pause();
        rig.come(vec![entry(EntryType::Added, "b"), entry(EntryType::Added, "c")]);
        assert_eq!((rig.names(), rig.log.waiting(&rig.timeline)), (vec!["a"], 2));
        rig.log.resume();
        rig.log.follow(&rig.timeline);
        assert_eq!(rig.names(), ["a", "b", "c"]);
    }

    #[test]
    fn what_falls_out_of_the_timeline_is_neither_shown_nor_counted() {
        let mut rig = Rig::new();
        rig.come(vec![entry(EntryType::Deleted, "old")]);
        rig.come((0..TIMELINE_ENTRIES_MAX).map(|_| entry(EntryType::Added, "new")).collect());
        assert_eq!(rig.log.shown().len(), TIMELINE_ENTRIES_MAX);
        assert_eq!(rig.log.counts(), [TIMELINE_ENTRIES_MAX, 0, 0, 0, 0]);
        rig.timeline.clear();
        rig.log.follow(&rig.timeline);
        assert!(rig.log.shown().is_empty());
        assert_eq!(rig.log.counts(), [0; 5]);
    }
}
