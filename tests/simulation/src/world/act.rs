//! Does to the world what the script's steps say.

use replica::client::Input;
use shared::frame::close;

use super::{Forbidden, START_MS, World};
use crate::chance::Chance;
use crate::record::Record;
use crate::script::{Action, OBJECTS, Step, colour, name_of};
use crate::truth::{KINDS, Kind, Thing};
use crate::upstream::Trouble;
use crate::viewer::Viewer;

/// As long as a kube-apiserver alone takes to start. A feed that waits longer before it looks again notices no
/// outage.
pub(super) const RESTORE_MS: i64 = 3_000;

impl World {
    pub(super) fn act_due(&mut self) {
        while let Some(step) = self.next_due_step() {
            self.calm_after_ms = self.calm_after_ms.max(self.now_ms + step.disturbs_ms());
            self.act(&step);
        }
        let now_ms = self.now_ms;
        if self.forbidden_until_ms.is_some_and(|at_ms| at_ms <= now_ms) {
            self.allow();
        }
        if self.refreshes_at_ms.is_some_and(|at_ms| at_ms <= now_ms) {
            self.let_refresh(true);
        }
        for gateway in &mut self.gateways {
            gateway.down_until_ms.take_if(|at_ms| *at_ms <= now_ms);
        }
        for viewer in 0..self.viewers.len() {
            if self.viewers[viewer].away_until_ms.is_some_and(|at_ms| at_ms <= now_ms) {
                self.come_back(viewer);
            }
        }
    }

    fn act(&mut self, step: &Step) {
        let &Step { target, for_ms, action, .. } = step;
        let now_ms = self.now_ms;
        let until_ms = now_ms + for_ms;
        match action {
            Action::Put(..) | Action::Delete(..) | Action::Recreate(..) | Action::Burst { .. } => {
                self.write(action);
            }
            Action::ChangeColumns => {
                self.api.truth.change_columns();
                self.api.end_streams(Some(Kind::Widgets));
            }
            Action::Compact => self.api.compact(),
            Action::RestartApiServer => self.api.restart(),
            Action::Restore { back, passes } => self.restore(back, passes),
            Action::EndWatches(kind) => self.api.end_streams(Some(kind)),
            Action::ForgetWatch => self.api.forget_a_stream(&mut self.chance),
            Action::Garbage => self.api.send_garbage(&mut self.chance),
            Action::Refuse { code, times } => self.api.refusals = vec![code; times],
            Action::Forbid => {
                self.api.is_forbidden = true;
                let revision = self.api.truth.revision;
                self.forbidden = Some(Forbidden { since_ms: self.now_ms, revision });
                self.forbidden_until_ms = Some(until_ms);
            }
            Action::RepeatEvents => self.api.repeats = true,
            Action::CredentialExpires => {
                self.let_refresh(false);
                self.refreshes_at_ms = Some(until_ms);
                self.api.refusals = vec![401; 2];
                self.api.end_streams(None);
            }
            Action::CutUpstream { is_clean } => self.cut_upstream(target, is_clean),
            Action::DisturbUpstream(trouble) => {
                if trouble == Trouble::Down {
                    self.cut_upstream(target, false);
                }
                self.disturb(target, trouble, for_ms);
            }
            Action::RestartGateway { is_graceful } => self.restart_gateway(target, is_graceful, until_ms),
            Action::StopGateway => self.gateways[target].stopped_until_ms = until_ms,
            Action::FillDisk => self.on_record(target, |record| record.fill_disk(until_ms)),
            Action::SlowWriter => self.on_record(target, |record| record.slow_until_ms = until_ms),
            Action::SetClockBack(by_ms) => self.on_record(target, |record| record.set_back(by_ms, now_ms)),
            _ => self.act_on_viewer(target, action, until_ms),
        }
    }

    fn on_record(&mut self, gateway: usize, act: impl FnOnce(&mut Record)) {
        self.gateways[gateway].record.as_mut().map(act);
    }

