//! Rows as they are shown, for a file: the columns and the order of the page. Never a cell that the
//! page doesn't show.

use shared::duration::UnixSeconds;
use shared::row::Row;

use crate::cells;
use crate::column_settings::Source;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Json,
}

impl Format {
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv;charset=utf-8",
            Self::Json => "application/json",
        }
    }

    /// `columns` with their titles.
    pub fn write<'a>(
        self,
        columns: &[(String, Source)],
        rows: impl Iterator<Item = &'a Row>,
        cluster_now: UnixSeconds,
    ) -> String {
        match self {
            Self::Csv => csv(columns, rows, cluster_now),
            Self::Json => json(columns, rows, cluster_now),
        }
    }
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
fn csv<'a>(
    columns: &[(String, Source)],
    rows: impl Iterator<Item = &'a Row>,
    cluster_now: UnixSeconds,
) -> String {
    let mut file = String::new();
    let titles: Vec<String> = columns.iter().map(|(title, _)| field(title)).collect();
    file.push_str(&titles.join(","));
    file.push_str("\r\n");
    for row in rows {
        let fields: Vec<String> =
            columns.iter().map(|(_, source)| field(&text(row, *source, cluster_now))).collect();
        file.push_str(&fields.join(","));
        file.push_str("\r\n");
    }
    file
}

/// A spreadsheet would run a cell that begins like a formula, and names come from strangers: such a
/// one begins with an apostrophe, which spreadsheets hide. JSON has the text as it stands.
fn field(text: &str) -> String {
    let is_formula = text.len() > 1 && text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// One object a row, its keys in the order of the columns.
fn json<'a>(
    columns: &[(String, Source)],
    rows: impl Iterator<Item = &'a Row>,
    cluster_now: UnixSeconds,
) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let object = |row: &Row| {
        let members: Vec<String> = columns
            .iter()
            .map(|(title, source)| format!("{}: {}", quoted(title), quoted(&text(row, *source, cluster_now))))
            .collect();
        format!("  {{{}}}", members.join(", "))
    };
    let objects: Vec<String> = rows.map(object).collect();
    if objects.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", objects.join(",\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use replica::testing::row;

    fn columns() -> Vec<(String, Source)> {
        vec![("NAMESPACE".to_owned(), Source::Namespace), ("NAME".to_owned(), Source::Cell(0))]
    }

    #[test]
    fn a_comma_a_quote_and_a_line_break_stay_within_their_field() {
        assert_eq!(field("a,b"), "\"a,b\"");
        assert_eq!(field("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(field("plain"), "plain");
    }

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(field("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(field("@sum"), "'@sum");
        assert_eq!(field("-"), "-");
    }

    #[test]
    fn a_file_has_the_columns_and_rows_that_are_shown() {
        let rows = [row(1, "ns/web-1", &["web-1, \"x\""])];
        let csv = Format::Csv.write(&columns(), rows.iter(), 0);
        assert_eq!(csv, "NAMESPACE,NAME\r\nns,\"web-1, \"\"x\"\"\"\r\n");
        let json = Format::Json.write(&columns(), rows.iter(), 0);
        let read: serde_json::Value = serde_json::from_str(&json).expect("json");
        assert_eq!(read, serde_json::json!([{ "NAMESPACE": "ns", "NAME": "web-1, \"x\"" }]));
    }

    #[test]
    fn no_rows_are_an_empty_list() {
        assert_eq!(Format::Json.write(&columns(), std::iter::empty(), 0), "[]\n");
        assert_eq!(Format::Csv.write(&columns(), std::iter::empty(), 0), "NAMESPACE,NAME\r\n");
    }
}
