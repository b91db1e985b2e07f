//! What happens in one run, drawn from its seed: how its servers behave, and what is done to them at which
//! time. It is a list, so that a run that fails can be shown, and made shorter.

use std::fmt;

use crate::apiserver::{ServerBehaviour, WatchLists};
use crate::chance::Chance;
use crate::reviews::ViewerRights;
use crate::truth::{COLOURS, KINDS, Kind, NAMESPACES, SELECTORS, Wanted};
use crate::upstream::Trouble;

#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) server: ServerBehaviour,
    pub(crate) initial_pause_ms: i64,
    pub(crate) gateways: usize,
    pub(crate) viewers: usize,
    pub(crate) tombstones: usize,
    pub(crate) frame_bytes: usize,
    pub(crate) credit_bytes: u64,
    pub(crate) page_objects: u32,
    pub(crate) upstream_ms: (i64, i64),
    pub(crate) wire_ms: (i64, i64),
    pub(crate) hop_ms: i64,
    pub(crate) rights: ViewerRights,
    /// The gateways record.
    pub(crate) records: bool,
    /// They watch what they record without viewers.
    pub(crate) keeps: bool,
    pub(crate) steps: Vec<Step>,
}

/// What happens at one time.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Since the beginning of the run.
    pub(crate) at_ms: i64,
    /// The number of the gateway or the viewer to which it happens.
    pub(crate) target: usize,
    /// How long it lasts; 0 where it is over at once.
    pub(crate) for_ms: i64,
    pub(crate) action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    // A write to an object, which is given by its number.
    Put(Kind, usize),
    Delete(Kind, usize),
    // Deleted and created again under the same name.
    Recreate(Kind, usize),
    Burst { kind: Kind, count: usize },

    // A fault of the API server.
    ChangeColumns,
    Compact,
    RestartApiServer,
    // etcd comes back as it was `back` revisions ago. `passes`: then so much is written that the new versions
    // are past the former ones.
    Restore { back: u64, passes: bool },
    EndWatches(Kind),
    ForgetWatch,
    Garbage,
    Refuse { code: u16, times: usize },
    Forbid,
    RepeatEvents,
    CredentialExpires,

    // A fault between a gateway and the API server.
    CutUpstream { is_clean: bool },
    DisturbUpstream(Trouble),

    // A fault of a gateway.
    RestartGateway { is_graceful: bool },
    // Its process is stopped, and then goes on.
    StopGateway,

    // A fault of its record. The writer stands still, or its clock was set back.
    FillDisk,
    SlowWriter,
    SetClockBack(i64),

    // A fault between a viewer and its gateway.
    CutLink { client_knows: bool, server_knows: bool },
    StallLink,
    // The next rows can't be read.
    SpoilFrame,
    RepeatFrame,

    // What a viewer does.
    StallReader,
    OpenView(Wanted),
    // By its place among the viewer's views.
    CloseView(usize),
    Hide,
    Online,
    Retry,
    Leave,
}

impl Action {
    fn is_of_viewer(self) -> bool {
        matches!(
            self,
            Self::CutLink { .. }
                | Self::StallLink
                | Self::SpoilFrame
                | Self::RepeatFrame
                | Self::StallReader
                | Self::OpenView(_)
                | Self::CloseView(_)
                | Self::Hide
                | Self::Online
                | Self::Retry
                | Self::Leave
        )
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at_ms, target, for_ms, action } = self;
        write!(f, "{at_ms:>7} ms  {action:?}, target {target}, for {for_ms} ms")
    }
}

impl Step {
    /// Something that is over at once, and that needs no target.
    pub(crate) fn once(at_ms: i64, action: Action) -> Self {
        Self { at_ms, target: 0, for_ms: 0, action }
    }

    /// How long it stands between a viewer and the API server; 0 for what is over at once.
    fn lasts_ms(&self) -> i64 {
        match self.action {
            Action::Forbid
            | Action::CredentialExpires
            | Action::DisturbUpstream(_)
            | Action::RestartGateway { .. }
            | Action::StopGateway
            | Action::StallLink => self.for_ms,
            _ => 0,
        }
    }

    /// How long no bound on latency can be checked after it.
    pub(crate) fn disturbs_ms(&self) -> i64 {
        match self.action {
            Action::Put(..) | Action::Delete(..) | Action::Recreate(..) | Action::Burst { .. } => 0,
            // Found by the bookmarks, or when the watch is opened anew.
            Action::ForgetWatch => 400_000,
            Action::Forbid | Action::CredentialExpires => self.for_ms + 40_000,
            Action::Garbage | Action::Refuse { .. } => 120_000,
            Action::DisturbUpstream(_)
            | Action::RestartGateway { .. }
            | Action::StopGateway
            | Action::StallLink
            | Action::StallReader
            | Action::Hide
            | Action::Leave => self.for_ms + 20_000,
            Action::Restore { .. } => 30_000,
            _ => SETTLES_MS,
        }
    }
}

