//! What of the past a stream tells: a view as of a time instead of the present, or what was recorded since a time before
//! it. [`crate::since`] says how the record and the present are joined; here it is asked and told.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};
use shared::column::Column;
use shared::frame::client::{self, ClientFrame, SubscriptionId};
use shared::frame::server::{Changed, PastAnswer, ServerFrame, StateFrame};
use shared::frame::timeline::EntryType;
use shared::problem::{Problem, Reason};
use shared::state::{UnixMillis, ViewState};

use super::parts::{Part, with_cells};
use super::{Ending, Translator, WHOLE};
use crate::since::{Line, PastTime, Reading, Told};
use crate::stream::event::{About, EventType, StreamEvent};
use crate::stream::query::{PastAsked, Projection};

pub(super) enum Past {
    Nothing,
    At(AsOf),
    Since(Box<Since>),
}

/// A view as of a time. The stream ends with it.
pub(super) struct AsOf {
    at_ms: UnixMillis,
    /// The first event waits until it is known that something was recorded then: a refusal is a status.
    first: Option<StreamEvent>,
    /// The parts whose rows are whole, and those that said that they are of the past.
    whole: BTreeSet<SubscriptionId>,
    past: BTreeSet<SubscriptionId>,
}

/// What was recorded since a time, and then the present.
pub(super) struct Since {
    reading: Reading,
    /// The question that waits for its answer.
    question: Option<Question>,
    /// The columns of the last line; `None` before the first one.
    columns: Option<Vec<Column>>,
    joins: BTreeMap<SubscriptionId, Join>,
}

#[derive(Clone)]
struct Question {
    id: SubscriptionId,
    /// The parts of the live view that are told when all is answered. `None`: none is open yet.
    joins: Option<BTreeSet<SubscriptionId>>,
}

/// How far a part of the live view is on its way behind the record.
enum Join {
    /// It isn't current yet, so the record doesn't have all of it either. Its rows aren't told.
    WarmsUp,
    /// It is current now, and is asked for anew, so that its rows begin from the first.
    OpensAgain,
    /// The record is asked for what it was told until the part was opened.
    Held {
        first: StreamEvent,
        frames: Vec<ServerFrame>,
    },
    Joined,
}

impl Past {
    pub(super) fn at_ms(&self) -> Option<UnixMillis> {
        match self {
            Self::At(as_of) => Some(as_of.at_ms),
            Self::Nothing | Self::Since(_) => None,
        }
    }

    pub(super) fn is_read_first(&self) -> bool {
        matches!(self, Self::Since(_))
    }

    pub(super) fn told(&mut self) -> Option<&mut Told> {
        match self {
            Self::Since(since) => Some(&mut since.reading.told),
            Self::Nothing | Self::At(_) => None,
        }
    }

    pub(super) fn asks(&self, id: SubscriptionId) -> bool {
        matches!(self, Self::Since(since) if since.question.as_ref().is_some_and(|asked| asked.id == id))
    }

    /// Whether messages of these parts are held back: they are acknowledged when they are told.
    pub(super) fn holds_back(&self, parts: &BTreeMap<SubscriptionId, Part>) -> bool {
        matches!(self, Self::Since(since) if since.held().iter().any(|id| parts.contains_key(id)))
    }

    pub(super) fn take_first(&mut self) -> Option<StreamEvent> {
        match self {
            Self::At(as_of) => as_of.first.take(),
            Self::Nothing | Self::Since(_) => None,
        }
    }
}

impl Since {
    fn held(&self) -> BTreeSet<SubscriptionId> {
        let held = self.joins.iter().filter(|(_, join)| matches!(join, Join::Held { .. }));
        held.map(|(id, _)| *id).collect()
    }
}

/// The past of a stream: what it is asked, and what it holds back of the present.
pub(super) struct PastOf<'a>(pub(super) &'a mut Translator);

