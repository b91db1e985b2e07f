//! What a client holds of one subscription, whatever its projection, and how it is asked for. How frames are applied
//! stands with each of them.

use shared::custom_column::CustomColumns;
use shared::frame::client::ClientFrame;
use shared::frame::server::Subscribed;
use shared::name::ClusterName;
use shared::state::UnixMillis;
use shared::token::Token;

use super::part::Part;
use super::requests::Sender;
use crate::chain::Chain;
use crate::events::ViewKey;
use crate::limits::RESYNC_INTERVAL_MS;
use crate::now::Now;
use crate::object::ObjectView;
use crate::observer::RowObserver;
use crate::subscription::{Phase, Subscription};
use crate::table::Table;
use crate::timeline::TimelineView;
use crate::view::{Source, View};

#[derive(Debug)]
pub(super) enum AnyView<O> {
    Rows(Box<View<O>>),
    Object(Box<ObjectView>),
    Timeline(Box<TimelineView>),
    /// One namespace of a table that may not be had as a whole.
    Part(Box<Part>),
    /// One cluster of a log of several, which has its entries.
    LogPart(Box<LogPart>),
}

#[derive(Debug)]
pub(super) struct LogPart {
    pub(super) view: ViewKey,
    pub(super) cluster: ClusterName,
    pub(super) log: TimelineView,
}

impl<O: RowObserver> AnyView<O> {
    fn state(&self) -> (&Subscription, &Chain) {
        match self {
            Self::Rows(view) => (view.subscription(), view.table().chain()),
            Self::Object(view) => (&view.subscription, &view.chain),
            Self::Timeline(view) => (&view.subscription, &view.chain),
            Self::Part(part) => (&part.source.subscription, part.source.table.chain()),
            Self::LogPart(part) => (&part.log.subscription, &part.log.chain),
        }
    }

    fn state_mut(&mut self) -> (&mut Subscription, &mut Chain) {
        match self {
            Self::Rows(view) => {
                let Source { subscription, table, .. } = view.source_mut();
                (subscription, table.chain_mut())
            }
            Self::Object(view) => (&mut view.subscription, &mut view.chain),
            Self::Timeline(view) => (&mut view.subscription, &mut view.chain),
            Self::Part(part) => (&mut part.source.subscription, part.source.table.chain_mut()),
            Self::LogPart(part) => (&mut part.log.subscription, &mut part.log.chain),
        }
    }

    pub(super) fn subscription(&self) -> &Subscription {
        self.state().0
    }

    pub(super) fn subscription_mut(&mut self) -> &mut Subscription {
        self.state_mut().0
    }

    /// Whether whoever shows it would have to drop something.
    pub(super) fn holds_something(&self) -> bool {
        match self {
            Self::Rows(view) => view.table().iter().next().is_some(),
            Self::Object(view) => view.value.is_some(),
            Self::Timeline(view) => !view.is_empty(),
            Self::Part(part) => part.source.table.rows().next().is_some() || self.token().is_some(),
            // Its entries stand in its view.
            Self::LogPart(_) => self.token().is_some(),
        }
    }

    /// The view that shows what this part of it holds.
    pub(super) fn whole(&self) -> Option<ViewKey> {
        match self {
            Self::Part(part) => Some(part.view),
            Self::LogPart(part) => Some(part.view),
            Self::Rows(_) | Self::Object(_) | Self::Timeline(_) => None,
        }
    }

    /// The cluster of a part, in a view of several.
    pub(super) fn cluster(&self) -> Option<&ClusterName> {
        match self {
            Self::Part(part) => part.cluster.as_ref(),
            Self::LogPart(part) => Some(&part.cluster),
            Self::Rows(_) | Self::Object(_) | Self::Timeline(_) => None,
        }
    }

    /// Its parts have the rows; it has none of its own.
    pub(super) fn is_split(&self) -> bool {
        !self.subscription().phase.parts().is_empty()
    }

    /// The rows whose digest the gateway sends.
    pub(super) fn table(&self) -> Option<&Table> {
        match self {
            Self::Rows(view) => Some(view.table()),
            Self::Part(part) => Some(&part.source.table),
            Self::Object(_) | Self::Timeline(_) | Self::LogPart(_) => None,
        }
    }