/// Until a lost frame is noticed, and the view is exact again.
pub(crate) const SETTLES_MS: i64 = 15_000;
/// A page is opened within a fault that lasts longer.
const VISITED_FROM_MS: i64 = 2_000;
/// How many objects of a kind there can be.
pub(crate) const OBJECTS: usize = 10;

impl Script {
    pub(crate) fn of(seed: u64) -> Self {
        let mut chance = Chance::new(seed, 0);
        let watch_lists = match chance.below(10) {
            0 | 1 => WatchLists::Refused,
            2 => WatchLists::Ignored,
            _ => WatchLists::Served,
        };
        let server = ServerBehaviour {
            watch_lists,
            bookmark_ms: chance.percent(75).then(|| chance.between(3_000, 40_000)),
            expires_as_status: chance.percent(40),
            clock_ahead_ms: chance.between(-90_000, 90_000),
        };
        let is_tight = chance.percent(60);
        let mut script = Self {
            server,
            initial_pause_ms: if chance.percent(50) { 0 } else { chance.between(1, 60) },
            gateways: 1 + usize::from(chance.percent(40)),
            viewers: 1 + chance.index(4),
            tombstones: if is_tight { 1 + chance.index(6).min(chance.index(6)) } else { 1_000 },
            frame_bytes: if is_tight { 60 + chance.index(900) } else { 64 * 1024 },
            credit_bytes: if chance.percent(25) { 1_500 + chance.below(6_000) } else { 512 * 1024 },
            page_objects: if chance.percent(70) { 1 + chance.below(5) as u32 } else { 500 },
            upstream_ms: (0, chance.between(1, 60)),
            wire_ms: (0, chance.between(1, 150)),
            hop_ms: chance.between(0, 4),
            rights: rights(&mut Chance::new(seed, 3)),
            records: false,
            keeps: false,
            steps: Vec::new(),
        };
        script.fill(&mut chance);
        script.visit_faults(&mut Chance::new(seed, 3));
        script.follow_events(&mut Chance::new(seed, 4));
        script
    }

    /// The same with gateways that record, with fewer viewers, and with what may happen to a record.
    pub(crate) fn recorded(seed: u64) -> Self {
        let mut script = Self::of(seed);
        let mut chance = Chance::new(seed, 5);
        (script.records, script.keeps) = (true, chance.percent(85));
        script.rights = ViewerRights::OfGateway;
        script.viewers = usize::from(!script.keeps || chance.percent(40));
        let viewers = script.viewers;
        script.steps.retain(|step| !step.action.is_of_viewer() || step.target < viewers);
        let last_ms = script.steps.last().map_or(0, |step| step.at_ms);
        for _ in 0..chance.below(5) {
            let at_ms = chance.between(0, last_ms);
            let for_ms = chance.between(200, 25_000);
            let action = match chance.below(7) {
                0 | 1 => Action::FillDisk,
                2 | 3 => Action::SlowWriter,
                4 => Action::SetClockBack(chance.between(1, 40_000)),
                _ => Action::RestartGateway { is_graceful: chance.percent(30) },
            };
            let target = chance.index(script.gateways);
            script.steps.push(Step { at_ms, target, for_ms, action });
        }
        script.steps.sort_by_key(|step| step.at_ms);
        script
    }

    /// Some views ask for each event. They are drawn last, so that all the rest of a seed stays as it is.
    fn follow_events(&mut self, chance: &mut Chance) {
        for step in &mut self.steps {
            if let Action::OpenView(wanted) = &mut step.action {
                wanted.each_event = chance.percent(30);
            }
        }
    }

    /// Opens a view within each long fault, or closes a page and opens it again. It has dice of its own, so that all the
    /// rest of a seed stays as it is.
    fn visit_faults(&mut self, chance: &mut Chance) {
        let mut visits = Vec::new();
        for fault in self.steps.iter().filter(|step| step.lasts_ms() > VISITED_FROM_MS) {
            let target = chance.index(self.viewers);
            let at_ms = fault.at_ms + chance.between(500, fault.lasts_ms());
            let for_ms = chance.between(50, 1_000);
            let action = if chance.percent(50) { Action::Leave } else { Action::OpenView(wanted(chance)) };
            visits.push(Step { at_ms, target, for_ms, action });
        }
        self.steps.append(&mut visits);
        self.steps.sort_by_key(|step| step.at_ms);
    }

