//! A running `dogwatch tail` of a gateway of a test, which fails with it.

use std::ops::Deref;

use testkit::dogwatch::Dogwatch;
use testkit::tail;

pub struct Tail(tail::Tail);

impl Tail {
    pub fn of(gateway: &Dogwatch, arguments: &[&str]) -> Self {
        Self(tail::Tail::start(gateway.tail_command(arguments)).expect("started"))
    }

    /// Reads its lines until they are as expected. No object's resourceVersion goes back.
    pub fn until(&mut self, expected: impl Fn(&tail::Tail) -> bool) {
        self.0.until(expected).expect("as expected");
    }
}

impl Deref for Tail {
    type Target = tail::Tail;

    fn deref(&self) -> &tail::Tail {
        &self.0
    }
}
