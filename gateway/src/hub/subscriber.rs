//! A subscriber is a position, and what it has yet to be told. It has no queue.

use std::sync::Arc;

use shared::frame::server::ViewId;
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

use super::frames::Encoded;
use super::permit::SendPermit;
use super::request::SubscriptionRequest;

pub(super) struct Subscriber<S> {
    pub(super) request: Arc<SubscriptionRequest>,
    pub(super) view: ViewId,
    pub(super) session: S,
    pub(super) permit: SendPermit,
    /// The session knows that there is news, and has not pulled since.
    pub(super) is_notified: bool,
    pub(super) pending: PendingNotices,
    pub(super) state: SubscriberState,
}

pub(super) enum SubscriberState {
    /// It can't be had, and is told so.
    Refused(Problem),
    /// It wants one object, once, and nothing after that.
    Get,
    Timeline(LogReader),
    /// It holds rows of another hub, and gets none until it is known where they stand here.
    Waiting(HeldRows),
    Following(Cursor),
}

/// What a viewer of another hub holds.
#[derive(Clone)]
pub(super) struct HeldRows {
    pub(super) columns: Box<str>,
    pub(super) digest: u64,
    pub(super) resource_version: ResourceVersion,
}

/// The position of a timeline's subscriber.
pub(super) struct LogReader {
    /// The number of entries that it has, or was told to have missed.
    pub(super) read: u64,
    /// Its former position isn't known here, and it has yet to be told.
    pub(super) is_lost: bool,
}

/// The position of a subscriber to rows or to an object.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    /// It has all changes up to here.
    pub(super) at: u64,
    /// Where its last frame ended, which is the position that the client knows. It stays behind `at` while
    /// nothing happens in the view.
    pub(super) frame_end: u64,
    pub(super) origin: Origin,
    pub(super) progress: Progress,
    /// From then on the next `sync` carries a digest.
    pub(super) digest_due_ms: UnixMillis,
}

#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// It began from nothing when the hub stood at `head`, so it never held what was deleted before.
    Nothing { head: u64 },
    /// Its token was continued at this position of the epoch.
    Token { at: u64 },
}

/// How the client's rows relate to the view.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// No frame was sent. Whether the first one replaces all that the client has.
    Nothing { replaces: bool },
    /// In the middle of a walk: what changed meanwhile is further on.
    Walking,
    /// The rows are the view at `at`, but the first list isn't complete.
    Whole,
    /// The rows are the view at `at`, and the client was told so.
    AtCut,
}

/// What goes out with the next delivery.
#[derive(Clone, Copy)]
pub(super) struct PendingNotices {
    pub(super) status: StatusNotice,
    pub(super) sync: bool,
    /// The upstream may not list what the hub is to hold; its session gets a message of its own.
    pub(super) forbidden: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StatusNotice {
    None,
    State,
    /// It carries the state as well.
    Subscribed,
}

/// What one pull of one subscriber gives, in this order. Nothing follows until it pulls again.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    pub messages: Vec<Arc<Encoded>>,
    /// It isn't decided whether the token can be continued, so it is still worth something.
    pub is_undecided: bool,
    /// There is more: pull again.
    pub more: bool,
    /// It has all that it asked for, and the subscription is over.
    pub is_over: bool,
}

impl<S> Subscriber<S> {
    /// Its next frame replaces all that the client has.
    pub(super) fn begin_anew(&mut self, head: u64) {
        match &mut self.state {
            SubscriberState::Refused(_) | SubscriberState::Get => {}
            SubscriberState::Timeline(reader) => reader.is_lost = true,
            SubscriberState::Waiting(_) => {
                self.state = SubscriberState::Following(Cursor::from_nothing(head, true));
            }
            SubscriberState::Following(cursor) => {
                *cursor = Cursor { digest_due_ms: cursor.digest_due_ms, ..Cursor::from_nothing(head, true) };
            }
        }
        self.pending.status = StatusNotice::Subscribed;
    }

    /// The client has all changes up to the position, and nothing else.
    pub(super) fn continue_at(&mut self, position: u64) {
        self.state = SubscriberState::Following(Cursor::continued(position));
        self.pending.status = StatusNotice::Subscribed;
    }
}

impl PendingNotices {
    pub(super) fn add_state(&mut self) {
        if self.status == StatusNotice::None {
            self.status = StatusNotice::State;
        }
    }
}

impl Cursor {
    pub(super) fn from_nothing(head: u64, replaces: bool) -> Self {
        let (origin, progress) = (Origin::Nothing { head }, Progress::Nothing { replaces });
        Self { at: 0, frame_end: 0, origin, progress, digest_due_ms: 0 }
    }

    /// Its first `sync` carries a digest, so that a wrong continuation is found.
    pub(super) fn continued(at: u64) -> Self {
        let origin = Origin::Token { at };
        Self { at, frame_end: at, origin, progress: Progress::AtCut, digest_due_ms: 0 }
    }

    pub(super) fn start(&self) -> u64 {
        match self.origin {
            Origin::Nothing { head } => head,
            Origin::Token { .. } => 0,
        }
    }

    /// Whether its rows are the view as it was at `at`.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.progress, Progress::Whole | Progress::AtCut)
    }

    pub(super) fn replaces(&self) -> bool {
        self.progress == Progress::Nothing { replaces: true }
    }
}