    /// What happens to a viewer or to its connection.
    fn act_on_viewer(&mut self, number: usize, action: Action, until_ms: i64) {
        let now_ms = self.now_ms;
        let viewer = &mut self.viewers[number];
        let link = viewer.link.and_then(|id| self.links.get_mut(&id));
        match (action, link) {
            (Action::CutLink { client_knows, server_knows }, Some(link)) => {
                link.cut(client_knows, server_knows, now_ms);
            }
            (Action::StallLink, Some(link)) => link.stalled_until_ms = until_ms,
            (Action::SpoilFrame | Action::RepeatFrame, link) => {
                self.is_faulty_wire = true;
                if let Some(link) = link {
                    link.spoils |= action == Action::SpoilFrame;
                    link.repeats |= action == Action::RepeatFrame;
                }
            }
            (Action::StallReader, _) => viewer.stalled_until_ms = until_ms,
            (Action::OpenView(wanted), _) if !viewer.is_away() => viewer.open(wanted, now_ms),
            (Action::CloseView(place), _) if viewer.views.len() > 1 => viewer.close(place),
            (Action::Hide, _) if !viewer.is_away() => {
                viewer.hidden_until_ms = Some(until_ms);
                self.tell_viewer(number, Input::Hidden);
            }
            (Action::Online, _) => self.tell_viewer(number, Input::Online),
            (Action::Retry, _) => self.tell_viewer(number, Input::Retry),
            (Action::Leave, link) if !viewer.is_away() => {
                if let Some(link) = link {
                    link.close_by_client(now_ms);
                }
                viewer.link = None;
                viewer.away_until_ms = Some(until_ms);
            }
            _ => {}
        }
        self.carry_out(number);
    }

    fn write(&mut self, action: Action) {
        match action {
            Action::Put(kind, object) => self.put(kind, object),
            Action::Delete(kind, object) => self.delete(kind, object),
            Action::Recreate(kind, object) => {
                self.delete(kind, object);
                self.put(kind, object);
            }
            Action::Burst { kind, count } => {
                for _ in 0..count {
                    let object = self.chance.index(OBJECTS);
                    if self.chance.percent(40) { self.delete(kind, object) } else { self.put(kind, object) }
                }
            }
            _ => {}
        }
        self.expect_soon();
        self.api.send_events(self.now_ms);
    }

    fn put(&mut self, kind: Kind, object: usize) {
        let (namespace, name) = name_of(object);
        let known = self.api.truth.now(kind).get(&format!("{namespace}/{name}")).cloned();
        let mut thing = known.map_or_else(
            || Thing {
                uid: 0,
                namespace,
                name,
                colour: "red",
                status: "Pending".to_owned(),
                count: 0,
                version: 0,
            },
            |known| (*known).clone(),
        );
        match self.chance.below(4) {
            0 => thing.colour = colour(&mut self.chance),
            1 => thing.status = format!("Status-{}", self.chance.below(50)),
            2 => thing.count = self.chance.between(0, 99),
            _ => {
                thing.count += 1;
                thing.status = "Running".to_owned();
            }
        }
        self.api.truth.put(kind, thing, self.now_ms);
    }

    fn delete(&mut self, kind: Kind, object: usize) {
        let (namespace, name) = name_of(object);
        self.api.truth.delete(kind, &format!("{namespace}/{name}"), self.now_ms);
    }

    /// As etcd's manual says, the API server is stopped meanwhile: its port is closed, and its cache begins with
    /// the snapshot. What is written then may be past the versions that clients hold.
    fn restore(&mut self, back: u64, passes: bool) {
        let before = self.api.truth.revision;
        self.api.truth.restore(before.saturating_sub(back).max(1));
        self.api.compact();
        for number in 0..self.gateways.len() {
            for watched in self.gateways[number].watched.values_mut() {
                watched.feed.server_dies(&mut self.api, self.now_ms);
            }
            self.disturb(number, Trouble::Down, RESTORE_MS);
        }
        self.restoring_until_ms = self.now_ms + RESTORE_MS;
        while passes && self.api.truth.revision <= before {
            let (kind, object) = (self.chance.pick(&KINDS), self.chance.index(OBJECTS));
            self.put(kind, object);
        }
    }

