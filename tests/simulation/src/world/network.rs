//! What passes between the parts: streams to feeds, deliveries past the oracle, frames over links.

use gateway::hub::SubscriberKey;
use gateway::session::Action;
use shared::codec;
use shared::frame::client::{Ack, ClientFrame};
use shared::frame::server::ServerFrame;

use super::{Followed, START_MS, World};
use crate::chance::Chance;
use crate::defect::{self, Defect};
use crate::gateway::{Opened, Pulled};
use crate::guarantee::Violation;
use crate::oracle::{Court, Witness};
use crate::script::SETTLES_MS;
use crate::viewer::Wish;
use crate::wire::{Link, Stamp, ToClient, ToServer};

impl World {
    pub(super) fn link_of(&mut self, viewer: usize) -> Option<&mut Link> {
        self.links.get_mut(&self.viewers[viewer].link?)
    }

    pub(super) fn carry_said(&mut self) {
        let said = self.api.collect();
        if !said.is_empty() {
            for gateway in &mut self.gateways {
                gateway.said(&said, self.now_ms);
            }
        }
    }

    /// Every delivery is looked at as it leaves its hub.
    pub(super) fn follow_pulls(&mut self) -> Result<(), Violation> {
        for number in 0..self.gateways.len() {
            self.follow_opened(number);
            for pulled in std::mem::take(&mut self.gateways[number].pulled) {
                self.follow(number, &pulled)?;
            }
        }
        Ok(())
    }

    fn follow_opened(&mut self, number: usize) {
        for opened in std::mem::take(&mut self.gateways[number].opened) {
            if let Some(followed) = self.sessions.get_mut(&opened.session) {
                followed.opened(&opened);
            }
        }
    }

    fn follow(&mut self, number: usize, pulled: &Pulled) -> Result<(), Violation> {
        let Some(followed) = self.sessions.get_mut(&pulled.session) else { return Ok(()) };
        let gateway = &mut self.gateways[number];
        let tombstones = gateway.options().bounds.tombstones as u64;
        let Some(watched) = gateway.watched.get_mut(&pulled.hub) else { return Ok(()) };
        let stamp = Stamp { branch: pulled.sealed.branch, proven_ms: watched.memory.proven_ms };
        for message in &pulled.messages {
            followed.stamps.push((message.clone(), stamp));
            let Some(frame) = defect::decode(message) else { continue };
            if self.is_traced {
                let at_ms = self.now_ms - START_MS;
                eprintln!("{at_ms:>7} ms  gateway {number}, session {}: {frame:?}", pulled.session);
            }
            let mut court = Court {
                truth: &self.api.truth,
                hub: &mut watched.memory,
                sealed: pulled.sealed,
                counts: &mut self.counts,
                tombstones,
                forbidden: self
                    .forbidden
                    .filter(|it| self.now_ms - it.since_ms > 45_000)
                    .map(|it| it.revision),
            };
            let seen = followed.see(pulled.key, &frame, &mut court);
            if let Err((guarantee, what)) = seen {
                return Err(self.violation(guarantee, format!("session {}: {what}", pulled.session)));
            }
        }
        Ok(())
    }

    pub(super) fn carry_links(&mut self) -> Result<(), Violation> {
        let ids: Vec<u64> = self.links.keys().copied().collect();
        for id in ids {
            self.hear_link(id);
            self.follow_pulls()?;
            self.write_link(id);
            let Some(link) = self.links.get_mut(&id) else { continue };
            let viewer = link.viewer;
            while let Some(message) = link.next_for_client(self.now_ms) {
                if matches!(message, ToClient::Closed(_)) {
                    link.client_open = false;
                }
                if self.viewers[viewer].link == Some(id) {
                    self.viewers[viewer].receive(message);
                }
            }
            self.write_link(id);
            if !self.links.get(&id).is_some_and(|link| link.client_open || link.server_open) {
                self.links.remove(&id);
            }
        }
        Ok(())
    }

