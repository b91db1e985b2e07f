//! Proof of freshness: the requests beside the watch, and what their answers say about the watch. Silence of
//! the watch is no proof.

use std::cmp::Ordering;
use std::collections::VecDeque;

use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::state::Watching;
use crate::limits::{BOOKMARK_AGE_MS, PROOFS_REMEMBERED_MAX};

/// When the view was last proven, which proof is asked for, and what the answers so far say about the watch.
#[derive(Debug)]
pub(super) struct Proofs {
    /// The time of the last proof; before the first one, of the feed's beginning.
    pub(super) last_ms: UnixMillis,
    /// Before the first list: when other feeds were proven last, while they get no answer either.
    pub(super) outage_ms: Option<UnixMillis>,
    pub(super) due_ms: UnixMillis,
    pub(super) asked: Option<Asked>,
    /// Why the last request for a proof failed.
    pub(super) problem: Option<Problem>,
    pub(super) comparability: Comparability,
    /// The number of bookmarks so far. From the second on they come regularly.
    pub(super) bookmarks: u32,
    /// The latest answers, the oldest first.
    answers: VecDeque<(UnixMillis, ResourceVersion)>,
}

/// Whether the versions of its answers can be compared with those of the watch. Kubernetes' own can; a
/// list finds out a server that numbers its lists otherwise.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Comparability {
    Comparable,
    /// A proof was older than the watch; the list that follows decides.
    Doubted,
    Incomparable,
}

#[derive(Debug)]
pub(super) struct Asked {
    pub(super) at_ms: UnixMillis,
    /// The version held then, because a consistent list can't be older.
    pub(super) held: ResourceVersion,
}

/// What an answer says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    Proven,
    /// resourceVersions seem to have gone back.
    Doubted,
    /// The server answers, but the watch doesn't follow it.
    WatchIsBehind,
}

/// From this many on a stream's bookmarks are expected.
const BOOKMARKS_REGULAR: u32 = 2;

impl Proofs {
    pub(super) fn new(now_ms: UnixMillis) -> Self {
        Self {
            last_ms: now_ms,
            outage_ms: None,
            due_ms: now_ms,
            asked: None,
            problem: None,
            comparability: Comparability::Comparable,
            bookmarks: 0,
            answers: VecDeque::new(),
        }
    }

    pub(super) fn expects_bookmarks(&self) -> bool {
        self.bookmarks >= BOOKMARKS_REGULAR
    }

    /// `watching` is open; `held` is what it has brought so far.
    pub(super) fn judge(
        &mut self,
        answered: &ResourceVersion,
        held: &ResourceVersion,
        watching: &Watching,
        now_ms: UnixMillis,
    ) -> Judgement {
        let asked = self.asked.take();
        let is_comparable = self.comparability != Comparability::Incomparable;
        if is_comparable && asked.is_some_and(|asked| answered.compare(&asked.held) == Some(Ordering::Less)) {
            self.answers.clear();
            self.comparability = Comparability::Doubted;
            return Judgement::Doubted;
        }
        self.answers.push_back((now_ms, answered.clone()));
        while self.answers.len() > PROOFS_REMEMBERED_MAX {
            self.answers.pop_front();
        }
        if is_comparable && self.expects_bookmarks() && self.is_behind(held, watching, now_ms) {
            return Judgement::WatchIsBehind;
        }
        Judgement::Proven
    }

    /// Judges by the age of the last event, and by the version that the server answered a bookmark
    /// interval ago. A new stream is given that interval first.
    fn is_behind(&self, held: &ResourceVersion, watching: &Watching, now_ms: UnixMillis) -> bool {
        let Some(opened_ms) = watching.opened_ms else { return false };
        let threshold_ms = now_ms - BOOKMARK_AGE_MS;
        if watching.last_event_ms.unwrap_or(opened_ms) < threshold_ms {
            return true;
        }
        let since_open = self.answers.iter().rev().filter(|(at_ms, _)| *at_ms >= opened_ms);
        let mut old_enough = since_open.filter(|(at_ms, _)| *at_ms <= threshold_ms);
        old_enough.next().is_some_and(|(_, version)| held.is_older_than(version))
    }
}
