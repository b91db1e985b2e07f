//! How many logs are read at a time, by each viewer and by all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shared::problem::{Problem, Reason};

use crate::access::Identity;
use crate::limits::{LOGS_MAX, LOGS_PER_IDENTITY_MAX};

/// Cheap to clone; all clones count together.
#[derive(Clone, Debug, Default)]
pub struct LogPlaces(Arc<Mutex<HashMap<Identity, usize>>>);

/// Held while a log is read.
#[derive(Debug)]
pub struct LogPlace {
    places: LogPlaces,
    identity: Identity,
}

impl LogPlaces {
    /// # Errors
    /// `Limit`: the viewer reads as many as one may, or all together do.
    pub fn take(&self, identity: &Identity) -> Result<LogPlace, Problem> {
        let mut readers = self.lock();
        let own = readers.get(identity).copied().unwrap_or_default();
        let refused = |message: String| Err(Problem::new(Reason::Limit, message));
        if own >= LOGS_PER_IDENTITY_MAX {
            return refused(format!("{} reads {own} logs at a time already; end one first", identity.name()));
        }
        if readers.values().sum::<usize>() >= LOGS_MAX {
            return refused(format!(
                "this gateway's viewers read {LOGS_MAX} logs at a time already; try again later"
            ));
        }
        readers.insert(identity.clone(), own + 1);
        Ok(LogPlace { places: self.clone(), identity: identity.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Identity, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LogPlace {
    fn drop(&mut self) {
        let mut readers = self.places.lock();
        let left = readers.get(&self.identity).copied().unwrap_or_default().saturating_sub(1);
        if left == 0 {
            readers.remove(&self.identity);
        } else {
            readers.insert(self.identity.clone(), left);
        }
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
        assert!(places.lock().is_empty(), "nobody is remembered");
        take("bob").expect("room again");
    }
}
