//! The end of a connection: what was said last arrives even where the client is still talking. A kernel
//! that closes over unread bytes sends a reset, and that may overtake the answer.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::sync::oneshot;

use crate::limits::LINGER_S;

/// A stream that comes back when whoever was given it is through with it.
pub(super) struct Lent<S> {
    /// Always there, until it is dropped.
    stream: Option<S>,
    back: Option<oneshot::Sender<S>>,
}

pub(super) fn lend<S>(stream: S) -> (Lent<S>, oneshot::Receiver<S>) {
    let (back, returned) = oneshot::channel();
    (Lent { stream: Some(stream), back: Some(back) }, returned)
}

/// Nothing more is said; what still comes is read away, for a moment.
pub(super) async fn linger<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) {
    let rest = async {
        stream.shutdown().await?;
        let mut unread = [0; 4096];
        while stream.read(&mut unread).await? > 0 {}
        io::Result::Ok(())
    };
    // Who goes on talking, or has gone already, has had its time.
    drop(tokio::time::timeout(Duration::from_secs(LINGER_S), rest).await);
}

impl<S> Drop for Lent<S> {
    fn drop(&mut self) {
        if let (Some(stream), Some(back)) = (self.stream.take(), self.back.take()) {
            // Nobody waits for it any more: it ends here.
            drop(back.send(stream));
        }
    }
}

impl<S: Unpin> Lent<S> {
    fn lent(&mut self) -> io::Result<Pin<&mut S>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lent<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.lent()?.poll_read(cx, to)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Lent<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.lent()?.poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.lent()?.poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.lent()?.poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.lent()?.poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }
}
