//! What a socket may send from one message to the next. The pieces of a message aren't counted as messages, so a
//! client that sends empty ones for ever is counted nowhere else.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::WS_MESSAGE_RAW_BYTES_MAX;

/// Shared by the connection, which reads bytes, and the socket on it, which hears messages.
#[derive(Clone)]
pub struct ReadAllowance(Arc<AtomicUsize>);

impl ReadAllowance {
    /// The allowance of a connection that isn't a WebSocket yet: HTTP has bounds of its own.
    pub(super) fn unlimited() -> Self {
        Self(Arc::new(AtomicUsize::new(usize::MAX)))
    }

    /// The connection became a socket, or a message came.
    pub fn renew(&self) {
        self.0.store(WS_MESSAGE_RAW_BYTES_MAX, Ordering::Relaxed);
    }

    /// # Errors
    /// Of the kind [`Self::USED_UP`].
    pub(super) fn spend(&self, bytes: usize) -> io::Result<()> {
        let left = self.0.load(Ordering::Relaxed);
        if left == usize::MAX {
            return Ok(());
        }
        let rest = left.checked_sub(bytes);
        self.0.store(rest.unwrap_or_default(), Ordering::Relaxed);
        rest.map(|_| ()).ok_or_else(|| Self::USED_UP.into())
    }

    /// The kind of this error. A socket's own errors never have it.
    pub(super) const USED_UP: io::ErrorKind = io::ErrorKind::QuotaExceeded;
}
