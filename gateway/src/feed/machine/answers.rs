//! Good answers: heads, events, pages, proofs.

use std::sync::Arc;

use shared::column::Column;
use shared::frame::server::Gap;
use shared::problem::Reason;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::proof::{Comparability, Judgement};
use super::state::{Continuity, Followed, State, Step, Trouble, WatchSupport, WholeList};
use super::{Machine, Output, Request, RequestSlot, messages};
use crate::cluster::Failure;
use crate::feed::event::{Event, Page, What};
use crate::feed::{Change, FeedOutput, LeftOut, Object, Proof};
use crate::limits::{BACKOFF_RESET_MS, RETRY_INTERVAL_MS, SHORT_LIFE_MS};

impl Machine {
    pub(super) fn on_opened(&mut self, slot: RequestSlot, date_ms: Option<i64>, now_ms: UnixMillis) {
        let asked_ms = match slot {
            RequestSlot::Proof => self.proofs.asked.as_ref().map(|asked| asked.at_ms),
            RequestSlot::Main => match &mut self.state {
                State::WatchListing(listing) => {
                    listing.is_open = true;
                    listing.last_ms = now_ms;
                    Some(listing.asked_ms)
                }
                State::Listing(listing) => Some(listing.asked_ms),
                State::Watching(watching) => {
                    watching.opened_ms = Some(now_ms);
                    Some(watching.asked_ms)
                }
                State::Waiting { .. } | State::Refreshing { .. } => None,
            },
        };
        if let (Some(date_ms), Some(asked_ms)) = (date_ms, asked_ms) {
            self.clock.learn(date_ms, asked_ms, now_ms);
        }
        if slot == RequestSlot::Main {
            self.is_refreshed = false;
            let is_stream = matches!(self.state, State::WatchListing(_) | State::Watching(_));
            if is_stream && matches!(self.watch_support, WatchSupport::NoRight { .. }) {
                self.watch_support = WatchSupport::Supported;
            }
            if matches!(self.state, State::Watching(_)) {
                if let Some(list) = &mut self.held.list {
                    list.followed = Followed::ByWatch;
                }
                // Ask for a proof at once. An open watch alone doesn't make the state live, because it may break with
                // its first byte.
                self.proofs.due_ms = now_ms;
                self.compare_after_absence(now_ms);
            }
        }
    }

    pub(super) fn on_event(&mut self, event: Event, now_ms: UnixMillis) {
        match &self.state {
            State::WatchListing(_) => self.on_initial(event, now_ms),
            State::Watching(_) => self.on_change(event, now_ms),
            // The event belongs to a stream that was dropped meanwhile.
            State::Waiting { .. } | State::Refreshing { .. } | State::Listing(_) => {}
        }
    }

    /// An event before the end of the initial set. Synthetic events are not ordered by resourceVersion, so no
    /// version is kept.
    fn on_initial(&mut self, event: Event, now_ms: UnixMillis) {
        match event.what {
            What::Error(refusal) => return self.on_stream_error(&Failure::Refused(refusal), now_ms),
            What::Unknown => {
                return self.on_stream_error(&Failure::Broken(messages::stream_unknown()), now_ms);
            }
            _ => {}
        }
        self.start_list(event.columns);
        let is_bookmark = matches!(event.what, What::Bookmark { .. });
        if let State::WatchListing(listing) = &mut self.state {
            listing.has_changed |= event.is_change;
            if !listing.has_changed && !is_bookmark {
                listing.last_ms = now_ms;
            }
        }
        match event.what {
            What::Put(object) => self.listed(Ok(object)),
            What::LeftOut(left_out) => self.listed(Err(left_out)),
            What::Deleted(id) => {
                self.tell(Change::Delete { id, resource_version: event.resource_version });
            }
            What::Bookmark { ends_initial: true } => self.end_watch_list(event.resource_version, now_ms),
            What::Bookmark { ends_initial: false } | What::Hidden | What::Error(_) | What::Unknown => {}
        }
    }

