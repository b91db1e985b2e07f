//! Checks the guarantees of the wire: it follows what one subscription is sent, frame by frame as it leaves
//! the hub, and compares it with the truth. It shares nothing with the replica but the types of frames.

use std::collections::{BTreeMap, HashMap, HashSet};

use shared::cell::Cell;
use shared::digest;
use shared::frame::client::SubscriptionId;
use shared::frame::server::{Patch, Rows, Subscribed, Sync};
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::token::Token;

use crate::gateway::{HubMemory, TickState};
use crate::guarantee::Counts;
use crate::guarantee::Guarantee::{
    self, Authorised, Bookmarkable, Chained, Exact, Ordered, Reliable, Resumable, Unique,
};
use crate::truth::{Things, Truth, Wanted};
use crate::viewer::Start;

pub(crate) type Broken = (Guarantee, String);

/// What the check of one frame needs of the world.
pub(crate) struct Context<'a> {
    pub(crate) truth: &'a Truth,
    pub(crate) hub: &'a mut HubMemory,
    /// The hub's state at the tick that made the frame.
    pub(crate) state: TickState,
    pub(crate) counts: &'a mut Counts,
    pub(crate) tombstones: u64,
    /// The right was taken away longer ago than it may take: nothing after this revision may be shown.
    pub(crate) forbidden: Option<u64>,
}

impl Context<'_> {
    /// A frame that waited for a slow reader of each event is of the branch on which its last change happened, and a
    /// walk is of the hub's newest one, though it may end at an older change.
    fn branches(&self, frame: &Rows) -> Vec<usize> {
        let newest = self.state.branch;
        let earlier = self.hub.branch_at(frame.to).filter(|branch| *branch != newest);
        std::iter::once(newest).chain(earlier).collect()
    }
}

#[derive(Clone)]
pub(crate) struct SubscriptionOracle {
    wanted: Wanted,
    token: Option<Token>,
    /// The client's rows, as they were when it subscribed.
    held: BTreeMap<RowId, Row>,
    /// The cluster, the columns and the epoch.
    identity: Option<(Box<str>, Box<str>, Box<str>)>,
    columns: Vec<Box<str>>,
    position: Option<u64>,
    rows: BTreeMap<RowId, Row>,
    /// Every version that was sent.
    seen: HashSet<(RowId, ResourceVersion)>,
    newest: HashMap<RowId, ResourceVersion>,
    is_cut: bool,
    may_reset: bool,
    /// The last cut: its branch, its version, and the row of each object.
    last_cut: Option<(usize, u64, BTreeMap<String, RowId>)>,
    /// The rows that were in a frame since the last cut.
    sent: HashSet<RowId>,
    /// The versions of these rows.
    sent_versions: HashSet<u64>,
    /// A gap was marked since the last cut.
    has_gap: bool,
    gaps: u64,
    polls: u64,
    deletes: u64,
}

impl SubscriptionOracle {
    pub(crate) fn new(start: Start) -> Self {
        let Start { wanted, token, held, .. } = start;
        Self {
            wanted,
            token,
            held,
            identity: None,
            columns: Vec::new(),
            position: None,
            rows: BTreeMap::new(),
            seen: HashSet::new(),
            newest: HashMap::new(),
            is_cut: false,
            may_reset: false,
            last_cut: None,
            sent: HashSet::new(),
            sent_versions: HashSet::new(),
            has_gap: false,
            gaps: 0,
            polls: 0,
            deletes: 0,
        }
    }

    /// Its rights have changed: its client is shown all of it anew, and its token counts no longer.
    pub(crate) fn granted_anew(&self, id: SubscriptionId) -> Self {
        Self::new(Start { id, wanted: self.wanted, token: None, held: BTreeMap::new() })
    }

    /// Takes the hub's state as the beginning of what the subscription may miss.
    pub(crate) fn begin(&mut self, state: TickState) {
        (self.deletes, self.gaps, self.polls) = (state.deletes, state.gaps, state.polls);
    }

