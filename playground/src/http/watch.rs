//! One watch: from a resourceVersion on, or with everything first; bookmarks; the end.
//! It never keeps a queue: it is a cursor into the history, and a reader too far behind is closed.

use std::sync::Arc;
use std::time::Duration;

use http::Response;
use tokio::time::{Instant, sleep_until};

use super::Server;
use super::body::{Body, BodyWriter, End, JSON, stream_of};
use super::connection::Connection;
use super::list::wait_for;
use super::request::{ApiRequest, ListOptions, RequestInfo, choose};
use crate::cluster::OpenWatch;
use crate::faults::{Fault, Target};
use crate::limits::{
    CHUNK_BYTES, FAULT_POLL, LAST_BOOKMARK_BEFORE, SLOW_WATCHER_BUDGET, WATCH_DEFAULT,
    WATCHER_BACKLOG_CHANGES_MAX,
};
use crate::representation::Encoder;
use crate::store::{Change, Object};
use kubernetes_api::Failure;
use kubernetes_api::Representation;

/// Changes taken from the store under one lock.
const BATCH_CHANGES: usize = 64;

type Moved = tokio::sync::watch::Receiver<u64>;

/// Whether the server knows the mark that ends the initial events. One before 1.27 doesn't; a fault asks for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndMark {
    Known,
    Unknown,
}

struct Watch {
    server: Arc<Server>,
    connection: Arc<Connection>,
    info: RequestInfo,
    options: ListOptions,
    end_mark: EndMark,
    representation: Representation,
    writer: BodyWriter,
    open: OpenWatch,
    resource: String,
    /// Everything up to this revision was sent.
    cursor: u64,
    with_columns: bool,
    /// A fault may take the bookmarks away.
    bookmarks: bool,
    /// A fault holds this event back until the next one was sent.
    held: Option<Vec<u8>>,
}

/// Answers a watch: the head at once, the events from a task of its own.
pub(super) fn watch(
    request: &ApiRequest<'_>,
    options: ListOptions,
    representation: Representation,
    end_mark: EndMark,
) -> Response<Body> {
    let (writer, response) = stream_of(JSON);
    let running = Watch {
        server: Arc::clone(request.server),
        connection: Arc::clone(request.connection),
        representation,
        info: request.info.clone(),
        // The real server keeps no watch cache of events, and so has no bookmarks for them.
        bookmarks: options.bookmarks && request.resource != "events",
        cursor: 0,
        held: None,
        with_columns: true,
        open: request.server.cluster.open_watch(&request.info.kind),
        resource: request.resource.clone(),
        options,
        end_mark,
        writer,
    };
    request.server.tasks.spawn(running.run());
    response
}

impl Watch {
    async fn run(mut self) {
        if let Ok(End::Cut) | Err(End::Cut) = self.live().await {
            self.writer.cut();
        }
    }

    async fn live(&mut self) -> Result<End, End> {
        let started = Instant::now();
        let lifetime = self.options.timeout_s.map_or(WATCH_DEFAULT, Duration::from_secs);
        let deadline = started + lifetime;
        let mut moved = self.server.cluster.moved();
        self.apply_faults(&mut moved).await?;
        self.begin().await?;
        let interval = self.server.cluster.options.bookmark_interval;
        let mut next_bookmark = started + interval;
        let mut last_bookmark = Some(deadline - LAST_BOOKMARK_BEFORE.min(lifetime / 2));
        loop {
            moved.borrow_and_update();
            self.apply_faults(&mut moved).await?;
            self.catch_up().await?;
            if !self.is_served() {
                return Ok(End::Clean);
            }
            let wake = next_bookmark.min(last_bookmark.unwrap_or(deadline));
            tokio::select! {
                _ = moved.changed() => {}
                () = self.writer.closed() => return Ok(End::Clean),
                () = sleep_until(wake.min(deadline)) => {
                    let now = Instant::now();
                    if now >= deadline {
                        return Ok(End::Clean);
                    }
                    if last_bookmark.is_some_and(|last| now >= last) {
                        last_bookmark = None;
                    } else if now >= next_bookmark {
                        next_bookmark = now + interval;
                    }
                    self.bookmark(false).await?;
                }
            }
        }
    }

