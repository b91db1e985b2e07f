//! What goes to stdout: rows as kubectl prints them, or changes one by one. Never a frame or a socket.

use jiff::Timestamp;
use page::cells;
use page::detail::yaml;
use page::query::ReaderId;
use page::table_view::{TableView, View};
use replica::table::clusters::{named_in, names_clusters};
use replica::table::{Delta, Entry, Slot};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};
use shared::column::Column;
use shared::duration::UnixSeconds;
use shared::resource_version::ResourceVersion;
use shared::row::{Row, WholeObject};
use shared::state::UnixMillis;

use super::args::{Format, OutputStyle};
use super::tabwriter::TabWriter;
use super::target::Target;

/// Writes rows and their changes in one format. It owns what it printed so far, as far as the next line depends on it: the
/// widths and the titles of a table, and whether a document came before. [`super::follow`] gives it the view with each
/// frame's changes.
#[derive(Debug)]
pub(super) struct Printer {
    output: OutputStyle,
    shows_namespace: bool,
    /// What `-o name` prints before a name: `pod`, `deployment.apps`.
    kind: String,
    writer: TabWriter,
    /// The columns of the last header.
    header: Option<Vec<Column>>,
    /// Whether a document was printed.
    has_printed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowChange {
    Added,
    Modified,
    /// Modified, and what changed is, at least in part, behind a mask.
    Masked,
    Deleted,
}

impl RowChange {
    fn word(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified | Self::Masked => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// A row, and what became of it.
#[derive(Clone, Debug)]
pub(super) struct Printed {
    pub(super) change: RowChange,
    pub(super) row: Row,
    /// `None`: it happens now, or it isn't known when.
    pub(super) time: Option<RecordedTime>,
}

/// When a recorded change happened.
#[derive(Clone, Debug)]
pub(super) struct RecordedTime {
    /// By the gateway's clock.
    pub(super) at_ms: UnixMillis,
    /// By the reader's clock, as tables show it.
    pub(super) clock: String,
}

impl Printed {
    pub(super) fn now(change: RowChange, row: Row) -> Self {
        Self { change, row, time: None }
    }
}

/// A whole object with the type of its event, as kubectl prints it: in JSON in this order.
#[derive(Serialize)]
struct WatchEvent<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    /// When a recorded change happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    object: &'a Value,
}

impl Printer {
    pub(super) fn new(output: OutputStyle, target: &Target) -> Self {
        Self {
            output,
            shows_namespace: target.shows_namespace,
            kind: target.kind.clone(),
            writer: TabWriter::default(),
            header: None,
            has_printed: false,
        }
    }

    /// All rows in their order, as `kubectl get` prints them; nothing where there are none.
    pub(super) fn all(&mut self, view: &View, now: UnixSeconds) -> String {
        self.print(view.table().columns(), &rows_of(view), now)
    }

    /// The rows that a frame changed, one line each, as `kubectl get -w` prints them.
    pub(super) fn changes(&mut self, view: &View, delta: &Delta, now: UnixSeconds) -> String {
        let rows = self.changed(view, delta);
        self.print(view.table().columns(), &rows, now)
    }

    /// The rows that a frame changed.
    pub(super) fn changed(&self, view: &View, delta: &Delta) -> Vec<Printed> {
        let entry = |slot: Slot| view.table().entry(slot);
        let row = |change| move |entry: &'_ Entry| Printed::now(change, entry.row().clone());
        let version = &delta.resource_version;
        let removed = delta.removed.iter().filter_map(|slot| entry(*slot)).map(|entry| {
            let row = entry.row().clone();
            let is_event = self.output.format.is_of_events() && !version.is_empty();
            Printed::now(RowChange::Deleted, if is_event { deleted_at(row, version) } else { row })
        });
        let added = delta.added.iter().filter_map(|slot| entry(*slot)).map(row(RowChange::Added));
        // A change that no column shows is a line too, as for `kubectl get -w`.
        let changed = delta.changed.iter();
        let how = |slot| if delta.masked.contains(&slot) { RowChange::Masked } else { RowChange::Modified };
        let changed =
            changed.filter_map(|changed| entry(changed.slot).map(|entry| row(how(changed.slot))(entry)));
        removed.chain(added).chain(changed).collect()
    }

