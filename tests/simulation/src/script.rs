//! What happens in one run, drawn from its seed: the nature of its servers, and actions at their
//! times. A list, so that a run that fails can be shown, and made shorter.

use crate::apiserver::{Nature, WatchLists};
use crate::chance::Chance;
use crate::truth::{COLOURS, NAMESPACES, SELECTORS, SORTS, Sort, Wanted};

#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) nature: Nature,
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
    pub(crate) actions: Vec<(i64, Action)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Put {
        sort: Sort,
        place: usize,
    },
    Delete {
        sort: Sort,
        place: usize,
    },
    /// Gone and there again, under the same name.
    Recreate {
        sort: Sort,
        place: usize,
    },
    Burst {
        sort: Sort,
        count: usize,
    },
    ChangeColumns,
    Compact,
    RestartApiServer,
    /// etcd comes back as it was this many revisions ago.
    Restore {
        back: u64,
    },
    /// The same, and so much was written since that versions are past the former ones.
    RestoreAndPass {
        back: u64,
    },
    EndWatches {
        sort: Sort,
    },
    ForgetWatch,
    Garbage,
    Refuse {
        code: u16,
        times: usize,
    },
    Forbid {
        for_ms: i64,
    },
    RepeatEvents,
    CredentialExpires {
        for_ms: i64,
    },
    CutUpstream {
        gateway: usize,
        is_clean: bool,
    },
    StopUpstream {
        gateway: usize,
        for_ms: i64,
    },
    DarkenUpstream {
        gateway: usize,
        for_ms: i64,
    },
    DownUpstream {
        gateway: usize,
        for_ms: i64,
    },
    SlowUpstream {
        gateway: usize,
        for_ms: i64,
        by_ms: i64,
    },
    RestartGateway {
        gateway: usize,
        is_graceful: bool,
        for_ms: i64,
    },
    /// Its process stands still and then goes on.
    StopGateway {
        gateway: usize,
        for_ms: i64,
    },
    CutLink {
        viewer: usize,
        client_knows: bool,
        server_knows: bool,
    },
    StallLink {
        viewer: usize,
        for_ms: i64,
    },
    StallReader {
        viewer: usize,
        for_ms: i64,
    },
    /// A message that can't be read.
    SpoilFrame {
        viewer: usize,
    },
    RepeatFrame {
        viewer: usize,
    },
    OpenView {
        viewer: usize,
        wanted: Wanted,
    },
    CloseView {
        viewer: usize,
        place: usize,
    },
    Hide {
        viewer: usize,
        for_ms: i64,
    },
    Online {
        viewer: usize,
    },
    Retry {
        viewer: usize,
    },
    Leave {
        viewer: usize,
        for_ms: i64,
    },
}

impl Action {
    pub(crate) fn is_write(&self) -> bool {
        matches!(self, Self::Put { .. } | Self::Delete { .. } | Self::Recreate { .. } | Self::Burst { .. })
    }

    /// Until when nothing can be asked of latency, from its time on.
    pub(crate) fn disturbs_ms(&self) -> i64 {
        match self {
            Self::Put { .. } | Self::Delete { .. } | Self::Recreate { .. } | Self::Burst { .. } => 0,
            // Found by the bookmarks, or by opening the watch anew.
            Self::ForgetWatch => 400_000,
            Self::Forbid { for_ms } | Self::CredentialExpires { for_ms } => for_ms + 40_000,
            Self::Garbage | Self::Refuse { .. } => 120_000,
            Self::StopUpstream { for_ms, .. }
            | Self::DarkenUpstream { for_ms, .. }
            | Self::DownUpstream { for_ms, .. }
            | Self::SlowUpstream { for_ms, .. }
            | Self::RestartGateway { for_ms, .. }
            | Self::StopGateway { for_ms, .. }
            | Self::StallLink { for_ms, .. }
            | Self::StallReader { for_ms, .. }
            | Self::Hide { for_ms, .. }
            | Self::Leave { for_ms, .. } => for_ms + 20_000,
            Self::Restore { .. } | Self::RestoreAndPass { .. } => 30_000,
            _ => SETTLES_MS,
        }
    }
}

/// Until a frame that was lost is noticed, and mended.
pub(crate) const SETTLES_MS: i64 = 15_000;
pub(crate) const PLACES: usize = 10;

impl Script {
    pub(crate) fn of(seed: u64) -> Self {
        let mut chance = Chance::new(seed, 0);
        let watch_lists = match chance.below(10) {
            0 | 1 => WatchLists::Refused,
            2 => WatchLists::Ignored,
            _ => WatchLists::Served,
        };
        let nature = Nature {
            watch_lists,
            bookmark_ms: chance.percent(75).then(|| chance.between(3_000, 40_000)),
            expires_as_status: chance.percent(40),
            clock_ahead_ms: chance.between(-90_000, 90_000),
        };
        let is_tight = chance.percent(60);
        let mut script = Self {
            nature,
            initial_pause_ms: if chance.percent(50) { 0 } else { chance.between(1, 60) },
            gateways: 1 + usize::from(chance.percent(40)),
            viewers: 1 + chance.index(4),
            tombstones: if is_tight { 1 + chance.index(6).min(chance.index(6)) } else { 1_000 },
            frame_bytes: if is_tight { 60 + chance.index(900) } else { 64 * 1024 },
            credit_bytes: if chance.percent(25) { 1_500 + chance.below(6_000) } else { 512 * 1024 },
            page_objects: if chance.percent(70) {
                1 + u32::try_from(chance.below(5)).unwrap_or(0)
            } else {
                500
            },
            upstream_ms: (0, chance.between(1, 60)),
            wire_ms: (0, chance.between(1, 150)),
            hop_ms: chance.between(0, 4),
            actions: Vec::new(),
        };
        script.write(&mut chance);
        script
    }