    pub(crate) fn subscribed(&mut self, answer: &Subscribed, context: &mut Context<'_>) {
        if answer.epoch.is_empty() {
            // The hub doesn't know yet whether it continues the token.
            return;
        }
        let identity = (answer.cluster.clone(), answer.columns_hash.clone(), answer.epoch.clone());
        let before = self.identity.replace(identity.clone());
        self.columns = answer.columns.iter().map(|column| column.name.clone()).collect();
        match before {
            None => {
                let token = self.token.take();
                let asks = token.is_some();
                let continued = token.filter(|token| {
                    (&token.cluster, &token.columns, &token.epoch) == (&identity.0, &identity.1, &identity.2)
                });
                self.may_reset = asks && continued.is_none();
                self.position = Some(0);
                if let Some(sequence) = continued.and_then(|token| token.sequence()) {
                    self.position = Some(sequence);
                    self.rows = std::mem::take(&mut self.held);
                }
                let place = (identity.2.to_string(), self.position.unwrap_or(0));
                match context.hub.deletes_at.get(&place) {
                    Some(known) => (self.deletes, self.gaps) = *known,
                    // No cut was there: a viewer of another hub was continued in between.
                    None if self.position != Some(0) => self.deletes = 0,
                    None => {}
                }
                if let Some(at) = answer.at.filter(|at| self.position != Some(*at)) {
                    self.continued_of_another(at, context);
                }
            }
            Some(before) if before.0 == identity.0 && before.2 == identity.2 && before.1.is_empty() => {}
            Some(before) if before == identity => {}
            Some(_) => {
                self.may_reset = true;
                self.begin_at(0);
            }
        }
    }

    /// Its rows are those of another hub, or of another position of this one. They are complete, so none may
    /// be sent again.
    fn continued_of_another(&mut self, at: u64, context: &mut Context<'_>) {
        context.counts.continued += 1;
        self.position = Some(at);
        self.rows.append(&mut self.held);
        self.seen.extend(self.rows.values().map(|row| (row.id, row.resource_version.clone())));
        self.newest.extend(self.rows.values().map(|row| (row.id, row.resource_version.clone())));
        self.may_reset = false;
        // How many deletes there were since then is known at its first cut.
        (self.deletes, self.gaps) = (0, context.state.gaps);
    }

    fn begin_at(&mut self, position: u64) {
        self.position = Some(position);
        self.rows.clear();
        self.seen.clear();
        self.newest.clear();
        self.sent.clear();
        self.sent_versions.clear();
        self.last_cut = None;
        self.is_cut = false;
    }

    pub(crate) fn rows(&mut self, frame: &Rows, context: &mut Context<'_>) -> Result<(), Broken> {
        if frame.reset {
            context.counts.add(Resumable);
            let dropped = context.state.deletes.saturating_sub(self.deletes);
            // A subscriber without rows loses nothing by a reset.
            let has_nothing = self.position == Some(0) && self.rows.is_empty();
            if !self.may_reset && !has_nothing && dropped <= context.tombstones {
                let what = format!("a reset, and only {dropped} deletes since");
                return Err((Resumable, what));
            }
            self.begin_at(frame.from);
            self.begin(context.state);
        }
        self.may_reset = false;
        context.counts.add(Chained);
        if self.position != Some(frame.from) {
            return Err((Chained, format!("a frame from {} at {:?}", frame.from, self.position)));
        }
        context.counts.add(Ordered);
        if frame.to <= frame.from {
            return Err((Ordered, format!("a frame from {} to {}", frame.from, frame.to)));
        }
        self.is_cut = false;
        self.apply(frame, context)?;
        self.position = Some(frame.to);
        self.has_gap |= frame.gap.is_some() || frame.reset;
        if !frame.more {
            self.cut(frame, context)?;
        }
        Ok(())
    }

    fn apply(&mut self, frame: &Rows, context: &mut Context<'_>) -> Result<(), Broken> {
        let branches = context.branches(frame);
        for row in &frame.put {
            self.note_sent(row.id, &row.resource_version, context)?;
            self.authorise(row, &branches, context)?;
            self.rows.insert(row.id, row.clone());
        }
        for patch in &frame.set {
            self.patch(patch, frame, context)?;
        }
        for id in &frame.delete {
            self.sent.insert(*id);
            self.rows.remove(id);
            // Within its first list a feed holds no version, so it can't see that etcd was restored. What is back comes
            // again.
            if self.last_cut.is_none() {
                self.seen.retain(|(seen, _)| seen != id);
            }
        }
        Ok(())
    }

