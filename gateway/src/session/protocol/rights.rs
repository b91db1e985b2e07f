//! What a viewer may list of a kind, without a view of it: a question that is reviewed, answered once and forgotten.

use std::sync::Arc;

use shared::frame::client::{self, SubscriptionId};
use shared::frame::server::{Rights, ServerFrame};
use shared::problem::Problem;
use shared::scope::{Namespaces, Scope};

use super::{Effects, Gateway, Now, ReviewRequest, Session};
use crate::access::{Grant, Question, admit};
use crate::audit::Decision;
use crate::hub::SubscriptionRequest;

/// A question that waits for its answer.
pub(super) struct AskedRights {
    request: Arc<SubscriptionRequest>,
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
        let client::Rights { id, resource } = asked;
        let request = Arc::new(SubscriptionRequest::rows(id, Scope::all(resource.clone())));
        let kinds = gateway.kinds();
        // As of a subscription, what is over a limit isn't recorded.
        if let Err(problem) = self.within_limits(id, gateway, now) {
            return self.problem(Some(id), problem);
        }
        let subject = admit(&kinds, &gateway.ceiling(), &request).and_then(|_| {
            self.rights.subject().cloned().ok_or_else(|| {
                Problem::bad_request("the rights of the gateway's own user aren't reviewed; subscribe to see")
            })
        });
        match subject {
            Ok(subject) => {
                let is_namespaced =
                    kinds.kinds.iter().any(|kind| kind.resource == resource && kind.namespaced);
                let question = Question::of(&request.scope, is_namespaced);
                effects.reviews.push(ReviewRequest::Watch(id, subject, question.clone()));
                self.asked_rights.insert(id, AskedRights { request, question });
            }
            Err(problem) => {
                effects.audit.push(Decision::not_asked(&request, &problem));
                self.problem(Some(id), problem);
            }
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
        let resource = request.scope.resource.clone();
        self.say(&ServerFrame::Rights(Box::new(Rights { id, resource, namespaces, watch, problem })));
    }
}
