//! The Events of the pods whose logs are read, also while they are hidden. One that the API server has forgotten stays for as
//! long as the log is open, like its lines; what may not be seen any more is forgotten at once. Never where they stand.

use super::between::PodEvent;
use super::buffer::EventsOf;
use crate::limits::LOGS_EVENTS_MAX;

/// What is known of the Events of these pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventsTold {
    /// Those that there are now. The API server forgets an Event after an hour.
    Now(Vec<PodEvent>),
    /// They may not be seen, or not any more.
    Withdrawn,
}

#[derive(Debug, Default)]
pub(super) struct Events {
    /// The oldest first.
    held: Vec<PodEvent>,
    /// Told, and not taken in yet: a pause holds Events too.
    told: Option<Vec<PodEvent>>,
    /// How often what is held became another.
    times: u64,
}

impl Events {
    pub(super) fn tell(&mut self, told: EventsTold) {
        match told {
            EventsTold::Now(events) => self.told = Some(events),
            EventsTold::Withdrawn => self.forget(),
        }
    }

    /// Takes in what was told last.
    pub(super) fn take(&mut self) {
        let Some(told) = self.told.take() else { return };
        self.times += 1;
        // An Event that happened again takes the place of what was held of it.
        self.held.retain(|held| !told.iter().any(|told| told.row == held.row));
        self.held.extend(told);
        self.held.sort_by_key(|event| (event.at, event.row));
        let more = self.held.len().saturating_sub(LOGS_EVENTS_MAX);
        self.held.drain(..more);
    }

    pub(super) fn forget(&mut self) {
        *self = Self { times: self.times + 1, ..Self::default() };
    }

    /// Where it is the same, [`Events::of`] gives the same for these pods of one log.
    pub(super) fn which(&self, pods: &[&str]) -> EventsOf {
        EventsOf { told: self.times, pods: pods.len() }
    }

    /// Those of these pods.
    pub(super) fn of<'a>(&'a self, pods: &'a [&str]) -> impl Iterator<Item = &'a PodEvent> {
        self.held.iter().filter(|event| pods.contains(&&*event.pod))
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer::tests::event;
    use super::*;

    fn rows(events: &Events) -> Vec<(i64, u64)> {
        events.of(&["a"]).map(|event| (event.at.ms, event.count)).collect()
    }

    #[test]
    fn an_event_stays_when_it_is_told_no_more_and_goes_when_it_may_not_be_seen() {
        let mut events = Events::default();
        events.tell(EventsTold::Now(vec![event(2, 20, "Started", 1), event(1, 10, "BackOff", 1)]));
        assert!(rows(&events).is_empty(), "a pause");
        events.take();
        assert_eq!(rows(&events), [(10, 1), (20, 1)]);
        events.tell(EventsTold::Now(vec![event(1, 30, "BackOff", 2)]));
        events.take();
        assert_eq!(rows(&events), [(20, 1), (30, 2)], "one happened again, and one is forgotten");
        events.tell(EventsTold::Now(Vec::new()));
        events.take();
        assert_eq!(rows(&events), [(20, 1), (30, 2)]);
        assert_eq!(events.of(&["b"]).count(), 0, "the pod isn't read");
        events.tell(EventsTold::Withdrawn);
        assert!(rows(&events).is_empty(), "also in a pause");
    }

    #[test]
    fn the_oldest_events_go_beyond_the_bound() {
        let mut events = Events::default();
        for n in 1..=LOGS_EVENTS_MAX + 5 {
            let ms = i64::try_from(n).expect("few");
            events.tell(EventsTold::Now(vec![event(u64::try_from(n).expect("few"), ms, "Pulled", 1)]));
            events.take();
        }
        let held = rows(&events);
        assert_eq!((held.len(), held.first()), (LOGS_EVENTS_MAX, Some(&(6, 1))));
    }
}