    /// What has come to the gateway.
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
        if let Some(code) = self.gateways[gateway].apply(id, Action::Deadline, self.now_ms) {
            self.end_session(id, Some(code));
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
            Some(ClientFrame::Subscribe(subscribe)) => {
                if let Some(followed) = self.sessions.get_mut(&id)
                    && let Some(asked) = followed.asked.remove(&subscribe.id)
                {
                    followed.fresh = Some(Witness::new(asked.wanted, asked.token, asked.held));
                }
            }
            _ => {}
        }
        let code = gateway.apply(id, Action::Text(text), self.now_ms);
        self.follow_opened(number);
        if let Some(code) = code {
            self.end_session(id, Some(code));
        }
    }

    fn end_session(&mut self, id: u64, code: Option<u16>) {
        let Some(link) = self.links.get_mut(&id) else { return };
        link.server_open = false;
        link.send_to_client(ToClient::Closed(code), self.now_ms);
        let number = link.gateway;
        self.gateways[number].leave(id, self.now_ms);
        self.sessions.remove(&id);
    }

    /// Whether the gateway at its end stands still.
    fn is_stopped(&self, id: u64) -> bool {
        self.links.get(&id).is_some_and(|link| self.stopped_until_ms[link.gateway] > self.now_ms)
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
            let stamp = sessions.get_mut(&id).and_then(|followed| followed.stamp_of(&message));
            let bytes = message.bytes.len() as u64;
            let frame = defect::decode(&message).map(Box::new).expect("a frame of ours can be read");
            let is_rows = matches!(*frame, ServerFrame::Rows(_));
            if is_rows && std::mem::take(&mut link.spoils) {
                // The first of the disturbance, however long ago it was asked for.
                *calm_after_ms = (*calm_after_ms).max(*now_ms + SETTLES_MS);
                link.send_to_client(ToClient::Unreadable { bytes }, *now_ms);
            } else {
                if is_rows && std::mem::take(&mut link.repeats) {
                    link.send_to_client(ToClient::Frame { frame: frame.clone(), bytes, stamp }, *now_ms);
                }
                link.send_to_client(ToClient::Frame { frame, bytes, stamp }, *now_ms);
            }
            gateway.apply(id, Action::Written, *now_ms);
        }
    }

    pub(super) fn step_viewers(&mut self) -> Result<(), Violation> {
        for viewer in 0..self.viewers.len() {
            let wishes = self.viewers[viewer].step(self.now_ms);
            self.check_cuts(viewer, &wishes)?;
            self.grant(viewer, wishes);
        }
        Ok(())
    }

    pub(super) fn grant(&mut self, viewer: usize, wishes: Vec<Wish>) {
        let now_ms = self.now_ms;
        for wish in wishes {
            match wish {
                Wish::Connect => self.dial(viewer),
                Wish::Send(text, asked) => {
                    let Some(id) = self.viewers[viewer].link else { continue };
                    if let Some(asked) = asked {
                        self.sessions.entry(id).or_default().asked.insert(asked.id, asked);
                    }
                    if let Some(link) = self.links.get_mut(&id) {
                        link.send_to_server(ToServer::Text(text), now_ms);
                    }
                }
                Wish::Close => {
                    if let Some(link) = self.link_of(viewer) {
                        link.client_open = false;
                        link.send_to_server(ToServer::Closed, now_ms);
                    }
                    self.viewers[viewer].link = None;
                    self.viewers[viewer].forget_inbox();
                }
                Wish::Cut(..) => {}
            }
        }
    }

    /// The former socket is dropped; which gateway answers is the balancer's choice.
    fn dial(&mut self, viewer: usize) {
        let now_ms = self.now_ms;
        if let Some(link) = self.link_of(viewer) {
            link.client_open = false;
            link.send_to_server(ToServer::Closed, now_ms);
        }
        self.viewers[viewer].forget_inbox();
        let gateway = self.chance.index(self.gateways.len());
        let id = self.next_link;
        self.next_link += 1;
        let chance = Chance::new(self.seed, 1_000 + id);
        let mut link = Link::new(viewer, gateway, self.script.wire_ms, chance);
        if self.down_until_ms[gateway].is_some() {
            link.server_open = false;
            link.send_to_client(ToClient::Closed(None), now_ms);
        } else {
            // The kernel takes the connection; the gateway answers it.
            link.send_to_client(ToClient::Opened, now_ms.max(self.stopped_until_ms[gateway]));
        }
        self.links.insert(id, link);
        self.sessions.insert(id, Followed::default());
        self.viewers[viewer].link = Some(id);
    }
}

impl Followed {
    /// A hub has the subscription: a new one, or one that was reduced to a namespace's own feed.
    fn opened(&mut self, opened: &Opened) {
        let before = self.keys.insert(opened.id, opened.key);
        let moved = || self.witnesses.remove(&before?);
        if let Some(mut witness) = self.fresh.take().or_else(moved) {
            witness.began(opened.sealed.deletes, opened.sealed.gaps);
            self.witnesses.insert(opened.key, witness);
        }
    }

    fn see(
        &mut self,
        key: SubscriberKey,
        frame: &ServerFrame,
        court: &mut Court<'_>,
    ) -> Result<(), crate::oracle::Broken> {
        let Some(witness) = self.witnesses.get_mut(&key) else { return Ok(()) };
        match frame {
            ServerFrame::Subscribed(answer) => {
                witness.subscribed(answer, court);
                Ok(())
            }
            ServerFrame::Rows(rows) => witness.rows(rows, court),
            ServerFrame::Sync(sync) => witness.sync(sync, court),
            _ => Ok(()),
        }
    }

    fn stamp_of(&mut self, message: &std::sync::Arc<gateway::hub::Encoded>) -> Option<Stamp> {
        let at = self.stamps.iter().position(|(of, _)| std::sync::Arc::ptr_eq(of, message))?;
        // What stood before it was dropped with its subscription.
        self.stamps.drain(..=at).next_back().map(|(_, stamp)| stamp)
    }
}
