//! What passes between the parts: streams to feeds, deliveries past the oracle, frames over links.

use std::sync::Arc;

use gateway::hub::{Encoded, SubscriberKey};
use gateway::session::{Action, LoginLook};
use shared::codec;
use shared::frame::client::{Ack, ClientFrame};
use shared::frame::server::ServerFrame;

use super::check::REVOKED_MS;
use super::{Observed, START_MS, World};
use crate::chance::Chance;
use crate::defect::{self, Defect};
use crate::gateway::{Content, OpenedAtHub, Pulled};
use crate::guarantee::Violation;
use crate::oracle::{Broken, Context, SubscriptionOracle};
use crate::script::SETTLES_MS;
use crate::viewer::Request;
use crate::wire::{Link, Stamp, ToClient, ToServer};

impl World {
    pub(super) fn carry_chunks(&mut self) {
        let chunks = self.api.collect();
        for gateway in &mut self.gateways {
            gateway.receive(&chunks, self.now_ms);
        }
    }

    /// Every delivery is observed as it leaves its hub.
    pub(crate) fn observe_pulls(&mut self) -> Result<(), Violation> {
        for number in 0..self.gateways.len() {
            self.observe_opened(number);
            for pulled in std::mem::take(&mut self.gateways[number].pulled) {
                self.observe(number, &pulled)?;
            }
        }
        Ok(())
    }

    fn observe_opened(&mut self, number: usize) {
        for opened in std::mem::take(&mut self.gateways[number].opened) {
            if let Some(observed) = self.sessions.get_mut(&opened.session) {
                observed.opened(&opened);
            }
        }
    }

    fn observe(&mut self, number: usize, pulled: &Pulled) -> Result<(), Violation> {
        let Some(observed) = self.sessions.get_mut(&pulled.session) else { return Ok(()) };
        let Content::Delivery(messages) = &pulled.content else {
            observed.forbidden(pulled.key);
            return Ok(());
        };
        let gateway = &mut self.gateways[number];
        let tombstones = gateway.options().bounds.tombstones as u64;
        let Some(watched) = gateway.watched.get_mut(&pulled.hub) else { return Ok(()) };
        let stamp = Stamp {
            branch: pulled.state.branch,
            proven_ms: watched.memory.proven_ms,
            asked_ms: watched.memory.asked_ms,
        };
        // While the API server is out of reach, no gateway can learn of it.
        let network = &gateway.network;
        let asks_since_ms = network.trouble.map_or(network.healed_ms, |_| self.now_ms);
        let is_past = |since_ms: i64| self.now_ms - since_ms.max(asks_since_ms) > REVOKED_MS;
        let revoked = self.forbidden.filter(|it| is_past(it.since_ms));
        for message in messages {
            let Some(frame) = defect::decode(message) else {
                observed.stamps.push((message.clone(), stamp));
                continue;
            };
            if self.is_traced {
                let at_ms = self.now_ms - START_MS;
                eprintln!("{at_ms:>7} ms  gateway {number}, session {}: {frame:?}", pulled.session);
            }
            let mut context = Context {
                truth: &self.api.truth,
                hub: &mut watched.memory,
                state: pulled.state,
                counts: &mut self.counts,
                tombstones,
                forbidden: revoked.map(|it| it.revision),
            };
            if let Err((guarantee, what)) = observed.check(pulled.key, &frame, &mut context) {
                return Err(self.violation(guarantee, format!("session {}: {what}", pulled.session)));
            }
            let of_cut = observed.oracles.get(&pulled.key).and_then(SubscriptionOracle::branch);
            let branch = of_cut.unwrap_or(stamp.branch);
            observed.stamps.push((message.clone(), Stamp { branch, ..stamp }));
        }
        Ok(())
    }

    pub(super) fn carry_links(&mut self) -> Result<(), Violation> {
        let ids: Vec<u64> = self.links.keys().copied().collect();
        for id in ids {
            self.hear_link(id);
            self.observe_pulls()?;
            self.write_link(id);
            let Some(link) = self.links.get_mut(&id) else { continue };
            let viewer = link.viewer;
            while let Some(message) = link.next_for_client(self.now_ms) {
                if matches!(message, ToClient::Closed(_)) {
                    link.client_open = false;
                }
                if self.viewers[viewer].link == Some(id) {
                    self.viewers[viewer].inbox.push_back(message);
                }
            }
            self.write_link(id);
            if !self.links.get(&id).is_some_and(|link| link.client_open || link.server_open) {
                self.links.remove(&id);
            }
        }
        Ok(())
    }