    /// Sends everything that is there, or finds the place in the history.
    async fn begin(&mut self) -> Result<(), End> {
        let options = &self.options;
        let from_any = options.revision.unwrap_or_default() == 0;
        let initial = options.send_initial_events.unwrap_or(from_any);
        if options.send_initial_events == Some(true)
            && let Err(failure) = wait_for(&self.server.cluster, options.revision.unwrap_or_default()).await
        {
            self.writer.send(failure.event()).await?;
            return Err(End::Clean);
        }
        if let Some(revision) = options.revision.filter(|_| !initial && !from_any) {
            let at = self.info.kind.group_resource();
            let known = self.server.cluster.state().store.changes_after(&at, revision, 0);
            if let Err(expired) = known {
                let failure = Failure::expired_watch(revision, expired.horizon);
                self.writer.send(failure.event()).await?;
                return Err(End::Clean);
            }
            self.cursor = revision;
            return Ok(());
        }
        let (objects, revision) = {
            let state = self.server.cluster.state();
            let objects = state.store.objects(&self.info.kind.group_resource(), &self.info.namespace);
            (objects, state.store.revision())
        };
        self.cursor = revision;
        if !initial {
            return Ok(());
        }
        let mut chunk = Vec::new();
        for object in &objects {
            if !self.matches(object) {
                continue;
            }
            self.check_printable()?;
            chunk.extend_from_slice(&self.print("ADDED", object));
            if chunk.len() >= CHUNK_BYTES {
                self.writer.send(std::mem::take(&mut chunk)).await?;
                tokio::task::yield_now().await;
            }
        }
        if !chunk.is_empty() {
            self.writer.send(chunk).await?;
        }
        // The mark comes wherever bookmarks were asked for, for `events` too.
        if self.options.bookmarks && self.end_mark == EndMark::Known {
            self.bookmark(true).await?;
        }
        Ok(())
    }

    /// Sends what happened since the cursor.
    async fn catch_up(&mut self) -> Result<(), End> {
        let mut budget = SLOW_WATCHER_BUDGET;
        loop {
            let (changes, current) = {
                let state = self.server.cluster.state();
                let at = self.info.kind.group_resource();
                let current = state.store.revision();
                // A cursor ahead of the server waits in silence.
                if self.cursor >= current {
                    return Ok(());
                }
                let changes =
                    state.store.changes_after(&at, self.cursor, BATCH_CHANGES).map_err(|_| End::Clean)?;
                (changes, current)
            };
            if changes.is_empty() {
                self.cursor = current;
                return Ok(());
            }
            for change in changes {
                let event = self.event_of(&change);
                self.cursor = change.revision;
                let Some(bytes) = event else { continue };
                self.check_printable()?;
                self.wait_for_room(&mut budget).await?;
                self.deliver(bytes).await?;
            }
        }
    }

    /// Sends an event, or what a fault makes of it: twice, or after the next one.
    async fn deliver(&mut self, bytes: Vec<u8>) -> Result<(), End> {
        if self.held.is_none() && self.struck(|fault| *fault == Fault::ReorderEvents).is_some() {
            self.held = Some(bytes);
            return Ok(());
        }
        let copies = 1 + usize::from(self.struck(|fault| *fault == Fault::DuplicateEvents).is_some());
        for bytes in std::iter::repeat_n(bytes, copies).chain(self.held.take()) {
            self.writer.send(bytes).await?;
        }
        Ok(())
    }

    /// If the client reads nothing and is too far behind, the stream ends after a short wait, without an
    /// error event.
    async fn wait_for_room(&self, budget: &mut Duration) -> Result<(), End> {
        while self.writer.is_full() {
            let began = Instant::now();
            if tokio::time::timeout(*budget, self.writer.room()).await.is_ok() {
                return Ok(());
            }
            let at = self.info.kind.group_resource();
            let backlog = self.server.cluster.state().store.backlog(&at, self.cursor);
            if backlog > WATCHER_BACKLOG_CHANGES_MAX {
                *budget = budget.saturating_sub(began.elapsed());
            }
            if budget.is_zero() {
                return Err(End::Clean);
            }
        }
        Ok(())
    }

