//! What a hub is built into: how it reaches a session, and the rules by which it continues or resets a
//! subscriber. The product keeps every rule; only the simulation replaces one, to show that the mistake
//! is found.

pub trait Host {
    /// How a session is reached.
    type Session;

    /// The horizon after the tombstone of the change `dropped` was given up.
    #[must_use]
    fn horizon(_before: u64, dropped: u64) -> u64 {
        dropped
    }

    /// Whether a subscriber may have missed deletes: those after its cursor, or after `start` where it
    /// began from nothing at `start`.
    #[must_use]
    fn needs_reset(horizon: u64, cursor: u64, start: u64) -> bool {
        horizon > cursor.max(start)
    }

    /// Whether a viewer that holds rows of this digest has exactly the rows of that one.
    #[must_use]
    fn holds_same_rows(held: u64, known: u64) -> bool {
        held == known
    }
}

/// A hub alone, for tests and benches.
impl Host for () {
    type Session = ();
}
