//! One changed field in one line: its path, where a container is called by its name and a condition by its
//! type, its old value and its new one. Long values are cut.

use serde_json::Value;
use shared::diff;
use shared::frame::timeline::Field;

use super::routine::is_routine;
use crate::cells::shown;
use crate::limits::PANEL_VALUE_CHARACTERS_MAX;
use crate::messages;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldLine {
    pub path: String,
    pub change: Change,
    /// It always changes with others, and says nothing by itself.
    pub is_routine: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    Became { was: String, now: String },
    Set { now: String },
    Removed { was: String },
}

pub(super) fn lines(fields: &[Field], object: Option<&Value>) -> Vec<FieldLine> {
    let mut lines = Vec::with_capacity(fields.len());
    let mut states: Vec<&str> = Vec::new();
    for field in fields {
        match state_of(&field.path) {
            Some(state) if states.contains(&state) => {}
            Some(state) if is_swapped(fields, state) => {
                states.push(state);
                lines.push(swapped(fields, state, object));
            }
            _ => lines.push(line(field, object)),
        }
    }
    lines
}

fn line(field: &Field, object: Option<&Value>) -> FieldLine {
    let said = |value: Option<&Value>, bytes: Option<u32>| match (value, bytes) {
        (Some(value), _) => Some(value_in_a_line(value, PANEL_VALUE_CHARACTERS_MAX)),
        (None, Some(bytes)) => Some(messages::bytes(bytes)),
        (None, None) => None,
    };
    let change = match (said(field.old.as_ref(), field.old_bytes), said(field.new.as_ref(), field.new_bytes))
    {
        (Some(was), Some(now)) => Change::Became { was, now },
        (Some(was), None) => Change::Removed { was },
        (None, now) => Change::Set { now: now.unwrap_or_default() },
    };
    FieldLine { path: spoken_path(&field.path, object), change, is_routine: is_routine(&field.path) }
}

/// `/status/containerStatuses/0/state`, from any path within it. A container is in one of three states, each
/// under a key of its own.
fn state_of(path: &str) -> Option<&str> {
    if !path.contains("ontainerStatuses/") {
        return None;
    }
    let end = ["/state/", "/lastState/"].iter().find_map(|part| Some(path.find(part)? + part.len() - 1))?;
    path.get(..end)
}

/// Whether one state replaced another. A change within a state is listed field by field.
fn is_swapped(fields: &[Field], state: &str) -> bool {
    let own = |field: &&Field| key_of(field, state).is_some();
    fields.iter().filter(own).any(|field| field.old.is_none() != field.new.is_none())
}

/// The key of the state (`waiting`), if the path ends with it.
fn key_of<'a>(field: &'a Field, state: &str) -> Option<&'a str> {
    field.path.strip_prefix(state)?.strip_prefix('/').filter(|key| !key.contains('/'))
}

fn swapped(fields: &[Field], state: &str, object: Option<&Value>) -> FieldLine {
    let mut was = None;
    let mut now = None;
    for field in fields {
        let Some(key) = key_of(field, state) else { continue };
        match (&field.old, &field.new) {
            (Some(old), None) => was = Some(state_in_words(key, old)),
            (None, Some(new)) => now = Some(state_in_words(key, new)),
            _ => {}
        }
    }
    let change = match (was, now) {
        (Some(was), Some(now)) => Change::Became { was, now },
        (Some(was), None) => Change::Removed { was },
        (None, now) => Change::Set { now: now.unwrap_or_default() },
    };
    FieldLine { path: spoken_path(state, object), change, is_routine: false }
}

/// `terminated: Error, exit code 1`
fn state_in_words(key: &str, state: &Value) -> String {
    let reason = state.get("reason").and_then(Value::as_str).map(shown).unwrap_or_default();
    let code = state.get("exitCode").and_then(Value::as_i64);
    messages::state_in_words(&shown(key), &reason, code)
}

/// `status.conditions[Ready].status`: an element of a list has its `name` or `type` in this version of the
/// object, and a key with dots stands in brackets.
pub fn spoken_path(pointer: &str, object: Option<&Value>) -> String {
    let mut path = String::new();
    let mut at = object;
    for key in diff::keys(pointer) {
        let inside = at.and_then(|value| match value {
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            value => value.get(&key),
        });
        let is_element = at.map_or_else(|| is_index(&key), Value::is_array);
        if is_element {
            let name = inside.and_then(name_of).unwrap_or(&key);
            path.push_str(&format!("[{name}]"));
        } else if key.contains(['.', '/']) {
            path.push_str(&format!("[{key}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&key);
        }
        at = inside;
    }
    shown(&path).into_owned()
}

fn name_of(element: &Value) -> Option<&str> {
    ["name", "type"].iter().find_map(|key| element.get(key)?.as_str())
}

fn is_index(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit())
}

/// As JSON, but a text without quotes; cut after so many characters.
pub(super) fn value_in_a_line(value: &Value, characters_max: usize) -> String {
    let whole = match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => shown(text).into_owned(),
        value => shown(&value.to_string()).into_owned(),
    };
    match whole.char_indices().nth(characters_max) {
        Some((end, _)) => format!("{}…", whole.get(..end).unwrap_or_default()),
        None => whole,
    }
}