    fn fill(&mut self, chance: &mut Chance) {
        for kind in KINDS {
            for object in 0..chance.index(OBJECTS) {
                self.steps.push(Step::once(0, Action::Put(kind, object)));
            }
        }
        for viewer in 0..self.viewers {
            let at_ms = chance.between(0, 3_000);
            for _ in 0..=chance.below(2) {
                let action = Action::OpenView(wanted(chance));
                self.steps.push(Step { target: viewer, ..Step::once(at_ms, action) });
            }
        }
        let lasts_ms = chance.between(20_000, 90_000);
        let faults = chance.below(14);
        let writes = 10 + chance.below(60);
        for _ in 0..writes {
            let at_ms = chance.between(0, lasts_ms);
            self.steps.push(Step::once(at_ms, write(chance)));
        }
        for _ in 0..faults {
            let at_ms = chance.between(0, lasts_ms);
            let fault = self.fault(at_ms, chance);
            // Many mistakes show only when something is written at the same time.
            let is_away = matches!(fault.action, Action::CutLink { .. } | Action::RestartGateway { .. });
            let late_ms = if is_away { 500 } else { 40 };
            for _ in 0..chance.below(4) {
                let at_ms = at_ms + chance.between(-40, late_ms).max(-at_ms);
                self.steps.push(Step::once(at_ms, write(chance)));
            }
            self.steps.push(fault);
        }
        self.steps.sort_by_key(|step| step.at_ms);
        // After two restores in a row a version alone doesn't tell which of the two a client knows.
        let mut restores = 0;
        self.steps.retain(|step| {
            let is_restore = matches!(step.action, Action::Restore { .. });
            restores += u32::from(is_restore);
            !is_restore || restores == 1
        });
    }

    fn fault(&self, at_ms: i64, chance: &mut Chance) -> Step {
        let viewer = chance.index(self.viewers);
        let gateway = chance.index(self.gateways);
        let mut for_ms =
            if chance.percent(50) { chance.between(50, 6_000) } else { chance.between(6_000, 45_000) };
        let number = chance.below(37);
        let action = match number {
            0 => Action::ChangeColumns,
            1 => Action::Compact,
            2 | 3 => Action::RestartApiServer,
            4 => Action::Restore { back: 1 + chance.below(8), passes: false },
            5 => Action::Restore { back: 1 + chance.below(8), passes: true },
            6 | 7 => Action::EndWatches(chance.pick(&KINDS)),
            8 => Action::ForgetWatch,
            9 => Action::Garbage,
            10 => {
                let code = chance.pick(&[401, 403, 404, 410, 429, 500, 503, 504]);
                Action::Refuse { code, times: 1 + chance.index(3) }
            }
            11 => {
                for_ms = chance.between(20_000, 70_000);
                Action::Forbid
            }
            12 => Action::RepeatEvents,
            13 => Action::CredentialExpires,
            14..=16 => Action::CutUpstream { is_clean: chance.percent(40) },
            17 => Action::DisturbUpstream(Trouble::Stopped),
            18 => Action::DisturbUpstream(Trouble::Dark),
            19 => Action::DisturbUpstream(Trouble::Down),
            20 => Action::DisturbUpstream(Trouble::Slow(chance.between(100, 9_000))),
            21 | 22 => {
                let is_graceful = chance.percent(50);
                for_ms = chance.between(0, 9_000);
                Action::RestartGateway { is_graceful }
            }
            23..=25 => {
                let client_knows = chance.percent(70);
                Action::CutLink { client_knows, server_knows: chance.percent(60) || !client_knows }
            }
            26 => Action::StallLink,
            27 | 28 => Action::StallReader,
            29 => Action::SpoilFrame,
            30 => Action::RepeatFrame,
            31 | 32 => Action::OpenView(wanted(chance)),
            33 => Action::CloseView(chance.index(3)),
            34 => {
                for_ms = chance.between(1_000, 100_000);
                Action::Hide
            }
            35 if chance.percent(50) => Action::Online,
            35 => Action::Retry,
            _ => Action::Leave,
        };
        let target = if (14..=22).contains(&number) { gateway } else { viewer };
        Step { at_ms, target, for_ms, action }
    }
}

fn rights(chance: &mut Chance) -> ViewerRights {
    match chance.below(10) {
        0..=3 => ViewerRights::OfGateway,
        4 | 5 => ViewerRights::Late,
        _ => ViewerRights::Changing,
    }
}

fn write(chance: &mut Chance) -> Action {
    let (kind, object) = (chance.pick(&KINDS), chance.index(OBJECTS));
    match chance.below(10) {
        0..=4 => Action::Put(kind, object),
        5..=7 => Action::Delete(kind, object),
        8 => Action::Recreate(kind, object),
        _ => Action::Burst { kind, count: 2 + chance.index(20) },
    }
}

fn wanted(chance: &mut Chance) -> Wanted {
    Wanted {
        kind: chance.pick(&KINDS),
        namespace: chance.percent(40).then(|| chance.pick(&NAMESPACES)),
        labels: chance.percent(40).then(|| chance.pick(&SELECTORS)),
        each_event: false,
    }
}

/// The namespace and the name of an object: always the same ones for a number.
pub(crate) fn name_of(object: usize) -> (&'static str, String) {
    (NAMESPACES[object % NAMESPACES.len()], format!("thing-{}", object / NAMESPACES.len()))
}

pub(crate) fn colour(chance: &mut Chance) -> &'static str {
    chance.pick(&COLOURS)
}
