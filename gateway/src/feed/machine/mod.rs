//! The list+watch of one feed as a pure state machine: answers and the time go in; requests, changes for
//! the hub and the feed's state come out. It has no socket, clock, task or randomness. The rules are those
//! of Kubernetes' API concepts page.
//!
//! Read in this order: [`state`], [`request`], this file, [`answers`], [`failures`], [`proof`] (when the
//! state is proven), [`report`] (what viewers are told).

mod answers;
mod backoff;
mod clock;
mod failures;
mod messages;
mod positions;
mod proof;
mod report;
mod request;
mod state;

use std::collections::VecDeque;
use std::sync::Arc;

use shared::column::Column;
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::state::{StateReport, UnixMillis};

use backoff::Backoff;
use clock::ClusterClock;
use messages::Subject;
use positions::Positions;
use proof::{Asked, Proofs};
use state::{Absence, Held, Listing, State, Step, Trouble, WatchListing, WatchSupport, Watching};

pub use request::{Request, RequestSlot};

use super::event::{Event, Page};
use super::{Change, FeedCommand, FeedKey, FeedOptions, FeedOutput};
use crate::cluster::Failure;
use crate::limits::{LIST_RESTARTS_MAX, RESUME_GATHER_MS, WATCH_LIST_WHOLE_MS, WATCH_REOPEN_MS};

/// What happened. The time is a separate argument.
#[derive(Debug)]
pub enum Input {
    /// The head of a good answer, with the server's `Date`.
    Opened {
        slot: RequestSlot,
        date_ms: Option<i64>,
    },
    Event(Event),
    Page(Page),
    /// The resourceVersion of the list that was asked for as a proof, and its columns where they
    /// were asked for.
    Proof {
        version: ResourceVersion,
        columns: Option<Arc<[Column]>>,
    },
    /// The watch ended without an error.
    Ended,
    Failed {
        slot: RequestSlot,
        failure: Failure,
    },
    /// The answer can't be read as an API server's.
    Unreadable {
        slot: RequestSlot,
    },
    Refreshed(Result<(), Problem>),
    Command(FeedCommand),
    /// The deadline has passed.
    Tick,
}

/// What the driver does, in this order.
#[derive(Debug)]
pub enum Output {
    Tell(FeedOutput),
    /// Replaces the request in that slot.
    Ask {
        slot: RequestSlot,
        request: Request,
    },
    Drop(RequestSlot),
    RefreshCredentials,
    /// Ask discovery whether the resource is still served.
    Rediscover,
    /// The resource's server has no WatchLists, so later feeds begin with a list.
    RememberNoWatchList,
}

/// What is known of the resource before the feed begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Discovery lists the verb `watch`.
    pub watch: bool,
    /// No WatchList of this resource was refused or ignored before.
    pub watch_list: bool,
    /// Its definition, and with it its columns, may change at any time.
    pub custom: bool,
}