    /// The event of a change: for a watch with a selector, an object that leaves it is deleted.
    fn event_of(&mut self, change: &Change) -> Option<Vec<u8>> {
        let before = change.before.as_ref().filter(|object| self.matches(object));
        let after = change.after.as_ref().filter(|object| self.matches(object));
        Some(match (before, after) {
            (None, None) => return None,
            (None, Some(after)) => self.print("ADDED", after),
            (Some(_), Some(after)) => self.print("MODIFIED", after),
            (Some(before), None) => self.print("DELETED", &before.at_revision(change.revision)),
        })
    }

    fn matches(&self, object: &Object) -> bool {
        (self.info.namespace.is_empty() || object.namespace == self.info.namespace)
            && choose(&self.options, object)
    }

    /// The real server notices at the first event, and ends the stream without an error event.
    fn check_printable(&self) -> Result<(), End> {
        if self.representation == Representation::PartialList { Err(End::Clean) } else { Ok(()) }
    }

    fn encoder(&self) -> Encoder<'_> {
        Encoder::new(&self.info.kind, self.representation, self.server.cluster.now_s())
    }

    fn print(&mut self, event: &str, object: &Object) -> Vec<u8> {
        let with_columns = std::mem::take(&mut self.with_columns);
        self.encoder().event(event, object, with_columns)
    }

    async fn bookmark(&mut self, is_end: bool) -> Result<(), End> {
        let current = self.server.cluster.state().store.revision();
        let is_due = self.bookmarks && self.cursor <= current;
        if !is_end && (!is_due || self.struck(|fault| *fault == Fault::NoBookmarks).is_some()) {
            return Ok(());
        }
        // All events before a bookmark are sent before it.
        if let Some(held) = self.held.take() {
            self.writer.send(held).await?;
        }
        self.check_printable()?;
        let with_columns = std::mem::take(&mut self.with_columns);
        let bytes = self.encoder().bookmark(self.cursor, is_end, with_columns);
        self.writer.send(bytes).await?;
        Ok(())
    }

    /// Is the resource still served as it was when this watch began?
    fn is_served(&self) -> bool {
        let kind = &self.info.kind;
        self.server
            .cluster
            .find_type(&kind.group, &kind.version, &kind.plural)
            .is_some_and(|found| Arc::ptr_eq(&found, kind))
    }

    fn struck(&self, wanted: impl Fn(&Fault) -> bool) -> Option<(u64, Fault)> {
        let (resource, watch) = (self.resource.as_str(), Some(self.open.number));
        let target = Target { verb: "watch", resource, user: None, watch };
        self.server.cluster.strike(target, wanted)
    }

    /// Applies the faults that this stream meets.
    async fn apply_faults(&mut self, moved: &mut Moved) -> Result<(), End> {
        while let Some((id, fault)) = self.struck(Fault::is_running) {
            match fault {
                Fault::Stall => self.wait_until_passed(id, moved).await?,
                Fault::HalfOpen => {
                    self.connection.freeze();
                    let stood = self.wait_until_passed(id, moved).await;
                    self.connection.thaw();
                    stood?;
                }
                Fault::GoneEvent => {
                    let failure = Failure::expired_watch(self.cursor, self.cursor.saturating_add(1));
                    self.writer.send(failure.event()).await?;
                    return Err(End::Clean);
                }
                Fault::TruncatedJson => {
                    self.writer.send(&b"{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"na\n"[..]).await?;
                }
                Fault::CutInValue => {
                    self.writer.send(&b"{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"na"[..]).await?;
                    return Err(End::Cut);
                }
                Fault::UnknownEvent => {
                    self.writer.send(&b"{\"type\":\"SURPRISE\",\"object\":{}}\n"[..]).await?;
                }
                _ => return Err(End::Cut),
            }
            if !matches!(fault, Fault::Stall | Fault::HalfOpen) && self.server.cluster.fault_stands(id) {
                // Each wake sends one of these; the next change brings the next.
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sends nothing until the rule is gone. A rule with a count is used up and stands no more.
    async fn wait_until_passed(&self, id: u64, moved: &mut Moved) -> Result<(), End> {
        while self.server.cluster.fault_stands(id) {
            tokio::select! {
                _ = moved.changed() => {}
                () = self.writer.closed() => return Err(End::Clean),
                () = tokio::time::sleep(FAULT_POLL) => {}
            }
        }
        Ok(())
    }
}
