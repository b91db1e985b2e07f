//! The script's actions, done to the world.

use replica::client::Input;
use shared::frame::close;

use super::{Forbidden, START_MS, World};
use crate::chance::Chance;
use crate::script::{Action, PLACES, colour, name_of};
use crate::truth::{Sort, Thing};
use crate::upstream::Trouble;
use crate::viewer::Viewer;
use crate::wire::ToClient;

/// More than a moment, and still quick: a kube-apiserver alone takes as long to start. A feed whose pause
/// lasts longer finds nobody missing when it looks again.
const RESTORE_MS: i64 = 3_000;

impl World {
    pub(super) fn act_due(&mut self) {
        while let Some(action) = self.next_due_action() {
            self.calm_after_ms = self.calm_after_ms.max(self.now_ms + action.disturbs_ms());
            self.act(&action);
        }
        let now_ms = self.now_ms;
        if self.forbidden_until_ms.is_some_and(|at_ms| at_ms <= now_ms) {
            self.allow();
        }
        if self.refreshes_at_ms.is_some_and(|at_ms| at_ms <= now_ms) {
            self.let_refresh(true);
        }
        for gateway in 0..self.gateways.len() {
            if self.down_until_ms[gateway].is_some_and(|at_ms| at_ms <= now_ms) {
                self.down_until_ms[gateway] = None;
            }
        }
        for viewer in 0..self.viewers.len() {
            if self.viewers[viewer].away_until_ms.is_some_and(|at_ms| at_ms <= now_ms) {
                self.come_back(viewer);
            }
        }
    }

    fn act(&mut self, action: &Action) {
        let now_ms = self.now_ms;
        match *action {
            _ if action.is_write() => self.write(action),
            Action::ChangeColumns => {
                self.api.truth.change_columns();
                self.api.end_streams(Some(Sort::Widgets));
            }
            Action::Compact => self.api.compact(),
            Action::RestartApiServer => self.api.restart(),
            Action::Restore { back } => self.restore(back, false),
            Action::RestoreAndPass { back } => self.restore(back, true),
            Action::EndWatches { sort } => self.api.end_streams(Some(sort)),
            Action::ForgetWatch => self.api.forget_a_stream(&mut self.chance),
            Action::Garbage => self.api.say_garbage(&mut self.chance),
            Action::Refuse { code, times } => self.api.refusals = vec![code; times],
            Action::Forbid { for_ms } => {
                self.api.is_forbidden = true;
                self.forbidden = Some(Forbidden { since_ms: now_ms, revision: self.api.truth.revision });
                self.forbidden_until_ms = Some(now_ms + for_ms);
            }
            Action::RepeatEvents => self.api.repeats = 1,
            Action::CredentialExpires { for_ms } => {
                self.let_refresh(false);
                self.refreshes_at_ms = Some(now_ms + for_ms);
                self.api.refusals = vec![401; 2];
                self.api.end_streams(None);
            }
            Action::CutUpstream { gateway, is_clean } => self.cut_upstream(gateway, is_clean),
            Action::StopUpstream { gateway, for_ms } => {
                self.trouble(gateway, Trouble::Stopped { until_ms: now_ms + for_ms });
            }
            Action::DarkenUpstream { gateway, for_ms } => {
                self.trouble(gateway, Trouble::Dark { since_ms: now_ms, until_ms: now_ms + for_ms });
            }
            Action::DownUpstream { gateway, for_ms } => {
                self.cut_upstream(gateway, false);
                self.trouble(gateway, Trouble::Down { until_ms: now_ms + for_ms });
            }
            Action::SlowUpstream { gateway, for_ms, by_ms } => {
                self.trouble(gateway, Trouble::Slow { until_ms: now_ms + for_ms, by_ms });
            }
            _ => self.act_beside(action),
        }
    }

    /// What happens on the browser's side.
    fn act_beside(&mut self, action: &Action) {
        let now_ms = self.now_ms;
        match *action {
            Action::RestartGateway { gateway, is_graceful, for_ms } => {
                self.restart_gateway(gateway, is_graceful, for_ms);
            }
            Action::StopGateway { gateway, for_ms } => self.stopped_until_ms[gateway] = now_ms + for_ms,
            Action::CutLink { viewer, client_knows, server_knows } => {
                if let Some(link) = self.link_of(viewer) {
                    link.cut(client_knows, server_knows, now_ms);
                }
            }
            Action::StallLink { viewer, for_ms } => {
                if let Some(link) = self.link_of(viewer) {
                    link.stalled_until_ms = now_ms + for_ms;
                }
            }
            Action::StallReader { viewer, for_ms } => {
                self.viewers[viewer].stalled_until_ms = now_ms + for_ms;
            }
            Action::SpoilFrame { viewer } => {
                self.is_faulty_wire = true;
                if let Some(link) = self.link_of(viewer) {
                    link.spoils = true;
                }
            }
            Action::RepeatFrame { viewer } => {
                self.is_faulty_wire = true;
                if let Some(link) = self.link_of(viewer) {
                    link.repeats = true;
                }
            }
            Action::OpenView { viewer, wanted } if !self.viewers[viewer].is_away() => {
                let mut wishes = Vec::new();
                self.viewers[viewer].open(wanted, now_ms, &mut wishes);
                self.grant(viewer, wishes);
            }
            Action::CloseView { viewer, place } if self.viewers[viewer].probes.len() > 1 => {
                let mut wishes = Vec::new();
                self.viewers[viewer].close(place, &mut wishes);
                self.grant(viewer, wishes);
            }
            Action::Hide { viewer, for_ms } if !self.viewers[viewer].is_away() => {
                self.viewers[viewer].hidden_until_ms = Some(now_ms + for_ms);
                self.tell_viewer(viewer, Input::Hidden);
            }
            Action::Online { viewer } => self.tell_viewer(viewer, Input::Online),
            Action::Retry { viewer } => self.tell_viewer(viewer, Input::Retry),
            Action::Leave { viewer, for_ms } => self.leave(viewer, for_ms),
            _ => {}
        }
    }