    /// Tells the hub that a list starts, and before that its columns if the hub has others.
    fn start_list(&mut self, columns: Option<Arc<[Column]>>) {
        let has_started = match &mut self.state {
            State::WatchListing(listing) => std::mem::replace(&mut listing.has_started, true),
            State::Listing(listing) => std::mem::replace(&mut listing.has_started, true),
            _ => return,
        };
        if has_started {
            return;
        }
        if let Some(columns) = columns
            && self.columns.as_ref() != Some(&columns)
        {
            self.columns = Some(Arc::clone(&columns));
            self.tell(Change::Columns(columns));
        }
        self.tell(Change::ListStart);
    }

    fn listed(&mut self, object: Result<Object, LeftOut>) {
        match &mut self.state {
            State::WatchListing(listing) => listing.count += 1,
            State::Listing(listing) => listing.count += 1,
            _ => {}
        }
        match object {
            Ok(object) => self.tell(Change::Listed(object)),
            Err(left_out) => self.tell(Change::LeftOut(left_out)),
        }
    }

    fn end_watch_list(&mut self, version: ResourceVersion, now_ms: UnixMillis) {
        let asked_ms = match &self.state {
            State::WatchListing(listing) => listing.asked_ms,
            _ => now_ms,
        };
        if self.is_before_held(&version) {
            // The bookmark shows only now that resourceVersions went back, so another list begins a new epoch.
            self.abort_list();
            return self.rewind(now_ms);
        }
        self.end_list(version, now_ms);
        self.prove(asked_ms, now_ms);
        if let Some(list) = &mut self.held.list {
            list.followed = Followed::ByWatch;
        }
        self.state = State::Watching(super::state::Watching {
            asked_ms,
            opened_ms: Some(now_ms),
            last_event_ms: Some(now_ms),
        });
    }

    /// The list is complete. A list of the present is a proof by itself.
    fn end_list(&mut self, version: ResourceVersion, now_ms: UnixMillis) {
        let before = self.held.list.as_ref();
        let gap = before.and_then(|before| {
            // With the same version nothing happened in between; with other columns every view starts over.
            let may_miss = version != before.version && self.columns == before.columns;
            let reason = match before.continuity {
                Continuity::Gap(reason) => reason,
                Continuity::Doubtful(reason) if may_miss => reason,
                // No watch was open since the list before, and no viewer was told that only lists follow: that list
                // came late, so its view was stale.
                Continuity::Unbroken if may_miss && before.followed == Followed::NotYet => Reason::Unproven,
                Continuity::Doubtful(_) | Continuity::Unbroken => return None,
            };
            Some(Gap { from_ms: before.good_ms, to_ms: now_ms, reason })
        });
        self.held.list = Some(WholeList {
            version: version.clone(),
            columns: self.columns.clone(),
            count: self.state.listed(),
            good_ms: before.map_or(self.held.began_ms, |before| before.good_ms),
            is_loaded: before.is_some_and(|before| before.is_loaded),
            followed: before.map_or(Followed::NotYet, |before| before.followed),
            expired_silently: before.is_some_and(|before| before.expired_silently),
            continuity: Continuity::Unbroken,
        });
        // The list came from the server that is there now.
        self.absence = None;
        if self.proofs.comparability == Comparability::Doubted {
            self.proofs.comparability = Comparability::Incomparable;
        }
        self.tell(Change::ListEnd { resource_version: version, gap });
    }

    /// A proof ends every trouble. It is as old as its request, because the answer may have been on its way since
    /// then. After a long list the next proof is due at once.
    fn prove(&mut self, at_ms: UnixMillis, now_ms: UnixMillis) {
        if let Some(list) = &mut self.held.list {
            let is_young = now_ms - at_ms < self.options.stale_after_ms;
            list.is_loaded |= is_young || self.watch_support != WatchSupport::Supported;
            list.good_ms = now_ms;
        }
        self.proofs.last_ms = at_ms;
        self.proofs.problem = None;
        self.trouble = Trouble::None;
        self.absence = None;
        self.proofs.due_ms = at_ms + self.options.proof_interval_ms;
        let proof = Proof { at_ms, cluster_ahead_ms: self.clock.ahead_ms() };
        self.outputs.push_back(Output::Tell(FeedOutput::Proof(proof)));
    }

