//! A connection that can be frozen: its bytes are neither read nor written, and it stays open, as if
//! the process behind it were stopped. It never closes anything.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::cluster::lock;

#[derive(Debug, Default)]
pub(crate) struct Connection {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Open,
    Frozen(Vec<Waker>),
}

impl Connection {
    pub(crate) fn freeze(&self) {
        let mut state = self.state();
        if matches!(*state, State::Open) {
            *state = State::Frozen(Vec::new());
        }
    }

    pub(crate) fn thaw(&self) {
        if let State::Frozen(wakers) = std::mem::take(&mut *self.state()) {
            wakers.into_iter().for_each(Waker::wake);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn poll_open(&self, context: &Context<'_>) -> Poll<()> {
        match &mut *self.state() {
            State::Open => Poll::Ready(()),
            State::Frozen(wakers) => {
                if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                    wakers.push(context.waker().clone());
                }
                Poll::Pending
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct ConnectionIo {
    stream: TcpStream,
    connection: Arc<Connection>,
}

impl ConnectionIo {
    pub(super) fn new(stream: TcpStream, connection: Arc<Connection>) -> Self {
        Self { stream, connection }
    }
}

impl AsyncRead for ConnectionIo {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.connection.poll_open(context));
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for ConnectionIo {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.connection.poll_open(context));
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.connection.poll_open(context));
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.connection.poll_open(context));
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
