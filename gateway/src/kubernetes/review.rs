//! The body of a review that a client sends about its own rights: JSON, or the protobuf of Kubernetes, in which kubectl
//! writes it. Only the fields of these two reviews are read of it.

use serde_json::{Map, Value, json};
use shared::frame::server::Kinds;
use shared::resource::Kind;

use super::discovery::VERBS;

/// What precedes every object in Kubernetes' protobuf:
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding>.
const MAGIC: &[u8] = b"k8s\0";

/// Which message a field is. The numbers are those of `k8s.io/api/authorization/v1/generated.proto`.
#[derive(Clone, Copy)]
enum Shape {
    Text(&'static str),
    Message(&'static str, &'static [(u64, Shape)]),
}

const RESOURCE_ATTRIBUTES: &[(u64, Shape)] = &[
    (1, Shape::Text("namespace")),
    (2, Shape::Text("verb")),
    (3, Shape::Text("group")),
    (4, Shape::Text("version")),
    (5, Shape::Text("resource")),
    (6, Shape::Text("subresource")),
    (7, Shape::Text("name")),
];
const PATH: &[(u64, Shape)] = &[(1, Shape::Text("path")), (2, Shape::Text("verb"))];
const ACCESS: &[(u64, Shape)] = &[
    (1, Shape::Message("resourceAttributes", RESOURCE_ATTRIBUTES)),
    (2, Shape::Message("nonResourceAttributes", PATH)),
];
const RULES: &[(u64, Shape)] = &[(1, Shape::Text("namespace"))];

/// The `kind`, the `apiVersion` and the `spec` of a review.
///
/// # Errors
/// One sentence about what can't be read.
pub(super) fn read(body: &[u8]) -> Result<Value, String> {
    let Some(envelope) = body.strip_prefix(MAGIC) else {
        return serde_json::from_slice(body)
            .ok()
            .filter(Value::is_object)
            .ok_or_else(|| "the review can't be read; it is to be JSON, or Kubernetes' protobuf".to_owned());
    };
    in_protobuf(envelope).ok_or_else(|| "the review's protobuf can't be read".to_owned())
}

/// The reason why the gateway never does what an access review asks for, whatever the API server grants.
pub(super) fn never(spec: &Value, kinds: &Kinds, shows_logs: bool) -> Option<String> {
    let attributes = spec.get("resourceAttributes").filter(|attributes| attributes.is_object())?;
    let text = |name: &str| attributes.get(name).and_then(Value::as_str).unwrap_or_default();
    if !VERBS.contains(&text("verb")) {
        return Some("this gateway only reads".to_owned());
    }
    let is_log = (text("group"), text("resource"), text("subresource")) == ("", "pods", "log");
    if is_log && (!shows_logs || text("verb") != "get") {
        return Some("this gateway doesn't serve that of logs".to_owned());
    }
    if !is_log && !text("subresource").is_empty() {
        return Some("this gateway serves no subresource but pods/log".to_owned());
    }
    let is_asked = |kind: &&Kind| {
        kind.resource.group.as_str() == text("group") && kind.resource.resource.as_str() == text("resource")
    };
    kinds.kinds.iter().find(is_asked).and_then(|kind| kind.disabled.as_deref()).map(str::to_owned)
}

/// Leaves of a viewer's rules what the gateway answers.
pub(super) fn rules_of_gateway(mut status: Value) -> Value {
    if let Some(rules) = status.get_mut("resourceRules").and_then(Value::as_array_mut) {
        rules.retain_mut(|rule| {
            let Some(verbs) = rule.get_mut("verbs").and_then(Value::as_array_mut) else { return false };
            let is_any = verbs.iter().any(|verb| verb == "*");
            let kept = VERBS.into_iter().filter(|verb| is_any || verbs.iter().any(|own| own == verb));
            *verbs = kept.map(Value::from).collect();
            !verbs.is_empty()
        });
    }
    status
}

fn in_protobuf(envelope: &[u8]) -> Option<Value> {
    // `runtime.Unknown`: the type's names, and the object.
    let (mut names, mut raw) = (None, None);
    for field in fields(envelope) {
        match field? {
            (1, bytes) => {
                names = Some(message(bytes, &[(1, Shape::Text("apiVersion")), (2, Shape::Text("kind"))])?)
            }
            (2, bytes) => raw = Some(bytes),
            _ => {}
        }
    }
    let mut review = names?;
    let shape = match review.get("kind").and_then(Value::as_str)? {
        "SelfSubjectAccessReview" => ACCESS,
        "SelfSubjectRulesReview" => RULES,
        _ => return None,
    };
    let mut spec = Value::Object(Map::new());
    for field in fields(raw?) {
        if let (2, bytes) = field? {
            spec = Value::Object(message(bytes, shape)?);
        }
    }
    review.insert("spec".to_owned(), spec);
    review.insert("metadata".to_owned(), json!({}));
    Some(Value::Object(review))
}

fn message(bytes: &[u8], shape: &'static [(u64, Shape)]) -> Option<Map<String, Value>> {
    let mut read = Map::new();
    for field in fields(bytes) {
        let (number, bytes) = field?;
        let Some((_, shape)) = shape.iter().find(|(known, _)| *known == number) else { continue };
        let (name, value) = match *shape {
            Shape::Text(name) => (name, Value::from(std::str::from_utf8(bytes).ok()?)),
            Shape::Message(name, shape) => (name, Value::Object(message(bytes, shape)?)),
        };
        read.insert(name.to_owned(), value);
    }
    Some(read)
}

/// The fields of a message that hold bytes, with their numbers; the numbers of others are passed over. `None`: the rest
/// can't be read.
fn fields(mut rest: &[u8]) -> impl Iterator<Item = Option<(u64, &[u8])>> {
    let mut is_over = false;
    std::iter::from_fn(move || {
        loop {
            if is_over || rest.is_empty() {
                return None;
            }
            match field(rest) {
                Some((Some(found), after)) => {
                    rest = after;
                    return Some(Some(found));
                }
                Some((None, after)) => rest = after,
                None => {
                    is_over = true;
                    return Some(None);
                }
            }
        }
    })
}

/// The number of a field, and its bytes.
type Field<'a> = (u64, &'a [u8]);

