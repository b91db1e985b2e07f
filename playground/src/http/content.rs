//! The body of a request: JSON or YAML. Commands of kubectl that send protobuf are refused.
//! It never validates; a body that can't be read is refused in the real server's words.

use http::header::CONTENT_TYPE;
use http::request::Parts;
use serde_json::Value;

use crate::edit::PatchKind;
use kubernetes_api::Failure;

const YAML: &str = "application/yaml";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
/// What the real server reads for its built-in kinds.
const READABLE: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
/// What it reads for custom resources, and this server for all.
const READABLE_TEXT: &str = "application/json, application/yaml";

/// So much of a body that can't be read is repeated in the refusal.
const SHOWN_BYTES: usize = 10;

/// The content type without its parameters.
pub(super) fn media_type(parts: &Parts) -> &str {
    let found = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    found.and_then(|found| found.split(';').next()).unwrap_or_default().trim()
}

/// The object in a body.
///
/// # Errors
/// 400 for a body that isn't an object, 415 for one of a form or kind that can't be read.
pub(super) fn object(parts: &Parts, body: &[u8], kind: &str) -> Result<Value, Failure> {
    let unrecognized = |why: &str| {
        Failure::bad_request(format!("the object provided is unrecognized (must be of type {kind}): {why}"))
    };
    match media_type(parts) {
        "" | "application/json" => read_json(body).map_err(|why| {
            let shown = shown(body);
            unrecognized(&format!("couldn't get version/kind; json parse error: {why} ({shown})"))
        }),
        YAML => read_yaml(body).map_err(|why| unrecognized(&format!("{why} ({})", shown(body)))),
        PROTOBUF => Err(Failure::unsupported_media_type(READABLE_TEXT)),
        _ => Err(Failure::unsupported_media_type(READABLE)),
    }
}

/// The options of a delete, null without a body.
///
/// # Errors
/// 400 for what isn't an object.
pub(super) fn delete_options(body: &[u8]) -> Result<Value, Failure> {
    if body.is_empty() {
        return Ok(Value::Null);
    }
    read_json(body)
        .map_err(|why| Failure::bad_request(format!("couldn't get version/kind; json parse error: {why}")))
}

/// A patch of the form that its kind asks for.
///
/// # Errors
/// 400 for anything else.
pub(super) fn patch(kind: PatchKind, body: &[u8]) -> Result<Value, Failure> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|why| Failure::bad_request(format!("error decoding patch: {}", in_gos_words(&why))))?;
    let wanted = match (kind, &value) {
        (PatchKind::Json, Value::Array(_)) | (PatchKind::Merge | PatchKind::Strategic, Value::Object(_)) => {
            return Ok(value);
        }
        (PatchKind::Json, _) => "[]handlers.jsonPatchOp",
        _ => "map[string]interface {}",
    };
    let form = form_of(&value);
    Err(Failure::bad_request(format!(
        "error decoding patch: json: cannot unmarshal {form} into Go value of type {wanted}"
    )))
}

fn read_json(body: &[u8]) -> Result<Value, String> {
    match serde_json::from_slice(body) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(other) => Err(format!(
            r#"json: cannot unmarshal {} into Go value of type struct {{ APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }}"#,
            form_of(&other)
        )),
        Err(why) => Err(in_gos_words(&why)),
    }
}

fn read_yaml(body: &[u8]) -> Result<Value, String> {
    let text =
        std::str::from_utf8(body).map_err(|_| "yaml: control characters are not allowed".to_owned())?;
    match serde_saphyr::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(other) => Err(format!("yaml: cannot unmarshal {} into an object", form_of(&other))),
        Err(why) => Err(format!("yaml: {why}")),
    }
}

/// The error in Go's words, where Go has the same error.
fn in_gos_words(why: &serde_json::Error) -> String {
    if why.is_eof() { "unexpected end of JSON input".to_owned() } else { why.to_string() }
}

fn form_of(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "bool",
        Value::Null => "null",
    }
}

/// JSON as it stands, anything else in hexadecimal, and little of both.
fn shown(body: &[u8]) -> String {
    let start = body.get(..SHOWN_BYTES).unwrap_or(body);
    let text = match start.first() {
        None => return "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(start).into_owned(),
        Some(_) => start.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    if body.len() > SHOWN_BYTES { format!("{text} ...") } else { text }
}