    fn write(&mut self, action: &Action) {
        match *action {
            Action::Put { sort, place } => self.put(sort, place),
            Action::Delete { sort, place } => self.delete(sort, place),
            Action::Recreate { sort, place } => {
                self.delete(sort, place);
                self.put(sort, place);
            }
            Action::Burst { sort, count } => {
                for _ in 0..count {
                    let place = self.chance.index(PLACES);
                    if self.chance.percent(40) { self.delete(sort, place) } else { self.put(sort, place) }
                }
            }
            _ => {}
        }
        self.expect_soon();
        self.api.send_events(self.now_ms);
    }

    fn put(&mut self, sort: Sort, place: usize) {
        let (namespace, name) = name_of(place);
        let known = self.api.truth.now(sort).get(&format!("{namespace}/{name}")).cloned();
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
        self.api.truth.put(sort, thing, self.now_ms);
    }

    fn delete(&mut self, sort: Sort, place: usize) {
        let (namespace, name) = name_of(place);
        self.api.truth.delete(sort, &format!("{namespace}/{name}"), self.now_ms);
    }

    /// As its manual says, the API server is stopped meanwhile: nobody finds it, and its cache begins
    /// with the snapshot. What is written then may be past the versions that people hold.
    fn restore(&mut self, back: u64, passes: bool) {
        let before = self.api.truth.revision;
        self.api.truth.restore(before.saturating_sub(back).max(1));
        self.api.compact();
        for gateway in 0..self.gateways.len() {
            for watched in self.gateways[gateway].watched.values_mut() {
                watched.feed.server_dies(&mut self.api, self.now_ms);
            }
            self.trouble(gateway, Trouble::Down { until_ms: self.now_ms + RESTORE_MS });
        }
        self.restoring_until_ms = self.now_ms + RESTORE_MS;
        while passes && self.api.truth.revision <= before {
            let (sort, place) = (self.chance.pick(&crate::truth::SORTS), self.chance.index(PLACES));
            self.put(sort, place);
        }
    }

    /// One at a time, but that nobody is there lasts.
    fn trouble(&mut self, gateway: usize, trouble: Trouble) {
        if self.now_ms >= self.restoring_until_ms {
            self.gateways[gateway].network.trouble = trouble;
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

    fn restart_gateway(&mut self, number: usize, is_graceful: bool, for_ms: i64) {
        self.cut_upstream(number, true);
        let code = is_graceful.then_some(close::SERVICE_RESTART);
        let now_ms = self.now_ms;
        let gone: Vec<u64> =
            self.links.iter().filter(|(_, link)| link.gateway == number).map(|(id, _)| *id).collect();
        for id in gone {
            self.sessions.remove(&id);
            if let Some(link) = self.links.get_mut(&id) {
                link.server_open = false;
                link.send_to_client(ToClient::Closed(code), now_ms);
            }
        }
        self.gateways[number] = self.fresh_gateway(number);
        self.down_until_ms[number] = Some(now_ms + for_ms);
    }

    fn leave(&mut self, viewer: usize, for_ms: i64) {
        let now_ms = self.now_ms;
        if self.viewers[viewer].is_away() {
            return;
        }
        if let Some(link) = self.link_of(viewer) {
            link.client_open = false;
            link.send_to_server(crate::wire::ToServer::Closed, now_ms);
        }
        self.viewers[viewer].link = None;
        self.viewers[viewer].away_until_ms = Some(now_ms + for_ms);
    }

    /// Another page, with the views that the former had.
    fn come_back(&mut self, viewer: usize) {
        let wanted: Vec<_> = self.viewers[viewer].probes.iter().map(|probe| probe.wanted).collect();
        let stream = self.chance.next_u64();
        self.viewers[viewer] = Viewer::new(Chance::new(self.seed, stream), self.defect);
        self.start_viewer(viewer);
        for wanted in wanted {
            let mut wishes = Vec::new();
            self.viewers[viewer].open(wanted, self.now_ms, &mut wishes);
            self.grant(viewer, wishes);
        }
    }

    pub(super) fn start_viewer(&mut self, viewer: usize) {
        let mut wishes = Vec::new();
        self.viewers[viewer].handle(Input::Start, self.now_ms, &mut wishes);
        self.grant(viewer, wishes);
    }

    fn tell_viewer(&mut self, viewer: usize, input: Input) {
        if self.viewers[viewer].is_reading(self.now_ms) {
            let mut wishes = Vec::new();
            self.viewers[viewer].handle(input, self.now_ms, &mut wishes);
            self.grant(viewer, wishes);
        }
    }

    /// Nothing is wrong any more, and everybody reads.
    pub(super) fn heal(&mut self) {
        self.is_healing = true;
        self.allow();
        self.let_refresh(true);
        self.api.refusals.clear();
        for gateway in 0..self.gateways.len() {
            self.trouble(gateway, Trouble::None);
        }
        self.down_until_ms.fill(None);
        self.stopped_until_ms.fill(START_MS);
        for link in self.links.values_mut() {
            link.stalled_until_ms = 0;
        }
        for viewer in 0..self.viewers.len() {
            self.viewers[viewer].stalled_until_ms = 0;
            if self.viewers[viewer].is_away() {
                self.viewers[viewer].away_until_ms = Some(self.now_ms);
            }
            if self.viewers[viewer].hidden_until_ms.take().is_some() {
                self.tell_viewer(viewer, Input::Visible);
            }
        }
        debug_assert!(self.now_ms >= START_MS);
    }
}