/// One upstream list+watch, from the first request to the last. It decides everything about it: what to ask the API
/// server and when, what the hub gets, and what viewers are told. It knows no socket, no clock, no task and no
/// subscriber.
///
/// [`handle`](Machine::handle) takes one [`Input`] and the time: the head of an answer, an event, a page, a failure, a
/// command of the hub, or a tick. [`next_output`](Machine::next_output) then gives what the driver has to do, in order.
/// [`deadline_ms`](Machine::deadline_ms) says when the next tick is due. A test drives it the same way, with a script in
/// place of an API server.
///
/// One enum, `State`, says what the machine does now: wait, read the credentials again, read a WatchList, read a list
/// page by page, or watch. `begin` starts a list or a watch, with a `Step` that says from where: from nothing, from the
/// resourceVersion that the hub holds, or from the position of a viewer that comes back. The hub compares a list with
/// what it holds, so no viewer begins anew after it.
///
/// Beside the state stand facts that outlive it, each in a type of its own: `Held` (what the hub holds, and whether
/// events were missed since), `Trouble` and `Backoff` (failures in a row, and when to try again), `Absence` (the
/// resource isn't served), `Proofs` (when the view was last proven) and `ClusterClock` (the server's `Date`).
///
/// `report` runs after every input. It compares what viewers should be told with what they were told last, and tells
/// them of a change. A view is live only while a proof is young enough; silence of the watch proves nothing.
///
/// Its methods lie in four files by idea: this file has the steps, `answers.rs` the good answers, `failures.rs` the bad
/// ones, and `report.rs` what viewers are told.
pub struct Machine {
    options: FeedOptions,
    subject: Subject,
    may_watch_list: bool,
    is_custom: bool,
    watch_support: WatchSupport,
    state: State,
    /// The columns that the hub has.
    columns: Option<Arc<[Column]>>,
    held: Held,
    trouble: Trouble,
    absence: Option<Absence>,
    proofs: Proofs,
    backoff: Backoff,
    /// From this time on a viewer's request for a retry has an effect.
    retry_from_ms: UnixMillis,
    clock: ClusterClock,
    /// Whether the credentials were read again since they last worked.
    is_refreshed: bool,
    outputs: VecDeque<Output>,
    reported: Option<(UnixMillis, StateReport)>,
}

impl Machine {
    /// `stands_at`: the position of the viewer that the feed begins for, if it was served before. Other
    /// viewers are likely to come back too, so the machine waits for them.
    #[must_use]
    pub fn new(
        key: &FeedKey,
        capabilities: Capabilities,
        options: FeedOptions,
        stands_at: Option<ResourceVersion>,
        seed: u64,
        now_ms: UnixMillis,
    ) -> Self {
        let mut machine = Self {
            subject: Subject::of(key, options.is_reviewed),
            may_watch_list: capabilities.watch_list,
            is_custom: capabilities.custom,
            watch_support: match (capabilities.watch, key.is_only_listed) {
                (true, false) => WatchSupport::Supported,
                (true, true) => WatchSupport::NotForViewers,
                (false, _) => WatchSupport::NoVerb,
            },
            state: State::Waiting { until_ms: now_ms, then: Step::Sync },
            columns: None,
            held: Held { began_ms: now_ms, list: None },
            trouble: Trouble::None,
            absence: None,
            proofs: Proofs::new(now_ms),
            backoff: Backoff::new(seed),
            retry_from_ms: now_ms,
            clock: ClusterClock::default(),
            is_refreshed: false,
            outputs: VecDeque::new(),
            reported: None,
            options,
        };
        match stands_at {
            Some(version) => {
                let until_ms = now_ms + RESUME_GATHER_MS;
                let positions = Positions::of(version, machine.options.resume_margin);
                machine.state = State::Waiting { until_ms, then: Step::From(positions) };
            }
            None => machine.begin(Step::Sync, now_ms),
        }
        machine.report(now_ms);
        machine
    }

    pub fn handle(&mut self, input: Input, now_ms: UnixMillis) {
        match input {
            Input::Opened { slot, date_ms } => self.on_opened(slot, date_ms, now_ms),
            Input::Event(event) => self.on_event(event, now_ms),
            Input::Page(page) => self.on_page(page, now_ms),
            Input::Proof { version, columns } => self.on_proof(&version, columns, now_ms),
            Input::Ended => self.on_ended(now_ms),
            Input::Failed { slot: RequestSlot::Main, failure } => self.on_failure(&failure, now_ms),
            Input::Failed { slot: RequestSlot::Proof, failure } => self.on_proof_failure(&failure, now_ms),
            Input::Unreadable { slot: RequestSlot::Main } => self.on_unreadable(now_ms),
            Input::Unreadable { slot: RequestSlot::Proof } => {
                self.on_proof_failure(&Failure::Broken(self.subject.unreadable()), now_ms);
            }
            Input::Refreshed(result) => self.on_refreshed(result, now_ms),
            Input::Command(FeedCommand::StandsAt(version)) => {
                if let State::Waiting { then: Step::From(positions), .. } = &mut self.state {
                    positions.add(version);
                }
            }
            Input::Command(FeedCommand::Retry) => self.on_retry(now_ms),
            Input::Command(FeedCommand::Viewers(any)) => self.on_viewers(any, now_ms),
            Input::Tick => {}
        }
        self.on_time(now_ms);
        self.report(now_ms);
    }