    /// What has arrived at the gateway.
    fn hear_link(&mut self, id: u64) {
        if self.is_stopped(id) {
            return;
        }
        while let Some(message) = self.links.get_mut(&id).and_then(|link| link.next_for_server(self.now_ms)) {
            match message {
                ToServer::Text(text) => self.hear(id, &text),
                ToServer::Closed => self.end_session(id, None),
            }
        }
        let gateway = self.links.get(&id).map_or(0, |link| link.gateway);
        if let Some(close) = self.gateways[gateway].apply(id, Action::Deadline(LoginLook::Same), self.now_ms)
        {
            self.end_session(id, Some(close.code));
        }
    }

    fn hear(&mut self, id: u64, text: &str) {
        let Some(link) = self.links.get(&id) else { return };
        let number = link.gateway;
        let frame = codec::decode_client(text).ok();
        let gateway = &mut self.gateways[number];
        match &frame {
            Some(ClientFrame::Hello(_)) => {
                gateway.enter(id, self.now_ms);
                return;
            }
            Some(ClientFrame::Ack(Ack { bytes })) => {
                if let Some(session) = gateway.sessions.get_mut(&id) {
                    session.acknowledged_bytes =
                        session.acknowledged_bytes.max((*bytes).min(session.sent_bytes));
                }
                if self.defect == Some(Defect::AckIgnored) {
                    return;
                }
            }
            // As if the session forgot the review and kept the subscription.
            Some(ClientFrame::Unsubscribe(unsubscribe))
                if self.defect == Some(Defect::ForgottenGrantOpened)
                    && gateway.effects.forget_in_vain(id, unsubscribe.id) =>
            {
                return;
            }
            Some(ClientFrame::Subscribe(subscribe)) => {
                if let Some(observed) = self.sessions.get_mut(&id)
                    && let Some(start) = observed.starts.remove(&subscribe.id)
                {
                    observed.fresh.insert(subscribe.id, SubscriptionOracle::new(start));
                }
            }
            _ => {}
        }
        let close = gateway.apply(id, Action::Text(text), self.now_ms);
        self.observe_opened(number);
        if let Some(close) = close {
            self.end_session(id, Some(close.code));
        }
    }

    fn end_session(&mut self, id: u64, code: Option<u16>) {
        let Some(link) = self.links.get_mut(&id) else { return };
        link.close_by_server(code, self.now_ms);
        self.gateways[link.gateway].leave(id, self.now_ms);
        self.sessions.remove(&id);
    }

    /// Whether the gateway at its end is stopped.
    fn is_stopped(&self, id: u64) -> bool {
        self.links.get(&id).is_some_and(|link| self.gateways[link.gateway].stopped_until_ms > self.now_ms)
    }

    /// As much as the socket takes.
    fn write_link(&mut self, id: u64) {
        if self.is_stopped(id) {
            return;
        }
        let Self { links, gateways, sessions, now_ms, calm_after_ms, defect, .. } = self;
        let Some(link) = links.get_mut(&id).filter(|link| link.server_open) else { return };
        let gateway = &mut gateways[link.gateway];
        while link.can_send() {
            let Some(session) = gateway.sessions.get_mut(&id) else { return };
            let Some(message) = session.protocol.next_message() else { return };
            session.sent_bytes += message.bytes.len() as u64;
            if *defect == Some(Defect::CreditNotSpent) {
                let ack = serde_json::to_string(&ClientFrame::Ack(Ack { bytes: u64::MAX })).expect("JSON");
                gateway.apply(id, Action::Text(&ack), *now_ms);
            }
            let stamp = sessions.get_mut(&id).and_then(|observed| observed.stamp_of(&message));
            let bytes = message.bytes.len() as u64;
            let frame = defect::decode(&message).map(Box::new).expect("a frame of ours can be read");
            let is_rows = matches!(*frame, ServerFrame::Rows(_));
            let mut sent = ToClient::Frame { frame, bytes, stamp };
            if is_rows && std::mem::take(&mut link.spoils) {
                // The disturbance begins now, however long ago the script asked for it.
                *calm_after_ms = (*calm_after_ms).max(*now_ms + SETTLES_MS);
                sent = ToClient::Unreadable { bytes };
            } else if is_rows && std::mem::take(&mut link.repeats) {
                link.send_to_client(sent.clone(), *now_ms);
            }
            link.send_to_client(sent, *now_ms);
            gateway.apply(id, Action::Written, *now_ms);
        }
    }

