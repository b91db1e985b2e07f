//! How many logs are read at a time, by each viewer and by all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use shared::problem::{Problem, Reason};

use super::pace::Pace;
use crate::access::Identity;
use crate::limits::{LOGS_MAX, LOGS_PER_IDENTITY_MAX};

/// Cheap to clone; all clones count together.
#[derive(Clone, Debug)]
pub struct LogPlaces(Arc<Mutex<Readers>>);

#[derive(Debug)]
struct Readers {
    viewers: HashMap<Identity, Viewer>,
    /// The logs that are read at API servers.
    logs: usize,
    started: Instant,
}

#[derive(Debug, Default)]
struct Viewer {
    logs: usize,
    pace: Pace,
}

/// Held while a viewer reads a log.
#[derive(Debug)]
pub struct LogPlace {
    places: LogPlaces,
    identity: Identity,
    log: Option<UpstreamPlace>,
}

/// Held while a log is read at an API server.
#[derive(Debug)]
pub struct UpstreamPlace(LogPlaces);

impl Default for LogPlaces {
    fn default() -> Self {
        let readers = Readers { viewers: HashMap::new(), logs: 0, started: Instant::now() };
        Self(Arc::new(Mutex::new(readers)))
    }
}

impl LogPlaces {
    /// For a log that this viewer alone reads.
    ///
    /// # Errors
    /// `Limit`: the viewer reads as many as one may, or all together do.
    pub fn take(&self, identity: &Identity) -> Result<LogPlace, Problem> {
        let mut place = self.take_shared(identity)?;
        place.log = Some(self.take_upstream()?);
        Ok(place)
    }

    /// For a log that is read for several viewers: who reads it at the API server [has a place](Self::take_upstream) by
    /// itself.
    ///
    /// # Errors
    /// `Limit`: the viewer reads as many as one may.
    pub fn take_shared(&self, identity: &Identity) -> Result<LogPlace, Problem> {
        let mut readers = self.lock();
        let own = readers.viewers.entry(identity.clone()).or_default();
        if own.logs >= LOGS_PER_IDENTITY_MAX {
            let message =
                format!("{} reads {} logs at a time already; end one first", identity.name(), own.logs);
            return Err(Problem::new(Reason::Limit, message));
        }
        own.logs += 1;
        Ok(LogPlace { places: self.clone(), identity: identity.clone(), log: None })
    }

    /// # Errors
    /// `Limit`: all viewers together read as many as they may.
    pub fn take_upstream(&self) -> Result<UpstreamPlace, Problem> {
        let mut readers = self.lock();
        if readers.logs >= LOGS_MAX {
            let message =
                format!("this gateway's viewers read {LOGS_MAX} logs at a time already; try again later");
            return Err(Problem::new(Reason::Limit, message));
        }
        readers.logs += 1;
        Ok(UpstreamPlace(self.clone()))
    }

    /// The viewer is told so many bytes. How long the next ones have to wait.
    pub fn spend(&self, identity: &Identity, bytes: usize) -> Duration {
        let mut readers = self.lock();
        let now = readers.started.elapsed();
        let Some(viewer) = readers.viewers.get_mut(identity) else { return Duration::ZERO };
        viewer.pace.spend(bytes, now);
        viewer.pace.wait(now)
    }

    fn lock(&self) -> MutexGuard<'_, Readers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LogPlace {
    fn drop(&mut self) {
        // By itself, because it takes the same lock.
        drop(self.log.take());
        let mut readers = self.places.lock();
        let Some(viewer) = readers.viewers.get_mut(&self.identity) else { return };
        viewer.logs = viewer.logs.saturating_sub(1);
        if viewer.logs == 0 {
            readers.viewers.remove(&self.identity);
        }
    }
}

impl Drop for UpstreamPlace {
    fn drop(&mut self) {
        let mut readers = self.0.lock();
        readers.logs = readers.logs.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Identity {
        Identity::new(name).expect("a name")
    }

    #[test]
    fn r_net_8_a_viewer_reads_so_many_logs_at_a_time_and_all_together_so_many() {
        let places = LogPlaces::default();
        let take = |name: &str| places.take(&named(name));
        let mut held: Vec<_> = (0..LOGS_PER_IDENTITY_MAX).map(|_| take("ada").expect("room")).collect();
        assert_eq!(take("ada").expect_err("one too many").reason, Reason::Limit);
        held.pop();
        held.push(take("ada").expect("one was given back"));
        for number in held.len()..LOGS_MAX {
            held.push(take(&format!("viewer-{number}")).expect("room"));
        }
        let problem = take("bob").expect_err("one too many");
        assert!(problem.message.contains("200 logs"), "{problem}");
        held.clear();
        assert!(places.lock().viewers.is_empty(), "nobody is remembered");
        assert_eq!(places.lock().logs, 0);
        take("bob").expect("room again");
    }

    #[test]
    fn viewers_who_share_a_log_count_by_themselves_and_the_log_counts_once() {
        let places = LogPlaces::default();
        let log = places.take_upstream().expect("room");
        let shared: Vec<_> = (0..LOGS_MAX + 1)
            .map(|number| places.take_shared(&named(&format!("viewer-{number}"))).expect("room"))
            .collect();
        assert_eq!(places.lock().viewers.len(), shared.len());
        assert_eq!(places.lock().logs, 1);
        drop(log);
        assert_eq!(places.lock().logs, 0);
    }
}
