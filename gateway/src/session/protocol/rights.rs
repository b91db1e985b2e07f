//! What a viewer may list of a kind, without a view of it: a question that is reviewed, answered once and forgotten.

use std::sync::Arc;

use shared::frame::client::{self, SubscriptionId};
use shared::frame::server::{Rights, ServerFrame};
use shared::name::ClusterName;
use shared::problem::Problem;
use shared::scope::{Namespaces, Scope};

use super::clusters::not_reached;
use super::{Effects, Found, Gateway, Now, ReviewRequest, Session};
use crate::access::{Grant, Question, admit};
use crate::audit::Decision;
use crate::hub::SubscriptionRequest;

/// A question that waits for its answer.
pub(super) struct AskedRights {
    pub(super) request: Arc<SubscriptionRequest>,
    pub(super) cluster: ClusterName,
    pub(super) question: Question,
}

impl<H: Clone> Session<H> {
    pub(super) fn ask_rights(
        &mut self,
        asked: client::Rights,
        gateway: &impl Gateway<Hub = H>,
        now: Now,
        effects: &mut Effects<H>,
    ) {
        let client::Rights { id, cluster, resource } = asked;
        let scope = Scope { cluster, ..Scope::all(resource.clone()) };
        let request = Arc::new(SubscriptionRequest::rows(id, scope));
        // As of a subscription, what is over a limit isn't recorded.
        if let Err(problem) = self.within_limits(id, gateway, now) {
            return self.problem(Some(id), problem);
        }
        let found = match gateway.find(request.scope.cluster.as_ref()) {
            Found::Reached(kinds) => Ok(kinds),
            Found::Unreached(cluster, state) => Err(not_reached(&cluster, &state)),
            Found::Unknown(problem) => Err(problem),
        };
        let asked = found.and_then(|kinds| {
            admit(&kinds, &gateway.ceiling(), &request)?;
            let subject = self.rights.subject().cloned().ok_or_else(|| {
                Problem::bad_request("the rights of the gateway's own user aren't reviewed; subscribe to see")
            })?;
            Ok((subject, kinds))
        });
        match asked {
            Ok((subject, kinds)) => {
                let is_namespaced =
                    kinds.kinds.iter().any(|kind| kind.resource == resource && kind.namespaced);
                let question = Question::of(&request.scope, is_namespaced);
                let cluster = kinds.cluster.clone();
                effects.reviews.push(ReviewRequest::Watch(id, cluster.clone(), subject, question.clone()));
                self.asked_rights.insert(id, AskedRights { request, cluster, question });
            }
            Err(problem) => {
                effects.audit.push(Decision::not_asked(&request, &problem));
                self.problem(Some(id), problem);
            }
        }
    }

    pub(super) fn forget_question(&mut self, id: SubscriptionId, effects: &mut Effects<H>) {
        if self.asked_rights.remove(&id).is_some() {
            effects.reviews.push(ReviewRequest::Forget(id));
        }
    }

    pub(super) fn answer_rights(&mut self, id: SubscriptionId, grant: Grant, effects: &mut Effects<H>) {
        let Some(AskedRights { request, .. }) = self.asked_rights.remove(&id) else { return };
        effects.audit.push(Decision::asked(&grant, &request));
        effects.reviews.push(ReviewRequest::Forget(id));
        let (namespaces, watch, problem) = match grant {
            Grant::Whole => (Namespaces::All, true, None),
            Grant::Within(namespaces) => (namespaces, true, None),
            Grant::Listed(namespaces) => (namespaces, false, None),
            Grant::Refused(problem) => (Namespaces::All, false, Some(problem)),
        };
        let Scope { cluster, resource, .. } = request.scope.clone();
        let rights = Rights { id, cluster, resource, namespaces, watch, problem };
        self.say(&ServerFrame::Rights(Box::new(rights)));
    }
}