    /// A new fault of the network replaces the former one, but a restore lasts.
    fn disturb(&mut self, gateway: usize, trouble: Trouble, for_ms: i64) {
        if self.now_ms >= self.restoring_until_ms {
            self.gateways[gateway].network.disturb(trouble, self.now_ms, for_ms);
        }
    }

    fn cut_upstream(&mut self, gateway: usize, is_clean: bool) {
        for watched in self.gateways[gateway].watched.values_mut() {
            watched.feed.cut(&mut self.api, is_clean, self.now_ms);
        }
    }

    fn allow(&mut self) {
        self.forbidden_until_ms = None;
        self.forbidden = None;
        self.api.is_forbidden = false;
    }

    fn let_refresh(&mut self, can_refresh: bool) {
        self.refreshes_at_ms = None;
        for watched in self.gateways.iter_mut().flat_map(|gateway| gateway.watched.values_mut()) {
            watched.feed.can_refresh = can_refresh;
        }
    }

    fn restart_gateway(&mut self, number: usize, is_graceful: bool, until_ms: i64) {
        self.cut_upstream(number, true);
        let code = is_graceful.then_some(close::SERVICE_RESTART);
        for (id, link) in self.links.iter_mut().filter(|(_, link)| link.gateway == number) {
            self.sessions.remove(id);
            link.close_by_server(code, self.now_ms);
        }
        let stopped_until_ms = self.gateways[number].stopped_until_ms;
        let disk = self.gateways[number].record.as_mut().map(|record| {
            if is_graceful {
                record.end(self.now_ms);
            }
            record.disk()
        });
        let mut fresh = self.fresh_gateway(number, disk);
        (fresh.stopped_until_ms, fresh.down_until_ms) = (stopped_until_ms, Some(until_ms));
        self.gateways[number] = fresh;
    }

    /// Another page opens, with the views that the former one had.
    fn come_back(&mut self, viewer: usize) {
        let chance = Chance::new(self.seed, self.chance.next_u64());
        let former = std::mem::replace(&mut self.viewers[viewer], Viewer::new(chance, self.defect));
        self.start_viewer(viewer);
        for view in former.views {
            self.viewers[viewer].open(view.wanted, self.now_ms);
            self.carry_out(viewer);
        }
    }

    pub(super) fn start_viewers(&mut self) {
        for viewer in 0..self.viewers.len() {
            self.start_viewer(viewer);
        }
    }

    fn start_viewer(&mut self, viewer: usize) {
        self.viewers[viewer].handle(Input::Start, self.now_ms);
        self.carry_out(viewer);
    }

    fn tell_viewer(&mut self, viewer: usize, input: Input) {
        if self.viewers[viewer].is_reading(self.now_ms) {
            self.viewers[viewer].handle(input, self.now_ms);
            self.carry_out(viewer);
        }
    }

    /// Every fault ends, and every viewer reads.
    pub(super) fn heal(&mut self) {
        self.is_healing = true;
        self.allow();
        self.let_refresh(true);
        self.api.refusals.clear();
        for gateway in &mut self.gateways {
            if self.now_ms >= self.restoring_until_ms {
                gateway.network.heal();
            }
            (gateway.down_until_ms, gateway.stopped_until_ms) = (None, START_MS);
            if let Some(record) = &mut gateway.record {
                record.heal();
            }
        }
        for link in self.links.values_mut() {
            link.stalled_until_ms = 0;
        }
        for number in 0..self.viewers.len() {
            let viewer = &mut self.viewers[number];
            viewer.stalled_until_ms = 0;
            if viewer.is_away() {
                viewer.away_until_ms = Some(self.now_ms);
            }
            if viewer.hidden_until_ms.take().is_some() {
                self.tell_viewer(number, Input::Visible);
            }
        }
    }
}
