//! A table's cells, with instants instead of the durations that the server printed, which were true at
//! one moment only. A cell that isn't known to be a time stays as it was printed.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use shared::cell::{Cell, Span};
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::instant;
use shared::json_path::JsonPath;
use shared::resource::Resource;

use super::json::{list, text, time};
use super::metadata::Metadata;
use super::redact::Redacted;
use super::restarts;

/// The path of the instant for each column of the type `date` of a custom resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatePaths(BTreeMap<Box<str>, JsonPath>);

/// How each column of a table is filled.
#[derive(Debug)]
pub(super) struct Plan(Vec<Fill>);

#[derive(Clone, Debug)]
enum Fill {
    Printed,
    Age,
    Restarts,
    FirstSeen,
    LastSeen,
    LastSchedule,
    JobDuration,
    Date(JsonPath),
}

/// The parts of an object that the times in its cells need.
pub(super) struct Source<'a> {
    pub(super) metadata: &'a Metadata<'a>,
    pub(super) redacted: &'a Redacted,
}

impl DatePaths {
    /// Reads the columns of one version of a CustomResourceDefinition.
    #[must_use]
    pub fn of_definition(definition: &[u8], version: &str) -> Self {
        let definition: Value = serde_json::from_slice(definition).unwrap_or_default();
        let versions = definition.get("spec").into_iter().flat_map(|spec| list(spec, "versions"));
        let named = versions.filter(|found| text(found, "name") == Some(version));
        let columns = named.flat_map(|version| list(version, "additionalPrinterColumns"));
        let dates = columns.filter(|column| text(column, "type") == Some("date"));
        let path = |column: &Value| {
            Some((text(column, "name")?.into(), JsonPath::parse(text(column, "jsonPath")?).ok()?))
        };
        Self(dates.filter_map(path).collect())
    }
}

impl Plan {
    pub(super) fn of(resource: &Resource, columns: &[Column], dates: &DatePaths) -> Self {
        let group = resource.group.as_str();
        let fill = |column: &Column| {
            if let Some(path) = dates.0.get(&column.name) {
                return Fill::Date(path.clone());
            }
            match (group, resource.resource.as_str(), &*column.name) {
                ("", "pods", "Restarts") => Fill::Restarts,
                ("" | "events.k8s.io", "events", "First Seen") => Fill::FirstSeen,
                ("" | "events.k8s.io", "events", "Last Seen") => Fill::LastSeen,
                ("batch", "cronjobs", "Last Schedule") => Fill::LastSchedule,
                ("batch", "jobs", "Duration") => Fill::JobDuration,
                (_, _, "Age") => Fill::Age,
                _ => Fill::Printed,
            }
        };
        Self(columns.iter().map(fill).collect())
    }

    /// As many cells as there are columns, whatever the row has.
    pub(super) fn cells(&self, printed: &[&RawValue], source: &Source<'_>) -> Vec<Cell> {
        let cell = |(place, fill): (usize, &Fill)| {
            let printed = printed.get(place).map_or(Cell::Null, |raw| read(raw.get()));
            fill.apply(printed, source)
        };
        self.0.iter().enumerate().map(cell).collect()
    }
}

impl Fill {
    fn apply(&self, printed: Cell, source: &Source<'_>) -> Cell {
        let instant = match self {
            Self::Printed => None,
            Self::Age => return Cell::Age(source.created()),
            Self::Restarts => return restarts::cell(printed, source.redacted),
            Self::FirstSeen => source.event().and_then(|event| event.first_seen()).map(age),
            Self::LastSeen => source.event().and_then(|event| event.last_seen()).map(age),
            Self::LastSchedule => source.status().and_then(|job| time(&job, "lastScheduleTime")).map(age),
            Self::JobDuration => source.status().and_then(|job| {
                let (start, end) = (time(&job, "startTime")?, time(&job, "completionTime"));
                Some(Cell::Span(Box::new(Span { start, end })))
            }),
            // The server prints nothing for a path without a value.
            Self::Date(_) if printed == Cell::Null => None,
            Self::Date(path) => source.at_path(path).map(age),
        };
        instant.unwrap_or(printed)
    }
}

fn age(at: UnixSeconds) -> Cell {
    Cell::Age(Some(at))
}

impl Source<'_> {
    fn created(&self) -> Option<UnixSeconds> {
        self.metadata.creation_timestamp.as_deref().and_then(instant::seconds)
    }

    fn status(&self) -> Option<Value> {
        serde_json::from_slice(self.redacted.status()).ok()
    }

    fn event(&self) -> Option<EventTimes> {
        serde_json::from_slice(&self.redacted.bytes).ok()
    }

    fn at_path(&self, path: &JsonPath) -> Option<UnixSeconds> {
        let object: Value = serde_json::from_slice(&self.redacted.bytes).ok()?;
        instant::seconds(path.first(&object)?.as_str()?)
    }
}

/// The times of an Event of either group.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EventTimes {
    #[serde(alias = "deprecatedFirstTimestamp")]
    first_timestamp: Option<String>,
    #[serde(alias = "deprecatedLastTimestamp")]
    last_timestamp: Option<String>,
    event_time: Option<String>,
    series: Option<Series>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Series {
    last_observed_time: Option<String>,
}

impl EventTimes {
    fn first_seen(&self) -> Option<UnixSeconds> {
        let first = self.first_timestamp.as_deref().and_then(instant::seconds);
        first.or_else(|| self.event_time.as_deref().and_then(instant::seconds))
    }

    fn last_seen(&self) -> Option<UnixSeconds> {
        if let Some(series) = &self.series {
            return series.last_observed_time.as_deref().and_then(instant::seconds);
        }
        let last = self.last_timestamp.as_deref().and_then(instant::seconds);
        last.or_else(|| self.first_seen())
    }
}

/// A cell as the server printed it. Lists and objects, which kubectl never prints, are shown as JSON.
fn read(json: &str) -> Cell {
    match json.as_bytes().first() {
        Some(b'n') | None => Cell::Null,
        Some(b't') => Cell::Bool(true),
        Some(b'f') => Cell::Bool(false),
        Some(b'"') => serde_json::from_str(json).map_or(Cell::Null, Cell::Text),
        Some(b'{' | b'[') => Cell::text(json),
        Some(_) => json
            .parse()
            .map(Cell::Int)
            .or_else(|_| json.parse().map(Cell::Float))
            .unwrap_or_else(|_| Cell::text(json)),
    }
}
