//! The user of a request and his rights: the bearer token, impersonation, and the authorizer, in the
//! real server's order. It never answers a request itself.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;

use super::request::ApiRequest;
use crate::cluster::Cluster;
use crate::rbac::{Rights, User};
use kubernetes_api::Failure;
use kubernetes_api::{Attributes, Requested};

pub(super) const IMPERSONATE_USER: &str = "impersonate-user";
const IMPERSONATE_GROUP: &str = "impersonate-group";
const IMPERSONATE_UID: &str = "impersonate-uid";

/// The user of a request.
pub(super) fn user(cluster: &Cluster, headers: &HeaderMap) -> Result<User, Failure> {
    let real = authenticated(cluster, headers)?;
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let groups: Vec<&str> =
        headers.get_all(IMPERSONATE_GROUP).iter().filter_map(|value| value.to_str().ok()).collect();
    let Some(name) = text(IMPERSONATE_USER).filter(|name| !name.is_empty()) else {
        if groups.is_empty() && text(IMPERSONATE_UID).is_none() {
            return Ok(real);
        }
        return Err(Failure::internal("requested without impersonating a user"));
    };
    let other =
        User { uid: text(IMPERSONATE_UID).unwrap_or_default().to_owned(), ..User::new(name, "", &groups) };
    for requested in impersonated(&other) {
        check(cluster, &real, &Attributes { verb: "impersonate", requested })?;
    }
    Ok(other.authenticated())
}

/// The rights that impersonating a user needs.
fn impersonated(other: &User) -> Vec<Requested<'_>> {
    let of = |resource, namespace, name| Requested::Resource {
        group: "",
        resource,
        subresource: "",
        namespace,
        name,
    };
    let mut wanted = vec![match other.service_account() {
        Some((namespace, name)) => of("serviceaccounts", namespace, name),
        None => of("users", "", &other.name),
    }];
    wanted.extend(other.groups.iter().map(|group| of("groups", "", group)));
    wanted
}

pub(super) fn token(headers: &HeaderMap) -> Option<&str> {
    let shown = headers.get(AUTHORIZATION)?.to_str().ok()?;
    shown.strip_prefix("Bearer ").map(str::trim)
}

fn authenticated(cluster: &Cluster, headers: &HeaderMap) -> Result<User, Failure> {
    match token(headers) {
        Some(token) => cluster.user_of(token).ok_or_else(Failure::unauthorized),
        None => cluster.user_without_token().ok_or_else(Failure::unauthorized),
    }
}

/// Whether the user may do what a request to a resource asks for.
pub(super) fn authorize(request: &ApiRequest<'_>) -> Result<(), Failure> {
    // A list of one object by its name counts as a request for that object.
    let by_field =
        request.query.text("fieldSelector").split(',').find_map(|part| part.strip_prefix("metadata.name="));
    let mut attributes = request.info.attributes(request.verb);
    if let (Requested::Resource { name, .. }, Some(field)) = (&mut attributes.requested, by_field)
        && name.is_empty()
    {
        *name = field;
    }
    check(request.cluster(), &request.user, &attributes)
}

/// The same for a path that is no resource.
pub(super) fn authorize_path(cluster: &Cluster, user: &User, parts: &Parts) -> Result<(), Failure> {
    let verb = parts.method.as_str().to_lowercase();
    check(cluster, user, &Attributes { verb: &verb, requested: Requested::Path(parts.uri.path()) })
}

fn check(cluster: &Cluster, user: &User, attributes: &Attributes<'_>) -> Result<(), Failure> {
    let reason = Rights::of(&cluster.state().store).reason(user, attributes);
    reason.map(drop).ok_or_else(|| Failure::forbidden(&user.name, attributes))
}
