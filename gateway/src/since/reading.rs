//! Reads the record since a time, one question after the other.

use shared::frame::client::{ChangesAsked, ChangesEnd, PastAsked};
use shared::frame::server::{Changed, Changes};
use shared::past::{Removed, Unrecorded};
use shared::state::UnixMillis;

use super::told::Told;

/// How far the record was read, and what was told of it.
#[derive(Debug)]
pub struct Reading {
    since_ms: UnixMillis,
    from: Option<ChangesEnd>,
    objects: bool,
    /// An answer that ends within a time without a record has it, and so has the next one.
    gaps: Vec<Unrecorded>,
    /// The same of what was removed.
    removed: Vec<Removed>,
    pub told: Told,
}

/// What is told of the past, in its order.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Unrecorded(Unrecorded),
    /// What follows, until the end of its time, isn't all that was recorded.
    Removed(Removed),
    Changed(Box<Changed>),
}

impl Reading {
    #[must_use]
    pub fn new(since_ms: UnixMillis, objects: bool) -> Self {
        let (gaps, removed, told) = Default::default();
        Self { since_ms, from: None, objects, gaps, removed, told }
    }

    #[must_use]
    pub fn since_ms(&self) -> UnixMillis {
        self.since_ms
    }

    #[must_use]
    pub fn question(&self) -> PastAsked {
        let Self { since_ms, from, objects, .. } = *self;
        PastAsked::Changes(ChangesAsked { since_ms, from, objects })
    }

