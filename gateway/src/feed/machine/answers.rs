//! What goes well: heads, events, pages, proofs.

use std::cmp::Ordering;
use std::sync::Arc;

use shared::column::Column;
use shared::frame::server::Gap;
use shared::problem::Reason;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::proof::Verdict;
use super::state::{Polled, State, Step, Trouble};
use super::{Line, Machine, Output, Request, words};
use crate::cluster::Failure;
use crate::feed::event::{Event, LeftOut, Page, What};
use crate::feed::{Change, FeedOutput, Object, Proof};

impl Machine {
    pub(super) fn on_opened(&mut self, line: Line, date_ms: Option<i64>, now_ms: UnixMillis) {
        let asked_ms = match line {
            Line::Proof => self.proofs.asked.as_ref().map(|asked| asked.at_ms),
            Line::Main => match &mut self.state {
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
        if line == Line::Main {
            self.is_refreshed = false;
            let is_stream = matches!(self.state, State::WatchListing(_) | State::Watching(_));
            if is_stream && matches!(self.polled, Polled::NoRight { .. }) {
                self.polled = Polled::No;
            }
            if matches!(self.state, State::Watching(_)) {
                self.held.is_watched = true;
                // Asked at once, for the state is live again only on proof: a watch that opens may
                // break with its first byte.
                self.proofs.due_ms = now_ms;
                self.compare_after_absence(now_ms);
            }
        }
    }

    pub(super) fn on_event(&mut self, event: Event, now_ms: UnixMillis) {
        match &self.state {
            State::WatchListing(_) => self.on_initial(event, now_ms),
            State::Watching(_) => self.on_change(event, now_ms),
            // Of a stream that was dropped meanwhile.
            State::Waiting { .. } | State::Refreshing { .. } | State::Listing(_) => {}
        }
    }

    /// Before the end mark. Synthetic events are not ordered by resourceVersion: none is kept.
    fn on_initial(&mut self, event: Event, now_ms: UnixMillis) {
        match event.what {
            What::Error(refusal) => return self.on_stream_error(&Failure::Refused(refusal), now_ms),
            What::Unknown => return self.on_stream_error(&Failure::Broken(words::stream_unknown()), now_ms),
            _ => {}
        }
        self.start_list(event.columns);
        match event.what {
            What::Added(object) | What::Modified(object) => self.listed(Ok(object), now_ms),
            What::LeftOut(left_out) => self.listed(Err(left_out), now_ms),
            What::Deleted(id) => {
                self.tell(Change::Delete { id, resource_version: event.resource_version });
            }
            What::Bookmark { ends_initial: true } => self.end_watch_list(event.resource_version, now_ms),
            What::Bookmark { ends_initial: false } | What::Error(_) | What::Unknown => {}
        }
    }

    /// Columns first, where they aren't those that the hub has.
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
            && self.held.columns.as_ref() != Some(&columns)
        {
            self.held.columns = Some(Arc::clone(&columns));
            self.tell(Change::Columns(columns));
        }
        self.tell(Change::ListStart);
    }

    fn listed(&mut self, object: Result<Object, LeftOut>, now_ms: UnixMillis) {
        match &mut self.state {
            State::WatchListing(listing) => {
                listing.count += 1;
                listing.last_ms = now_ms;
            }
            State::Listing(listing) => listing.count += 1,
            _ => {}
        }
        match object {
            Ok(object) => self.tell(Change::Listed(object)),
            Err(left_out) => self.leave_out(left_out),
        }
    }

    fn leave_out(&mut self, LeftOut { object, problem }: LeftOut) {
        self.tell(Change::LeftOut { object, problem });
    }

    fn end_watch_list(&mut self, version: ResourceVersion, now_ms: UnixMillis) {
        let asked_ms = match &self.state {
            State::WatchListing(listing) => listing.asked_ms,
            _ => now_ms,
        };
        if version.is_older_than(&self.held.resource_version) {
            // Known only now, with the list half applied: another epoch, and once more.
            self.tell(Change::ListAborted);
            return self.rewind(now_ms);
        }
        self.end_list(version, now_ms);
        self.prove(asked_ms, now_ms);
        self.held.is_watched = true;
        self.state = State::Watching(super::state::Watching {
            asked_ms,
            opened_ms: Some(now_ms),
            last_word_ms: Some(now_ms),
        });
    }

    /// The list is whole. If it was the most recent one, it is a proof by itself.
    fn end_list(&mut self, version: ResourceVersion, now_ms: UnixMillis) {
        // Where the versions are the same nothing happened between, and with other columns everything
        // begins anew.
        let has_other_columns = self.held.columns != self.held.listed_columns;
        let has_missed_nothing = has_other_columns || version == self.held.resource_version;
        let unfollowed = self.held.unfollowed.take().filter(|_| !has_missed_nothing);
        self.held.listed_columns.clone_from(&self.held.columns);
        let reason = self.held.gap.take().or(unfollowed).filter(|_| self.held.is_complete);
        let gap = reason.map(|reason| Gap { from_ms: self.held.good_ms, to_ms: now_ms, reason });
        self.held.resource_version = version.clone();
        self.held.is_complete = true;
        // What is held now is of the server that answered.
        self.trouble.unseen = None;
        self.held.count = self.state.listed();
        if std::mem::take(&mut self.held.is_doubted) {
            self.proofs.is_comparable = false;
        }
        self.tell(Change::ListEnd { resource_version: version, gap });
    }

    /// Whatever was wrong isn't any more. What was asked for at `at_ms` is here; the answer says how the
    /// cluster was after that, and nobody knows how long it was on its way: so the proof is as old as
    /// the question. After a long list the next one is due at once.
    fn prove(&mut self, at_ms: UnixMillis, now_ms: UnixMillis) {
        self.held.is_loaded |= self.polled != Polled::No || now_ms - at_ms < self.options.stale_after_ms;
        self.held.good_ms = now_ms;
        self.proofs.last_ms = at_ms;
        self.proofs.problem = None;
        self.trouble = Trouble::default();
        self.proofs.due_ms = at_ms + self.options.proof_interval_ms;
        let proof = Proof { at_ms, cluster_ahead_ms: self.clock.ahead_ms() };
        self.outputs.push_back(Output::Tell(FeedOutput::Proof(proof)));
    }

    /// They went back: what is held is of another history, and whatever comes begins anew.
    fn forget_versions(&mut self) {
        self.tell(Change::Rewound);
        self.held.resource_version = ResourceVersion::default();
        self.held.gap = None;
        self.held.is_doubted = false;
        self.held.unfollowed = None;
    }

    fn rewind(&mut self, now_ms: UnixMillis) {
        self.forget_versions();
        self.begin(Step::Sync, now_ms);
    }

    /// Said within the stream, so it stands among its events.
    fn on_stream_error(&mut self, failure: &Failure, now_ms: UnixMillis) {
        let problem = self.subject.problem(failure);
        self.tell(Change::Error(problem));
        self.on_failure(failure, now_ms);
    }

    /// After the list.
    fn on_change(&mut self, event: Event, now_ms: UnixMillis) {
        if let State::Watching(watching) = &mut self.state {
            watching.last_word_ms = Some(now_ms);
        }
        match event.what {
            What::Error(refusal) => return self.on_stream_error(&Failure::Refused(refusal), now_ms),
            What::Unknown => {
                self.tell(Change::Error(words::stream_unknown()));
                return self.watch_soon(words::stream_unknown(), now_ms);
            }
            _ => {}
        }
        let has_other_columns =
            event.columns.is_some_and(|columns| self.held.columns.as_ref() != Some(&columns));
        if has_other_columns {
            // The rows that the hub has were printed for the old ones.
            return self.list_instead_of_watching(now_ms);
        }
        let version = event.resource_version;
        if version.compare(&self.held.resource_version) == Some(Ordering::Less) {
            return self.rewind(now_ms);
        }
        if !version.is_empty() {
            self.held.resource_version = version.clone();
        }
        self.held.good_ms = now_ms;
        self.held.is_expired_again = false;
        match event.what {
            What::Added(object) | What::Modified(object) => self.tell(Change::Put(object)),
            What::Deleted(id) => self.tell(Change::Delete { id, resource_version: version }),
            What::Bookmark { .. } => {
                self.proofs.bookmarks = self.proofs.bookmarks.saturating_add(1);
                self.tell(Change::Bookmark(version));
            }
            What::LeftOut(left_out) => self.leave_out(left_out),
            What::Error(_) | What::Unknown => {}
        }
    }

    pub(super) fn on_page(&mut self, page: Page, now_ms: UnixMillis) {
        let State::Listing(listing) = &mut self.state else { return };
        let has_other_columns =
            !page.columns.is_empty() && self.held.columns.as_ref().is_some_and(|held| *held != page.columns);
        if listing.is_continued && has_other_columns {
            // They changed between two pages: rows of both kinds can't stand in one table.
            let (is_watched, restarts) = (listing.is_watched, listing.restarts + 1);
            self.abort_list();
            return self.list(is_watched, restarts, now_ms);
        }
        if !listing.is_continued && page.resource_version.is_older_than(&self.held.resource_version) {
            self.forget_versions();
        }
        self.start_list(Some(page.columns).filter(|columns| !columns.is_empty()));
        for object in page.objects {
            self.listed(object, now_ms);
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
            self.held.is_loaded = true;
            // Of a former time: how it is now, the watch and its first proof will tell.
            self.trouble.since_ms.get_or_insert(now_ms);
        } else {
            self.prove(asked_ms, now_ms);
        }
        if is_watched {
            self.watch(now_ms);
        } else {
            let until_ms = now_ms + self.options.poll_interval_ms;
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
        if columns.is_some_and(|columns| self.held.columns.as_ref() != Some(&columns)) {
            self.proofs.asked = None;
            return self.list_instead_of_watching(now_ms);
        }
        let held = &self.held.resource_version;
        match self.proofs.judge(answered, held, watching, &self.options, now_ms) {
            Verdict::Proven => {
                self.prove(asked_ms, now_ms);
                self.held.is_expired_again = false;
                let is_healthy_since = watching_since(&self.state);
                if is_healthy_since.is_some_and(|since| now_ms - since >= self.options.backoff_reset_ms) {
                    self.backoff.reset();
                }
            }
            Verdict::Doubted => {
                // Its first page tells, before anything is thrown away.
                self.held.is_doubted = true;
                self.held.unfollowed = Some(Reason::Unproven);
                self.list(true, 0, now_ms);
            }
            Verdict::WatchIsBehind => {
                self.proofs.problem = Some(words::watch_is_behind());
                self.begin(Step::Watch, now_ms);
            }
        }
    }

    /// What happens from here to the list comes as no event, even where the columns turn out to be the
    /// former ones again.
    fn list_instead_of_watching(&mut self, now_ms: UnixMillis) {
        self.held.unfollowed = Some(Reason::Unproven);
        self.begin(Step::Sync, now_ms);
    }

    pub(super) fn on_ended(&mut self, now_ms: UnixMillis) {
        match &self.state {
            State::Watching(watching) => {
                let lived_ms = watching.opened_ms.map_or(0, |opened_ms| now_ms - opened_ms);
                if watching.last_word_ms.is_none() && lived_ms < self.options.short_life_ms {
                    self.watch_soon(words::cut_short(), now_ms);
                } else {
                    self.begin(Step::Watch, now_ms);
                }
            }
            State::WatchListing(_) => self.on_failure(&Failure::Broken(words::cut_short()), now_ms),
            State::Waiting { .. } | State::Refreshing { .. } | State::Listing(_) => {}
        }
    }

    pub(super) fn on_retry(&mut self, now_ms: UnixMillis) {
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

fn watching_since(state: &State) -> Option<UnixMillis> {
    match state {
        State::Watching(watching) => watching.opened_ms,
        _ => None,
    }
}
