//! The reviews of rights around simulated sessions: what is watched, and which grant comes when. A watch begins late and may
//! change, and always ends with a grant of all that was asked for, so that every view becomes exact.

use std::collections::{BTreeMap, VecDeque};

use gateway::access::Grant;
use gateway::session::ReviewRequest;
use shared::frame::client::SubscriptionId;
use shared::problem::{Problem, Reason};

use crate::chance::Chance;

pub type SessionId = u64;

/// The rights that decide what a viewer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewerRights {
    /// The gateway's own: nothing is reviewed.
    OfGateway,
    /// The viewer's, which are granted late and stay.
    Late,
    /// The viewer's, of which some are refused for a while.
    Changing,
}

/// It has a chance of its own, so that the other draws of a seed are the same whatever is reviewed.
pub(crate) struct Reviews {
    rights: ViewerRights,
    watched: BTreeMap<(SessionId, SubscriptionId), Watched>,
    chance: Chance,
}

/// The rights to one subscription.
struct Watched {
    /// What its session is told, and when.
    coming: VecDeque<(i64, Grant)>,
    /// How many grants its session was told.
    told: usize,
    is_granted: bool,
    /// It was opened with the grant that was told last.
    is_opened: bool,
    /// Only a deliberate defect leaves it here so.
    is_forgotten: bool,
}

/// What a subscription that is to be opened rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The first grant, or the one with which it was open before, or nothing that is reviewed.
    Same,
    /// Another grant than the first one: the subscription begins anew.
    Anew,
    /// Its rights aren't watched, or aren't granted.
    Nothing,
}

/// The first grant comes within this, mostly.
const SOON_MS: i64 = 5;
/// Long enough for a client to close the subscription before.
const LATE_MS: i64 = 3_000;
/// How long a grant or a refusal stays that isn't the last one.
const STAYS_MS: (i64, i64) = (1, 15_000);

impl Reviews {
    pub(crate) fn new(rights: ViewerRights, chance: Chance) -> Self {
        Self { rights, watched: BTreeMap::new(), chance }
    }

    pub(crate) fn perform(&mut self, session: SessionId, request: ReviewRequest, now_ms: i64) {
        match request {
            ReviewRequest::Watch(id, ..) => {
                let coming = self.draw(now_ms);
                let watched =
                    Watched { coming, told: 0, is_granted: false, is_opened: false, is_forgotten: false };
                self.watched.insert((session, id), watched);
            }
            ReviewRequest::Forget(id) => drop(self.watched.remove(&(session, id))),
        }
    }

    fn draw(&mut self, now_ms: i64) -> VecDeque<(i64, Grant)> {
        let Self { rights, chance, .. } = self;
        let within_ms = if chance.percent(60) { SOON_MS } else { LATE_MS };
        let mut at_ms = now_ms + chance.between(0, within_ms);
        let mut coming = VecDeque::new();
        if *rights == ViewerRights::Changing && chance.percent(40) {
            let refused = Grant::Refused(Problem::new(Reason::Forbidden, "this viewer may not see it"));
            if chance.percent(60) {
                coming.push_back((at_ms, Grant::Whole));
                at_ms += chance.between(STAYS_MS.0, STAYS_MS.1);
            }
            coming.push_back((at_ms, refused));
            at_ms += chance.between(STAYS_MS.0, STAYS_MS.1);
        }
        coming.push_back((at_ms, Grant::Whole));
        coming
    }

    /// The next grant that is due.
    pub(crate) fn next(&mut self, now_ms: i64) -> Option<(SessionId, SubscriptionId, Grant)> {
        let due = |watched: &Watched| watched.coming.front().is_some_and(|(at_ms, _)| *at_ms <= now_ms);
        let (&(session, id), watched) = self.watched.iter_mut().find(|(_, watched)| due(watched))?;
        let (_, grant) = watched.coming.pop_front()?;
        watched.told += 1;
        watched.is_granted = grant == Grant::Whole;
        watched.is_opened = false;
        Some((session, id, grant))
    }

    pub(crate) fn deadline_ms(&self) -> Option<i64> {
        self.watched.values().filter_map(|watched| watched.coming.front()).map(|(at_ms, _)| *at_ms).min()
    }

    /// A session is about to open a subscription.
    pub(crate) fn open(&mut self, session: SessionId, id: SubscriptionId) -> Basis {
        if self.rights == ViewerRights::OfGateway {
            return Basis::Same;
        }
        match self.watched.get_mut(&(session, id)).filter(|of| of.is_granted && !of.is_forgotten) {
            None => Basis::Nothing,
            Some(watched) => {
                let was_opened = std::mem::replace(&mut watched.is_opened, true);
                if watched.told > 1 && !was_opened { Basis::Anew } else { Basis::Same }
            }
        }
    }

    /// What its session watches ends with its connection.
    pub(crate) fn leave(&mut self, session: SessionId) {
        self.watched.retain(|(of, _), _| *of != session);
    }

    /// For a deliberate defect: a subscription that waits for its first grant is forgotten, and the grant comes all the
    /// same. `false`: it doesn't wait for one.
    pub(crate) fn forget_in_vain(&mut self, session: SessionId, id: SubscriptionId) -> bool {
        let waiting = self.watched.get_mut(&(session, id)).filter(|watched| watched.told == 0);
        waiting.map(|watched| watched.is_forgotten = true).is_some()
    }
}