    pub(super) fn print(&mut self, columns: &[Column], rows: &[Printed], now: UnixSeconds) -> String {
        match self.output.format {
            Format::Table | Format::Wide | Format::Custom => self.table(columns, rows, now),
            Format::Name => {
                let name = |of: &Printed| format!("{}/{}\n", self.kind, cells::shown(&of.row.name));
                rows.iter().map(name).collect()
            }
            Format::Json | Format::Yaml => rows.iter().filter_map(|of| self.object(of)).collect(),
            Format::Ndjson => rows.iter().map(|of| json_line(of, columns)).collect(),
            Format::Events => rows.iter().map(|of| event_line(of, columns)).collect(),
        }
    }

    /// A document as kubectl prints one, with the separator that it puts between two of YAML.
    fn object(&mut self, of: &Printed) -> Option<String> {
        let object = object_of(&of.row)?;
        let kind = of.change.word();
        let event = self.output.shows_type.then(|| WatchEvent { kind, time: of.instant(), object: &object });
        if self.output.format == Format::Json {
            return event.map_or_else(|| indented(&object), |event| indented(&event));
        }
        let event = event.and_then(|event| serde_json::to_value(event).ok());
        let object = event.unwrap_or(object);
        let separator = if std::mem::replace(&mut self.has_printed, true) { "---\n" } else { "" };
        Some(separator.to_owned() + &yaml::document_in_order(&object))
    }

    fn table(&mut self, columns: &[Column], rows: &[Printed], now: UnixSeconds) -> String {
        if rows.is_empty() {
            return String::new();
        }
        let mut lines = Vec::with_capacity(rows.len() + 1);
        if self.header.as_deref() != Some(columns) && self.output.has_header {
            lines.push(self.line(("TIME", "EVENT"), ("NAMESPACE", "LABELS"), columns, |place, _| {
                columns
                    .get(place)
                    .map_or_else(String::new, |column| cells::shown_with_tabs(&column.title()).into_owned())
            }));
            self.header = Some(columns.to_vec());
        }
        for Printed { change, row, time } in rows {
            // What was so long ago was as old as it was then.
            let now = time.as_ref().map_or(now, |time| time.at_ms.div_euclid(1_000));
            let clock = time.as_ref().map_or("", |time| &time.clock);
            let namespace = cells::shown(row.namespace.as_deref().unwrap_or_default());
            let labels = if self.output.shows_labels { labels_of(row) } else { String::new() };
            let labels = cells::shown(&labels);
            // As wide as the longest of them, in every line.
            let event = format!("{:<8}", change.word());
            lines.push(self.line((clock, &event), (&namespace, &labels), columns, |place, _| {
                let shown = |cell| self.shown(columns.get(place), cells::for_terminal(cell, now));
                row.cells.get(place).map_or_else(String::new, shown)
            }));
        }
        self.writer.format(&lines)
    }

    /// Where a label is missing, `kubectl get -L` leaves a blank; no label's value is `<none>`.
    fn shown(&self, column: Option<&Column>, text: String) -> String {
        let is_label = self.output.format != Format::Custom && column.is_some_and(Column::is_custom);
        if is_label && text == "<none>" { String::new() } else { text }
    }

