//! The lines that the page holds: those of several sources merged by time, bounded, each with whether it is looked for and
//! whether the filter lets it pass. Never what is drawn of them.

use shared::frame::server::LogTime;
use shared::sorted;

use super::between::{Mark, PodEvent};
use super::filter::Filter;
use super::level::Level;
use super::names::Names;
use super::needle::Needle;
use super::text::Text;
use crate::limits::{
    LOGS_BYTES_MAX, LOGS_ENTRY_BYTES, LOGS_EVENTS_BEFORE_MS, LOGS_LOOKED_AT_ONCE_BYTES, LOGS_SOURCES_MAX,
};

/// Entries in their order. A line comes behind all those of an earlier or the same time, but never before an earlier line of
/// its source: a clock that is set back changes no order within a log. A mark stands behind the last line of its source.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    entries: Vec<Entry>,
    bytes: usize,
    /// The number of the next entry.
    next: u64,
    /// The lines that were let go because the page holds no more.
    dropped: u64,
    /// The time at which the next line of each source stands at the earliest.
    latest: Vec<LogTime>,
    wanted: Wanted,
    /// Entries before this one were looked at for the needle and the filter.
    looked: usize,
    /// Entries from here on changed since they were laid out.
    changed_from: usize,
    /// Those that stand among the entries, in their order.
    events: Vec<PodEvent>,
    /// What they were taken from.
    events_of: Option<(EventsOf, i64)>,
}

/// What is looked for in the entries, and which of them are shown.
#[derive(Debug, Default)]
struct Wanted {
    needle: Needle,
    filter: Filter,
    names: Names,
    /// The filter lets a source pass, by its number.
    passed: Vec<bool>,
}

/// Which Events stand among the lines: those that were told last, of so many pods of these logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventsOf {
    pub(super) told: u64,
    pub(super) pods: usize,
}

/// A line or a mark in its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// Tells it from all others for as long as the page shows these logs.
    pub(super) number: u64,
    /// Where it stands.
    key: LogTime,
    pub(super) source: u32,
    /// When it was written. `None`: nothing says so.
    pub(super) at: Option<LogTime>,
    pub(super) what: What,
    /// The needle is in it.
    pub(super) is_found: bool,
    pub(super) is_shown: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Line { text: Text, level: Option<Level>, cut: u64 },
    Mark(Box<Mark>),
    Event(Box<PodEvent>),
}

/// An entry before it has its place.
pub(super) struct Arrived {
    pub(super) source: u32,
    pub(super) at: Option<LogTime>,
    pub(super) what: What,
}

/// Before all times: nothing has been told of a source.
const UNTOLD: LogTime = LogTime { ms: i64::MIN, ns: 0 };

impl Entry {
    pub(super) fn is_line(&self) -> bool {
        matches!(self.what, What::Line { .. })
    }

    fn bytes(&self) -> usize {
        LOGS_ENTRY_BYTES
            + match &self.what {
                What::Line { text, .. } => text.text.len() + std::mem::size_of_val(&*text.styled),
                What::Mark(_) => size_of::<Mark>(),
                What::Event(event) => size_of::<PodEvent>() + event.message.len(),
            }
    }
}

impl Wanted {
    /// A regex takes so long that it is looked for in steps.
    fn is_slow(&self) -> bool {
        self.needle.is_slow() || self.filter.is_slow()
    }

    /// Marks of what is wanted are always shown, because without them the log would look complete.
    fn look(&self, entry: &mut Entry) {
        let Self { needle, filter, names, passed } = self;
        let place = usize::try_from(entry.source).ok();
        let passes = place.and_then(|place| passed.get(place)).is_none_or(|passes| *passes);
        let is_looked_for = !needle.is_nothing();
        (entry.is_found, entry.is_shown) = match &entry.what {
            What::Line { text, level, .. } => {
                (needle.is_in(&text.text), passes && filter.passes(&text.text, *level))
            }
            What::Mark(mark) => (is_looked_for && needle.is_in(&names.mark(entry.source, mark).1), passes),
            What::Event(event) => {
                let is_found = is_looked_for && needle.is_in(&names.event(event));
                (is_found, filter.passes_names(&names.pod_of(event), None))
            }
        };
    }
}