    pub(super) fn token(&self) -> Option<&Token> {
        self.state().1.token()
    }

    pub(super) fn position(&self) -> Option<u64> {
        self.state().1.position()
    }

    pub(super) fn subscribed(&mut self, answer: &Subscribed) {
        match self {
            Self::Rows(view) => view.table_mut().subscribed(answer),
            Self::Part(part) => part.source.table.subscribed(answer),
            Self::Object(view) => drop(view.chain.subscribed(answer, true)),
            Self::Timeline(view) => view.subscribed(answer),
            Self::LogPart(part) => part.log.subscribed(answer),
        }
    }

    pub(super) fn detach(&mut self) {
        match self {
            Self::Rows(view) => view.table_mut().detach(),
            Self::Object(view) => view.chain.detach(),
            Self::Timeline(view) => view.chain.detach(),
            Self::Part(part) => part.source.table.detach(),
            Self::LogPart(part) => part.log.chain.detach(),
        }
    }

    /// What is held isn't the gateway's: the next subscription gets everything anew.
    pub(super) fn drop_token(&mut self) {
        self.state_mut().1.drop_token();
    }

    /// Each try has a number of its own, so that an answer to an earlier one isn't taken for this one's.
    pub(super) fn ask(&mut self, sender: &mut Sender<'_>) {
        // A view of the past is short of nothing that a token would spare.
        let is_anew = self.is_split() || self.subscription().at_ms.is_some();
        let token = if is_anew { None } else { self.token().cloned() };
        let frame = self.subscription_mut().ask(sender.number(), token);
        sender.send(ClientFrame::Subscribe(Box::new(frame)));
    }

    /// Begins again, the first time at once and later not too often. `differed`: because the rows aren't the gateway's.
    pub(super) fn begin_again(&mut self, differed: bool, now: Now, sender: &mut Sender<'_>) {
        let open = self.subscription().phase.wire_id();
        self.detach();
        let last_ms = self.subscription().resyncs.last_ms;
        let at_ms = last_ms.map_or(now.now_ms, |last| (last + RESYNC_INTERVAL_MS).max(now.now_ms));
        self.subscription_mut().phase = Phase::Resyncing { at_ms };
        if let Some(id) = open {
            sender.unsubscribe(id, differed);
        }
    }

    /// Asks for these columns beyond the server's. The rows stay until those with the new columns are whole.
    pub(super) fn set_columns(&mut self, columns: &CustomColumns, sender: &mut Sender<'_>) {
        self.subscription_mut().columns = columns.clone();
        self.ask_other(sender);
    }

    /// Asks for the same as of another time. The rows stay until those of that time are whole.
    pub(super) fn set_at(
        &mut self,
        at_ms: Option<UnixMillis>,
        is_step: bool,
        now: Now,
        sender: &mut Sender<'_>,
    ) {
        let subscription = self.subscription_mut();
        (subscription.at_ms, subscription.held.is_step) = (at_ms, is_step);
        // What was said and proven was of another time.
        (subscription.report, subscription.gap) = (None, None);
        subscription.begin_anew(now.now_ms);
        if !self.is_split() {
            self.drop_token();
        }
        self.ask_other(sender);
    }

    /// Asks again, because something else is asked for than before.
    fn ask_other(&mut self, sender: &mut Sender<'_>) {
        if self.is_split() {
            // What is asked for beside the parts must be the same when it is answered as a whole.
            if let Some(id) = self.subscription_mut().phase.give_back_of_all() {
                sender.unsubscribe(id, false);
                self.ask(sender);
            }
            return;
        }
        if matches!(self.subscription().phase, Phase::Parked) {
            return;
        }
        let open = self.subscription().phase.wire_id();
        self.detach();
        self.subscription_mut().phase = Phase::Unasked;
        if let Some(id) = open {
            sender.unsubscribe(id, false);
        }
        if sender.is_open() {
            self.ask(sender);
        }
    }
}
