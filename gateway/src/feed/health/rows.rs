//! The rows that the configuration adds to the rules: an object of this kind that has this value at this path stands so.
//! Never a rule that is built in, and never what a mask hides.

use shared::health::HealthClass;
use shared::json_path::{Clipped, Effort, JsonPath, Outline};
use shared::resource::Resource;

use super::Verdict;

/// `group, kind, path = value → class, why`.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthRow {
    plural: Box<str>,
    group: Box<str>,
    path: JsonPath,
    /// `None`: any value.
    value: Option<Box<str>>,
    class: HealthClass,
    why: Box<str>,
}

/// A path has no number that isn't one.
impl Eq for HealthRow {}

/// A row as it is written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenRow<'a> {
    pub kind: &'a str,
    pub path: &'a str,
    pub value: Option<&'a str>,
    pub class: &'a str,
    pub why: Option<&'a str>,
}

/// The rows of one kind, in their order.
#[derive(Debug)]
pub(in crate::feed) struct RowsOfKind {
    /// What their paths lead to; the rest of an object isn't read again.
    outline: Outline,
    rows: Box<[HealthRow]>,
}

/// How an object stands by a row. `None` within: it is simply fine.
pub(super) struct ByRow(pub(super) Option<Verdict>);

impl HealthRow {
    /// # Errors
    /// A sentence that says what to do.
    pub fn read(written: &WrittenRow<'_>) -> Result<Self, String> {
        let WrittenRow { kind, path, value, class, why } = *written;
        let (plural, group) = kind.split_once('.').unwrap_or((kind, ""));
        Resource::parse(group, "v1", plural).map_err(|_| {
            format!("kind {kind:?} is not the name of a resource; write it as databases.example.com or pods")
        })?;
        let read = JsonPath::parse_relaxed(path)
            .map_err(|why| format!("path {path:?} can't be read: {why}; write it as .status.phase"))?;
        if read.is_root() {
            return Err(format!("path {path:?} is the whole object; name a field, such as .status.phase"));
        }
        let class = CLASSES.into_iter().find(|known| known.word() == class).ok_or_else(|| {
            let names = CLASSES.map(HealthClass::word).join(", ");
            format!("class {class:?} is none; write one of {names}")
        })?;
        let why = why.map_or_else(|| value.unwrap_or_default(), str::trim);
        if why.chars().count() > WHY_CHARACTERS_MAX || why.chars().any(char::is_control) {
            return Err(format!("why is no line of {WHY_CHARACTERS_MAX} characters; say it in fewer"));
        }
        Ok(Self {
            plural: plural.into(),
            group: group.into(),
            path: read,
            value: value.map(|value| value.trim().into()),
            class,
            why: why.into(),
        })
    }

    fn is_of(&self, resource: &Resource) -> bool {
        *self.plural == *resource.resource.as_str() && *self.group == *resource.group.as_str()
    }
}

impl RowsOfKind {
    /// `None`: the configuration says nothing of the kind.
    pub(in crate::feed) fn of(resource: &Resource, rows: &[HealthRow]) -> Option<Self> {
        let rows: Box<[HealthRow]> = rows.iter().filter(|row| row.is_of(resource)).cloned().collect();
        let mut outline = Outline::default();
        rows.iter().for_each(|row| outline.add(&row.path));
        (!rows.is_empty()).then_some(Self { outline, rows })
    }

    /// By the first row that applies.
    pub(super) fn verdict(&self, object: &[u8]) -> Option<ByRow> {
        let object = self.outline.read(object)?;
        let applies = |row: &&HealthRow| {
            let found = row.path.select(&object, &mut Effort(VALUES_MAX)).values;
            found.iter().any(|found| row.value.as_ref().is_none_or(|value| is_written(found, value)))
        };
        let row = self.rows.iter().find(applies)?;
        let is_plain = row.class == HealthClass::Fine && row.why.is_empty();
        Some(ByRow((!is_plain).then(|| Verdict::of(row.class, row.why.clone()))))
    }
}

/// As kubectl would print it.
fn is_written(found: &serde_json::Value, value: &str) -> bool {
    let mut text = Clipped::new(value.len() + 1);
    text.push_value(found);
    text.finish().trim() == value
}

/// What a row may say. Unknown isn't among them: a row knows.
const CLASSES: [HealthClass; 4] =
    [HealthClass::Failing, HealthClass::NotReady, HealthClass::Changing, HealthClass::Fine];
/// A reason stands in a cell of a table.
const WHY_CHARACTERS_MAX: usize = 120;
/// The values that a path may look at in one object, at each of its changes.
const VALUES_MAX: usize = 1_000;
