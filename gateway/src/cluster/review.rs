//! What is asked of the API server about a viewer: whose token it is, and whether they may do something. An answer
//! that isn't a plain yes is a no.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec};
use k8s_openapi::api::authorization::v1::{
    FieldSelectorAttributes, LabelSelectorAttributes, NonResourceAttributes, ResourceAttributes,
    SubjectAccessReview, SubjectAccessReviewSpec,
};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::name::{Namespace, ObjectName};
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::selector::{FieldSelector, LabelSelector};

use super::client::Client;
use super::failure::Failure;
use super::request::{self, Review};
use super::subject::{AUTHENTICATED, Subject};
use crate::metrics::{ByDecision, Reviewed};

/// Something that a viewer may do or not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub verb: &'static str,
    pub resource: Resource,
    /// Empty: of the objects themselves.
    pub subresource: &'static str,
    /// `None`: in all of them, or the resource isn't namespaced.
    pub namespace: Option<Namespace>,
    pub name: Option<ObjectName>,
    pub labels: Option<LabelSelector>,
    pub fields: Option<FieldSelector>,
}

/// What a client asks about its own rights, as it wrote it.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnQuestion {
    /// The `spec` of a `SelfSubjectAccessReview`.
    Access(Value),
    /// The namespace of a `SelfSubjectRulesReview`.
    Rules(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Allowed,
    /// Why, in the reviewer's words, which may be empty.
    Denied(Box<str>),
    /// The API server couldn't say; that is a no as well.
    Unknown(Problem),
}

