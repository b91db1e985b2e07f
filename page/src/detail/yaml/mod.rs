//! An object as lines of YAML, as `kubectl get -o yaml` writes it: lists aren't indented under their key; keys
//! keep their order, but apiVersion, kind, metadata, spec and status come first. Each line has the path of its
//! field, because folds and marks belong to fields. Never markup.

mod fold;
mod mark;
mod path;
mod scalar;
mod search;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use shared::diff::escaped;
use shared::sorted;

use crate::detail::words;
pub use fold::Folds;
pub use mark::changed;
pub use path::json_path;
pub use search::{Search, found_in};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// The JSON Pointer of the field; the lines of one text have the same.
    pub path: String,
    /// Spaces and dashes.
    pub lead: String,
    /// With its colon and, before a value, a space.
    pub key: String,
    pub value: Piece,
    /// For a line that can be folded.
    pub fold: Option<Fold>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// The value is on the lines below.
    Nothing,
    Text(String),
    Number(String),
    /// The gateway didn't send it.
    Masked,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// The path of the field that folds: a list's element, where the line begins one.
    pub path: String,
    /// The line after the last one that the fold hides.
    pub end: usize,
}

/// What the gateway writes in place of a redacted value (docs/MASKING.md).
pub const MASK: &str = "••••••••";

const FIRST: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];

pub fn lines(object: &Value) -> Vec<Line> {
    let rank = |key: &str| FIRST.iter().position(|first| *first == key).unwrap_or(FIRST.len());
    lines_ranked(object, rank)
}

/// The first keys are those of the lowest rank.
fn lines_ranked(object: &Value, rank: impl Fn(&str) -> usize) -> Vec<Line> {
    let mut writer = Writer::default();
    match object {
        Value::Object(map) if !map.is_empty() => {
            let mut members: Vec<(&String, &Value)> = map.iter().collect();
            sorted::sort_by_key(&mut members, |(key, _)| rank(key));
            for (key, value) in members {
                writer.entry(format!("/{}", escaped(key)), "", key, value, 0);
            }
        }
        Value::Array(items) if !items.is_empty() => writer.sequence("", "", items, 0),
        scalar => writer.scalar(String::new(), "", "", scalar, 0),
    }
    writer.lines
}

/// The whole document.
pub fn document(object: &Value) -> String {
    lines(object).iter().map(|line| line.text() + "\n").collect()
}

/// The whole document with its keys in their order, as kubectl writes it.
pub fn document_in_order(object: &Value) -> String {
    lines_ranked(object, |_| 0).iter().map(|line| line.text() + "\n").collect()
}

/// The sentence below the lines.
pub fn foot(lines: &[Line]) -> String {
    let masked = || lines.iter().filter(|line| line.value == Piece::Masked);
    let annotations = masked().filter(|line| line.path.starts_with("/metadata/annotations/")).count();
    let is_environment = |line: &&Line| line.path.contains("/env/") && line.path.ends_with("/value");
    let environment = masked().filter(is_environment).count();
    let others = masked().count().saturating_sub(annotations + environment);
    let is_of_map = |line: &&Line| ["/data/", "/binaryData/"].iter().any(|part| line.path.starts_with(part));
    // The gateway asks for the metadata alone of Secrets, and of no other kind.
    let is_of_secret = |line: &Line| {
        ["Secret", "PartialObjectMetadata"].iter().any(|kind| line.value == Piece::Text((*kind).into()))
    };
    let is_secret = lines.iter().any(|line| &*line.path == "/kind" && is_of_secret(line));
    let why = match (is_secret, masked().any(|line| is_of_map(&line))) {
        (true, _) => words::SECRET_VALUES,
        (false, true) => words::MASKED_CONFIG_MAP,
        (false, false) => "",
    };
    words::yaml_foot(annotations, environment, others, why)
}

impl Line {
    /// The line in a file.
    pub fn text(&self) -> String {
        let value = match &self.value {
            Piece::Nothing => "",
            // An empty line of a block has no indentation.
            Piece::Text(text) if text.is_empty() => return String::new(),
            Piece::Text(text) | Piece::Number(text) => text,
            Piece::Masked => MASK,
        };
        format!("{}{}{value}", self.lead, self.key)
    }
}

#[derive(Default)]
struct Writer {
    lines: Vec<Line>,
}

impl Writer {
    /// A member of a map whose keys are indented by `indent`. `lead` stands before this key.
    fn entry(&mut self, path: String, lead: &str, key: &str, value: &Value, indent: usize) {
        let key = scalar::quoted(key);
        let begun = self.lines.len();
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.push(path.clone(), lead, format!("{key}:"), Piece::Nothing);
                self.mapping(&path, &spaces(indent + 2), map, indent + 2);
            }
            Value::Array(items) if !items.is_empty() => {
                self.push(path.clone(), lead, format!("{key}:"), Piece::Nothing);
                self.sequence(&path, &spaces(indent), items, indent);
            }
            value => return self.scalar(path, lead, &format!("{key}: "), value, indent + 2),
        }
        self.foldable(begun, &path);
    }

    fn mapping(&mut self, path: &str, lead: &str, map: &Map<String, Value>, indent: usize) {
        for (place, (key, value)) in map.iter().enumerate() {
            let here = if place == 0 { lead } else { &spaces(indent) };
            self.entry(format!("{path}/{}", escaped(key)), here, key, value, indent);
        }
    }

    fn sequence(&mut self, path: &str, lead: &str, items: &[Value], indent: usize) {
        for (place, item) in items.iter().enumerate() {
            let path = format!("{path}/{place}");
            let here = if place == 0 { lead } else { &spaces(indent) };
            let lead = format!("{here}- ");
            let begun = self.lines.len();
            match item {
                Value::Object(map) if !map.is_empty() => self.mapping(&path, &lead, map, indent + 2),
                Value::Array(items) if !items.is_empty() => self.sequence(&path, &lead, items, indent + 2),
                value => self.scalar(path.clone(), &lead, "", value, indent + 2),
            }
            self.foldable(begun, &path);
        }
    }

    /// The lines of a multi-line text are indented by `indent`.
    fn scalar(&mut self, path: String, lead: &str, key: &str, value: &Value, indent: usize) {
        let piece = match value {
            Value::String(text) if text == MASK => Piece::Masked,
            Value::Number(_) => Piece::Number(scalar::inline(value)),
            value => Piece::Text(scalar::inline(value)),
        };
        let Some((header, body)) = value.as_str().and_then(scalar::block) else {
            return self.push(path, lead, key.to_owned(), piece);
        };
        let begun = self.lines.len();
        self.push(path.clone(), lead, key.to_owned(), Piece::Text(header.to_owned()));
        // Nothing is indented at the root, but a block must be.
        let indent = spaces(indent.max(2));
        for line in body {
            self.push(path.clone(), &indent, String::new(), Piece::Text(line.to_owned()));
        }
        self.foldable(begun, &path);
    }

    fn push(&mut self, path: String, lead: &str, key: String, value: Piece) {
        self.lines.push(Line { path, lead: lead.to_owned(), key, value, fold: None });
    }

    fn foldable(&mut self, begun: usize, path: &str) {
        let end = self.lines.len();
        if end > begun + 1
            && let Some(line) = self.lines.get_mut(begun)
        {
            line.fold = Some(Fold { path: path.to_owned(), end });
        }
    }
}

fn spaces(count: usize) -> String {
    " ".repeat(count)
}
