//! What was logged in a test's own thread: so a test can ask whether anybody was told. Never in what
//! users get.

use std::cell::RefCell;
use std::io;
use std::sync::Once;

thread_local! {
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// To whichever test's thread it is that logs.
struct Here;

impl io::Write for Here {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// From now on, and nothing of before.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let subscriber = tracing_subscriber::fmt().with_writer(|| Here).with_ansi(false).finish();
        tracing::subscriber::set_global_default(subscriber).expect("nobody else listens");
        // Another thread may have come by a line while nobody listened, and believe so still.
        tracing::callsite::rebuild_interest_cache();
    });
    LOGGED.with_borrow_mut(Vec::clear);
}

/// The lines since.
pub(crate) fn lines() -> Vec<String> {
    let logged = LOGGED.with_borrow(Clone::clone);
    String::from_utf8_lossy(&logged).lines().map(str::to_owned).collect()
}

/// Of those lines, the ones with these words.
pub(crate) fn lines_with(words: &str) -> Vec<String> {
    lines().into_iter().filter(|line| line.contains(words)).collect()
}
