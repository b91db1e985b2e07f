//! The frames of a view whose subscribers want each event by itself. A tick shows them all at once, and those that a
//! subscriber hasn't had are kept up to a bound; a subscriber behind them walks, and is told of a gap.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use shared::frame::server::{Gap, ViewId};
use shared::problem::Reason;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, RowId};
use shared::state::UnixMillis;

use super::{FrameBuilder, FrameRange, Live, Tick};
use crate::hub::columns::SetId;
use crate::hub::entries::Seen;
use crate::limits::{EVENT_GAPS_MAX, EVENT_UNWRITTEN_RATIO};
use crate::subscription_request::SubscriptionRequest;

/// The events of one view, in their order.
///
/// It owns those that wait for their tick, and the written frames of the last ticks. The hub tells it each change, the
/// view has it write the frames, and a subscriber finds the one that begins where it stands.
pub(super) struct EventFrames {
    /// In the order of their sequences.
    unwritten: Vec<Run>,
    /// Events of this tick were dropped.
    is_torn: bool,
    frames: VecDeque<Kept>,
    bytes: usize,
    bytes_max: usize,
    /// The frames that were dropped last, so that a subscriber behind them is told when its gap began.
    dropped: VecDeque<Dropped>,
}

/// Consecutive events of different objects, which one frame can tell in their order. A deletion stands alone, because
/// it has a resourceVersion of its own.
struct Run {
    builder: FrameBuilder,
    ids: BTreeSet<RowId>,
    is_deletion: bool,
    /// What a later list shows to be different. Only all of it together was ever the cluster's state.
    is_of_list: bool,
    /// After it the rows were never the cluster's state.
    more: bool,
    /// The sequence of its last event.
    to: u64,
    resource_version: ResourceVersion,
}

struct Kept {
    live: Live,
    at_ms: UnixMillis,
    is_empty: bool,
}

/// A frame that isn't kept any more began here, at this time.
struct Dropped {
    cursor: u64,
    at_ms: UnixMillis,
}

/// What a tick had.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sealed {
    Nothing,
    /// The last frame ends here.
    To(u64),
    /// Events were dropped, so one frame has to tell them all, with this gap.
    Torn(Option<Gap>),
}

impl EventFrames {
    /// [`EventFrames::bound`] follows as soon as its first reader is known.
    pub(super) fn new(bytes_max: usize) -> Self {
        Self {
            unwritten: Vec::new(),
            is_torn: false,
            frames: VecDeque::new(),
            bytes: 0,
            bytes_max,
            dropped: VecDeque::new(),
        }
    }

    /// One change, which is the last one in the store. `sequence`: its number.
    pub(super) fn note(
        &mut self,
        request: &SubscriptionRequest,
        set: Option<SetId>,
        seen: &Seen<'_>,
        sequence: u64,
    ) {
        if self.is_torn {
            return;
        }
        let before = seen.before.filter(|stored| request.matches(stored));
        match (before, seen.now.filter(|stored| request.matches(stored))) {
            (None, None) => {}
            (Some(before), None) => {
                let mut run = Run::at(sequence, seen);
                run.is_deletion = true;
                run.builder.delete(before.row.id, Some(before.row.place()));
                self.unwritten.push(run);
            }
            (before, Some(now)) => {
                let Some(row) = request.row_of(now, set) else { return self.tear() };
                let is_masked = before.is_some_and(|before| !now.masks.hide_the_same_as(&before.masks));
                self.put(&row, is_masked, sequence, seen);
            }
        }
        let bytes: usize = self.unwritten.iter().map(|run| run.builder.byte_count()).sum();
        if bytes > self.bytes_max.saturating_mul(EVENT_UNWRITTEN_RATIO) && self.unwritten.len() > 1 {
            self.tear();
        }
    }

    fn put(&mut self, row: &Arc<Row>, is_masked: bool, sequence: u64, seen: &Seen<'_>) {
        let fits = |run: &&mut Run| {
            !run.is_deletion && run.is_of_list == seen.relisted && !run.ids.contains(&row.id)
        };
        let run = match self.unwritten.last_mut().filter(fits) {
            Some(run) => run,
            None => {
                self.unwritten.push(Run::at(sequence, seen));
                let Some(run) = self.unwritten.last_mut() else { return };
                run
            }
        };
        run.ids.insert(row.id);
        run.builder.put(row);
        if is_masked {
            run.builder.masked(row.id);
        }
        run.to = sequence;
        run.resource_version.clone_from(seen.resource_version);
    }

    /// A later list ended at this version.
    pub(super) fn listed(&mut self, version: &ResourceVersion) {
        if let Some(last) = self.unwritten.last_mut().filter(|run| run.is_of_list) {
            last.more = false;
            last.resource_version.clone_from(version);
        }
    }

    fn tear(&mut self) {
        self.is_torn = true;
        self.unwritten.clear();
    }

