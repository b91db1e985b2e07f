//! Refusals, as the `Status` that kube-apiserver answers with: code, reason, message, details.
//! It never writes to a socket.

use serde_json::{Map, Value, json};

use crate::attributes::{Attributes, Requested};
use crate::served::Served;

/// A refused request. Handlers return it; the HTTP layer turns it into a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    pub code: u16,
    /// Kubernetes' reason; empty where the real server leaves it out.
    pub reason: &'static str,
    pub message: String,
    pub details: Option<Value>,
    pub retry_after_s: Option<u32>,
    /// The inconsistent continuation that comes with an expired continue token.
    pub continue_token: Option<String>,
}

/// What is wrong with one field: reason, message, field.
pub type Cause = (&'static str, String, String);

impl Failure {
    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), ..Self::default() }
    }

    /// About an object; an empty name is left out.
    fn of(code: u16, reason: &'static str, kind: &impl Served, name: &str, message: String) -> Self {
        Self::new(code, reason, message).with_details(details(kind.group(), kind.plural(), name))
    }

    fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    fn with_retry_after(self, seconds: u32) -> Self {
        let mut details = self.details.clone().unwrap_or_else(|| json!({}));
        set(&mut details, &["retryAfterSeconds"], json!(seconds));
        Self { retry_after_s: Some(seconds), ..self.with_details(details) }
    }

    /// The `Status` object.
    pub fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {},
            "status": "Failure", "message": self.message, "code": self.code,
        });
        if let Some(token) = &self.continue_token {
            set(&mut status, &["metadata", "continue"], json!(token));
        }
        if !self.reason.is_empty() {
            set(&mut status, &["reason"], json!(self.reason));
        }
        if let Some(details) = &self.details {
            set(&mut status, &["details"], details.clone());
        }
        status
    }

    /// The last line of a watch that can't go on: a plain `Status`, whatever form the client asked for.
    pub fn event(&self) -> Vec<u8> {
        format!("{{\"type\":\"ERROR\",\"object\":{}}}\n", self.status()).into_bytes()
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// Not the real server's: it is about who may reach a playground at all.
    pub fn of_a_stranger(why: &str) -> Self {
        Self::new(403, "Forbidden", why)
    }

    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// A right is missing.
    pub fn forbidden(user: &str, attributes: &Attributes<'_>) -> Self {
        let verb = attributes.verb;
        let (group, resource, subresource, namespace, name) = match attributes.requested {
            Requested::Path(path) => {
                let message = format!("forbidden: User {user:?} cannot {verb} path {path:?}");
                return Self::new(403, "Forbidden", message).with_details(json!({}));
            }
            Requested::Resource { group, resource, subresource, namespace, name } => {
                (group, resource, subresource, namespace, name)
            }
        };
        let qualified = qualified(resource, group);
        let quoted = if name.is_empty() { String::new() } else { format!(" {name:?}") };
        let whole = match subresource {
            "" => resource.to_owned(),
            subresource => format!("{resource}/{subresource}"),
        };
        let scope = match namespace {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace {namespace:?}"),
        };
        let message = format!(
            "{qualified}{quoted} is forbidden: User {user:?} cannot {verb} resource {whole:?} in API group {group:?} {scope}"
        );
        Self::new(403, "Forbidden", message).with_details(details(group, resource, name))
    }

    pub fn not_found(kind: &impl Served, name: &str) -> Self {
        Self::none_of(kind.group(), kind.plural(), name)
    }

    /// metrics-server looks for the pod or node first, by namespace and name in one.
    pub fn without_source(plural: &str, key: &str) -> Self {
        Self::none_of("", plural, key)
    }

    /// Then metrics-server looks for the metrics of it.
    pub fn without_metrics(kind: &impl Served, key: &str) -> Self {
        Self::none_of(kind.group(), &kind.kind().to_lowercase(), key)
    }

    fn none_of(group: &str, plural: &str, name: &str) -> Self {
        let message = format!("{} \"{name}\" not found", qualified(plural, group));
        Self::new(404, "NotFound", message).with_details(details(group, plural, name))
    }

    pub fn already_exists(kind: &impl Served, name: &str) -> Self {
        let message = format!("{} \"{name}\" already exists", qualified(kind.plural(), kind.group()));
        Self::of(409, "AlreadyExists", kind, name, message)
    }

    pub fn conflict(kind: &impl Served, name: &str, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} \"{name}\": {why}",
            qualified(kind.plural(), kind.group())
        );
        Self::of(409, "Conflict", kind, name, message)
    }

    /// A known resource that doesn't serve this verb.
    pub fn verb_not_supported(kind: &impl Served, verb: &str) -> Self {
        let message = format!(
            "{verb} is not supported on resources of kind \"{}\"",
            qualified(kind.plural(), kind.group())
        );
        Self::of(405, "MethodNotAllowed", kind, "", message)
    }

    pub fn method_not_allowed() -> Self {
        Self::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
            .with_details(json!({}))
    }

    /// No representation that the client accepts can be served.
    pub fn not_acceptable(message: &str) -> Self {
        Self::new(406, "NotAcceptable", message)
    }

    /// The client accepts no media type that is served.
    pub fn no_such_media() -> Self {
        let message = "406: Not Acceptable\n\nAvailable representations: application/json";
        Self::not_acceptable(message).with_details(json!({}))
    }

    /// A path below a group that is served, and nothing is there.
    pub fn no_such_resource() -> Self {
        Self::new(404, "NotFound", "the server could not find the requested resource").with_details(json!({}))
    }

    /// The body holds another kind or version than the path.
    pub fn other_kind(kind: &str, api_version: &str, wanted: &impl Served) -> Self {
        let version = api_version.rsplit('/').next().unwrap_or_default();
        let why = if api_version == wanted.api_version() && wanted.is_built_in() {
            let internal = match wanted.group().split('.').next() {
                Some("") | None => "core",
                Some(group) => group,
            };
            format!("converting ({version}.{kind}) to ({internal}.{}): unknown conversion", wanted.kind())
        } else {
            format!(
                "no kind {kind:?} is registered for version {api_version:?} in scheme \"pkg/runtime/scheme.go:111\""
            )
        };
        Self::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {}: {why}",
            wanted.kind()
        ))
    }

    pub fn other_name(found: &str, wanted: &str) -> Self {
        Self::bad_request(format!(
            "the name of the object ({found}) does not match the name on the URL ({wanted})"
        ))
    }

    /// A patch of a form that the resource doesn't take.
    pub fn unsupported_patch() -> Self {
        Self::new(415, "UnsupportedMediaType", "415: Unsupported Media Type").with_details(json!({}))
    }

    /// A resourceVersion in an object that can't be taken: the real server answers 500, and leaves the
    /// reason out.
    pub fn wrong_revision(message: &str) -> Self {
        Self::new(500, "", message)
    }

    pub fn unsupported_media_type(accepted: &str) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {accepted}"
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    pub fn too_large_body(bytes_max: usize) -> Self {
        Self::new(413, "RequestEntityTooLarge", format!("Request entity too large: limit is {bytes_max}"))
    }

    /// A patch that doesn't apply.
    pub fn unprocessable() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self::new(422, "Invalid", message).with_details(json!({}))
    }

    /// A precondition of a deletion doesn't hold. The real server names the kind, and not the resource.
    pub fn precondition(kind: &impl Served, name: &str, what: &str, asked: &str, found: &str) -> Self {
        let happened = match what {
            "UID" => "deleted and then recreated",
            _ => "modified",
        };
        let message = format!(
            "Operation cannot be fulfilled on {} \"{name}\": the {what} in the precondition ({asked}) does not match the {what} in record ({found}). The object might have been {happened}",
            kind.kind()
        );
        Self::new(409, "Conflict", message).with_details(json!({"name": name, "kind": kind.kind()}))
    }

    /// One or more fields are wrong.
    pub fn invalid(group: &str, kind: &str, name: &str, causes: &[Cause]) -> Self {
        let listed: Vec<Value> = causes
            .iter()
            .map(|(reason, message, field)| json!({"reason": reason, "message": message, "field": field}))
            .collect();
        let texts: Vec<String> =
            causes.iter().map(|(_, message, field)| format!("{field}: {message}")).collect();
        let summary = match texts.as_slice() {
            [only] => only.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let qualified = qualified(kind, group);
        let mut details = json!({"kind": kind, "causes": listed});
        for (field, text) in [("group", group), ("name", name)] {
            if !text.is_empty() {
                set(&mut details, &[field], json!(text));
            }
        }
        Self::new(422, "Invalid", format!("{qualified} \"{name}\" is invalid: {summary}"))
            .with_details(details)
    }

    /// A watch from a resourceVersion that the history no longer holds.
    pub fn expired_watch(asked: u64, horizon: u64) -> Self {
        Self::new(410, "Expired", format!("too old resource version: {asked} ({horizon})"))
    }

    pub fn expired_list() -> Self {
        Self::new(410, "Expired", "The resourceVersion for the provided list is too old.")
    }

    pub fn expired_continue(inconsistent: String) -> Self {
        let message = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
        Self { continue_token: Some(inconsistent), ..Self::new(410, "Expired", message) }
    }

    /// In a list a malformed resourceVersion is the client's fault.
    pub fn in_list(self) -> Self {
        Self::bad_request(format!("invalid resource version: {}", self.message))
    }

    pub fn future_revision(asked: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
        let cause = json!({"reason": "ResourceVersionTooLarge", "message": "Too large resource version"});
        Self::new(504, "Timeout", message).with_details(json!({"causes": [cause]})).with_retry_after(1)
    }

    pub fn too_many_requests(retry_after_s: u32) -> Self {
        Self::new(429, "TooManyRequests", "storage is (re)initializing").with_retry_after(retry_after_s)
    }

    pub fn unavailable(retry_after_s: u32) -> Self {
        let message = "the server is currently unable to handle the request";
        Self::new(503, "ServiceUnavailable", message).with_retry_after(retry_after_s)
    }

    pub fn internal(message: &str) -> Self {
        Self::new(500, "InternalError", format!("Internal error occurred: {message}"))
            .with_details(json!({"causes": [{"message": message}]}))
    }

    /// The older of the two reasons for 410; proxied and aggregated servers still use it.
    pub fn gone() -> Self {
        Self::new(410, "Gone", "the requested history is gone")
    }
}

/// Sets a value below a chain of objects, which are made where they are missing.
fn set(value: &mut Value, path: &[&str], new: Value) {
    let mut at = value;
    for step in path {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(fields) = at else { return };
        at = fields.entry((*step).to_owned()).or_insert(Value::Null);
    }
    *at = new;
}

/// `pods`, or `deployments.apps`.
fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

fn details(group: &str, plural: &str, name: &str) -> Value {
    let fields = [("name", name), ("group", group), ("kind", plural)].into_iter();
    let known = fields.filter(|(field, text)| *field == "kind" || !text.is_empty());
    Value::Object(known.map(|(field, text)| (field.to_owned(), json!(text))).collect::<Map<_, _>>())
}