impl PastOf<'_> {
    pub(super) fn begin(&mut self, resumes: bool, now_ms: UnixMillis) -> Result<(), Problem> {
        let ends_ms = self.0.welcomed.ends_ms;
        // Where a record is replayed, its end is the present.
        let now_ms = ends_ms.unwrap_or(now_ms);
        let asked = match (self.0.request.past, ends_ms) {
            (PastAsked::Nothing, Some(ends_ms)) => PastAsked::At(PastTime::At(ends_ms)),
            (PastAsked::Since(_), Some(_)) => {
                let message = "a record is replayed, which has no present to go on with; ask for at, or leave since out";
                return Err(Problem::bad_request(message));
            }
            (asked, _) => asked,
        };
        match asked {
            PastAsked::At(time) => {
                let (at_ms, first) = (time.ms(now_ms)?, None);
                let (whole, past) = Default::default();
                self.0.past = Past::At(AsOf { at_ms, first, whole, past });
            }
            PastAsked::Since(time) if !resumes => {
                let objects = self.0.request.projection == Projection::Object;
                let reading = Reading::new(time.ms(now_ms)?, objects);
                let since = Since { reading, question: None, columns: None, joins: BTreeMap::new() };
                self.0.past = Past::Since(Box::new(since));
                self.ask(None);
            }
            PastAsked::Nothing | PastAsked::Since(_) => {}
        }
        Ok(())
    }

    fn ask(&mut self, joins: Option<BTreeSet<SubscriptionId>>) {
        let (Past::Since(since), Some(scope)) = (&mut self.0.past, &self.0.scope) else { return };
        let id = self.0.next;
        self.0.next += 1;
        let asked = since.reading.question();
        since.question = Some(Question { id, joins });
        let question = client::Past { id, scope: scope.clone(), asked };
        self.0.outputs.send.push(ClientFrame::Past(Box::new(question)));
    }

    pub(super) fn answered(&mut self, answer: &PastAnswer, now_ms: UnixMillis) {
        let Past::Since(since) = &mut self.0.past else { return };
        let Some(Question { joins, .. }) = since.question.take_if(|asked| asked.id == answer.id) else {
            return;
        };
        let Some(changes) = answer.read_changes() else {
            let message = "the record's answer can't be read; see the gateway's log";
            return self.0.end(Problem::new(Reason::InternalError, message), None);
        };
        let (columns, more) = (changes.columns.clone(), changes.more);
        let lines = since.reading.answered(changes, joins.is_some() && !more);
        let is_head = since.columns.is_none();
        let are_other = !columns.is_empty() && since.columns.as_ref() != Some(&columns);
        if is_head || are_other {
            since.columns = Some(columns.clone());
        }
        let since_ms = since.reading.since_ms();
        if is_head || (are_other && self.0.request.projection == Projection::Cells) {
            self.say_past_begins(since_ms, &columns);
        }
        for line in lines {
            let event = match line {
                Line::Unrecorded(gap) => StreamEvent::of(EventType::Unrecorded).with(&gap),
                Line::Removed(removed) => StreamEvent::of(EventType::Purged).with(&removed),
                Line::Changed(changed) => self.changed(*changed, &columns),
            };
            self.0.say(event);
        }
        match joins {
            joins if more => self.ask(joins),
            None => self.0.subscribe(WHOLE),
            Some(ids) => self.join_present(&ids, now_ms),
        }
    }

    fn say_past_begins(&mut self, since_ms: UnixMillis, columns: &[Column]) {
        let Some(scope) = &self.0.scope else { return };
        let of =
            json!({ "cluster": self.0.welcomed.cluster, "resource": scope.resource, "since_ms": since_ms });
        let mut event = StreamEvent::of(EventType::Subscribed).with(&of);
        if self.0.request.projection == Projection::Cells && !columns.is_empty() {
            event.fields.insert("columns".to_owned(), json!(columns));
        }
        self.0.say(event);
    }

    /// A recorded version in the words of a live one, with its time.
    fn changed(&self, changed: Changed, columns: &[Column]) -> StreamEvent {
        let Changed { kind, time_ms, masked, skipped, relisted, .. } = changed;
        let kind = match kind {
            EntryType::Added => EventType::Added,
            EntryType::Deleted => EventType::Deleted,
            _ => EventType::Modified,
        };
        let mut row = changed.into_row();
        let mut event = StreamEvent { time_ms: Some(time_ms), ..StreamEvent::of(kind) };
        event.fields.insert("time_ms".to_owned(), time_ms.into());
        let health = row.health().and_then(|health| serde_json::to_value(health).ok());
        let notes = [
            ("masked", masked.then_some(Value::Bool(true))),
            ("skipped", (skipped > 0).then(|| skipped.into())),
            ("relisted", relisted.then_some(Value::Bool(true))),
            ("health", health.filter(|_| kind != EventType::Deleted)),
        ];
        let notes = notes.into_iter().filter_map(|(name, note)| Some((name.to_owned(), note?)));
        event.fields.extend(notes);
        if kind != EventType::Deleted {
            match self.0.request.projection {
                Projection::Cells => event = with_cells(event, columns, &row),
                Projection::Object | Projection::Timeline | Projection::Log => {
                    event.object = row.extra.take().and_then(|extra| extra.object);
                }
            }
        }
        let place = (row.namespace, row.name);
        event.about = Some(About { id: row.id, place, version: row.resource_version });
        event
    }

    /// The record told all that it had when these parts were opened, so they are told now.
    fn join_present(&mut self, ids: &BTreeSet<SubscriptionId>, now_ms: UnixMillis) {
        for id in ids {
            let Past::Since(since) = &mut self.0.past else { return };
            let Some(join) = since.joins.get_mut(id) else { continue };
            let Join::Held { first, frames } = std::mem::replace(join, Join::Joined) else { continue };
            if self.0.parts.contains_key(id) {
                self.0.say(first);
                frames.into_iter().for_each(|frame| self.0.apply(frame, now_ms));
            }
        }
        let Past::Since(since) = &self.0.past else { return };
        let (held, is_asked) = (since.held(), since.question.is_some());
        if !held.is_empty() && !is_asked {
            self.ask(Some(held));
        }
    }

    /// `None`: the frame is held back until the record has told what came before it, or isn't needed.
    pub(super) fn hold_back(&mut self, frame: ServerFrame, now_ms: UnixMillis) -> Option<ServerFrame> {
        let (id, is_refused, is_current) = match &frame {
            _ if !self.0.past.is_read_first() => return Some(frame),
            ServerFrame::Subscribed(answer) => (Some(answer.id), is_refusal(&answer.state.state), false),
            ServerFrame::State(StateFrame { view, report }) => {
                (self.0.id_of(*view), is_refusal(&report.state), report.state.is_current())
            }
            ServerFrame::Rows(rows) => (self.0.id_of(rows.view), false, false),
            ServerFrame::Sync(sync) => (self.0.id_of(sync.view), false, false),
            _ => return Some(frame),
        };
        let Past::Since(since) = &mut self.0.past else { return Some(frame) };
        let Some((id, join)) = id.and_then(|id| Some((id, since.joins.get_mut(&id)?))) else {
            return Some(frame);
        };
        match join {
            Join::Joined | Join::OpensAgain => Some(frame),
            Join::Held { .. } if is_refused => {
                since.joins.remove(&id);
                Some(frame)
            }
            Join::Held { frames, .. } => {
                if let (ServerFrame::Sync(_), Some(part)) = (&frame, self.0.parts.get_mut(&id)) {
                    part.synced_ms = now_ms;
                }
                frames.push(frame);
                None
            }
            Join::WarmsUp if is_current => {
                self.open_again(id);
                None
            }
            Join::WarmsUp => {
                Some(frame).filter(|frame| !matches!(frame, ServerFrame::Rows(_) | ServerFrame::Sync(_)))
            }
        }
    }

    /// The rows of a part that was opened before it was current began too early.
    fn open_again(&mut self, id: SubscriptionId) {
        let (Past::Since(since), Some(part)) = (&mut self.0.past, self.0.parts.get_mut(&id)) else { return };
        since.joins.insert(id, Join::OpensAgain);
        *part = Part::of(part.namespace.clone());
        self.0.unsubscribe(id);
        self.0.subscribe(id);
    }

    /// `None`: the first event of a part isn't said now.
    pub(super) fn keep_first(
        &mut self,
        id: SubscriptionId,
        first: StreamEvent,
        is_current: bool,
    ) -> Option<StreamEvent> {
        let state = self.0.parts.get(&id).and_then(|part| part.report.clone());
        match &mut self.0.past {
            Past::Nothing => Some(first),
            Past::At(as_of) => {
                if let Some(ViewState::Past(_)) = state.as_ref().map(|report| &report.state) {
                    as_of.past.insert(id);
                }
                let failed = state.filter(|report| matches!(report.state, ViewState::Failed { .. }));
                if let Some(problem) = failed.and_then(|report| report.problem) {
                    self.0.end(problem, None);
                    return None;
                }
                if self.0.is_open {
                    return Some(first);
                }
                as_of.first = Some(first);
                None
            }
            Past::Since(since) => match since.joins.get(&id) {
                Some(Join::Joined | Join::Held { .. }) => Some(first),
                Some(Join::WarmsUp) if is_current => {
                    self.open_again(id);
                    None
                }
                None | Some(Join::OpensAgain) if is_current => {
                    since.joins.insert(id, Join::Held { first, frames: Vec::new() });
                    let held = since.question.is_none().then(|| since.held());
                    if held.is_some() {
                        self.ask(held);
                    }
                    None
                }
                None | Some(Join::OpensAgain | Join::WarmsUp) => {
                    since.joins.insert(id, Join::WarmsUp);
                    Some(first)
                }
            },
        }
    }

    /// What was told of the past may not be shown any more, as other rules hold now.
    pub(super) fn forget(&mut self) -> Option<StreamEvent> {
        let told = self.0.past.told().filter(|told| !told.is_empty())?;
        *told = Told::default();
        Some(StreamEvent::of(EventType::Reset))
    }

    /// The rows of a part are whole.
    pub(super) fn is_whole(&mut self, id: SubscriptionId) {
        if let Past::At(as_of) = &mut self.0.past {
            as_of.whole.insert(id);
            self.end_as_of();
        }
    }

    pub(super) fn is_of_past(&mut self, id: SubscriptionId) {
        if let Past::At(as_of) = &mut self.0.past {
            as_of.past.insert(id);
            self.end_as_of();
        }
    }

    /// Ends a view as of a time when all of it was told.
    fn end_as_of(&mut self) {
        let Past::At(as_of) = &self.0.past else { return };
        let is_told = |id: &SubscriptionId| as_of.whole.contains(id) && as_of.past.contains(id);
        if self.0.outputs.end.is_some() || !self.0.parts.keys().all(is_told) {
            return;
        }
        let at = Timestamp::from_millisecond(as_of.at_ms).unwrap_or_default();
        let message = format!("that is all as of {at}");
        self.0.say(StreamEvent::of(EventType::End).with(&json!({ "message": message })));
        self.0.outputs.end = Some(Ending::Over);
    }
}

fn is_refusal(state: &ViewState) -> bool {
    matches!(state, ViewState::Forbidden { .. })
}
