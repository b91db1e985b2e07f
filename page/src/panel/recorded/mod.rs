//! What the gateway's record has of the panel's object beside its versions: its last version, if it is gone, and its Events.
//! Never the timeline's entries, which come a page at a time.

mod events;
mod last;

use shared::frame::client::SubscriptionId;
use shared::frame::server::{Past, PastAnswer};
use shared::problem::{Problem, Reason};
use shared::row::RowId;
use shared::scope::Scope;
use shared::state::UnixMillis;

use crate::table_view::Client;
pub(crate) use events::{EventsOfRecord, OfRecord};
pub(crate) use last::LastVersion;

/// The record of one object, asked for when it is needed.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) last: LastVersion,
    pub(crate) events: EventsOfRecord,
}

impl Recorded {
    /// Asks for the Events about an object, as of a time or all of them.
    pub(crate) fn follow_events(
        &mut self,
        row: Option<RowId>,
        at_ms: Option<UnixMillis>,
        scope: impl FnOnce(&Client) -> Option<Scope>,
        client: &mut Client,
    ) {
        if let Some(of) = row.map(|row| (row, at_ms)).filter(|of| records(client) && self.events.wants(*of))
            && let Some(scope) = scope(client)
        {
            self.events.follow(of, scope, client);
        }
    }

    /// Returns whether it was the answer to a question of the panel.
    pub(crate) fn came(&mut self, answer: &PastAnswer) -> bool {
        let is_own = self.last.waits_for(answer.id) || self.events.waits_for(answer.id);
        if is_own {
            match answer.read() {
                Some(Past::Version(version)) => self.last.came(version),
                Some(Past::Events(events)) => self.events.came(events),
                // A later gateway answers otherwise.
                _ => self.failed(answer.id, &Problem::new(Reason::InternalError, String::new())),
            }
        }
        is_own
    }

    pub(crate) fn failed(&mut self, id: SubscriptionId, problem: &Problem) {
        // What a connection took along is asked for on the next one.
        let is_cut = problem.reason == Reason::ConnectionClosed;
        self.last.failed(id, is_cut);
        self.events.failed(id, is_cut);
    }
}

/// The gateway records, so that the past can be asked for.
pub(crate) fn records(client: &Client) -> bool {
    client.welcome().is_some_and(|welcome| welcome.records)
}