impl Buffer {
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Merges what arrived into its places.
    pub(super) fn add(&mut self, arrived: Vec<Arrived>) {
        let new = arrived.into_iter().map(|arrived| self.entry(arrived)).collect();
        self.merge(new);
    }

    /// Puts Events in the place of those that are there. They stand no earlier than shortly before the first line, and without
    /// a line there are none. One that is told anew keeps its number. Nothing is read where they are of the same.
    pub(super) fn set_events<'a>(&mut self, of: EventsOf, events: impl Iterator<Item = &'a PodEvent>) {
        let first = self.entries.iter().find(|entry| entry.is_line()).map(|entry| entry.key.ms);
        let from_ms = first.map_or(i64::MAX, |ms| ms.saturating_sub(LOGS_EVENTS_BEFORE_MS));
        if self.events_of.replace((of, from_ms)) == Some((of, from_ms)) {
            return;
        }
        let mut events: Vec<&PodEvent> = events.filter(|event| event.at.ms >= from_ms).collect();
        sorted::sort_by(&mut events, |a, b| (a.at, a.row).cmp(&(b.at, b.row)));
        if self.events.iter().eq(events.iter().copied()) {
            return;
        }
        let events: Vec<PodEvent> = events.into_iter().cloned().collect();
        let mut held = Vec::new();
        self.take_out(|entry| match &entry.what {
            What::Event(event) => {
                held.push((event.row, entry.number));
                true
            }
            _ => false,
        });
        let entry = |event: &PodEvent| {
            let held = held.iter().find(|(row, _)| *row == event.row);
            let number = held.map(|(_, number)| *number);
            let (key, what) = (event.at, What::Event(Box::new(event.clone())));
            self.made(number, Arrived { source: u32::MAX, at: Some(event.at), what }, key)
        };
        let new = events.iter().map(entry).collect();
        self.events = events;
        self.merge(new);
    }

    pub(super) fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    fn merge(&mut self, mut new: Vec<Entry>) {
        let is_looked = !self.is_looking();
        let Some(first) = new.iter().map(|entry| entry.key).min() else { return };
        new.sort_by_key(|entry| entry.key);
        // Behind all of the same time.
        let from = self.entries.partition_point(|entry| entry.key <= first);
        let later = self.entries.split_off(from);
        let mut later = later.into_iter().peekable();
        for entry in new {
            while let Some(held) = later.next_if(|held| held.key <= entry.key) {
                self.entries.push(held);
            }
            self.entries.push(entry);
        }
        self.entries.extend(later);
        if is_looked {
            self.looked = self.entries.len();
        }
        self.changed_from = self.changed_from.min(from);
        self.bound();
    }

    fn entry(&mut self, Arrived { source, at, what }: Arrived) -> Entry {
        let place = usize::try_from(source).unwrap_or(usize::MAX);
        if self.latest.len() <= place && place < LOGS_SOURCES_MAX {
            self.latest.resize(place + 1, UNTOLD);
        }
        let held = self.latest.get_mut(place);
        let is_line = matches!(what, What::Line { .. });
        let key = match (held, at) {
            // The time of a mark is of another clock than those of the lines.
            (Some(latest), Some(at)) if is_line || *latest == UNTOLD => {
                *latest = (*latest).max(at);
                *latest
            }
            (Some(latest), _) => *latest,
            (None, at) => at.unwrap_or_default(),
        };
        self.made(None, Arrived { source, at, what }, key)
    }

    /// `number`: that of an entry in whose place it stands.
    fn made(&mut self, number: Option<u64>, Arrived { source, at, what }: Arrived, key: LogTime) -> Entry {
        let number = number.unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        let mut entry = Entry { number, key, source, at, what, is_found: false, is_shown: true };
        self.wanted.look(&mut entry);
        self.bytes += entry.bytes();
        entry
    }

    fn bound(&mut self) {
        let mut over = self.bytes.saturating_sub(LOGS_BYTES_MAX);
        if over == 0 {
            return;
        }
        // A little more than needed, so that not each line moves all others.
        over += LOGS_BYTES_MAX / 64;
        let mut gone = 0;
        for entry in &self.entries {
            if over == 0 {
                break;
            }
            let bytes = entry.bytes();
            over = over.saturating_sub(bytes);
            self.bytes -= bytes;
            self.dropped += u64::from(entry.is_line());
            gone += 1;
        }
        self.entries.drain(..gone);
        self.looked = self.looked.saturating_sub(gone);
        self.changed_from = 0;
    }

    /// Forgets what is of these sources, as if nothing had been told of them.
    pub(super) fn leave_out(&mut self, sources: &[u32]) {
        for source in sources {
            if let Some(latest) = usize::try_from(*source).ok().and_then(|place| self.latest.get_mut(place)) {
                *latest = UNTOLD;
            }
        }
        self.take_out(|entry| sources.contains(&entry.source));
    }

    /// Takes these entries out of their places.
    fn take_out(&mut self, mut is_taken: impl FnMut(&Entry) -> bool) {
        let (mut looked, mut place) = (self.looked, 0);
        self.entries.retain(|entry| {
            let is_kept = !is_taken(entry);
            if !is_kept {
                self.bytes -= entry.bytes();
                self.changed_from = self.changed_from.min(place);
                looked -= usize::from(place < self.looked);
            }
            place += 1;
            is_kept
        });
        self.looked = looked;
    }

    /// Forgets all lines, and keeps what is looked for.
    pub(super) fn clear(&mut self) {
        let Wanted { needle, filter, .. } = std::mem::take(&mut self.wanted);
        let wanted = Wanted { needle, filter, ..Wanted::default() };
        *self = Self { wanted, next: self.next, ..Self::default() };
    }

    pub(super) fn needle(&self) -> &Needle {
        &self.wanted.needle
    }

    pub(super) fn filter(&self) -> &Filter {
        &self.wanted.filter
    }

    pub(super) fn names(&self) -> &Names {
        &self.wanted.names
    }

    /// The sources are named so from now on, and so are they in marks and Events.
    pub(super) fn set_names(&mut self, names: Names) {
        if names == self.wanted.names {
            return;
        }
        let is_layout_same = names.names_pods_as(&self.wanted.names);
        self.wanted.passed = names.passed(&self.wanted.filter);
        self.wanted.names = names;
        for (place, entry) in self.entries.iter_mut().enumerate().filter(|(_, entry)| !entry.is_line()) {
            self.wanted.look(entry);
            if !is_layout_same {
                self.changed_from = self.changed_from.min(place);
            }
        }
    }

    pub(super) fn set_needle(&mut self, needle: Needle) {
        let is_within = needle.is_within(&self.wanted.needle) && !self.is_looking();
        self.wanted.needle = needle;
        if is_within {
            for entry in self.entries.iter_mut().filter(|entry| entry.is_found) {
                self.wanted.look(entry);
            }
            return;
        }
        self.look_again();
    }

    pub(super) fn set_filter(&mut self, filter: Filter) {
        self.wanted.passed = self.wanted.names.passed(&filter);
        self.wanted.filter = filter;
        self.changed_from = 0;
        self.look_again();
    }

    fn look_again(&mut self) {
        self.looked = 0;
        self.look(if self.wanted.is_slow() { LOGS_LOOKED_AT_ONCE_BYTES } else { usize::MAX });
    }

    /// Whether entries wait for their look: a regex takes too long for all of them at once.
    pub(super) fn is_looking(&self) -> bool {
        self.looked < self.entries.len() && self.wanted.is_slow()
    }

    /// Looks at the next entries.
    pub(super) fn look_on(&mut self) {
        self.look(LOGS_LOOKED_AT_ONCE_BYTES);
    }

    fn look(&mut self, bytes_max: usize) {
        let (mut left, from) = (bytes_max, self.looked);
        for entry in self.entries.get_mut(from..).unwrap_or_default() {
            if left == 0 {
                break;
            }
            let was_shown = entry.is_shown;
            self.wanted.look(entry);
            if entry.is_shown != was_shown {
                self.changed_from = self.changed_from.min(self.looked);
            }
            left = left.saturating_sub(entry.bytes());
            self.looked += 1;
        }
    }

    /// Where the entries begin that changed since they were laid out. From now on they are.
    pub(super) fn take_changes(&mut self) -> usize {
        std::mem::replace(&mut self.changed_from, self.entries.len())
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The place of an entry that is held.
    pub(super) fn place_of(&self, number: u64) -> Option<usize> {
        self.entries.iter().position(|entry| entry.number == number)
    }

    /// How many entries are found and shown, and how many of these until this place.
    pub(super) fn found(&self, until: Option<usize>) -> (usize, usize) {
        let (mut all, mut before) = (0, 0);
        for (place, entry) in self.entries.iter().enumerate() {
            if entry.is_found && entry.is_shown {
                all += 1;
                before += usize::from(until.is_some_and(|until| place <= until));
            }
        }
        (before, all)
    }

    /// The next entry that is found, from a place on; at the end it begins again at the other one.
    pub(super) fn next_found(&self, from: Option<usize>, is_forward: bool) -> Option<usize> {
        let is_found =
            |place: &usize| self.entries.get(*place).is_some_and(|entry| entry.is_found && entry.is_shown);
        let count = self.entries.len();
        match (from, is_forward) {
            (Some(from), true) => (from + 1..count).find(is_found).or_else(|| (0..count).find(is_found)),
            (None, true) => (0..count).find(is_found),
            (Some(from), false) => {
                (0..from.min(count)).rev().find(is_found).or_else(|| (0..count).rev().find(is_found))
            }
            (None, false) => (0..count).rev().find(is_found),
        }
    }

    /// How far each source was told: its latest time, and how many lines have just that time.
    pub(super) fn told(&self, source: u32) -> Option<(LogTime, u32)> {
        let lines = || {
            let of_source = self.entries.iter().rev().filter(|entry| entry.source == source);
            of_source.filter(|entry| entry.is_line()).filter_map(|entry| entry.at)
        };
        let latest = lines().max()?;
        let count = lines().filter(|at| *at == latest).count();
        Some((latest, u32::try_from(count).unwrap_or(u32::MAX)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use shared::frame::server::LogMark;

    use super::*;

    fn line(source: u32, ms: i64, text: &str) -> Arrived {
        let what = What::Line { text: Text::read(text), level: Level::of(text), cut: 0 };
        Arrived { source, at: (ms > 0).then_some(LogTime { ms, ns: 0 }), what }
    }

    fn mark(source: u32, ms: i64) -> Arrived {
        let what = What::Mark(Box::new(Mark { mark: LogMark::Restarted, ..Mark::default() }));
        Arrived { source, at: Some(LogTime { ms, ns: 0 }), what }
    }

    /// An Event of the pod `a`.
    pub(in super::super) fn event(row: u64, ms: i64, reason: &str, count: u64) -> PodEvent {
        PodEvent {
            row: replica::testing::id(row),
            pod: "a".into(),
            at: LogTime { ms, ns: 0 },
            is_warning: true,
            reason: reason.to_owned(),
            message: String::new(),
            count,
        }
    }

    fn texts(buffer: &Buffer) -> Vec<String> {
        let text = |entry: &Entry| match &entry.what {
            What::Line { text, .. } => text.text.to_string(),
            What::Mark(mark) => format!("<{:?}>", mark.mark),
            What::Event(event) => format!("<{} {}>", event.reason, event.count),
        };
        buffer.entries().iter().map(text).collect()
    }

    #[test]
    fn lines_are_merged_by_time_and_equal_ones_stay_as_they_came() {
        let mut buffer = Buffer::default();
        buffer.add(vec![line(0, 10, "a10"), line(0, 30, "a30")]);
        buffer.add(vec![line(1, 20, "b20"), line(1, 30, "b30"), line(1, 40, "b40")]);
        buffer.add(vec![line(0, 30, "a30'"), line(2, 5, "c5")]);
        assert_eq!(texts(&buffer), ["c5", "a10", "b20", "a30", "b30", "a30'", "b40"]);
    }

    #[test]
    fn a_source_keeps_its_own_order_whatever_its_clock_does() {
        let mut buffer = Buffer::default();
        buffer.add(vec![line(0, 50, "a"), line(0, 20, "set back"), line(0, 0, "no time")]);
        buffer.add(vec![line(1, 30, "b")]);
        assert_eq!(texts(&buffer), ["b", "a", "set back", "no time"]);
        buffer.add(vec![mark(0, 10_000), line(0, 60, "after"), line(1, 55, "c")]);
        assert_eq!(texts(&buffer), ["b", "a", "set back", "no time", "<Restarted>", "c", "after"]);
    }

    /// Tells Events that weren't told before. Returns how many were read.
    fn tell(buffer: &mut Buffer, told: u64, events: &[PodEvent]) -> usize {
        let mut read = 0;
        buffer.set_events(EventsOf { told, pods: 1 }, events.iter().inspect(|_| read += 1));
        read
    }

    #[test]
    fn what_is_left_out_comes_again_as_if_it_had_never_been_there() {
        let mut buffer = Buffer::default();
        buffer.set_needle(Needle::read("/b/").expect("a regex"));
        buffer.add(vec![
            line(0, 10, "a10"),
            line(1, 20, "b20"),
            line(2, 30, "c30"),
            mark(1, 40),
            line(0, 50, "a50"),
        ]);
        buffer.take_changes();
        buffer.leave_out(&[1, 2]);
        assert_eq!((texts(&buffer), buffer.take_changes()), (vec!["a10".to_owned(), "a50".to_owned()], 1));
        assert_eq!((buffer.told(1), buffer.is_looking()), (None, false));
        buffer.add(vec![line(1, 5, "b5"), line(1, 20, "b20")]);
        assert_eq!(texts(&buffer), ["b5", "a10", "b20", "a50"]);
        let sum: usize = buffer.entries().iter().map(Entry::bytes).sum();
        assert_eq!((sum, buffer.found(None).1), (buffer.bytes(), 2));
    }

    #[test]
    fn events_stand_at_their_times_and_one_that_happens_again_moves_and_keeps_its_number() {
        let mut buffer = Buffer::default();
        tell(&mut buffer, 1, &[event(1, 15_999, "BackOff", 1)]);
        assert!(buffer.entries().is_empty(), "no Event without a line");
        buffer.add(vec![line(0, 100_000, "a"), line(0, 200_000, "b"), line(0, 300_000, "c")]);
        let (early, before) = (event(3, -530_000, "Scheduled", 1), event(4, 90_000, "Started", 1));
        let events = [event(1, 250_999, "BackOff", 2), early.clone(), before.clone()];
        assert_eq!(tell(&mut buffer, 2, &events), 3);
        assert_eq!(tell(&mut buffer, 2, &events), 0, "nothing changed");
        assert_eq!(texts(&buffer), ["<Started 1>", "a", "b", "<BackOff 2>", "c"]);
        let number = buffer.entries()[3].number;
        buffer.take_changes();
        tell(&mut buffer, 3, &[before.clone(), early.clone(), event(1, 250_999, "BackOff", 2)]);
        assert_eq!(buffer.take_changes(), 5, "the same ones");
        let events = [early, before, event(1, 350_999, "BackOff", 3)];
        tell(&mut buffer, 4, &events);
        assert_eq!(texts(&buffer), ["<Started 1>", "a", "b", "c", "<BackOff 3>"]);
        assert_eq!((buffer.entries()[4].number, buffer.take_changes()), (number, 0));
        buffer.add(vec![line(0, 400_000, "d")]);
        assert_eq!(texts(&buffer).last().map(String::as_str), Some("d"));
        tell(&mut buffer, 5, &[]);
        assert_eq!(texts(&buffer), ["a", "b", "c", "d"]);
        let sum: usize = buffer.entries().iter().map(Entry::bytes).sum();
        assert_eq!((sum, buffer.is_looking()), (buffer.bytes(), false));
        tell(&mut buffer, 6, &events);
        buffer.add(vec![line(1, 50_000, "e")]);
        assert_eq!(tell(&mut buffer, 6, &events), 3, "the first line is another one");
        assert_eq!(texts(&buffer)[..2], ["<Scheduled 1>", "e"]);
    }

    #[test]
    fn any_arrival_gives_the_order_of_one_stable_sort() {
        let mut seed = 11_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..300 {
            let (mut buffer, mut oracle, mut times) = (Buffer::default(), Vec::new(), [0_u64; 4]);
            for _ in 0..random(8) {
                let mut batch = Vec::new();
                for _ in 0..random(9) {
                    let source = random(4);
                    let time = times.get_mut(usize::try_from(source).expect("small")).expect("a source");
                    *time += random(3);
                    let text = format!("{source}-{}", oracle.len());
                    batch.push(line(
                        u32::try_from(source).expect("small"),
                        i64::try_from(*time + 1).expect("small"),
                        &text,
                    ));
                    oracle.push((*time, text));
                }
                buffer.add(batch);
            }
            oracle.sort_by_key(|(time, _)| *time);
            let expected: Vec<String> = oracle.into_iter().map(|(_, text)| text).collect();
            assert_eq!(texts(&buffer), expected);
        }
    }

    #[test]
    fn the_oldest_lines_are_let_go_and_counted() {
        let mut buffer = Buffer::default();
        let long = "x".repeat(1_000);
        let lines = 2 * LOGS_BYTES_MAX / 1_000;
        for batch in 0..lines / 100 {
            let at = i64::try_from(batch + 1).expect("few");
            buffer.add((0..100).map(|_| line(0, at, &long)).collect());
            assert!(buffer.bytes() <= LOGS_BYTES_MAX);
        }
        let held = buffer.entries().len();
        assert_eq!(held + usize::try_from(buffer.dropped()).expect("few"), lines / 100 * 100);
        assert!(buffer.bytes() > LOGS_BYTES_MAX / 2, "{} bytes", buffer.bytes());
        let sum: usize = buffer.entries().iter().map(Entry::bytes).sum();
        assert_eq!(sum, buffer.bytes());
    }

    #[test]
    fn what_is_looked_for_is_found_among_the_lines_that_are_shown() {
        let mut buffer = Buffer::default();
        let lines = ["get a", "post a", "get b", "GET a"];
        buffer.add(lines.iter().zip(1..).map(|(text, ms)| line(0, ms, text)).collect());
        buffer.set_needle(Needle::read("get").expect("a word"));
        assert_eq!(buffer.found(Some(2)), (2, 3));
        assert_eq!(buffer.next_found(Some(2), true), Some(3));
        assert_eq!(buffer.next_found(Some(3), true), Some(0));
        assert_eq!(buffer.next_found(Some(0), false), Some(3));
        buffer.set_filter(Filter::read("a"));
        assert_eq!(buffer.found(None), (0, 2));
        buffer.set_needle(Needle::read("get a").expect("words"));
        assert_eq!(buffer.found(None), (0, 2));
        buffer.add(vec![line(0, 9, "get a once more"), mark(0, 9)]);
        assert_eq!(buffer.found(None), (0, 3));
        buffer.set_needle(Needle::read("").expect("nothing"));
        assert_eq!((buffer.found(None), buffer.next_found(None, true)), ((0, 0), None));
    }

    #[test]
    fn a_regex_is_looked_for_in_steps_and_nothing_is_passed_over() {
        let mut buffer = Buffer::default();
        let long = format!("{}7", "x".repeat(20_000));
        buffer.add((0..300).map(|at| line(0, at + 1, &long)).collect());
        buffer.set_needle(Needle::read("/x\\d/").expect("a regex"));
        let mut steps = 0;
        while buffer.is_looking() {
            assert!(buffer.found(None).1 < 300 + 2 * steps, "at once");
            buffer.add(vec![line(1, 1, "x1"), line(0, 999, "x2")]);
            buffer.look_on();
            steps += 1;
        }
        assert!(steps > 1);
        assert_eq!(buffer.found(None).1, 300 + 2 * steps);
    }

    #[test]
    fn an_event_is_one_line_whatever_it_says() {
        let event = PodEvent { message: "a\n\u{202e}b".to_owned(), ..event(1, 1, "BackOff", 1) };
        assert_eq!(Names::default().event(&event), "Event BackOff: a\u{240a}\u{27e8}202E\u{27e9}b");
    }

    #[test]
    fn a_log_goes_on_behind_the_lines_of_its_latest_time() {
        let mut buffer = Buffer::default();
        buffer.add(vec![line(0, 10, "a"), line(1, 11, "x"), line(0, 11, "b"), line(0, 11, "c")]);
        assert_eq!(buffer.told(0), Some((LogTime { ms: 11, ns: 0 }, 2)));
        assert_eq!(buffer.told(2), None);
    }
}