/// A field, if it holds bytes, and what follows.
fn field(bytes: &[u8]) -> Option<(Option<Field<'_>>, &[u8])> {
    let (tag, rest) = varint(bytes)?;
    match tag & 7 {
        0 => varint(rest).map(|(_, rest)| (None, rest)),
        1 => rest.get(8..).map(|rest| (None, rest)),
        2 => {
            let (length, rest) = varint(rest)?;
            let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            Some((Some((tag >> 3, value)), rest))
        }
        5 => rest.get(4..).map(|rest| (None, rest)),
        _ => None,
    }
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f).checked_shl(u32::try_from(at).ok()? * 7)?;
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(at + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use shared::name::ClusterName;
    use shared::resource::Resource;

    use super::*;

    fn bytes_of(number: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).expect("short");
        [&[number << 3 | 2, length], content].concat()
    }

    /// As kubectl writes it.
    fn envelope(kind: &str, object: &[u8]) -> Vec<u8> {
        let names = [bytes_of(1, b"authorization.k8s.io/v1"), bytes_of(2, kind.as_bytes())].concat();
        [MAGIC, &bytes_of(1, &names), &bytes_of(2, object)].concat()
    }

    #[test]
    fn nothing_that_writes_reaches_in_or_is_hidden_is_granted_and_no_rule_has_more_verbs() {
        let kind = |plural: &str, disabled: Option<&str>| Kind {
            disabled: disabled.map(Into::into),
            ..Kind::new(Resource::parse("", "v1", plural).expect("valid"), "Any", true)
        };
        let all = vec![kind("pods", None), kind("secrets", Some("Secrets are hidden"))];
        let kinds = Kinds::new(ClusterName::parse("prod").expect("valid"), all, Vec::new());
        let never =
            |attributes: Value| super::never(&json!({"resourceAttributes": attributes}), &kinds, false);
        assert_eq!(never(json!({"verb": "list", "resource": "pods", "namespace": "shop"})), None);
        assert_eq!(never(json!({"verb": "list", "resource": "unknown"})), None, "the API server knows");
        for verb in ["create", "delete", "*", "", "LIST"] {
            let why = never(json!({"verb": verb, "resource": "pods"})).expect("never");
            assert!(why.contains("only reads"), "{verb}");
        }
        let log = json!({"resourceAttributes": {"verb": "get", "resource": "pods", "subresource": "log"}});
        assert_eq!(super::never(&log, &kinds, true), None, "where logs are shown the API server decides");
        assert!(super::never(&log, &kinds, false).is_some_and(|why| why.contains("logs")));
        for subresource in ["exec", "status", "proxy"] {
            let asked = json!({"resourceAttributes": {"verb": "get", "resource": "pods", "subresource": subresource}});
            assert!(super::never(&asked, &kinds, true).is_some_and(|why| why.contains("no subresource")));
        }
        let hidden = never(json!({"verb": "get", "resource": "secrets"}));
        assert_eq!(hidden.as_deref(), Some("Secrets are hidden"));
        let path = json!({"nonResourceAttributes": {"path": "/version", "verb": "get"}});
        assert_eq!(super::never(&path, &kinds, false), None);
        let rule = |verbs: &[&str]| json!({"verbs": verbs, "resources": ["pods"]});
        let status = json!({"resourceRules": [rule(&["*"]), rule(&["delete"]), rule(&["watch", "patch"])]});
        let told = rules_of_gateway(status);
        assert_eq!(told["resourceRules"], json!([rule(&["get", "list", "watch"]), rule(&["watch"])]));
    }

    #[test]
    fn a_review_is_read_from_json_and_from_protobuf() {
        let attributes = [bytes_of(1, b"shop"), bytes_of(2, b"list"), bytes_of(5, b"pods")].concat();
        let spec = bytes_of(1, &attributes);
        let object = [bytes_of(1, b""), bytes_of(2, &spec), vec![3 << 3, 1]].concat();
        let read = super::read(&envelope("SelfSubjectAccessReview", &object)).expect("readable");
        let expected = json!({"namespace": "shop", "verb": "list", "resource": "pods"});
        assert_eq!(read["spec"]["resourceAttributes"], expected);
        assert_eq!(read["kind"], "SelfSubjectAccessReview");
        let rules = envelope("SelfSubjectRulesReview", &bytes_of(2, &bytes_of(1, b"shop")));
        assert_eq!(super::read(&rules).expect("readable")["spec"], json!({"namespace": "shop"}));
        let json = br#"{"kind":"SelfSubjectRulesReview","spec":{"namespace":"a"}}"#;
        assert_eq!(super::read(json).expect("readable")["spec"], json!({"namespace": "a"}));
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let whole = envelope("SelfSubjectAccessReview", &bytes_of(2, &bytes_of(1, &bytes_of(2, b"list"))));
        for length in 0..whole.len() {
            let cut = whole.get(..length).expect("shorter");
            assert!(super::read(cut).is_err(), "{length}");
        }
        for body in [b"".as_slice(), b"[]", b"{", b"\xff\xfe"] {
            assert!(super::read(body).is_err(), "{body:?}");
        }
        assert!(super::read(&envelope("Pod", b"")).is_err());
    }
}
