//! Subscriptions that get another view than they had without asking for it: of a namespace's own feed, or
//! of other namespaces. The client is told by another `subscribed`. Never why.

use shared::frame::client::SubscriptionId;
use shared::scope::Namespaces;

use super::{Conversation, Hubs, Open, Todo, Wish};
use crate::feed::FeedKey;
use crate::session::{Ask, Ticket};

impl<H> Open<H> {
    /// The feed of its one namespace, where its own is of the whole cluster.
    pub(super) fn narrower(&self) -> Option<FeedKey> {
        let (key, _) = &self.view;
        let namespace = self.wish.scope.namespaces.only().filter(|_| key.namespace.is_none())?;
        Some(FeedKey { namespace: Some(namespace.clone()), ..key.clone() })
    }
}

impl<H: Clone> Conversation<H> {
    /// Moves a subscription from the feed of the whole cluster, which may not be listed, to the one of
    /// its namespace. The client is told as of any other columns or epoch: by another `subscribed`.
    pub fn narrow(&mut self, ticket: Ticket, hubs: &impl Hubs<Hub = H>) -> Todo<H> {
        let Some(open) = self.open.get(&ticket) else { return Todo::default() };
        let Some(key) = open.narrower() else { return Todo::default() };
        let wish = open.wish.clone();
        self.move_to(wish, key, hubs)
    }

    /// From now on the client gets these namespaces: it is told by `scope` after the other `subscribed`,
    /// and what it had is replaced.
    pub fn grant(
        &mut self,
        subscription: SubscriptionId,
        namespaces: Namespaces,
        hubs: &impl Hubs<Hub = H>,
    ) -> Todo<H> {
        let known = self.subscriptions.get(&subscription).and_then(|ticket| self.open.get(ticket));
        let Some(open) = known.filter(|open| open.wish.scope.namespaces != namespaces) else {
            return Todo::default();
        };
        let mut wish = Wish { token: None, is_granted: true, ..open.wish.clone() };
        wish.scope.namespaces = namespaces;
        let (key, _) = open.view.clone();
        // The feed of a namespace that it had alone may lack the others.
        let namespace = key.namespace.filter(|_| wish.scope.name.is_some());
        let key = FeedKey { namespace, ..key };
        self.move_to(wish, key, hubs)
    }

    fn move_to(&mut self, wish: Wish, key: FeedKey, hubs: &impl Hubs<Hub = H>) -> Todo<H> {
        let mut todo = Todo::default();
        let subscription = wish.id;
        if let Some((ticket, open)) = self.forget(subscription) {
            todo.asks.push((open.hub, Ask::Close(ticket)));
        }
        if let Err(problem) = self.open(wish, key, hubs) {
            self.problem(Some(subscription), problem);
        }
        self.pull(&mut todo);
        todo
    }
}