    fn patch(&mut self, patch: &Patch, frame: &Rows, context: &mut Context<'_>) -> Result<(), Broken> {
        let version = patch.resource_version.as_ref().unwrap_or(&frame.resource_version);
        self.note_sent(patch.id, version, context)?;
        let row = self
            .rows
            .get_mut(&patch.id)
            .ok_or((Exact, format!("cells of {}, which isn't there", patch.id)))?;
        row.resource_version = version.clone();
        for (place, cell) in &patch.cells {
            let old = row.cells.get_mut(usize::from(*place)).ok_or((Exact, format!("no column {place}")))?;
            *old = cell.clone();
        }
        Ok(())
    }

    fn note_sent(
        &mut self,
        id: RowId,
        version: &ResourceVersion,
        context: &mut Context<'_>,
    ) -> Result<(), Broken> {
        context.counts.add(Unique);
        self.sent.insert(id);
        self.sent_versions.insert(number_of(version));
        if !self.seen.insert((id, version.clone())) {
            return Err((Unique, format!("{id} at {version} came twice")));
        }
        if let Some(newest) = self.newest.insert(id, version.clone())
            && version.is_older_than(&newest)
        {
            return Err((Ordered, format!("{id} went from {newest} back to {version}")));
        }
        Ok(())
    }

    fn authorise(&self, row: &Row, branches: &[usize], context: &mut Context<'_>) -> Result<(), Broken> {
        context.counts.add(Authorised);
        let version = number_of(&row.resource_version);
        if context.forbidden.is_some_and(|revision| version > revision) {
            return Err((Authorised, format!("{} at {version} without the right", row.order_key())));
        }
        let is_wanted = |branch: &usize| match context
            .truth
            .at(self.wanted.kind, *branch, version)
            .get(&row.order_key())
        {
            Some(thing) => self.wanted.holds(thing),
            None => self.wanted.namespace.is_none_or(|namespace| row.namespace.as_deref() == Some(namespace)),
        };
        if branches.iter().any(is_wanted) {
            Ok(())
        } else {
            Err((Authorised, format!("{} isn't in {:?}", row.order_key(), self.wanted)))
        }
    }

    fn cut(&mut self, frame: &Rows, context: &mut Context<'_>) -> Result<(), Broken> {
        self.is_cut = true;
        let version = number_of(&frame.resource_version);
        context.counts.add(Exact);
        let shown_on = |branch: usize| context.truth.shown(self.wanted, branch, version);
        let differs = |things: &Things| difference(self.rows.values(), things, &self.columns);
        let mut shown = context.branches(frame).into_iter().map(|branch| (branch, shown_on(branch)));
        let Some((branch, things)) = shown.find(|(_, things)| differs(things).is_none()) else {
            let what = differs(&shown_on(context.state.branch)).unwrap_or_default();
            return Err((Exact, format!("at {} (version {version}): {what}", frame.to)));
        };
        let keys: BTreeMap<String, RowId> = self.rows.values().map(|row| (row.order_key(), row.id)).collect();
        // The frame of an event is of an earlier tick, where its subscriber is slow.
        let is_of_tick = !self.wanted.each_event || version == context.state.version;
        if let Some((before_branch, before, stood)) = self.last_cut.replace((branch, version, keys))
            && before_branch == branch
        {
            context.counts.add(Reliable);
            self.reliable(&context.truth.shown(self.wanted, branch, before), &things, &stood)?;
            if context.state.gaps > self.gaps && !self.has_gap && is_of_tick {
                return Err((Reliable, "events were missed, and no frame says so".to_owned()));
            }
            self.has_each_event((before, version), branch, context)?;
        }
        if is_of_tick {
            self.begin(context.state);
            self.has_gap = false;
        }
        self.sent.clear();
        self.sent_versions.clear();
        if let Some((_, _, epoch)) = &self.identity {
            context.hub.deletes_at.insert((epoch.to_string(), frame.to), (self.deletes, self.gaps));
        }
        Ok(())
    }

