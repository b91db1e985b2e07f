//! Rows as a file, with the columns and the order of the page. Never a cell that the page doesn't show.

use std::borrow::Cow;

use shared::duration::UnixSeconds;
use shared::row::Row;

use crate::cells;
use crate::query::Source;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Json,
}

impl Format {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv;charset=utf-8",
            Self::Json => "application/json",
        }
    }

    /// `columns` with their titles.
    pub(crate) fn write<'a>(
        self,
        columns: &[(String, Source)],
        rows: impl Iterator<Item = &'a Row>,
        clock: impl Fn(&Row) -> UnixSeconds,
    ) -> String {
        let titles: Vec<&str> = columns.iter().map(|(title, _)| title.as_str()).collect();
        let rows = rows.map(|row| columns.iter().map(|(_, source)| text(row, *source, clock(row))).collect());
        match self {
            Self::Csv => csv(&titles, rows),
            Self::Json => json(&titles, rows),
        }
    }
}

/// A line of titles and one for each row, with a tab between two cells, as spreadsheets paste it. No cell has a tab of
/// its own, because the page shows its picture.
/// `clock`: of the row's cluster.
pub(crate) fn tsv<'a>(
    columns: &[(String, Source)],
    rows: impl Iterator<Item = &'a Row>,
    clock: impl Fn(&Row) -> UnixSeconds,
) -> String {
    let cell = |text: &str| unlike_formula(&cells::shown(text)).into_owned();
    let line = |texts: Vec<String>| texts.join("\t") + "\n";
    let head = line(columns.iter().map(|(title, _)| cell(title)).collect());
    let of_row =
        |row: &Row| line(columns.iter().map(|(_, source)| cell(&text(row, *source, clock(row)))).collect());
    rows.fold(head, |lines, row| lines + &of_row(row))
}

fn text(row: &Row, source: Source, cluster_now: UnixSeconds) -> String {
    match source {
        Source::Namespace => row.namespace.as_deref().unwrap_or_default().to_owned(),
        Source::Cell(index) => {
            row.cells.get(index).map(|cell| cells::text(cell, cluster_now)).unwrap_or_default()
        }
    }
}

/// RFC 4180.
fn csv(titles: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |fields: Vec<String>| fields.join(",") + "\r\n";
    let head = line(titles.iter().map(|title| field(title)).collect());
    rows.fold(head, |file, row| file + &line(row.iter().map(|text| field(text)).collect()))
}

fn field(text: &str) -> String {
    let text = unlike_formula(text);
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.into_owned()
}

/// A spreadsheet would run a cell that begins like a formula, and names come from strangers. So such a cell gets
/// an apostrophe in front, which spreadsheets hide. JSON has the text as it is.
fn unlike_formula(text: &str) -> Cow<'_, str> {
    let is_formula = text.len() > 1 && text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// An object for each row, its keys in the order of the columns.
fn json(titles: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let object = |row: Vec<String>| {
        let members = titles.iter().zip(row);
        let members = members.map(|(title, text)| format!("{}: {}", quoted(title), quoted(&text)));
        format!("  {{{}}}", members.collect::<Vec<_>>().join(", "))
    };
    let objects: Vec<String> = rows.map(object).collect();
    if objects.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", objects.join(",\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use replica::testing::row;

    #[test]
    fn a_field_is_quoted_and_never_a_formula() {
        for (text, expected) in [
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("plain", "plain"),
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("@sum", "'@sum"),
            ("-", "-"),
        ] {
            assert_eq!(field(text), expected);
        }
    }

    #[test]
    fn a_file_has_the_columns_and_rows_that_are_shown() {
        let columns = [("NAMESPACE".to_owned(), Source::Namespace), ("NAME".to_owned(), Source::Cell(0))];
        let rows = [row(1, "ns/web-1", &["web-1, \"x\""])];
        let csv = Format::Csv.write(&columns, rows.iter(), |_| 0);
        assert_eq!(csv, "NAMESPACE,NAME\r\nns,\"web-1, \"\"x\"\"\"\r\n");
        let json = Format::Json.write(&columns, rows.iter(), |_| 0);
        let read: serde_json::Value = serde_json::from_str(&json).expect("json");
        assert_eq!(read, serde_json::json!([{ "NAMESPACE": "ns", "NAME": "web-1, \"x\"" }]));
        assert_eq!(Format::Json.write(&columns, [].iter(), |_| 0), "[]\n", "no rows are an empty list");
    }
}
