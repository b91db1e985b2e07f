//! The client in a tokio task: it owns the socket, the timer and the clock, and does what [`Client`] asks.
//! Decisions are the client's alone.
//!
//! The caller waits for [`Driver::next`] among its own events, passes the input to [`Driver::handle`], and
//! then takes outputs from [`Driver::poll_output`] until there are none.

#[cfg(feature = "page-key")]
pub mod page_key;
mod socket;

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use shared::frame::client::Proof;
use shared::state::UnixMillis;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;

use crate::client::{Client, Input, Output};
use crate::limits::SEND_TIMEOUT_MS;
use crate::now::{MonotonicClock, Now};
use crate::observer::RowObserver;
pub use socket::{Socket, handshake, message};

/// A connection that opens, or a fragment of a sentence that says why it can't.
pub type Connecting<S> = Pin<Box<dyn Future<Output = Result<WebSocketStream<S>, String>> + Send>>;

type Prove = dyn FnMut(&str) -> Option<Proof> + Send;

/// The client beside its socket, its clock and its timer. It owns the client, and carries out what the client asks for:
/// it opens and closes the socket, sends frames and signs nonces. `dogwatch tail` and the viewers of the tests call it in a
/// loop.
pub struct Driver<S, O = ()> {
    client: Client<O>,
    connect: Box<dyn FnMut() -> Connecting<S> + Send>,
    chance: Box<dyn FnMut() -> f64 + Send>,
    /// Signs a nonce with the client's key; a client without one has none.
    prove: Box<Prove>,
    clock: MonotonicClock,
    wall_ms: fn() -> UnixMillis,
    transport: Transport<S>,
}

enum Transport<S> {
    Closed { connect_error: Option<String> },
    Opening(Connecting<S>),
    Open(Box<Socket<S>>),
}

impl<S: AsyncRead + AsyncWrite + Unpin, O: RowObserver> Driver<S, O> {
    /// Begins to connect. `chance` gives a number from 0 to below 1, new at each call.
    pub fn start(
        client: Client<O>,
        connect: impl FnMut() -> Connecting<S> + Send + 'static,
        chance: impl FnMut() -> f64 + Send + 'static,
    ) -> Self {
        let mut driver = Self {
            client,
            connect: Box::new(connect),
            chance: Box::new(chance),
            prove: Box::new(|_| None),
            clock: MonotonicClock::default(),
            wall_ms,
            transport: Transport::Closed { connect_error: None },
        };
        driver.handle(Input::Start);
        driver
    }

    /// With a key that signs a nonce for the gateway.
    #[must_use]
    pub fn with_key(mut self, prove: impl FnMut(&str) -> Option<Proof> + Send + 'static) -> Self {
        self.prove = Box::new(prove);
        self
    }

    /// Waits for what happens next at the socket or with the time. Sends what [`Driver::poll_output`] gave
    /// to the socket meanwhile. Cancel-safe.
    pub async fn next(&mut self) -> Input {
        let now_ms = self.now().now_ms;
        let timer = self.client.timer_ms().map(|at_ms| {
            let wait_ms = at_ms.saturating_sub(now_ms).max(0);
            Instant::now() + Duration::from_millis(wait_ms.unsigned_abs())
        });
        let send_deadline = match &self.transport {
            Transport::Open(socket) => socket.send_deadline(),
            Transport::Closed { .. } | Transport::Opening(_) => None,
        };
        tokio::select! {
            biased;
            () = until(send_deadline) => self.transport.close(None),
            () = until(timer) => Input::Timer,
            input = self.transport.next() => input,
        }
    }

    pub fn handle(&mut self, input: Input) {
        let now = self.now();
        self.client.handle(input, now);
    }

    /// Carries the client's next output out where it concerns the socket, and returns it in any case.
    pub fn poll_output(&mut self) -> Option<Output> {
        let output = self.client.poll_output()?;
        match (&output, &mut self.transport) {
            (Output::Connect, transport) => *transport = Transport::Opening((self.connect)()),
            (Output::Send(frame), Transport::Open(socket)) => socket.send(frame),
            (Output::Prove { nonce }, _) => {
                let proof = (self.prove)(nonce);
                self.handle(Input::Proved { nonce: nonce.clone(), proof });
            }
            (Output::Close { .. }, transport) => *transport = Transport::Closed { connect_error: None },
            _ => {}
        }
        Some(output)
    }

    #[must_use]
    pub fn client(&self) -> &Client<O> {
        &self.client
    }

    pub fn client_mut(&mut self) -> &mut Client<O> {
        &mut self.client
    }

    pub fn now(&mut self) -> Now {
        Now { now_ms: self.clock.now_ms((self.wall_ms)()), chance: (self.chance)() }
    }

    /// Why the last try to connect failed; `None` once there is another try.
    #[must_use]
    pub fn connect_error(&self) -> Option<&str> {
        match &self.transport {
            Transport::Closed { connect_error } => connect_error.as_deref(),
            Transport::Opening(_) | Transport::Open(_) => None,
        }
    }

    /// Says goodbye to the gateway, which would notice a connection that just ends as well. Another driver
    /// may continue with the client and its tokens.
    pub async fn close(mut self) -> Client<O> {
        self.handle(Input::Closed { code: None });
        while self.client.poll_output().is_some() {}
        if let Transport::Open(socket) = self.transport {
            let _ = tokio::time::timeout(SEND_TIMEOUT, socket.close()).await;
        }
        self.client
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Transport<S> {
    async fn next(&mut self) -> Input {
        match self {
            Self::Closed { .. } => std::future::pending().await,
            Self::Opening(connecting) => match connecting.await {
                Ok(stream) => {
                    *self = Self::Open(Box::new(Socket::new(stream)));
                    Input::Opened
                }
                Err(error) => {
                    *self = Self::Closed { connect_error: Some(error) };
                    Input::Closed { code: None }
                }
            },
            Self::Open(socket) => match socket.next().await {
                Input::Closed { code } => self.close(code),
                input => input,
            },
        }
    }

    fn close(&mut self, code: Option<u16>) -> Input {
        *self = Self::Closed { connect_error: None };
        Input::Closed { code }
    }
}

/// A socket that takes nothing for this long is closed.
const SEND_TIMEOUT: Duration = Duration::from_millis(SEND_TIMEOUT_MS);

/// The system's clock.
#[must_use]
pub fn wall_ms() -> UnixMillis {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}

/// Waits until then; `None`: for ever.
pub async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