    /// Writes what came since the tick before. `frame_end`: where the view's last frame ended.
    pub(super) fn tick(&mut self, view: ViewId, mut frame_end: u64, tick: &Tick<'_>) -> Sealed {
        // The first list isn't told as events.
        if tick.more || tick.is_cut {
            (self.is_torn, self.unwritten) = (false, Vec::new());
            return Sealed::Nothing;
        }
        if std::mem::take(&mut self.is_torn) {
            while !self.frames.is_empty() {
                self.drop_oldest();
            }
            self.note_dropped(tick.from, tick.now_ms);
            return Sealed::Torn(self.gap(tick.from));
        }
        let runs = std::mem::take(&mut self.unwritten);
        let (from, to, now_ms, mut gap) = (tick.from, tick.to, tick.now_ms, tick.gap.clone());
        if runs.is_empty() && gap.is_some() {
            return self.tell(view, frame_end, tick);
        }
        if runs.is_empty() {
            self.step_over(from, to);
            return Sealed::Nothing;
        }
        let (mut cursor, count) = (from, runs.len());
        for (place, run) in runs.into_iter().enumerate() {
            let at_end = if place + 1 == count { to } else { run.to };
            let (resource_version, more, gap) = (run.resource_version, run.more, gap.take());
            let range =
                FrameRange { view, from: frame_end, to: run.to, resource_version, more, gap, reset: false };
            let Some(frame) = run.builder.finish(range) else { continue };
            self.bytes += frame.bytes.len();
            let live = Live { cursor, from: frame_end, to: run.to, at_end, frame: Arc::new(frame) };
            self.frames.push_back(Kept { live, at_ms: now_ms, is_empty: false });
            (cursor, frame_end) = (at_end, run.to);
        }
        self.cut();
        Sealed::To(frame_end)
    }

    /// The subscribers that stand here are stepped over a tick that had nothing; those that get the last frames later are
    /// as far. A frame without a change that no subscriber has had begins where they stand then.
    fn step_over(&mut self, from: u64, to: u64) {
        for Kept { live, .. } in self.frames.iter_mut().rev().take_while(|kept| kept.live.at_end == from) {
            if live.cursor == from {
                live.cursor = to;
            }
            live.at_end = to;
        }
    }

    /// A gap without an event has a frame of its own, so that a subscriber behind it gets it as well.
    fn tell(&mut self, view: ViewId, frame_end: u64, tick: &Tick<'_>) -> Sealed {
        let range = FrameRange {
            view,
            from: frame_end,
            to: tick.to,
            resource_version: tick.resource_version.clone(),
            more: false,
            gap: tick.gap.clone(),
            reset: false,
        };
        let Some(frame) = FrameBuilder::default().finish(range) else { return Sealed::Nothing };
        self.bytes += frame.bytes.len();
        let (cursor, from, to) = (tick.from, frame_end, tick.to);
        let live = Live { cursor, from, to, at_end: to, frame: Arc::new(frame) };
        self.frames.push_back(Kept { live, at_ms: tick.now_ms, is_empty: false });
        self.cut();
        Sealed::To(to)
    }

    /// The subscribers begin anew, or walk.
    pub(super) fn forget(&mut self) {
        *self = Self::new(self.bytes_max);
    }

    /// Nothing happened in the view up to the end of this range. A subscriber stands there already, and its client hears
    /// of it.
    pub(super) fn step(&mut self, range: FrameRange) {
        let (from, to) = (range.from, range.to);
        let Some(frame) = FrameBuilder::default().finish(range) else { return };
        self.bytes += frame.bytes.len();
        let live = Live { cursor: to, from, to, at_end: to, frame: Arc::new(frame) };
        let at_ms = self.frames.back().map_or(0, |kept| kept.at_ms);
        self.frames.push_back(Kept { live, at_ms, is_empty: true });
        self.cut();
    }

    /// The frame that begins where a subscriber stands.
    pub(super) fn frame(&self, cursor: u64, frame_end: u64) -> Option<&Live> {
        let at = self.frames.partition_point(|kept| kept.live.cursor < cursor);
        let mut here =
            self.frames.range(at..).map(|kept| &kept.live).take_while(|live| live.cursor == cursor);
        here.find(|live| live.from == frame_end)
    }

    /// The events that a subscriber at this position won't get, if some were dropped.
    pub(super) fn gap(&self, cursor: u64) -> Option<Gap> {
        let first = self.dropped.iter().find(|dropped| dropped.cursor >= cursor)?;
        let last = self.dropped.back()?;
        Some(Gap { from_ms: first.at_ms, to_ms: last.at_ms, reason: Reason::Limit })
    }

    /// How many bytes its readers may have it keep.
    pub(super) fn bound(&mut self, bytes_max: usize) {
        self.bytes_max = bytes_max;
        self.cut();
    }

    /// Drops the oldest frames. One alone is kept whatever its size: a walk would tell the same event.
    fn cut(&mut self) {
        while self.bytes > self.bytes_max && self.frames.len() > 1 {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(Kept { live, at_ms, is_empty }) = self.frames.pop_front() else { return };
        self.bytes -= live.frame.bytes.len();
        if !is_empty {
            self.note_dropped(live.cursor, at_ms);
        }
    }

    fn note_dropped(&mut self, cursor: u64, at_ms: UnixMillis) {
        if self.dropped.len() >= EVENT_GAPS_MAX {
            self.dropped.pop_front();
        }
        self.dropped.push_back(Dropped { cursor, at_ms });
    }

    #[cfg(test)]
    pub(in crate::hub) fn byte_count(&self) -> usize {
        self.bytes
    }
}

impl Run {
    fn at(sequence: u64, seen: &Seen<'_>) -> Self {
        Self {
            builder: FrameBuilder::default(),
            ids: BTreeSet::new(),
            is_deletion: false,
            is_of_list: seen.relisted,
            more: seen.relisted,
            to: sequence,
            resource_version: seen.resource_version.clone(),
        }
    }
}