    fn write(&mut self, chance: &mut Chance) {
        for sort in SORTS {
            for place in 0..chance.index(PLACES) {
                self.actions.push((0, Action::Put { sort, place }));
            }
        }
        for viewer in 0..self.viewers {
            let at_ms = chance.between(0, 3_000);
            for _ in 0..=chance.below(2) {
                self.actions.push((at_ms, Action::OpenView { viewer, wanted: wanted(chance) }));
            }
        }
        let lasts_ms = chance.between(20_000, 90_000);
        let faults = chance.below(14);
        let writes = 10 + chance.below(60);
        for _ in 0..writes {
            let at_ms = chance.between(0, lasts_ms);
            self.actions.push((at_ms, write(chance)));
        }
        for _ in 0..faults {
            let at_ms = chance.between(0, lasts_ms);
            let action = self.fault(chance);
            // Much is found only when something happens at the same time.
            let is_away = matches!(action, Action::CutLink { .. } | Action::RestartGateway { .. });
            let late_ms = if is_away { 500 } else { 40 };
            for _ in 0..chance.below(4) {
                self.actions.push((at_ms + chance.between(-40, late_ms).max(-at_ms), write(chance)));
            }
            self.actions.push((at_ms, action));
        }
        self.actions.sort_by_key(|(at_ms, _)| *at_ms);
        // Of two restores in a row it can't be told from versions alone which of them one knows.
        let mut restores = 0;
        self.actions.retain(|(_, action)| {
            let is_restore = matches!(action, Action::Restore { .. } | Action::RestoreAndPass { .. });
            restores += u32::from(is_restore);
            !is_restore || restores == 1
        });
    }

    fn fault(&self, chance: &mut Chance) -> Action {
        let viewer = chance.index(self.viewers);
        let gateway = chance.index(self.gateways);
        let for_ms =
            if chance.percent(50) { chance.between(50, 6_000) } else { chance.between(6_000, 45_000) };
        match chance.below(37) {
            0 => Action::ChangeColumns,
            1 => Action::Compact,
            2 | 3 => Action::RestartApiServer,
            4 => Action::Restore { back: 1 + chance.below(8) },
            5 => Action::RestoreAndPass { back: 1 + chance.below(8) },
            6 | 7 => Action::EndWatches { sort: chance.pick(&SORTS) },
            8 => Action::ForgetWatch,
            9 => Action::Garbage,
            10 => {
                let code = chance.pick(&[401, 403, 404, 410, 429, 500, 503, 504]);
                Action::Refuse { code, times: 1 + chance.index(3) }
            }
            11 => Action::Forbid { for_ms: chance.between(20_000, 70_000) },
            12 => Action::RepeatEvents,
            13 => Action::CredentialExpires { for_ms },
            14..=16 => Action::CutUpstream { gateway, is_clean: chance.percent(40) },
            17 => Action::StopUpstream { gateway, for_ms },
            18 => Action::DarkenUpstream { gateway, for_ms },
            19 => Action::DownUpstream { gateway, for_ms },
            20 => Action::SlowUpstream { gateway, for_ms, by_ms: chance.between(100, 9_000) },
            21 | 22 => Action::RestartGateway {
                gateway,
                is_graceful: chance.percent(50),
                for_ms: chance.between(0, 9_000),
            },
            23..=25 => {
                let client_knows = chance.percent(70);
                Action::CutLink { viewer, client_knows, server_knows: chance.percent(60) || !client_knows }
            }
            26 => Action::StallLink { viewer, for_ms },
            27 | 28 => Action::StallReader { viewer, for_ms },
            29 => Action::SpoilFrame { viewer },
            30 => Action::RepeatFrame { viewer },
            31 | 32 => Action::OpenView { viewer, wanted: wanted(chance) },
            33 => Action::CloseView { viewer, place: chance.index(3) },
            34 => Action::Hide { viewer, for_ms: chance.between(1_000, 100_000) },
            35 if chance.percent(50) => Action::Online { viewer },
            35 => Action::Retry { viewer },
            _ => Action::Leave { viewer, for_ms },
        }
    }
}

fn write(chance: &mut Chance) -> Action {
    let (sort, place) = (chance.pick(&SORTS), chance.index(PLACES));
    match chance.below(10) {
        0..=4 => Action::Put { sort, place },
        5..=7 => Action::Delete { sort, place },
        8 => Action::Recreate { sort, place },
        _ => Action::Burst { sort, count: 2 + chance.index(20) },
    }
}

fn wanted(chance: &mut Chance) -> Wanted {
    Wanted {
        sort: chance.pick(&SORTS),
        namespace: chance.percent(40).then(|| chance.pick(&NAMESPACES)),
        labels: chance.percent(40).then(|| chance.pick(&SELECTORS)),
    }
}

/// Where an object of a place stands: always the same.
pub(crate) fn name_of(place: usize) -> (&'static str, String) {
    (NAMESPACES[place % NAMESPACES.len()], format!("thing-{}", place / NAMESPACES.len()))
}

pub(crate) fn colour(chance: &mut Chance) -> &'static str {
    chance.pick(&COLOURS)
}