    /// resourceVersions went back: what is held is of another history, so the next list begins a new epoch.
    fn forget_versions(&mut self) {
        self.tell(Change::Rewound);
        if let Some(list) = &mut self.held.list {
            list.version = ResourceVersion::default();
            list.continuity = Continuity::Unbroken;
        }
        if self.proofs.comparability == Comparability::Doubted {
            self.proofs.comparability = Comparability::Comparable;
        }
    }

    fn is_before_held(&self, version: &ResourceVersion) -> bool {
        self.held.version().is_some_and(|held| version.is_older_than(held))
    }

    fn rewind(&mut self, now_ms: UnixMillis) {
        self.forget_versions();
        self.begin(Step::Sync, now_ms);
    }

    /// An error within the stream, which timelines show among its events.
    fn on_stream_error(&mut self, failure: &Failure, now_ms: UnixMillis) {
        let problem = self.subject.problem(failure);
        self.tell(Change::Error(problem));
        self.on_failure(failure, now_ms);
    }

    /// An event after the list.
    fn on_change(&mut self, event: Event, now_ms: UnixMillis) {
        if let State::Watching(watching) = &mut self.state {
            watching.last_event_ms = Some(now_ms);
        }
        match event.what {
            What::Error(refusal) => return self.on_stream_error(&Failure::Refused(refusal), now_ms),
            What::Unknown => {
                self.tell(Change::Error(messages::stream_unknown()));
                return self.watch_soon(messages::stream_unknown(), now_ms);
            }
            _ => {}
        }
        let has_other_columns = event.columns.is_some_and(|columns| self.columns.as_ref() != Some(&columns));
        if has_other_columns {
            // The rows of the hub were printed for other columns.
            return self.list_instead_of_watching(now_ms);
        }
        let version = event.resource_version;
        if self.is_before_held(&version) {
            return self.rewind(now_ms);
        }
        if let Some(list) = &mut self.held.list {
            if !version.is_empty() {
                list.version = version.clone();
            }
            list.good_ms = now_ms;
            list.expired_silently = false;
        }
        match event.what {
            What::Put(object) => self.tell(Change::Put(object)),
            What::Deleted(id) => self.tell(Change::Delete { id, resource_version: version }),
            What::Bookmark { .. } => {
                self.proofs.bookmarks = self.proofs.bookmarks.saturating_add(1);
                self.tell(Change::Bookmark(version));
            }
            What::LeftOut(left_out) => self.tell(Change::LeftOut(left_out)),
            What::Hidden | What::Error(_) | What::Unknown => {}
        }
    }

    pub(super) fn on_page(&mut self, page: Page, now_ms: UnixMillis) {
        let State::Listing(listing) = &mut self.state else { return };
        let has_other_columns =
            !page.columns.is_empty() && self.columns.as_ref().is_some_and(|held| *held != page.columns);
        if listing.is_continued && has_other_columns {
            // The columns changed between two pages, and one table can't hold rows of both.
            let (is_watched, restarts) = (listing.is_watched, listing.restarts + 1);
            return self.list(is_watched, restarts, now_ms);
        }
        let is_continued = listing.is_continued;
        if !is_continued && self.is_before_held(&page.resource_version) {
            self.forget_versions();
        }
        self.start_list(Some(page.columns).filter(|columns| !columns.is_empty()));
        for object in page.objects {
            self.listed(object);
        }
        let State::Listing(listing) = &mut self.state else { return };
        listing.remaining = page.remaining;
        listing.is_continued = true;
        let (is_watched, asked_ms, is_exact) =
            (listing.is_watched, listing.asked_ms, listing.exact.is_some());
        if let Some(next) = page.next {
            let limit = listing.is_paged.then_some(self.options.page_objects);
            return self.ask(Request::List { at: None, limit, next: Some(next) });
        }
        self.end_list(page.resource_version, now_ms);
        if is_exact {
            if let Some(list) = &mut self.held.list {
                list.is_loaded = true;
            }
            // The list is at an older resourceVersion; the watch and its first proof bring the present.
            if matches!(self.trouble, Trouble::None) {
                self.trouble = Trouble::Behind { since_ms: now_ms };
            }
        } else {
            self.prove(asked_ms, now_ms);
        }
        if is_watched {
            self.watch(now_ms);
        } else {
            // The proof is as old as the request, so the time of the answer isn't added to the interval.
            let interval_ms = self.options.poll_interval_ms;
            let until_ms = (asked_ms + interval_ms).max(now_ms + interval_ms / 2);
            self.state = State::Waiting { until_ms, then: Step::Sync };
        }
    }