    /// Everything that changed between two cuts was in a frame between them.
    fn reliable(
        &self,
        before: &Things,
        after: &Things,
        stood: &BTreeMap<String, RowId>,
    ) -> Result<(), Broken> {
        let ids: BTreeMap<String, RowId> = self.rows.values().map(|row| (row.order_key(), row.id)).collect();
        for (key, thing) in after {
            let is_new = before.get(key).is_none_or(|before| before.version != thing.version);
            if is_new && !ids.get(key).is_some_and(|id| self.sent.contains(id)) {
                return Err((Reliable, format!("{key} changed and was in no frame")));
            }
        }
        for key in before.keys().filter(|key| !after.contains_key(*key)) {
            if !stood.get(key).is_some_and(|id| self.sent.contains(id)) {
                return Err((Reliable, format!("{key} went and was in no frame")));
            }
        }
        Ok(())
    }

    /// Where each event was asked for, each version between two cuts was in a frame between them.
    fn has_each_event(
        &self,
        (before, version): (u64, u64),
        branch: usize,
        context: &Context<'_>,
    ) -> Result<(), Broken> {
        // Between two polls no event is seen, and the view says that it is polled.
        if !self.wanted.each_event || self.has_gap || context.state.polls > self.polls {
            return Ok(());
        }
        for event in context.truth.events(self.wanted.kind, branch) {
            let thing = &event.thing;
            let is_between = before < thing.version && thing.version <= version;
            let is_state = event.verb != "DELETED" && self.wanted.holds(thing);
            if is_between && is_state && !self.sent_versions.contains(&thing.version) {
                return Err((
                    Reliable,
                    format!("no frame tells the event {} of {}", thing.version, thing.key()),
                ));
            }
        }
        Ok(())
    }

    /// The branch that its rows are of since its last cut.
    pub(crate) fn branch(&self) -> Option<usize> {
        self.last_cut.as_ref().map(|(branch, ..)| *branch)
    }

    pub(crate) fn sync(&mut self, sync: &Sync, context: &mut Context<'_>) -> Result<(), Broken> {
        context.counts.add(Bookmarkable);
        if !self.is_cut && self.last_cut.is_some() || self.position != Some(sync.at) {
            return Err((Bookmarkable, format!("a sync at {} when {:?} was sent", sync.at, self.position)));
        }
        let things =
            context.truth.shown(self.wanted, context.state.branch, number_of(&sync.resource_version));
        if let Some(what) = difference(self.rows.values(), &things, &self.columns) {
            return Err((Bookmarkable, format!("a sync at version {}: {what}", sync.resource_version)));
        }
        let own = self.rows.values().fold(0_u64, |sum, row| sum.wrapping_add(digest::row_hash(row)));
        match &sync.digest {
            Some(digest) if **digest != digest::to_text(own) => {
                Err((Bookmarkable, format!("the digest {digest} of other rows")))
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn number_of(version: &ResourceVersion) -> u64 {
    version.as_str().parse().unwrap_or(0)
}

/// How rows differ from what they must be, in a few words.
pub(crate) fn difference<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    things: &Things,
    columns: &[Box<str>],
) -> Option<String> {
    let mut shown = 0;
    for row in rows {
        shown += 1;
        let key = row.order_key();
        let Some(thing) = things.get(&key) else {
            return Some(format!("{key} at {} shouldn't be there", row.resource_version));
        };
        let version = thing.version.to_string();
        if row.resource_version.as_str() != version {
            return Some(format!("{key} is at {} instead of {version}", row.resource_version));
        }
        let cells: Vec<Cell> = columns.iter().map(|column| thing.cell(column)).collect();
        if row.cells != cells {
            return Some(format!("{key} at {version} shows {:?} instead of {cells:?}", row.cells));
        }
    }
    (shown != things.len()).then(|| format!("{shown} rows instead of {}", things.len()))
}
