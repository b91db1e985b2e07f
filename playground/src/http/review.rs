//! The reviews: somebody asks what he, or another one, may do, and who he is. They are answered from
//! the roles and bindings that are there, and never kept.

use http::request::Parts;
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::body::{Body, JSON, refusal, whole};
use super::content::object;
use super::request::Place;
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::json::{list, map, set, text};
use crate::rbac::{Ask, Decision, Rights, User, Wanted};

/// Answers a review as the user who asks.
pub(super) fn answer(
    cluster: &Cluster,
    user: &User,
    parts: &Parts,
    place: &Place,
    body: &[u8],
) -> Response<Body> {
    let mut review = match object(parts, body, &place.kind.kind) {
        Ok(review) => review,
        Err(failure) => return refusal(&failure),
    };
    let status = match place.kind.plural.as_str() {
        "selfsubjectaccessreviews" => access(cluster, user, place, &review),
        "subjectaccessreviews" | "localsubjectaccessreviews" => {
            access(cluster, &subject(&review), place, &review)
        }
        "selfsubjectrulesreviews" => rules(cluster, user, &review),
        "selfsubjectreviews" => Ok(json!({"userInfo": described(user)})),
        _ => token(cluster, &review),
    };
    match status {
        Ok(status) => {
            set(&mut review, &["kind"], json!(place.kind.kind));
            set(&mut review, &["apiVersion"], json!(place.kind.api_version()));
            set(&mut review, &["metadata"], json!({"creationTimestamp": null}));
            set(&mut review, &["status"], status);
            whole(StatusCode::CREATED, JSON, review.to_string())
        }
        Err(failure) => refusal(&failure),
    }
}

fn access(cluster: &Cluster, user: &User, place: &Place, review: &Value) -> Result<Value, Failure> {
    let resource = map(review, "/spec/resourceAttributes").is_some();
    if resource == map(review, "/spec/nonResourceAttributes").is_some() {
        return Err(invalid(
            place,
            "spec.resourceAttributes",
            "Invalid value: exactly one of nonResourceAttributes or resourceAttributes must be specified",
        ));
    }
    if user.name.is_empty() && user.groups.is_empty() {
        return Err(invalid(
            place,
            "spec.user",
            "Invalid value: \"\": at least one of user or group must be specified",
        ));
    }
    let of = |field: &str| text(review, &format!("/spec/resourceAttributes/{field}"));
    let ask = if resource {
        let wanted = Wanted::Resource {
            group: of("group"),
            resource: of("resource"),
            subresource: of("subresource"),
            namespace: of("namespace"),
            name: of("name"),
        };
        Ask { verb: of("verb"), wanted }
    } else {
        let of = |field: &str| text(review, &format!("/spec/nonResourceAttributes/{field}"));
        Ask { verb: of("verb"), wanted: Wanted::Path(of("path")) }
    };
    Ok(match Rights::of(&cluster.state().store).decide(user, &ask) {
        Decision::Allowed(reason) if reason.is_empty() => json!({"allowed": true}),
        Decision::Allowed(reason) => json!({"allowed": true, "reason": reason}),
        Decision::Denied => json!({"allowed": false}),
    })
}

fn invalid(place: &Place, field: &str, message: &str) -> Failure {
    let causes = [("FieldValueInvalid", message.to_owned(), field.to_owned())];
    Failure::invalid(&place.kind.group, &place.kind.kind, "", &causes)
}

/// Whom a review speaks of, when not of its sender.
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
    let of = |resources: bool| -> Vec<Value> {
        rules
            .iter()
            .filter(|rule| rule.is_of_resources() == resources)
            .map(crate::rbac::Rule::reviewed)
            .collect()
    };
    Ok(json!({"resourceRules": of(true), "nonResourceRules": of(false), "incomplete": false}))
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