    /// Whether it has no list yet, and so needs to know what other feeds do: [`Machine::note_outage`] before each tick, and
    /// a tick at least every [`FEED_LOOK_MS`](crate::limits::FEED_LOOK_MS).
    #[must_use]
    pub fn is_before_list(&self) -> bool {
        self.held.list.is_none()
    }

    /// When other feeds of the cluster were proven last, while they get no answer.
    pub fn note_outage(&mut self, proven_ms: Option<UnixMillis>) {
        self.proofs.outage_ms = proven_ms;
    }

    pub fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When the next [`Input::Tick`] is due at the latest.
    #[must_use]
    pub fn deadline_ms(&self) -> UnixMillis {
        let of_state = match &self.state {
            State::Waiting { until_ms, .. } => *until_ms,
            State::WatchListing(listing) => self.mark_deadline_ms(listing),
            State::Watching(watching) if watching.opened_ms.is_some() => {
                let reopens_ms = self.reopen_deadline_ms(watching).unwrap_or(UnixMillis::MAX);
                self.proof_deadline_ms().min(reopens_ms)
            }
            State::Refreshing { .. } | State::Listing(_) | State::Watching(_) => UnixMillis::MAX,
        };
        self.report_deadline_ms().min(of_state)
    }

    fn on_time(&mut self, now_ms: UnixMillis) {
        match &self.state {
            State::Waiting { until_ms, then } if *until_ms <= now_ms => {
                let then = then.clone();
                self.begin(then, now_ms);
            }
            State::WatchListing(listing) if self.mark_deadline_ms(listing) <= now_ms => {
                self.fall_back_to_lists(true, now_ms);
            }
            State::Watching(watching) => {
                if self.reopen_deadline_ms(watching).is_some_and(|due_ms| due_ms <= now_ms) {
                    self.begin(Step::Watch, now_ms);
                } else if watching.opened_ms.is_some() && self.proof_deadline_ms() <= now_ms {
                    self.ask_for_proof(now_ms);
                }
            }
            _ => {}
        }
    }

    /// A server that ignores `sendInitialEvents` never ends the initial set.
    fn mark_deadline_ms(&self, listing: &WatchListing) -> UnixMillis {
        if !listing.is_open {
            // The head has a timeout of its own.
            return UnixMillis::MAX;
        }
        (listing.last_ms + self.options.watch_list_quiet_ms).min(listing.asked_ms + WATCH_LIST_WHOLE_MS)
    }

    fn proof_deadline_ms(&self) -> UnixMillis {
        match &self.proofs.asked {
            Some(asked) => asked.at_ms + self.options.proof_timeout_ms,
            None => self.proofs.due_ms,
        }
    }

    /// Without bookmarks, only a new watch shows that the server no longer feeds the old one.
    fn reopen_deadline_ms(&self, watching: &Watching) -> Option<UnixMillis> {
        let opened_ms = watching.opened_ms?;
        (!self.proofs.expects_bookmarks()).then_some(opened_ms + WATCH_REOPEN_MS)
    }