/// `TokenReviewStatus`, as far as it is read.
#[derive(Deserialize, Default)]
#[serde(default)]
struct TokenStatus {
    authenticated: bool,
    error: String,
    user: User,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct User {
    username: Box<str>,
    uid: Box<str>,
    groups: BTreeSet<Box<str>>,
    extra: BTreeMap<Box<str>, Vec<Box<str>>>,
}

#[derive(Deserialize)]
struct WithStatus<S> {
    status: S,
}

/// As [`super::Cluster::review_token`].
pub(super) async fn token(client: &Client, token: &str) -> Result<Option<Subject>, Problem> {
    let review = TokenReview {
        spec: TokenReviewSpec { token: token.to_owned(), audiences: None },
        ..TokenReview::default()
    };
    let answer = request::review(client, Review::Token, &review).await;
    let unavailable = |why: &str| {
        let message = format!("the API server can't review tokens: {why}; try again in a moment");
        Problem::new(Reason::ServiceUnavailable, message)
    };
    let body = answer.map_err(|failure| unavailable(&failure.reason().words()))?;
    subject_of(&body).map_err(|why| unavailable(&why))
}

/// As [`super::Cluster::review_access`].
pub(super) async fn access(client: &Client, subject: &Subject, access: &Access) -> Decision {
    review(client, &of_subject(subject, Some(attributes_of(access)), None)).await
}

/// As [`super::Cluster::review_question`].
pub(super) async fn question(
    client: &Client,
    subject: Option<&Subject>,
    question: &OwnQuestion,
) -> Result<Value, Failure> {
    let unreadable =
        |_| Failure::Broken(Problem::new(Reason::NotKubernetes, "the API server's review can't be read"));
    let (kind, asked) = match (question, subject) {
        (OwnQuestion::Access(spec), None) => (Review::OwnAccess, json!({"spec": spec})),
        (OwnQuestion::Access(spec), Some(subject)) => {
            let mut review = serde_json::to_value(of_subject(subject, None, None)).map_err(unreadable)?;
            if let Some(asked) = review.get_mut("spec").and_then(Value::as_object_mut) {
                for part in ["resourceAttributes", "nonResourceAttributes"] {
                    asked.extend(spec.get(part).map(|attributes| (part.to_owned(), attributes.clone())));
                }
            }
            (Review::Access, review)
        }
        (OwnQuestion::Rules(namespace), None) => {
            (Review::OwnRules, json!({"spec": {"namespace": namespace}}))
        }
        // An API server lists the rules of those alone who ask it themselves.
        (OwnQuestion::Rules(_), Some(_)) => {
            return Ok(json!({
                "resourceRules": [], "nonResourceRules": [], "incomplete": true,
                "evaluationError": "this gateway can't list the rules of its viewers; ask for each right by itself",
            }));
        }
    };
    let body = request::review(client, kind, &asked).await?;
    let mut review: WithStatus<Value> = serde_json::from_slice(&body).map_err(unreadable)?;
    Ok(review.status.take())
}

/// As [`super::Cluster::review_discovery`].
pub(super) async fn discovery(client: &Client, subject: &Subject) -> Decision {
    let path = NonResourceAttributes { path: Some("/apis".to_owned()), verb: Some("get".to_owned()) };
    review(client, &of_subject(subject, None, Some(path))).await
}

async fn review(client: &Client, review: &SubjectAccessReview) -> Decision {
    let decision = match request::review(client, Review::Access, review).await {
        Ok(body) => decision_of(&body),
        Err(failure) => Decision::Unknown(unknown(&failure)),
    };
    let result = match decision {
        Decision::Allowed => Reviewed::allowed,
        Decision::Denied(_) => Reviewed::denied,
        Decision::Unknown(_) => Reviewed::unknown,
    };
    client.metrics.access_reviews.get_or_create(&ByDecision { result }).inc();
    decision
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn attributes_of(access: &Access) -> ResourceAttributes {
    let Access { verb, resource, subresource, namespace, name, labels, fields } = access;
    ResourceAttributes {
        group: text(resource.group.as_str()),
        version: text(resource.version.as_str()),
        resource: text(resource.resource.as_str()),
        subresource: text(subresource),
        verb: text(verb),
        namespace: namespace.as_ref().and_then(|namespace| text(namespace.as_str())),
        name: name.as_ref().and_then(|name| text(name.as_str())),
        label_selector: labels.as_ref().map(|labels| LabelSelectorAttributes {
            raw_selector: Some(labels.to_string()),
            ..LabelSelectorAttributes::default()
        }),
        field_selector: fields.as_ref().map(|fields| FieldSelectorAttributes {
            raw_selector: text(fields.as_str()),
            ..FieldSelectorAttributes::default()
        }),
    }
}

fn of_subject(
    subject: &Subject,
    resource_attributes: Option<ResourceAttributes>,
    non_resource_attributes: Option<NonResourceAttributes>,
) -> SubjectAccessReview {
    let owned = |texts: &[Box<str>]| texts.iter().map(|text| text.to_string()).collect();
    let groups: BTreeSet<&str> = subject.groups.iter().map(|group| &**group).chain([AUTHENTICATED]).collect();
    SubjectAccessReview {
        spec: SubjectAccessReviewSpec {
            user: text(&subject.user),
            uid: text(&subject.uid),
            groups: Some(groups.into_iter().map(str::to_owned).collect()),
            extra: Some(subject.extra.iter().map(|(key, values)| (key.to_string(), owned(values))).collect()),
            resource_attributes,
            non_resource_attributes,
        },
        ..SubjectAccessReview::default()
    }
}

fn subject_of(body: &[u8]) -> Result<Option<Subject>, String> {
    let WithStatus { status } = serde_json::from_slice::<WithStatus<TokenStatus>>(body)
        .map_err(|_| "the answer is no TokenReview".to_owned())?;
    if !status.authenticated || !status.error.is_empty() {
        return Ok(None);
    }
    let User { username, uid, groups, extra } = status.user;
    // An empty name would be the gateway itself.
    if username.trim().is_empty() {
        return Ok(None);
    }
    Ok(Some(Subject { user: username, uid, groups, extra }))
}

/// Only `allowed` alone is a yes: not with an error, a denial or a condition beside it.
pub(super) fn decision_of(body: &[u8]) -> Decision {
    let unreadable = || {
        let message = "the API server's review can't be read";
        Decision::Unknown(Problem::new(Reason::NotKubernetes, message))
    };
    let Ok(WithStatus { status: Value::Object(status) }) = serde_json::from_slice(body) else {
        return unreadable();
    };
    let Some(Value::Bool(is_allowed)) = status.get("allowed") else { return unreadable() };
    let known = ["allowed", "denied", "reason", "evaluationError"];
    if let Some(odd) = status.keys().find(|key| !known.contains(&key.as_str())) {
        let message = format!("the review says more than yes or no ({odd})");
        return Decision::Unknown(Problem::new(Reason::Forbidden, message));
    }
    match (status.get("evaluationError"), status.get("denied")) {
        (Some(_), _) if *is_allowed => {
            let message = "the API server met an error while it reviewed";
            Decision::Unknown(Problem::new(Reason::Forbidden, message))
        }
        (_, None | Some(Value::Bool(false))) if *is_allowed => Decision::Allowed,
        _ => {
            let reason = status.get("reason").and_then(Value::as_str).unwrap_or_default();
            Decision::Denied(reason.into())
        }
    }
}

fn unknown(failure: &Failure) -> Problem {
    let words = failure.reason().words();
    Problem::new(failure.reason(), format!("the API server can't review rights: {words}"))
}

#[cfg(test)]
mod tests {
    use playground::{Options, Playground};
    use serde_json::json;

    use super::super::testing;
    use super::*;

    fn status(status: &Value) -> Vec<u8> {
        json!({"kind": "SubjectAccessReview", "status": status}).to_string().into_bytes()
    }

    #[test]
    fn r_authz_8_what_is_not_a_plain_yes_is_a_no() {
        let decide = |given: Value| decision_of(&status(&given));
        assert_eq!(decide(json!({"allowed": true})), Decision::Allowed);
        assert_eq!(decide(json!({"allowed": true, "denied": false, "reason": "ok"})), Decision::Allowed);
        assert_eq!(decide(json!({"allowed": false, "reason": "no"})), Decision::Denied("no".into()));
        assert_eq!(decide(json!({"allowed": true, "denied": true})), Decision::Denied("".into()));
        for odd in [
            json!({"allowed": true, "evaluationError": "webhook"}),
            json!({"allowed": true, "conditionalDecision": {"conditions": []}}),
            json!({"allowed": "true"}),
            json!({}),
            json!(null),
            json!([true]),
        ] {
            assert!(matches!(decide(odd.clone()), Decision::Unknown(_)), "{odd}");
        }
        for body in ["", "{", "[]", "{\"allowed\":true}", "<html>"] {
            assert!(matches!(decision_of(body.as_bytes()), Decision::Unknown(_)), "{body}");
        }
    }

    #[test]
    fn a_token_is_its_users_or_nobodys() {
        let whose = |status: Value| subject_of(json!({"status": status}).to_string().as_bytes());
        let alice = json!({"username": "alice", "uid": "7", "groups": ["dev"], "extra": {"team": ["a"]}});
        let subject = whose(json!({"authenticated": true, "user": alice})).expect("read").expect("alice");
        assert_eq!((&*subject.user, &*subject.uid), ("alice", "7"));
        for nobody in [
            json!({"authenticated": false, "user": {"username": "alice"}}),
            json!({"authenticated": true, "error": "expired", "user": {"username": "alice"}}),
            json!({"authenticated": true, "user": {"username": " "}}),
            json!({"authenticated": true}),
            json!({}),
        ] {
            assert_eq!(whose(nobody.clone()), Ok(None), "{nobody}");
        }
        assert!(whose(json!(3)).is_err() && subject_of(b"<html>").is_err());
    }

    #[test]
    fn r_authz_10_a_review_names_who_asks_with_all_that_is_known_of_them() {
        let subject = Subject {
            user: "alice".into(),
            uid: "7".into(),
            groups: ["dev".into()].into(),
            extra: [("team".into(), vec!["a".into()])].into(),
        };
        let access = Access {
            verb: "list",
            resource: Resource::parse("apps", "v1", "deployments").expect("valid"),
            subresource: "",
            namespace: Namespace::parse("shop").ok(),
            name: None,
            labels: LabelSelector::parse("app=cart").ok(),
            fields: None,
        };
        let spec = serde_json::to_value(of_subject(&subject, Some(attributes_of(&access)), None))
            .expect("JSON")["spec"]
            .clone();
        assert_eq!(
            spec,
            json!({
                "user": "alice", "uid": "7", "groups": ["dev", "system:authenticated"], "extra": {"team": ["a"]},
                "resourceAttributes": {
                    "verb": "list", "group": "apps", "version": "v1", "resource": "deployments",
                    "namespace": "shop", "labelSelector": {"rawSelector": "app=cart"},
                },
            })
        );
    }

    #[tokio::test]
    async fn reviews_are_counted_by_their_answer() {
        let playground = Playground::start(Options::quiet()).await.expect("a playground");
        let cluster = testing::connect(&playground).await;
        let access = Access {
            verb: "list",
            resource: Resource::parse("", "v1", "pods").expect("valid"),
            subresource: "",
            namespace: None,
            name: None,
            labels: None,
            fields: None,
        };
        let nobody = Subject {
            user: "nobody".into(),
            uid: "".into(),
            groups: BTreeSet::new(),
            extra: BTreeMap::new(),
        };
        assert!(matches!(cluster.review_access(&nobody, &access).await, Decision::Denied(_)));
        let counted = |result| cluster.metrics().access_reviews.get_or_create(&ByDecision { result }).get();
        assert_eq!((counted(Reviewed::allowed), counted(Reviewed::denied)), (0, 1));
    }
}
