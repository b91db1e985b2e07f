//! What surrounds an object: its owners, asked for one after the other, the rows that belong to it, and
//! its Events. Opened when the object is known, and again when it is another.

use crate::detail::reference::{self, Reference};
use crate::detail::{event, tree};
use crate::table_view::Client;
use replica::client::ViewKey;
use replica::now::Now;
use serde_json::Value;
use shared::frame::client::SubscriptionId;
use shared::problem::Problem;
use shared::resource::Kind;

#[derive(Default)]
pub(super) struct Related {
    /// Of which object, by its uid.
    of: Option<String>,
    pub(super) owners: Vec<Owner>,
    asked: Option<SubscriptionId>,
    pub(super) branches: Vec<(tree::Branch, ViewKey)>,
    pub(super) events: Option<ViewKey>,
}

/// One step up; the chain follows the controller.
pub(super) struct Owner {
    pub(super) reference: Reference,
    pub(super) answer: Answer,
}

pub(super) enum Answer {
    Asked,
    Here(Box<Value>),
    /// Not served, not permitted, or gone.
    Refused(Option<Problem>),
}

/// Deployment, ReplicaSet, Pod are three; nobody nests deeper than operators of operators.
const OWNERS_MAX: usize = 6;

impl Related {
    pub(super) fn holds(&self, key: ViewKey) -> bool {
        self.events == Some(key) || self.branches.iter().any(|(_, held)| *held == key)
    }

    pub(super) fn keys(&self) -> Vec<ViewKey> {
        self.branches.iter().map(|(_, key)| *key).chain(self.events).collect()
    }

    /// Answers the views that aren't looked at from here any more.
    pub(super) fn follow(&mut self, client: &mut Client, object: &Value, now: Now) -> Vec<ViewKey> {
        let uid = object.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
        let is_same = self.of.as_deref() == Some(uid);
        // A question that got lost with its connection is asked again.
        let is_lost = self.asked.is_none()
            && matches!(self.owners.last(), Some(Owner { answer: Answer::Asked, .. }))
            && client.connection().is_open();
        if is_same && !is_lost {
            return Vec::new();
        }
        let Some(kinds) = client.kinds().map(|kinds| kinds.kinds.clone()) else { return Vec::new() };
        if is_same {
            self.ask_owner(client, object, &kinds);
            return Vec::new();
        }
        let left = self.keys();
        *self = Self { of: Some(uid.to_owned()), ..Self::default() };
        self.events = event::scope(object, &kinds).map(|scope| client.open(scope, now));
        for branch in tree::branches(object, &kinds) {
            let key = client.open(branch.scope.clone(), now);
            self.branches.push((branch, key));
        }
        self.ask_owner(client, object, &kinds);
        left.into_iter().filter(|key| !self.holds(*key)).collect()
    }

    /// The controller of the last one that is known.
    fn ask_owner(&mut self, client: &mut Client, object: &Value, kinds: &[Kind]) {
        if matches!(self.owners.last(), Some(Owner { answer: Answer::Asked, .. })) {
            self.owners.pop();
        }
        let lowest = match self.owners.last() {
            None => object,
            Some(Owner { answer: Answer::Here(value), .. }) => value,
            Some(_) => return,
        };
        if self.owners.len() >= OWNERS_MAX {
            return;
        }
        let first = reference::owners(lowest).into_iter().next();
        let Some(owner) = first else { return };
        match owner.scope(kinds) {
            None => self.owners.push(Owner { reference: owner, answer: Answer::Refused(None) }),
            Some(scope) => {
                self.asked = client.get(scope, None);
                self.owners.push(Owner { reference: owner, answer: Answer::Asked });
            }
        }
    }

    /// Whether it was an answer to us.
    pub(super) fn got(
        &mut self,
        client: &mut Client,
        id: SubscriptionId,
        answer: Result<Option<Value>, Problem>,
    ) -> bool {
        if self.asked != Some(id) {
            return false;
        }
        self.asked = None;
        let Some(owner) = self.owners.last_mut() else { return false };
        owner.answer = match answer {
            Ok(Some(value)) => Answer::Here(Box::new(value)),
            Ok(None) => Answer::Refused(None),
            // Lost with its connection: asked again when there is one.
            Err(problem) if problem.reason == shared::problem::Reason::ConnectionClosed => Answer::Asked,
            Err(problem) => Answer::Refused(Some(problem)),
        };
        if let Answer::Here(value) = &owner.answer {
            let value = value.clone();
            let kinds = client.kinds().map(|kinds| kinds.kinds.clone()).unwrap_or_default();
            self.ask_owner(client, &value, &kinds);
        }
        true
    }
}