    fn begin(&mut self, step: Step, now_ms: UnixMillis) {
        self.abort_list();
        self.drop_proof();
        let is_watched = match self.watch_support {
            WatchSupport::Supported => true,
            WatchSupport::NoVerb | WatchSupport::NotForViewers => false,
            WatchSupport::NoRight { retry_ms } => retry_ms <= now_ms,
        };
        match step {
            Step::Watch if is_watched && self.held.version().is_some() => self.watch(now_ms),
            Step::From(positions) if is_watched => self.list_from(positions, now_ms),
            _ if is_watched && self.may_watch_list => {
                let listing = WatchListing {
                    asked_ms: now_ms,
                    last_ms: now_ms,
                    is_open: false,
                    has_changed: false,
                    has_started: false,
                    count: 0,
                };
                self.state = State::WatchListing(listing);
                self.ask(Request::WatchList);
            }
            _ => self.list(is_watched, 0, now_ms),
        }
    }

    fn watch(&mut self, now_ms: UnixMillis) {
        self.state = State::Watching(Watching { asked_ms: now_ms, opened_ms: None, last_event_ms: None });
        let from = self.held.version().cloned().unwrap_or_default();
        self.ask(Request::Watch { from });
    }

    /// Lists the objects at a viewer's position, so that the watch brings what has changed since.
    fn list_from(&mut self, mut positions: Positions, now_ms: UnixMillis) {
        match positions.try_lowest() {
            Some(lowest) => self.list_of(Some((lowest, positions)), true, 0, now_ms),
            None => self.begin(Step::Sync, now_ms),
        }
    }

    /// `restarts`: how often the token of a page expired before.
    fn list(&mut self, is_watched: bool, restarts: u32, now_ms: UnixMillis) {
        self.list_of(None, is_watched, restarts, now_ms);
    }

    fn list_of(
        &mut self,
        exact: Option<(ResourceVersion, Positions)>,
        is_watched: bool,
        restarts: u32,
        now_ms: UnixMillis,
    ) {
        self.abort_list();
        // Pages that expire faster than they can be read are replaced by one whole list.
        let is_paged = restarts < LIST_RESTARTS_MAX;
        let (at, exact) = exact.unzip();
        self.state = State::Listing(Listing {
            asked_ms: now_ms,
            exact,
            has_started: false,
            is_watched,
            is_paged,
            is_continued: false,
            restarts,
            count: 0,
            remaining: None,
        });
        let limit = is_paged.then_some(self.options.page_objects);
        self.ask(Request::List { at, limit, next: None });
    }

    fn ask(&mut self, request: Request) {
        self.outputs.push_back(Output::Ask { slot: RequestSlot::Main, request });
    }

    fn tell(&mut self, change: Change) {
        self.outputs.push_back(Output::Tell(FeedOutput::Change(change)));
    }

    fn ask_for_proof(&mut self, now_ms: UnixMillis) {
        if self.proofs.asked.is_some() {
            self.proofs.problem = Some(messages::proof_timed_out());
        }
        self.proofs.asked =
            Some(Asked { at_ms: now_ms, held: self.held.version().cloned().unwrap_or_default() });
        self.proofs.due_ms = now_ms + self.options.proof_interval_ms;
        self.outputs.push_back(Output::Ask {
            slot: RequestSlot::Proof,
            request: Request::Proof { columns: self.is_custom },
        });
    }

    fn drop_proof(&mut self) {
        if self.proofs.asked.take().is_some() {
            self.outputs.push_back(Output::Drop(RequestSlot::Proof));
        }
    }

    /// Tells the hub to drop what it put aside of a list that broke off.
    fn abort_list(&mut self) {
        let has_started = match &mut self.state {
            State::WatchListing(listing) => std::mem::take(&mut listing.has_started),
            State::Listing(listing) => std::mem::take(&mut listing.has_started),
            _ => false,
        };
        if has_started {
            self.tell(Change::ListAborted);
        }
    }

    /// Lists instead of a WatchList, and remembers it for later feeds if the server doesn't know
    /// WatchLists.
    fn fall_back_to_lists(&mut self, is_remembered: bool, now_ms: UnixMillis) {
        self.abort_list();
        if is_remembered {
            self.may_watch_list = false;
            self.outputs.push_back(Output::RememberNoWatchList);
        }
        self.list(true, 0, now_ms);
    }
}

#[cfg(test)]
mod tests;
