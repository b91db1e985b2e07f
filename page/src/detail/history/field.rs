//! One changed field in one line: its path, where a container is called by its name and a condition by its
//! type, its old value and its new one. Long values are cut.

use serde_json::Value;
use shared::diff;
use shared::frame::timeline::{Entry, Field};
use shared::sorted;

use super::routine::is_routine;
use super::words;
use crate::cells::{cut_middle, shown};
use crate::detail;
use crate::limits::PANEL_VALUE_CHARACTERS_MAX;
use crate::messages;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldLine {
    pub path: String,
    pub change: FieldChange,
    /// It always changes with others, and says nothing by itself.
    pub is_routine: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FieldChange {
    Became {
        was: String,
        now: String,
    },
    Set {
        now: String,
    },
    Removed {
        was: String,
    },
    /// Behind its mask.
    Masked,
}

impl FieldLine {
    /// `status.phase Pending → Running`
    pub fn text(&self) -> String {
        let change = match &self.change {
            FieldChange::Became { was, now } => words::from_to(was, now),
            FieldChange::Set { now } => format!("{} {now}", messages::SET_TO),
            FieldChange::Removed { was } => format!("{} {was}", messages::REMOVED),
            FieldChange::Masked => messages::CHANGED_MASKED.to_owned(),
        };
        format!("{} {change}", self.path)
    }
}

/// Fields that always change with others stand last.
pub fn fields(entry: &Entry) -> Vec<FieldLine> {
    let fields = &entry.fields;
    let mut lines = Vec::with_capacity(fields.len());
    let mut states: Vec<&str> = Vec::new();
    for field in fields {
        match state_of(&field.path) {
            Some(state) if states.contains(&state) => {}
            Some(state) if is_swapped(fields, state) => {
                states.push(state);
                lines.push(swapped(entry, state));
            }
            _ => lines.push(line(field, entry)),
        }
    }
    sorted::sort_by_key(&mut lines, |line| line.is_routine);
    lines
}

/// Whether the field looks as before, which says that it changed behind its mask.
pub(super) fn is_behind_mask(field: &Field) -> bool {
    field.old.is_some() && field.old == field.new
}

/// The path of a field, with the names of the elements that it leads through.
pub(super) fn path_of(pointer: &str, entry: &Entry) -> String {
    spoken_path(pointer, |pointer| entry.context.get(pointer)?.as_str())
}

fn line(field: &Field, entry: &Entry) -> FieldLine {
    let said = |value: Option<&Value>, bytes: Option<u32>| match (value, bytes) {
        (Some(value), _) => Some(
            condition_in_words(&field.path, value)
                .unwrap_or_else(|| value_in_a_line(value, PANEL_VALUE_CHARACTERS_MAX)),
        ),
        (None, Some(bytes)) => Some(messages::bytes(bytes)),
        (None, None) => None,
    };
    let change = match (said(field.old.as_ref(), field.old_bytes), said(field.new.as_ref(), field.new_bytes))
    {
        _ if is_behind_mask(field) => FieldChange::Masked,
        (Some(was), Some(now)) => FieldChange::Became { was, now },
        (Some(was), None) => FieldChange::Removed { was },
        (None, now) => FieldChange::Set { now: now.unwrap_or_default() },
    };
    FieldLine { path: path_of(&field.path, entry), change, is_routine: is_routine(&field.path) }
}

/// A condition that comes or goes as a whole: `False, ContainersNotReady`.
pub(super) fn condition_in_words(path: &str, value: &Value) -> Option<String> {
    let is_condition = path.rsplit_once('/')?.0.ends_with("/conditions");
    let text = |key: &str| value.get(key)?.as_str().filter(|text| !text.is_empty()).map(shown);
    let (status, reason) = (text("status").filter(|_| is_condition)?, text("reason"));
    Some(status.into_owned() + &reason.map_or_else(String::new, |reason| format!(", {reason}")))
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

fn swapped(entry: &Entry, state: &str) -> FieldLine {
    let mut was = None;
    let mut now = None;
    for field in &entry.fields {
        let Some(key) = key_of(field, state) else { continue };
        match (&field.old, &field.new) {
            (Some(old), None) => was = Some(state_in_words(key, old)),
            (None, Some(new)) => now = Some(state_in_words(key, new)),
            _ => {}
        }
    }
    let change = match (was, now) {
        (Some(was), Some(now)) => FieldChange::Became { was, now },
        (Some(was), None) => FieldChange::Removed { was },
        (None, now) => FieldChange::Set { now: now.unwrap_or_default() },
    };
    FieldLine { path: path_of(state, entry), change, is_routine: false }
}

/// `terminated: Error, exit code 1`
fn state_in_words(key: &str, state: &Value) -> String {
    let reason = state.get("reason").and_then(Value::as_str).map(shown).unwrap_or_default();
    let code = state.get("exitCode").and_then(Value::as_i64);
    detail::words::state_in_words(&shown(key), &reason, code)
}

/// `status.conditions[Ready].status`: an element of a list has its `name`, its `type`, or its number; a key with dots
/// stands in brackets. `text` reads a text of the object by its pointer.
pub fn spoken_path<'a>(pointer: &str, text: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut path = String::new();
    let mut end = 0;
    for key in diff::keys(pointer) {
        end += "/".len() + diff::escaped(&key).len();
        if is_index(&key) {
            let element = pointer.get(..end).unwrap_or_default();
            let name = ["name", "type"].iter().find_map(|key| text(&format!("{element}/{key}")));
            path.push_str(&format!("[{}]", name.unwrap_or(&key)));
        } else if key.contains(['.', '/']) {
            path.push_str(&format!("[{key}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&key);
        }
    }
    shown(&path).into_owned()
}

fn is_index(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit())
}

/// As JSON, but a text without quotes; longer than so many characters it loses its middle.
pub(super) fn value_in_a_line(value: &Value, characters_max: usize) -> String {
    let whole = match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => shown(text).into_owned(),
        value => shown(&value.to_string()).into_owned(),
    };
    cut_middle(whole, characters_max)
}
