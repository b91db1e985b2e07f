//! The end of a connection: the last answer arrives even if the client still sends. A kernel that closes a
//! socket with unread bytes sends a reset, and the reset may overtake the answer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::sync::oneshot;

use super::allowance::ReadAllowance;
use crate::limits::LINGER_S;

/// A stream that is returned to its lender when this is dropped.
pub(super) struct Loan<S> {
    /// `Some` until it is dropped.
    stream: Option<S>,
    back: Option<oneshot::Sender<S>>,
    allowance: ReadAllowance,
}

pub(super) fn lend<S>(stream: S, allowance: ReadAllowance) -> (Loan<S>, oneshot::Receiver<S>) {
    let (back, returned) = oneshot::channel();
    (Loan { stream: Some(stream), back: Some(back), allowance }, returned)
}

/// Ends the sending side, and discards what the client still sends for [`LINGER_S`].
pub(super) async fn linger<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) {
    let rest = async {
        stream.shutdown().await?;
        let mut unread = [0; 4096];
        while stream.read(&mut unread).await? > 0 {}
        io::Result::Ok(())
    };
    // Close the connection after the grace period, even if the client still sends.
    drop(tokio::time::timeout(Duration::from_secs(LINGER_S), rest).await);
}

impl<S> Drop for Loan<S> {
    fn drop(&mut self) {
        if let (Some(stream), Some(back)) = (self.stream.take(), self.back.take()) {
            // An error means that the lender is gone; the stream is closed here.
            drop(back.send(stream));
        }
    }
}

impl<S: Unpin> Loan<S> {
    fn stream(&mut self) -> io::Result<Pin<&mut S>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Loan<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = to.filled().len();
        ready!(self.stream()?.poll_read(cx, to))?;
        Poll::Ready(self.allowance.spend(to.filled().len() - before))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Loan<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stream()?.poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream()?.poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }
}
