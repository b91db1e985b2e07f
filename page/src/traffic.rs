//! The bytes that came over the socket: in all, and in the last second.

use shared::state::UnixMillis;

#[derive(Default)]
pub(crate) struct Traffic {
    pub(crate) received: u64,
    /// The current second and its bytes so far.
    this_second: (i64, u64),
    /// The bytes of the last whole second.
    pub(crate) last_second: u64,
}

impl Traffic {
    pub(crate) fn note(&mut self, bytes: u64, now_ms: UnixMillis) {
        self.received += bytes;
        self.turn(now_ms);
        self.this_second.1 += bytes;
    }

    pub(crate) fn turn(&mut self, now_ms: UnixMillis) {
        let second = now_ms.div_euclid(1_000);
        if self.this_second.0 != second {
            self.last_second = if self.this_second.0 + 1 == second { self.this_second.1 } else { 0 };
            self.this_second = (second, 0);
        }
    }
}
