//! One connection between a browser and a gateway: in order, late, and cut at one end or at both.

use shared::frame::server::ServerFrame;

use crate::chance::Chance;
use crate::delayed::Delayed;

/// The state of the truth that a frame was made from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamp {
    pub(crate) branch: usize,
    /// When the API server gave the hub's last proof.
    pub(crate) proven_ms: i64,
    /// When the feed had asked for it.
    pub(crate) asked_ms: i64,
}

#[derive(Clone)]
pub(crate) enum ToClient {
    Opened,
    Frame { frame: Box<ServerFrame>, bytes: u64, stamp: Option<Stamp> },
    Unreadable { bytes: u64 },
    Closed(Option<u16>),
}

impl ToClient {
    fn bytes(&self) -> u64 {
        match self {
            Self::Frame { bytes, .. } | Self::Unreadable { bytes } => *bytes,
            Self::Opened | Self::Closed(_) => 0,
        }
    }
}

pub(crate) enum ToServer {
    Text(String),
    Closed,
}

pub(crate) struct Link {
    pub(crate) viewer: usize,
    pub(crate) gateway: usize,
    pub(crate) opened_ms: i64,
    latency_ms: (i64, i64),
    to_client: Delayed<ToClient>,
    to_server: Delayed<ToServer>,
    /// Nothing moves until then.
    pub(crate) stalled_until_ms: i64,
    pub(crate) client_open: bool,
    pub(crate) server_open: bool,
    /// The next rows can't be read.
    pub(crate) spoils: bool,
    /// The next rows come twice.
    pub(crate) repeats: bool,
    unsent_bytes: u64,
    /// An end that doesn't know it sends on, and all of that is lost.
    is_cut: bool,
    chance: Chance,
}

/// What a kernel takes of a socket that its reader doesn't empty.
const SEND_BUFFER_BYTES: u64 = 64 * 1024;

impl Link {
    pub(crate) fn new(
        (viewer, gateway): (usize, usize),
        opened_ms: i64,
        latency_ms: (i64, i64),
        chance: Chance,
    ) -> Self {
        Self {
            viewer,
            gateway,
            opened_ms,
            latency_ms,
            to_client: Delayed::default(),
            to_server: Delayed::default(),
            stalled_until_ms: 0,
            client_open: true,
            server_open: true,
            spoils: false,
            repeats: false,
            unsent_bytes: 0,
            is_cut: false,
            chance,
        }
    }

    /// Both ends are open, and what one sends reaches the other.
    pub(crate) fn is_whole(&self) -> bool {
        self.client_open && self.server_open && !self.is_cut
    }

    pub(crate) fn can_send(&self) -> bool {
        self.unsent_bytes < SEND_BUFFER_BYTES
    }

    fn due_ms(&mut self, now_ms: i64) -> i64 {
        now_ms + self.chance.between(self.latency_ms.0, self.latency_ms.1)
    }

    pub(crate) fn send_to_client(&mut self, message: ToClient, now_ms: i64) {
        let due_ms = self.due_ms(now_ms);
        self.unsent_bytes += message.bytes();
        if !self.is_cut {
            self.to_client.push(due_ms, message);
        }
    }

    pub(crate) fn send_to_server(&mut self, message: ToServer, now_ms: i64) {
        let due_ms = self.due_ms(now_ms);
        if !self.is_cut {
            self.to_server.push(due_ms, message);
        }
    }

    /// The server closes, or the connection breaks at its end.
    pub(crate) fn close_by_server(&mut self, code: Option<u16>, now_ms: i64) {
        self.server_open = false;
        self.send_to_client(ToClient::Closed(code), now_ms);
    }

    pub(crate) fn close_by_client(&mut self, now_ms: i64) {
        self.client_open = false;
        self.send_to_server(ToServer::Closed, now_ms);
    }

    /// `stopped_until_ms`: its gateway hears nothing until then.
    pub(crate) fn deadline_ms(&self, stopped_until_ms: i64) -> i64 {
        let client_ms = self.to_client.due_ms().filter(|_| self.client_open);
        let server_ms = self.to_server.due_ms().filter(|_| self.server_open);
        let server_ms = server_ms.map(|at_ms| at_ms.max(stopped_until_ms));
        let soonest = client_ms.into_iter().chain(server_ms).min();
        soonest.map_or(i64::MAX, |at_ms| at_ms.max(self.stalled_until_ms))
    }

    pub(crate) fn next_for_client(&mut self, now_ms: i64) -> Option<ToClient> {
        if self.stalled_until_ms > now_ms || !self.client_open {
            return None;
        }
        let message = self.to_client.pop_due(now_ms)?;
        self.unsent_bytes -= message.bytes();
        Some(message)
    }

    pub(crate) fn next_for_server(&mut self, now_ms: i64) -> Option<ToServer> {
        let is_moving = self.stalled_until_ms <= now_ms && self.server_open;
        if is_moving { self.to_server.pop_due(now_ms) } else { None }
    }

    /// Part of what is under way is lost with the connection. Each end that is told learns of it later.
    pub(crate) fn cut(&mut self, client_knows: bool, server_knows: bool, now_ms: i64) {
        let kept = self.chance.index(self.to_client.len() + 1);
        self.unsent_bytes -= self.to_client.keep_first(kept).map(|lost| lost.bytes()).sum::<u64>();
        let kept = self.chance.index(self.to_server.len() + 1);
        drop(self.to_server.keep_first(kept));
        if client_knows {
            self.send_to_client(ToClient::Closed(None), now_ms);
        }
        if server_knows {
            self.send_to_server(ToServer::Closed, now_ms);
        }
        self.is_cut = true;
    }
}
