//! One connection between a browser and a gateway: in order, late, and cut at one end or at both.

use std::collections::VecDeque;

use shared::frame::server::ServerFrame;

use crate::chance::Chance;

/// What of the truth a frame was made of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamp {
    pub(crate) branch: usize,
    pub(crate) proven_ms: i64,
}

pub(crate) enum ToClient {
    Opened,
    Frame { frame: Box<ServerFrame>, bytes: u64, stamp: Option<Stamp> },
    Unreadable { bytes: u64 },
    Closed(Option<u16>),
}

pub(crate) struct Link {
    pub(crate) viewer: usize,
    pub(crate) gateway: usize,
    latency_ms: (i64, i64),
    to_client: VecDeque<(i64, ToClient)>,
    to_server: VecDeque<(i64, ToServer)>,
    /// Nothing moves until then.
    pub(crate) stalled_until_ms: i64,
    pub(crate) client_open: bool,
    pub(crate) server_open: bool,
    /// The next rows can't be read.
    pub(crate) spoils: bool,
    /// The next rows come twice.
    pub(crate) repeats: bool,
    unsent_bytes: u64,
    /// Whoever doesn't know goes on, into the void.
    is_cut: bool,
    chance: Chance,
}

pub(crate) enum ToServer {
    Text(String),
    Closed,
}

/// What a kernel takes of a socket that its reader doesn't empty.
const SEND_BUFFER_BYTES: u64 = 64 * 1024;

impl Link {
    pub(crate) fn new(viewer: usize, gateway: usize, latency_ms: (i64, i64), chance: Chance) -> Self {
        Self {
            viewer,
            gateway,
            latency_ms,
            to_client: VecDeque::new(),
            to_server: VecDeque::new(),
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

    pub(crate) fn can_send(&self) -> bool {
        self.unsent_bytes < SEND_BUFFER_BYTES
    }

    fn due_ms(&mut self, now_ms: i64, last_ms: Option<i64>) -> i64 {
        let (low, high) = self.latency_ms;
        (now_ms + self.chance.between(low, high)).max(last_ms.unwrap_or(i64::MIN))
    }

    pub(crate) fn send_to_client(&mut self, message: ToClient, now_ms: i64) {
        let due_ms = self.due_ms(now_ms, self.to_client.back().map(|(at_ms, _)| *at_ms));
        self.unsent_bytes += bytes(&message);
        if !self.is_cut {
            self.to_client.push_back((due_ms, message));
        }
    }

    pub(crate) fn send_to_server(&mut self, message: ToServer, now_ms: i64) {
        let due_ms = self.due_ms(now_ms, self.to_server.back().map(|(at_ms, _)| *at_ms));
        if !self.is_cut {
            self.to_server.push_back((due_ms, message));
        }
    }

    /// Its gateway hears nothing until then.
    pub(crate) fn deadline_ms(&self, stopped_until_ms: i64) -> i64 {
        let client_ms = self.to_client.front().filter(|_| self.client_open).map(|(at_ms, _)| *at_ms);
        let server_ms = self
            .to_server
            .front()
            .filter(|_| self.server_open)
            .map(|(at_ms, _)| at_ms.max(&stopped_until_ms));
        let server_ms = server_ms.copied();
        let soonest = client_ms.into_iter().chain(server_ms).min();
        soonest.map_or(i64::MAX, |at_ms| at_ms.max(self.stalled_until_ms))
    }

    pub(crate) fn next_for_client(&mut self, now_ms: i64) -> Option<ToClient> {
        if self.stalled_until_ms > now_ms || !self.client_open {
            return None;
        }
        let (_, message) = self.to_client.pop_front_if(|(at_ms, _)| *at_ms <= now_ms)?;
        self.unsent_bytes -= bytes(&message);
        Some(message)
    }

    pub(crate) fn next_for_server(&mut self, now_ms: i64) -> Option<ToServer> {
        if self.stalled_until_ms > now_ms || !self.server_open {
            return None;
        }
        Some(self.to_server.pop_front_if(|(at_ms, _)| *at_ms <= now_ms)?.1)
    }

    /// Part of what is under way is lost with the connection; each end learns of it in its time.
    pub(crate) fn cut(&mut self, client_knows: bool, server_knows: bool, now_ms: i64) {
        let kept = self.chance.index(self.to_client.len() + 1);
        for (_, lost) in self.to_client.drain(kept..) {
            self.unsent_bytes -= bytes(&lost);
        }
        let kept = self.chance.index(self.to_server.len() + 1);
        self.to_server.truncate(kept);
        if client_knows {
            self.send_to_client(ToClient::Closed(None), now_ms);
        }
        if server_knows {
            self.send_to_server(ToServer::Closed, now_ms);
        }
        self.is_cut = true;
    }
}

fn bytes(message: &ToClient) -> u64 {
    match message {
        ToClient::Frame { bytes, .. } | ToClient::Unreadable { bytes } => *bytes,
        ToClient::Opened | ToClient::Closed(_) => 0,
    }
}
