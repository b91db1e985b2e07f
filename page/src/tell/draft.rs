//! A question while its reader writes it, and how it is read.

use shared::custom_column::{CustomColumn, CustomColumns};
use shared::rollout;

use super::words;
use crate::query::Filter;
use crate::query::value::duration_s;

/// What the sheet holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// About which of the sheet's subjects.
    pub subject: usize,
    /// `health=failing`, `restarts>5`, `condition=Ready`, `jsonpath={.status.phase}=Running`, `created`, `deleted`,
    /// `changes`.
    pub form: String,
    pub which: Which,
    /// How long it has to hold: `10m`. Empty: it is told at once.
    pub hold: String,
    /// It is told each time, and not once.
    pub repeats: bool,
    /// A tone sounds when it is told.
    pub has_sound: bool,
}

/// What a reader asks about who chose a line, and what is asked first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The object, as a link to its panel names it.
    pub object: String,
    pub form: &'static str,
}

/// The objects for which it has to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Which {
    #[default]
    Any,
    All,
    None,
}

impl Which {
    pub const ALL: [Self; 3] = [Self::Any, Self::All, Self::None];

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::All => "all",
            Self::None => "none",
        }
    }
}

/// What has to be so.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// The filter's terms hold.
    Filter(String),
    /// The cell of this column is the value; without one, there is something.
    Cell {
        column: CustomColumns,
        value: Option<String>,
    },
    Created,
    Deleted,
    Changes,
    /// As `kubectl rollout status` waits.
    Rollout(CustomColumns),
}

/// What a draft means.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meaning {
    pub(super) form: Form,
    pub(super) hold_ms: i64,
}

/// The column of a condition or of a path. No kind has one of this name.
const COLUMN: &str = "DOGWATCH-TOLD";
/// What is asked for longer isn't waited for in a tab.
const DAY_S: f64 = 86_400.0;
/// A path of a JSONPath with its value is shorter.
const FORM_BYTES_MAX: usize = 500;

impl Draft {
    /// `Err`: why it can't be read.
    pub(super) fn read(&self) -> Result<Meaning, String> {
        let hold_ms = hold_ms(self.hold.trim())?;
        let form = match self.form.trim() {
            form if form.len() > FORM_BYTES_MAX => return Err(words::form_too_long(FORM_BYTES_MAX)),
            "" => return Err(words::FORM_EXPECTED.to_owned()),
            "created" => Form::Created,
            "deleted" => Form::Deleted,
            "changes" => Form::Changes,
            "rollout" => Form::Rollout(columns(&rollout::PATHS)?),
            form => match (form.strip_prefix("condition="), form.strip_prefix("jsonpath=")) {
                (Some(condition), _) => of_condition(condition)?,
                (_, Some(path)) => of_path(path)?,
                _ => {
                    let read = Filter::parse(form);
                    if let Some((term, why)) = read.unread() {
                        return Err(crate::messages::filter_unread(term, why));
                    }
                    Form::Filter(form.to_owned())
                }
            },
        };
        Ok(Meaning { form, hold_ms })
    }
}

fn hold_ms(written: &str) -> Result<i64, String> {
    if written.is_empty() {
        return Ok(0);
    }
    let seconds = duration_s(written).filter(|seconds| (0.0..=DAY_S).contains(seconds));
    seconds.map(|seconds| (seconds * 1_000.0) as i64).ok_or_else(|| words::hold_unread(written))
}

/// `Ready`, `Ready=False`.
fn of_condition(written: &str) -> Result<Form, String> {
    let (name, value) = written.split_once('=').unwrap_or((written, "True"));
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"./-_".contains(&b));
    if !is_name || value.is_empty() {
        return Err(words::CONDITION_EXPECTED.to_owned());
    }
    cell(&format!(".status.conditions[?(@.type==\"{name}\")].status"), Some(value))
}

/// `{.status.phase}=Running`, `{.spec.nodeName}`: it is there, whatever it is.
fn of_path(written: &str) -> Result<Form, String> {
    let parts =
        written.trim_start_matches('\'').strip_prefix('{').and_then(|written| written.rsplit_once('}'));
    let (path, rest) = parts.ok_or_else(|| words::PATH_EXPECTED.to_owned())?;
    let value = match rest.trim_start_matches('\'') {
        "" => None,
        rest => Some(rest.strip_prefix('=').ok_or_else(|| words::PATH_EXPECTED.to_owned())?),
    };
    cell(path, value.map(|value| value.trim_matches('\'')))
}

fn cell(path: &str, value: Option<&str>) -> Result<Form, String> {
    Ok(Form::Cell { column: columns(&[path])?, value: value.map(str::to_owned) })
}

fn columns(paths: &[&str]) -> Result<CustomColumns, String> {
    let columns: Result<Vec<_>, _> = paths.iter().map(|path| CustomColumn::parse(COLUMN, path)).collect();
    columns.and_then(CustomColumns::try_from).map_err(|problem| problem.message)
}
