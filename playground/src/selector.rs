//! Field selectors: exact matches on the few fields that each resource can select by.
//! A field that a resource can't be selected by is refused.

use serde_json::Value;

use crate::json;
use crate::resource::ResourceType;
use crate::store::Object;

/// Terms that must all hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
struct Term {
    field: String,
    equal: bool,
    value: String,
}

/// Whether a resource can be selected by a field.
fn is_known(field: &str, kind: &ResourceType) -> bool {
    match field {
        "metadata.name" => true,
        "metadata.namespace" => kind.namespaced || is_plain(kind),
        field => kind.selectable.iter().any(|found| found == field),
    }
}

/// A built-in kind without fields of its own to select by.
fn is_plain(kind: &ResourceType) -> bool {
    kind.built_in && kind.selectable.is_empty()
}

impl FieldSelector {
    /// Reads a selector for a resource.
    ///
    /// # Errors
    /// The real server's message, answered with 400.
    pub fn parse(text: &str, kind: &ResourceType) -> Result<Self, String> {
        let mut terms = Vec::new();
        for part in split_unescaped(text) {
            if part.is_empty() {
                continue;
            }
            let term = term_of(&part)
                .ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{part}'"))??;
            if !is_known(&term.field, kind) {
                return Err(unknown_field(&term.field, kind));
            }
            terms.push(term);
        }
        Ok(Self { terms })
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn matches(&self, object: &Object) -> bool {
        let mut value = None;
        self.terms.iter().all(|term| {
            let found = match term.field.as_str() {
                "metadata.name" => object.name.clone(),
                "metadata.namespace" => object.namespace.clone(),
                field => field_of(value.get_or_insert_with(|| object.value()), field),
            };
            (found == term.value) == term.equal
        })
    }
}

fn unknown_field(field: &str, kind: &ResourceType) -> String {
    if (kind.group.as_str(), kind.plural.as_str()) == ("batch", "jobs") {
        return format!("field label \"{field}\" not supported for {}", kind.kind);
    }
    if is_plain(kind) {
        return format!(
            "\"{field}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        );
    }
    format!("field label not supported: {field}")
}

fn field_of(object: &Value, field: &str) -> String {
    let pointer = match field {
        "source" => "/source/component".to_owned(),
        "reportingComponent" => "/reportingComponent".to_owned(),
        "status.successful" => "/status/succeeded".to_owned(),
        // An old name for it.
        "spec.host" => "/spec/nodeName".to_owned(),
        "status.podIPs" => "/status/podIPs/0/ip".to_owned(),
        field => format!("/{}", field.replace('.', "/")),
    };
    match object.pointer(&pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(flag)) => flag.to_string(),
        Some(Value::Number(number)) => number.to_string(),
        // What the real server fills in when the object is created.
        _ if field == "spec.restartPolicy" => "Always".to_owned(),
        _ if field == "spec.schedulerName" => "default-scheduler".to_owned(),
        _ if field == "spec.type" => "ClusterIP".to_owned(),
        // Go's zero values: a flag that isn't set reads "false", a number "0".
        _ if matches!(field, "spec.unschedulable" | "spec.hostNetwork") => "false".to_owned(),
        _ if field == "status.successful" => json::int(object, &pointer).to_string(),
        _ => String::new(),
    }
}

fn term_of(part: &str) -> Option<Result<Term, String>> {
    let at = part.find('=')?;
    let (left, right) = part.split_at(at);
    let (field, equal) = match left.strip_suffix('!') {
        Some(field) => (field, false),
        None => (left, true),
    };
    let value = right.strip_prefix("==").filter(|_| equal).or_else(|| right.strip_prefix('='))?;
    Some(unescape(value).map(|value| Term { field: field.to_owned(), equal, value }))
}

fn split_unescaped(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut escaped = false;
    for found in text.chars() {
        if found == ',' && !escaped {
            parts.push(String::new());
            continue;
        }
        escaped = found == '\\' && !escaped;
        if let Some(part) = parts.last_mut() {
            part.push(found);
        }
    }
    parts
}

fn unescape(text: &str) -> Result<String, String> {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(found) = letters.next() {
        match found {
            '\\' => match letters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => plain.push(escaped),
                other => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(format!("invalid field selector: invalid escape sequence: \\{other}"));
                }
            },
            // Go prints the letter as a number.
            '=' | ',' => {
                let code = u32::from(found);
                return Err(format!("invalid field selector: unescaped character in value: {code}"));
            }
            found => plain.push(found),
        }
    }
    Ok(plain)
}
