//! The reviews: a client asks what a user may do, or who a token belongs to. They are answered from
//! the roles and bindings that are there, and never kept.

use http::StatusCode;
use serde_json::{Value, json};

use super::body::{Answer, JSON, whole};
use super::content::object;
use super::request::ApiRequest;
use crate::cluster::Cluster;
use crate::json::{list, map, set, text};
use crate::rbac::{Rights, User};
use crate::resource::ResourceType;
use kubernetes_api::Failure;
use kubernetes_api::{Attributes, Requested};

/// Answers a review as the user who asks.
pub(super) fn answer(request: &ApiRequest<'_>) -> Answer {
    let (cluster, user, kind) = (request.cluster(), &request.user, &*request.info.kind);
    let mut review = object(request.parts, &request.body, &kind.kind)?;
    let status = match kind.plural.as_str() {
        "selfsubjectaccessreviews" => access(cluster, user, kind, &review)?,
        "subjectaccessreviews" | "localsubjectaccessreviews" => {
            access(cluster, &subject(&review), kind, &review)?
        }
        "selfsubjectrulesreviews" => rules(cluster, user, &review)?,
        "selfsubjectreviews" => json!({"userInfo": described(user)}),
        _ => token(cluster, &review)?,
    };
    for (field, value) in [
        ("kind", json!(kind.kind)),
        ("apiVersion", json!(kind.api_version())),
        ("metadata", json!({"creationTimestamp": null})),
        ("status", status),
    ] {
        set(&mut review, &[field], value);
    }
    Ok(whole(StatusCode::CREATED, JSON, review.to_string()))
}

fn access(cluster: &Cluster, user: &User, kind: &ResourceType, review: &Value) -> Result<Value, Failure> {
    let invalid = |field: &str, message: &str| {
        let causes = [("FieldValueInvalid", message.to_owned(), field.to_owned())];
        Err(Failure::invalid(&kind.group, &kind.kind, "", &causes))
    };
    let is_of_resource = map(review, "/spec/resourceAttributes").is_some();
    if is_of_resource == map(review, "/spec/nonResourceAttributes").is_some() {
        return invalid(
            "spec.resourceAttributes",
            "Invalid value: exactly one of nonResourceAttributes or resourceAttributes must be specified",
        );
    }
    if user.name.is_empty() && user.groups.is_empty() {
        return invalid("spec.user", "Invalid value: \"\": at least one of user or group must be specified");
    }
    let part = if is_of_resource { "resourceAttributes" } else { "nonResourceAttributes" };
    let of = |field: &str| text(review, &format!("/spec/{part}/{field}"));
    let requested = match is_of_resource {
        true => Requested::Resource {
            group: of("group"),
            resource: of("resource"),
            subresource: of("subresource"),
            namespace: of("namespace"),
            name: of("name"),
        },
        false => Requested::Path(of("path")),
    };
    let attributes = Attributes { verb: of("verb"), requested };
    Ok(match Rights::of(&cluster.state().store).reason(user, &attributes).as_deref() {
        Some("") => json!({"allowed": true}),
        Some(reason) => json!({"allowed": true, "reason": reason}),
        None => json!({"allowed": false}),
    })
}

/// The user in a review of another user than its sender.
fn subject(review: &Value) -> User {
    let groups: Vec<&str> = list(review, "/spec/groups").iter().filter_map(Value::as_str).collect();
    User::new(text(review, "/spec/user"), "", &groups)
}

fn rules(cluster: &Cluster, user: &User, review: &Value) -> Result<Value, Failure> {
    let namespace = text(review, "/spec/namespace");
    if namespace.is_empty() {
        return Err(Failure::bad_request("no namespace on request"));
    }
    let rules = Rights::of(&cluster.state().store).rules(user, namespace);
    let (of_resources, of_paths): (Vec<_>, Vec<_>) = rules.iter().partition(|rule| rule.is_of_resources());
    Ok(json!({"resourceRules": of_resources, "nonResourceRules": of_paths, "incomplete": false}))
}

fn token(cluster: &Cluster, review: &Value) -> Result<Value, Failure> {
    let shown = text(review, "/spec/token");
    if shown.is_empty() {
        return Err(Failure::bad_request("token is required for TokenReview in authentication"));
    }
    Ok(match cluster.user_of(shown) {
        Some(user) => json!({"authenticated": true, "user": described(&user)}),
        None => json!({"user": {}, "error": "invalid bearer token"}),
    })
}

fn described(user: &User) -> Value {
    let mut described = json!({"username": user.name, "groups": user.groups});
    if !user.uid.is_empty() {
        set(&mut described, &["uid"], json!(user.uid));
    }
    described
}
