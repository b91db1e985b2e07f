//! Collects what a test's own thread logs, so that the test can check it. Never in the product.

use std::cell::RefCell;
use std::io;
use std::sync::Once;

thread_local! {
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes to the buffer of the thread that logs.
struct ThreadLog;

impl io::Write for ThreadLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Collects what this thread logs from now on.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let subscriber = tracing_subscriber::fmt().with_writer(|| ThreadLog).with_ansi(false).finish();
        tracing::subscriber::set_global_default(subscriber).expect("the only subscriber");
        // Another thread may have passed a log line before, and cached that no subscriber wants it.
        tracing::callsite::rebuild_interest_cache();
    });
    LOGGED.with_borrow_mut(Vec::clear);
}

/// The lines since then that hold this text.
pub(crate) fn lines_with(text: &str) -> Vec<String> {
    let logged = LOGGED.with_borrow(Clone::clone);
    let logged = String::from_utf8_lossy(&logged);
    logged.lines().filter(|line| line.contains(text)).map(str::to_owned).collect()
}