    /// What an answer tells that wasn't told before. `is_last`: the present follows, so what isn't recorded still is told.
    pub fn answered(&mut self, answer: Changes, is_last: bool) -> Vec<Line> {
        let Changes { changes, end, more, unrecorded, still, removed, .. } = answer;
        self.from = Some(end);
        let mut gaps = unrecorded;
        gaps.retain(|gap| !self.gaps.contains(gap));
        gaps.sort_by_key(|gap| gap.to_ms);
        let mut gaps = gaps.into_iter().peekable();
        let mut removed: Vec<Removed> = removed.into_iter().filter(|it| !self.removed.contains(it)).collect();
        removed.sort_by_key(|it| it.from_ms);
        let mut removed = removed.into_iter().peekable();
        let mut lines = Vec::with_capacity(changes.len());
        for changed in changes {
            // What a list showed is how the time without a record ended, and comes a little before that end.
            let ends = |gap: &Unrecorded| {
                gap.to_ms <= changed.time_ms || changed.relisted && gap.from_ms < changed.time_ms
            };
            while let Some(gap) = gaps.next_if(ends) {
                self.gaps.push(gap.clone());
                lines.push(Line::Unrecorded(gap));
            }
            while let Some(begun) = removed.next_if(|it| it.from_ms <= changed.time_ms) {
                self.removed.push(begun.clone());
                lines.push(Line::Removed(begun));
            }
            if self.told.tell(&changed) {
                lines.push(Line::Changed(Box::new(changed)));
            }
        }
        if !more {
            let rest: Vec<_> = gaps.collect();
            self.gaps.extend(rest.iter().cloned());
            lines.extend(rest.into_iter().map(Line::Unrecorded));
            let rest: Vec<_> = removed.collect();
            self.removed.extend(rest.iter().cloned());
            lines.extend(rest.into_iter().map(Line::Removed));
            lines.extend(still.filter(|_| is_last).map(Line::Unrecorded));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use shared::frame::timeline::EntryType;
    use shared::past::Why;
    use shared::resource_version::ResourceVersion;
    use shared::row::{Row, RowId};

    use super::*;

    fn changed(kind: EntryType, number: u64, version: &str, time_ms: UnixMillis) -> Changed {
        let row = Row {
            id: RowId::from_hash(number << 4),
            resource_version: version.into(),
            namespace: Some("shop".into()),
            name: format!("cart-{number}").into(),
            created: None,
            cells: Vec::new(),
            extra: None,
        };
        Changed::of(kind, time_ms, row)
    }

    fn gap(from_ms: UnixMillis, to_ms: UnixMillis) -> Unrecorded {
        Unrecorded { from_ms, to_ms, why: Why::Down }
    }

    fn answer(changes: Vec<Changed>, unrecorded: Vec<Unrecorded>) -> Changes {
        let end = ChangesEnd { to_ms: 90, number: 7 };
        let (columns, more, since_ms, still, now_ms) = (Vec::new(), false, Some(1), Some(gap(91, 99)), 99);
        Changes { columns, changes, end, more, since_ms, unrecorded, still, removed: Vec::new(), now_ms }
    }

    #[test]
    fn gaps_stand_before_what_ended_them_and_the_one_that_lasts_before_the_present() {
        let mut reading = Reading::new(10, false);
        let changes = vec![changed(EntryType::Added, 1, "5", 20), changed(EntryType::Modified, 1, "9", 40)];
        let mut again = changes.clone();
        let told = reading.answered(answer(changes.clone(), vec![gap(60, 70), gap(20, 40)]), false);
        let [one, two] = changes.try_into().expect("two");
        let line = |changed| Line::Changed(Box::new(changed));
        let expected = [line(one), Line::Unrecorded(gap(20, 40)), line(two), Line::Unrecorded(gap(60, 70))];
        assert_eq!(told, expected);
        let PastAsked::Changes(next) = reading.question() else { panic!("changes") };
        assert_eq!(next.from, Some(ChangesEnd { to_ms: 90, number: 7 }), "it goes on there");
        // Versions that were told aren't told again.
        again.push(changed(EntryType::Deleted, 1, "12", 95));
        let last = reading.answered(answer(again, Vec::new()), true);
        let expected = [line(changed(EntryType::Deleted, 1, "12", 95)), Line::Unrecorded(gap(91, 99))];
        assert_eq!(last, expected);
    }

    #[test]
    fn a_gap_stands_before_what_the_list_after_it_showed_whichever_answer_that_is_in() {
        let mut reading = Reading::new(10, false);
        let relisted = |number| Changed { relisted: true, ..changed(EntryType::Added, number, "5", 38) };
        let page = |changes, more| Changes { more, ..answer(changes, vec![gap(15, 40)]) };
        let told = reading.answered(page(vec![changed(EntryType::Added, 1, "4", 20)], true), false);
        assert_eq!(told.len(), 1, "{told:?}");
        let told = reading.answered(page(vec![relisted(2)], true), false);
        assert_eq!(told.first(), Some(&Line::Unrecorded(gap(15, 40))));
        let told = reading.answered(page(vec![relisted(3)], false), false);
        assert_eq!(told, [Line::Changed(Box::new(relisted(3)))], "it was told");
    }

    #[test]
    fn what_was_removed_stands_once_before_the_first_change_of_its_time() {
        let removed = |from_ms, to_ms| {
            let (namespace, path) = (Some("shop".into()), Some(".spec.badge".into()));
            Removed { from_ms, to_ms, removed_ms: 95, namespace, path, masked: false }
        };
        let answer = |number, time_ms, more| {
            let changes = vec![changed(EntryType::Added, number, "5", time_ms)];
            Changes { more, removed: vec![removed(70, 80), removed(20, 60)], ..answer(changes, Vec::new()) }
        };
        let mut reading = Reading::new(10, false);
        let line = |number, time_ms| Line::Changed(Box::new(changed(EntryType::Added, number, "5", time_ms)));
        let told = reading.answered(answer(1, 15, true), false);
        assert_eq!(told, [line(1, 15)], "the time of it comes");
        let told = reading.answered(answer(2, 20, true), false);
        assert_eq!(told, [Line::Removed(removed(20, 60)), line(2, 20)]);
        // Where all versions of a time were removed, no change of it comes.
        let told = reading.answered(answer(3, 30, false), false);
        assert_eq!(told, [line(3, 30), Line::Removed(removed(70, 80))]);
        let told = reading.answered(answer(4, 99, false), true);
        assert_eq!(told, [line(4, 99), Line::Unrecorded(gap(91, 99))], "both were told");
    }

    #[test]
    fn each_version_is_told_by_the_record_or_by_the_live_view_and_never_by_both() {
        let [one, two, three, four] = [1, 2, 3, 4].map(|number| RowId::from_hash(number << 4));
        let version = ResourceVersion::new;
        let mut reading = Reading::new(0, false);
        let changes = vec![
            changed(EntryType::Added, 1, "5", 1),
            changed(EntryType::Modified, 2, "6", 2),
            changed(EntryType::Deleted, 3, "7", 3),
            // Later than the live view's first rows.
            changed(EntryType::Added, 4, "30", 4),
        ];
        reading.answered(answer(changes, Vec::new()), true);
        let told = &mut reading.told;
        assert!(!told.put(two, &version("6")), "the record told it");
        assert!(told.is_there(two) && told.put(two, &version("8")), "a later version");
        assert!(!told.put(three, &version("4")), "it has ended since");
        let holds = |row| row == two || row == three;
        let gone = told.settle(&version("20"), |_| true, holds);
        assert_eq!(gone, [(one, (Some("shop".into()), "cart-1".into()))], "it is gone, and nothing said so");
        assert!(told.is_there(four), "it comes");
        assert!(!told.put(four, &version("30")), "and was told already");
        assert!(told.put(four, &version("31")) && told.is_empty());
        // What ended in the record has ended.
        let mut reading = Reading::new(0, false);
        reading.answered(answer(vec![changed(EntryType::Deleted, 3, "7", 3)], Vec::new()), true);
        assert!(!reading.told.remove(three) && reading.told.remove(one));
    }
}
