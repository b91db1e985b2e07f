//! The scalars of the spec and the status of a kind that has no facts of its own, as every custom kind. Those that stand
//! highest come first. Conditions, selectors and the templates of pods are shown elsewhere, or in the YAML alone.

use serde_json::{Map, Value};
use shared::{instant, sorted};

use super::super::read::{self, Now};
use crate::cells::{cut, shown};
use crate::limits::{PANEL_FIELDS_MAX, PANEL_VALUE_CHARACTERS_MAX};

/// The scalars of one part of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scalars {
    pub fields: Vec<ScalarField>,
    /// So many more stand in the YAML.
    pub more: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScalarField {
    /// `strategy.canary.weight`
    pub path: String,
    pub value: String,
    /// Takes a whole line, which has room for two others.
    pub is_wide: bool,
    /// It changed lately.
    pub is_new: bool,
}

/// Paths and values with more characters take a whole line.
const HALF_PATH_MAX: usize = 20;
const HALF_VALUE_MAX: usize = 11;

/// Maps within maps that are looked at.
const DEPTH_MAX: usize = 3;

/// `at`: the part of the object.
pub(super) fn scalars(object: &Value, at: &str, now: Now) -> Scalars {
    let Some(whole) = object.pointer(at).and_then(Value::as_object) else { return Scalars::default() };
    let mut found = Scalars::default();
    let mut level: Vec<(String, &Map<String, Value>)> = vec![(String::new(), whole)];
    for _ in 0..DEPTH_MAX {
        let mut below = Vec::new();
        for (above, (name, value)) in
            level.iter().flat_map(|(above, map)| map.iter().map(move |of| (above, of)))
        {
            let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
            match value {
                Value::Object(_) if is_shown_elsewhere(&path, value) => {}
                Value::Object(map) => below.push((path, map)),
                value => found.add(path, in_words(value, now)),
            }
        }
        level = below;
    }
    // No half of a line stays empty between two whole ones.
    sorted::sort_by_key(&mut found.fields, |field| field.is_wide);
    found
}

impl Scalars {
    fn add(&mut self, path: String, value: String) {
        if value.is_empty() {
            return;
        }
        if self.fields.len() == PANEL_FIELDS_MAX {
            self.more += 1;
            return;
        }
        let cut = |text: String| cut(text, PANEL_VALUE_CHARACTERS_MAX);
        let (path, value) = (cut(shown(&path).into_owned()), cut(value));
        let is_wide = path.chars().count() > HALF_PATH_MAX || value.chars().count() > HALF_VALUE_MAX;
        self.fields.push(ScalarField { path, value, is_wide, is_new: false });
    }
}

/// The selector of a controller has a fact, and so have the images of its template.
fn is_shown_elsewhere(path: &str, value: &Value) -> bool {
    path == "selector" || value.pointer("/spec/containers").is_some()
}

/// A scalar, or a list of nothing but scalars. A time is said as everywhere in the panel.
fn in_words(value: &Value, now: Now) -> String {
    match value {
        Value::Array(items) if items.iter().any(|item| item.is_array() || item.is_object()) => String::new(),
        Value::Array(items) => items.iter().map(read::scalar).collect::<Vec<_>>().join(", "),
        Value::String(text) if text.ends_with('Z') => {
            instant::seconds(text).map_or_else(|| read::scalar(value), |at| now.clock_and_distance(at))
        }
        scalar => read::scalar(scalar),
    }
}