    pub(super) fn step_viewers(&mut self) -> Result<(), Violation> {
        for viewer in 0..self.viewers.len() {
            let cuts = self.viewers[viewer].step(self.now_ms);
            self.check_cuts(viewer, &cuts)?;
            self.carry_out(viewer);
        }
        Ok(())
    }

    /// Does what a viewer's client asks of its driver.
    pub(super) fn carry_out(&mut self, viewer: usize) {
        let now_ms = self.now_ms;
        for request in self.viewers[viewer].take_requests() {
            match request {
                Request::Connect => self.connect(viewer),
                Request::Send(text, start) => {
                    let Some(id) = self.viewers[viewer].link else { continue };
                    if let Some(start) = start {
                        self.sessions.entry(id).or_default().starts.insert(start.id, start);
                    }
                    if let Some(link) = self.links.get_mut(&id) {
                        link.send_to_server(ToServer::Text(text), now_ms);
                    }
                }
                Request::Close => self.close(viewer),
            }
        }
    }

    fn close(&mut self, viewer: usize) {
        let viewer = &mut self.viewers[viewer];
        if let Some(link) = viewer.link.take().and_then(|id| self.links.get_mut(&id)) {
            link.close_by_client(self.now_ms);
        }
        viewer.inbox.clear();
    }

    /// The former socket is closed. Any of the gateways may answer, as behind a load balancer.
    fn connect(&mut self, viewer: usize) {
        self.close(viewer);
        let now_ms = self.now_ms;
        let number = self.chance.index(self.gateways.len());
        let gateway = &self.gateways[number];
        let id = self.next_link;
        self.next_link += 1;
        let chance = Chance::new(self.seed, 1_000 + id);
        let mut link = Link::new((viewer, number), now_ms, self.script.wire_ms, chance);
        if gateway.down_until_ms.is_some() {
            link.close_by_server(None, now_ms);
        } else {
            // The kernel takes the connection; the gateway answers it.
            link.send_to_client(ToClient::Opened, now_ms.max(gateway.stopped_until_ms));
        }
        self.links.insert(id, link);
        self.sessions.insert(id, Observed::default());
        self.viewers[viewer].link = Some(id);
    }
}

impl Observed {
    /// A hub has the subscription: a new one, or one that was moved to the feed of a namespace.
    fn opened(&mut self, opened: &OpenedAtHub) {
        let before = self.keys.insert(opened.id, opened.key);
        let moved = || {
            let left = self.oracles.remove(&before?);
            self.forbidden.remove(&before?).or(left)
        };
        if let Some(mut oracle) = self.fresh.remove(&opened.id).or_else(moved) {
            if opened.is_granted_anew {
                oracle = oracle.granted_anew(opened.id);
            }
            oracle.begin(opened.state);
            self.oracles.insert(opened.key, oracle);
        }
    }

    fn forbidden(&mut self, key: SubscriberKey) {
        let oracle = self.oracles.get(&key).cloned();
        self.forbidden.extend(oracle.map(|oracle| (key, oracle)));
    }

    fn check(
        &mut self,
        key: SubscriberKey,
        frame: &ServerFrame,
        context: &mut Context<'_>,
    ) -> Result<(), Broken> {
        let Some(oracle) = self.oracles.get_mut(&key) else { return Ok(()) };
        match frame {
            ServerFrame::Subscribed(answer) => oracle.subscribed(answer, context),
            ServerFrame::Rows(rows) => return oracle.rows(rows, context),
            ServerFrame::Sync(sync) => return oracle.sync(sync, context),
            _ => {}
        }
        Ok(())
    }

    fn stamp_of(&mut self, message: &Arc<Encoded>) -> Option<Stamp> {
        let at = self.stamps.iter().position(|(of, _)| Arc::ptr_eq(of, message))?;
        // What stood before it was dropped with its subscription.
        self.stamps.drain(..=at).next_back().map(|(_, stamp)| stamp)
    }
}
