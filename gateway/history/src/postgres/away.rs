//! A database that doesn't answer: whoever asks next isn't kept waiting as well. Pure: time is an argument.

use std::time::{Duration, Instant};

use crate::store::StoreError;

/// The last failure to connect that took a while.
#[derive(Default)]
pub(super) struct Away {
    last: Option<(Instant, StoreError)>,
}

/// A refusal that comes at once costs nothing, and the next try may succeed.
const SLOW: Duration = Duration::from_secs(1);
/// Shorter than the time between two tries of a keeper.
const BELIEVED: Duration = Duration::from_secs(10);

impl Away {
    pub(super) fn note(&mut self, begun: Instant, now: Instant, why: &StoreError) {
        if now.duration_since(begun) >= SLOW {
            self.last = Some((now, why.clone()));
        }
    }

    /// Why no connection is tried now.
    pub(super) fn why(&self, now: Instant) -> Option<StoreError> {
        let (at, why) = self.last.as_ref()?;
        (now.duration_since(*at) < BELIEVED).then(|| why.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_failure_that_took_a_while_is_believed_for_a_while() {
        let (begun, why) = (Instant::now(), StoreError("it doesn't answer".into()));
        let after = |ms| begun + Duration::from_millis(ms);
        let mut away = Away::default();
        away.note(begun, after(20), &why);
        assert_eq!(away.why(after(21)), None);
        away.note(begun, after(3_000), &why);
        assert_eq!((away.why(after(12_900)), away.why(after(13_100))), (Some(why), None));
    }
}
