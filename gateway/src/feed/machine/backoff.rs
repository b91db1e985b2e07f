//! Pauses between tries: doubling, with full jitter, bounded. The seed is an argument.

use fastrand::Rng;
use shared::state::UnixMillis;

use crate::feed::FeedOptions;
use crate::limits::BACKOFF_UNWATCHED_MAX_MS;

#[derive(Debug)]
pub(super) struct Backoff {
    attempts: u32,
    random: Rng,
    /// Whether the feed has viewers: pauses are shorter then.
    pub(super) is_watched: bool,
    /// When the last pause ends.
    pub(super) ends_ms: Option<UnixMillis>,
}

impl Backoff {
    pub(super) fn new(seed: u64) -> Self {
        Self { attempts: 0, random: Rng::with_seed(seed), is_watched: true, ends_ms: None }
    }

    pub(super) fn reset(&mut self) {
        self.attempts = 0;
    }

    /// A random pause up to the bound of this try, so that many connections that broke at once don't come
    /// back at once.
    pub(super) fn next_ms(&mut self, options: &FeedOptions) -> i64 {
        let doubled = options.backoff_first_ms.saturating_mul(1_i64 << self.attempts.min(30));
        let longest_ms = if self.is_watched { options.backoff_max_ms } else { BACKOFF_UNWATCHED_MAX_MS };
        let bound = doubled.clamp(1, longest_ms.max(1));
        self.attempts = self.attempts.saturating_add(1);
        self.random.i64(0..bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_bound_and_begin_anew_after_a_reset() {
        let options = FeedOptions::default();
        let mut backoff = Backoff::new(1);
        let mut bounds = Vec::new();
        for expected in [800, 1_600, 3_200, 6_400, 10_000, 10_000] {
            let pause = backoff.next_ms(&options);
            assert!((0..expected).contains(&pause), "{pause} of {expected}");
            bounds.push(pause);
        }
        assert!(bounds.windows(2).any(|pair| pair[0] != pair[1]), "jittered: {bounds:?}");
        backoff.reset();
        assert!(backoff.next_ms(&options) < 800);
        backoff.is_watched = false;
        let longest = (0..1_000).map(|_| backoff.next_ms(&options)).max();
        assert!(longest.is_some_and(|pause| (20_000..30_000).contains(&pause)), "{longest:?}");
    }
}