    pub(super) fn on_proof(
        &mut self,
        answered: &ResourceVersion,
        columns: Option<Arc<[Column]>>,
        now_ms: UnixMillis,
    ) {
        let State::Watching(watching) = &self.state else { return };
        let asked_ms = self.proofs.asked.as_ref().map_or(now_ms, |asked| asked.at_ms);
        if columns.is_some_and(|columns| self.columns.as_ref() != Some(&columns)) {
            self.proofs.asked = None;
            return self.list_instead_of_watching(now_ms);
        }
        let opened_ms = watching.opened_ms;
        let held = self.held.version().cloned().unwrap_or_default();
        match self.proofs.judge(answered, &held, watching, now_ms) {
            Judgement::Proven => {
                self.prove(asked_ms, now_ms);
                if let Some(list) = &mut self.held.list {
                    list.expired_silently = false;
                }
                if opened_ms.is_some_and(|opened_ms| now_ms - opened_ms >= BACKOFF_RESET_MS) {
                    self.backoff.reset();
                }
            }
            Judgement::Doubted => {
                // The first page of a list decides, before anything is dropped.
                self.held.doubt(Reason::Unproven);
                self.list(true, 0, now_ms);
            }
            Judgement::WatchIsBehind => {
                self.proofs.problem = Some(messages::watch_is_behind());
                self.begin(Step::Watch, now_ms);
            }
        }
    }

    /// The changes between now and the list don't come as events, even if the list has the same columns as
    /// before.
    fn list_instead_of_watching(&mut self, now_ms: UnixMillis) {
        self.held.doubt(Reason::Unproven);
        self.begin(Step::Sync, now_ms);
    }

    pub(super) fn on_ended(&mut self, now_ms: UnixMillis) {
        match &self.state {
            State::Watching(watching) => {
                let lived_ms = watching.opened_ms.map_or(0, |opened_ms| now_ms - opened_ms);
                if watching.last_event_ms.is_none() && lived_ms < SHORT_LIFE_MS {
                    self.watch_soon(messages::cut_short(), now_ms);
                } else {
                    self.begin(Step::Watch, now_ms);
                }
            }
            State::WatchListing(_) => self.on_failure(&Failure::Broken(messages::cut_short()), now_ms),
            State::Waiting { .. } | State::Refreshing { .. } | State::Listing(_) => {}
        }
    }

    /// A viewer asked for the next try. Such tries are rare, counted over all viewers, and never come before the time
    /// that the API server asked for.
    pub(super) fn on_retry(&mut self, now_ms: UnixMillis) {
        if now_ms < self.retry_from_ms {
            return;
        }
        self.retry_from_ms = now_ms + RETRY_INTERVAL_MS;
        match &self.state {
            State::Waiting { then, .. } => {
                let then = then.clone();
                self.begin(then, now_ms);
            }
            State::Watching(watching) if watching.opened_ms.is_some() => self.proofs.due_ms = now_ms,
            _ => {}
        }
    }
}
