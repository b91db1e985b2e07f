//! Why a request is refused, as an API server says it.

use kubernetes_api::{Attributes, Failure, Requested, Served};
use shared::problem::{Problem, Reason};
use shared::resource::{Kind, Resource};

use super::target::Objects;
use crate::cluster;

/// What a refusal names of a kind.
pub(super) struct Named<'a>(pub(super) &'a Kind, pub(super) &'a Resource);

impl Served for Named<'_> {
    fn group(&self) -> &str {
        self.1.group.as_str()
    }

    fn version(&self) -> &str {
        self.1.version.as_str()
    }

    fn plural(&self) -> &str {
        self.1.resource.as_str()
    }

    fn kind(&self) -> &str {
        &self.0.kind
    }

    fn is_built_in(&self) -> bool {
        !self.0.custom
    }
}

/// A right that the viewer lacks.
pub(super) fn forbidden(user: &str, verb: &str, objects: &Objects) -> Failure {
    forbidden_part(user, verb, objects, "")
}

/// The same of a subresource.
pub(super) fn forbidden_part(user: &str, verb: &str, objects: &Objects, subresource: &str) -> Failure {
    let Objects { resource, namespace, name } = objects;
    let requested = Requested::Resource {
        group: resource.group.as_str(),
        resource: resource.resource.as_str(),
        subresource,
        namespace: namespace.as_ref().map_or("", |namespace| namespace.as_str()),
        name: name.as_ref().map_or("", |name| name.as_str()),
    };
    Failure::forbidden(user, &Attributes { verb, requested })
}

/// What the gateway says by itself.
pub(super) fn of_problem(problem: &Problem) -> Failure {
    let message = problem.message.as_ref();
    match problem.reason {
        Reason::Unauthorized => Failure::unauthorized(),
        Reason::Forbidden | Reason::Hidden => Failure::of_a_stranger(message),
        Reason::NotFound => Failure { message: message.to_owned(), ..Failure::no_such_resource() },
        Reason::Limit | Reason::TooManyRequests => {
            Failure { message: message.to_owned(), ..Failure::too_many_requests(1) }
        }
        Reason::ServiceUnavailable | Reason::ShuttingDown | Reason::Unproven => {
            Failure { message: message.to_owned(), ..Failure::unavailable(1) }
        }
        Reason::BadRequest | Reason::Invalid => Failure::bad_request(message),
        Reason::Timeout | Reason::TimedOut => timed_out(message),
        _ => Failure::internal(message),
    }
}

pub(super) fn timed_out(message: &str) -> Failure {
    Failure { code: 504, reason: "Timeout", message: message.to_owned(), ..Failure::unavailable(1) }
}

/// In the words of an API server that hasn't reached the resourceVersion that is asked for.
const TOO_LARGE: &str = "Too large resource version";

/// What the API server said, in its own words where the gateway has the same question.
pub(super) fn of_upstream(
    failure: &cluster::Failure,
    (user, verb): (&str, &str),
    (objects, named): (&Objects, &Named<'_>),
) -> Failure {
    let refusal = match failure {
        cluster::Failure::Refused(refusal) => refusal,
        cluster::Failure::Broken(problem) => return of_problem(problem),
    };
    let said = refusal.message.as_deref();
    let about_request = refusal.about_request.as_deref().map(str::to_owned);
    let retry_s = refusal.retry_after_s.and_then(|seconds| u32::try_from(seconds).ok());
    match refusal.code {
        400 => Failure::bad_request(about_request.unwrap_or_else(|| {
            "the API server can't read this request; look at its selectors, limit, continue and resourceVersion"
                .to_owned()
        })),
        401 => Failure::unauthorized(),
        403 => forbidden(user, verb, objects),
        404 => match &objects.name {
            Some(name) => Failure::not_found(named, name.as_str()),
            None => Failure::no_such_resource(),
        },
        405 => Failure::method_not_allowed(),
        410 => {
            let expired = Failure::expired_list();
            Failure { message: about_request.unwrap_or_else(|| expired.message.clone()), ..expired }
        }
        429 => Failure::too_many_requests(retry_s.unwrap_or(1)),
        503 => Failure::unavailable(retry_s.unwrap_or(1)),
        504 => match about_request {
            Some(message) if message.contains(TOO_LARGE) => {
                let of_its_kind = Failure::future_revision(0, 0);
                Failure { message, ..of_its_kind }
            }
            message => timed_out(
                message.as_deref().unwrap_or("Timeout: the API server did not answer in time"),
            ),
        },
        code => Failure::internal(
            &said.map_or_else(|| format!("the API server answered with HTTP {code}"), str::to_owned),
        ),
    }
}