    /// The cells of one line, with the event, the namespace and the labels where they are shown.
    fn line(
        &self,
        (time, event): (&str, &str),
        (namespace, labels): (&str, &str),
        columns: &[Column],
        cell: impl Fn(usize, &Column) -> String,
    ) -> String {
        let OutputStyle { format, shows_type, shows_time, shows_labels, .. } = self.output;
        let shown = columns.iter().enumerate().filter(|(_, column)| match format {
            Format::Custom => column.is_custom() || names_clusters(column),
            format => !column.is_wide() || format == Format::Wide,
        });
        let mut cells: Vec<String> = shown.map(|(place, column)| cell(place, column)).collect();
        if self.shows_namespace && format != Format::Custom {
            // The column CLUSTER stays the first.
            let place = usize::from(columns.first().is_some_and(names_clusters));
            cells.insert(place.min(cells.len()), namespace.to_owned());
        }
        if shows_labels {
            cells.push(labels.to_owned());
        }
        if shows_type {
            cells.insert(0, event.to_owned());
        }
        if shows_time {
            cells.insert(0, time.to_owned());
        }
        cells.join("\t")
    }
}

/// All rows of a view in their order, as they are there.
pub(super) fn rows_of(view: &View) -> Vec<Printed> {
    let entries = view.index(ReaderId::FIRST).slots().iter().filter_map(|slot| view.table().entry(*slot));
    let there = entries.filter(|entry| !entry.is_tombstone());
    there.map(|entry| Printed::now(RowChange::Added, entry.row().clone())).collect()
}

impl Printed {
    /// The time of a recorded change.
    fn instant(&self) -> Option<String> {
        let time = self.time.as_ref()?;
        Some(format!("{:.3}", Timestamp::from_millisecond(time.at_ms).ok()?))
    }
}

/// As its last event has it.
fn deleted_at(mut row: Row, version: &ResourceVersion) -> Row {
    row.resource_version.clone_from(version);
    let Some(mut object) = object_of(&row) else { return row };
    if let Some(written) = object.pointer_mut("/metadata/resourceVersion") {
        *written = Value::from(version.to_string());
    }
    let object = WholeObject::from_json(object.to_string().into_bytes());
    row.extra.get_or_insert_default().object = object;
    row
}

fn object_of(row: &Row) -> Option<Value> {
    serde_json::from_str(row.extra.as_ref()?.object.as_ref()?.json()).ok()
}

/// As `kubectl get --show-labels` prints them.
fn labels_of(row: &Row) -> String {
    let object = object_of(row);
    let labels = object.as_ref().and_then(|object| object.pointer("/metadata/labels")?.as_object());
    let mut pairs: Vec<(&str, &str)> = labels
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
        .collect();
    pairs.sort_unstable();
    if pairs.is_empty() {
        return "<none>".to_owned();
    }
    pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

/// By four spaces, as kubectl does.
fn indented(object: &impl Serialize) -> Option<String> {
    let mut json = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"    ");
    object.serialize(&mut Serializer::with_formatter(&mut json, formatter)).ok()?;
    let json = String::from_utf8(json).ok()?;
    // In JSON no text has a line break of its own.
    Some(json.lines().map(|line| cells::escaped_json(line).into_owned() + "\n").collect())
}

/// The cells as the wire has them. Times are instants, so a line stays true.
fn json_line(of: &Printed, columns: &[Column]) -> String {
    let Printed { change, row, .. } = of;
    let cells: Map<String, Value> = columns
        .iter()
        .zip(&row.cells)
        .filter(|(column, _)| !names_clusters(column))
        .map(|(column, cell)| (column.name.to_string(), serde_json::to_value(cell).unwrap_or_default()))
        .collect();
    let mut line = json!({
        "type": change.word(),
        "namespace": row.namespace,
        "name": row.name,
        "resourceVersion": row.resource_version,
        "created": row.created,
        "cells": cells,
    });
    if let Some(line) = line.as_object_mut() {
        if let Some(time) = of.instant() {
            line.insert("time".to_owned(), time.into());
        }
        if *change == RowChange::Masked {
            line.insert("masked".to_owned(), true.into());
        }
        if let Some(cluster) = named_in(row, columns) {
            line.insert("cluster".to_owned(), cluster.into());
        }
    }
    format!("{}\n", cells::escaped_json(&line.to_string()))
}

fn event_line(of: &Printed, columns: &[Column]) -> String {
    let Printed { change, row, .. } = of;
    // Names and versions can't hold control characters. If an API server sends some, they are made visible.
    let key = row.order_key();
    let masked = if *change == RowChange::Masked { "\tchanged (masked)" } else { "" };
    let time = of.instant().map_or_else(String::new, |time| format!("\t{time}"));
    let version = row.resource_version.to_string();
    let cluster = named_in(row, columns).map_or_else(String::new, |name| format!("{}\t", cells::shown(name)));
    format!("{}\t{cluster}{}\t{}{time}{masked}\n", change.word(), cells::shown(&key), cells::shown(&version))
}

#[cfg(test)]
mod tests;
