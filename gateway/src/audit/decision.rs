//! What a session decided about a login or a subscription, as far as it is recorded. Pure.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use shared::problem::Problem;
use shared::scope::Namespaces;

use crate::access::Grant;
use crate::subscription_request::SubscriptionRequest;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditEvent {
    Login,
    LoginRefused,
    /// A login goes on for a while, although its provider didn't say that it does.
    Unconfirmed,
    Subscribe,
    Get,
    Deny,
    /// A subscription goes on with other namespaces.
    Scope,
    Revoke,
    /// What may be seen of a kind was asked and answered, without a view of it.
    Rights,
    RightsRefused,
    /// Which kinds the children of a kind have was asked and answered.
    Children,
    /// What was recorded of a view or of an object was asked and answered.
    Past,
    /// What a container writes is read from now on.
    Log,
    Logout,
    /// Objects of some namespaces are shown with all their values from now on.
    Unmasked,
    /// A rule tells receivers of what it finds from now on.
    Rule,
    /// The connection ended.
    End,
}

/// One decision, without its viewer and its time.
#[derive(Clone, Debug)]
pub struct Decision {
    pub(super) event: AuditEvent,
    /// One sentence.
    pub(super) reason: Cow<'static, str>,
    /// What was asked for, as it was asked.
    pub(super) request: Option<Arc<SubscriptionRequest>>,
    /// The namespaces that are shown, where these are fewer than were asked for.
    pub(super) granted: Option<Namespaces>,
    /// The container whose log was asked for.
    pub(super) container: Option<Box<str>>,
}

impl Decision {
    /// What the operator has the gateway do from now on. `which`: one sentence.
    pub(super) fn announced(event: AuditEvent, which: String) -> Self {
        Self { event, reason: which.into(), request: None, granted: None, container: None }
    }

    /// A subscription of the viewer that the gateway runs as.
    #[must_use]
    pub fn of_own_user(request: &Arc<SubscriptionRequest>) -> Self {
        let reason = "the gateway runs as this user, so the API server decides";
        Self::about(begun(request), reason.into(), request)
    }

    /// A subscription that isn't opened.
    #[must_use]
    pub fn denied(request: &Arc<SubscriptionRequest>, problem: &Problem) -> Self {
        Self::about(AuditEvent::Deny, problem.message.clone().into(), request)
    }

    /// What the API server lets a viewer see of a subscription, after it was reviewed for the first time or anew.
    #[must_use]
    pub fn reviewed(before: Option<&Grant>, grant: &Grant, request: &Arc<SubscriptionRequest>) -> Self {
        let was_shown = matches!(before, Some(Grant::Whole | Grant::Within(_) | Grant::Listed(_)));
        let shown = if was_shown { AuditEvent::Scope } else { begun(request) };
        match grant {
            Grant::Refused(problem) => {
                let event = if was_shown { AuditEvent::Revoke } else { AuditEvent::Deny };
                Self::about(event, problem.message.clone().into(), request)
            }
            Grant::Whole => Self::about(shown, "the API server's review allows it".into(), request),
            Grant::Within(namespaces) => {
                let reason = "the API server's review allows it in these namespaces alone";
                Self { granted: Some(namespaces.clone()), ..Self::about(shown, reason.into(), request) }
            }
            Grant::Listed(namespaces) => {
                let reason = "the API server's review allows to list it, and not to watch it";
                Self { granted: Some(namespaces.clone()), ..Self::about(shown, reason.into(), request) }
            }
        }
    }

    /// What the API server lets a viewer see of a kind that is only asked about.
    #[must_use]
    pub fn asked(grant: &Grant, request: &Arc<SubscriptionRequest>) -> Self {
        let reviewed = Self::reviewed(None, grant, request);
        let event =
            if matches!(grant, Grant::Refused(_)) { AuditEvent::RightsRefused } else { AuditEvent::Rights };
        Self { event, ..reviewed }
    }

    /// A question about rights that isn't put to the API server.
    #[must_use]
    pub fn not_asked(request: &Arc<SubscriptionRequest>, problem: &Problem) -> Self {
        Self::about(AuditEvent::RightsRefused, problem.message.clone().into(), request)
    }

    /// A question about the past that the record answers. `grant`: what the API server lets the viewer see; `None`: the
    /// viewer is the one that the gateway runs as.
    #[must_use]
    pub fn past(grant: Option<&Grant>, request: &Arc<SubscriptionRequest>) -> Self {
        let decided = match grant {
            Some(grant) => Self::reviewed(None, grant, request),
            None => Self::of_own_user(request),
        };
        let event =
            if matches!(grant, Some(Grant::Refused(_))) { AuditEvent::Deny } else { AuditEvent::Past };
        Self { event, ..decided }
    }

    /// The kinds of children that a viewer was told of.
    #[must_use]
    pub fn children(request: &Arc<SubscriptionRequest>) -> Self {
        let reason = "the kinds of children were told that the viewer may list";
        Self::about(AuditEvent::Children, reason.into(), request)
    }

    /// A credential that was sent on a connection that is open already.
    #[must_use]
    pub fn renewed() -> Self {
        Self::of_login(AuditEvent::Login, "the login was confirmed on the open connection".into())
    }

    /// The provider didn't say whether a login goes on.
    #[must_use]
    pub fn unconfirmed() -> Self {
        let reason = "the identity provider didn't say whether the login goes on, and for a while it does";
        Self::of_login(AuditEvent::Unconfirmed, reason.into())
    }

    /// Such a credential, refused.
    #[must_use]
    pub fn refused(problem: &Problem) -> Self {
        Self::of_login(AuditEvent::LoginRefused, problem.message.clone().into())
    }

    /// The viewer's session was ended before its time.
    #[must_use]
    pub fn logged_out(reason: &'static str) -> Self {
        Self::of_login(AuditEvent::Logout, reason.into())
    }

    fn about(event: AuditEvent, reason: Cow<'static, str>, request: &Arc<SubscriptionRequest>) -> Self {
        Self { event, reason, request: Some(Arc::clone(request)), granted: None, container: None }
    }

    fn of_login(event: AuditEvent, reason: Cow<'static, str>) -> Self {
        Self { event, reason, request: None, granted: None, container: None }
    }
}

/// A log that is asked for, or whose right was reviewed anew. `container`: as the viewer named it; empty if the pod has
/// one alone. `grant`: what the API server lets the viewer see; `None`: the gateway runs as the viewer.
#[must_use]
pub fn decision_of_log(
    before: Option<&Grant>,
    grant: Option<&Grant>,
    request: &Arc<SubscriptionRequest>,
    container: &str,
) -> Decision {
    let decided = match grant {
        Some(grant) => Decision::reviewed(before, grant, request),
        None => Decision::of_own_user(request),
    };
    let event = match decided.event {
        refused @ (AuditEvent::Deny | AuditEvent::Revoke) => refused,
        _ => AuditEvent::Log,
    };
    Decision { event, container: Some(container.into()), ..decided }
}

fn begun(request: &SubscriptionRequest) -> AuditEvent {
    if request.is_get { AuditEvent::Get } else { AuditEvent::Subscribe }
}
