//! Whether this program has broken. What the browser still calls of it then does nothing: its state may be half written,
//! and an element's page begins another program in its place.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_STOPPED: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Relaxed)
}

pub(crate) fn stop() {
    IS_STOPPED.store(true, Ordering::Relaxed);
}

/// A panic is said in the console, and stops the program.
pub(crate) fn follow_panics() {
    std::panic::set_hook(Box::new(|panic| {
        stop();
        console_error_panic_hook::hook(panic);
    }));
}
