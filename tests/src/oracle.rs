//! The oracle of every replica: a fresh list of the API server, and how a table differs from it. It asks
//! the API server alone, and waits for nothing.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use http::Request;
use kube::Client;
use replica::table::Table;
use serde_json::Value;
use shared::cell::Cell;
use shared::row::{Row, order_key};

use crate::api;

/// The server's rows by `namespace/name`.
#[derive(Debug)]
pub struct Fresh {
    columns: Vec<String>,
    rows: BTreeMap<String, Value>,
}

impl Fresh {
    pub async fn list(client: &Client, path: &str) -> Result<Self> {
        let request = Request::get(path).header("accept", api::TABLE).body(Vec::new())?;
        let list: Value = client.request(request).await.with_context(|| format!("list {path}"))?;
        let each = |key: &str| list.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let name = |column: &Value| column["name"].as_str().unwrap_or_default().to_owned();
        let rows = each("rows").into_iter().map(|row| {
            let metadata = &row["object"]["metadata"];
            let key =
                order_key(metadata["namespace"].as_str(), metadata["name"].as_str().unwrap_or_default());
            (key, row)
        });
        Ok(Self { columns: each("columnDefinitions").iter().map(name).collect(), rows: rows.collect() })
    }

    /// The first difference, as a sentence.
    pub fn difference(&self, table: &Table) -> Option<String> {
        let columns: Vec<&str> = table.columns().iter().map(|column| &*column.name).collect();
        if columns != self.columns {
            return Some(format!("the columns are {columns:?}, the server's {:?}", self.columns));
        }
        let ours: BTreeMap<String, &Row> = table.rows().map(|row| (row.order_key(), row)).collect();
        if let Some(missing) = self.rows.keys().find(|key| !ours.contains_key(*key)) {
            return Some(format!("{missing} is missing"));
        }
        ours.into_iter().find_map(|(key, row)| match self.rows.get(&key) {
            None => Some(format!("{key} isn't there any more")),
            Some(theirs) => row_difference(row, theirs).map(|what| format!("{key}: {what}")),
        })
    }

    /// The same for what `tail -o ndjson` printed of one namespace: resourceVersion and cells by name.
    pub fn difference_of_printed(&self, printed: &BTreeMap<String, (u64, Value)>) -> Option<String> {
        let name = |row: &Value| row["object"]["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let theirs: BTreeMap<String, &Value> = self.rows.values().map(|row| (name(row), row)).collect();
        if let Some(missing) = theirs.keys().find(|name| !printed.contains_key(*name)) {
            return Some(format!("{missing} is missing"));
        }
        printed.iter().find_map(|(name, (version, cells))| {
            let Some(row) = theirs.get(name) else { return Some(format!("{name} isn't there any more")) };
            let cell = |column: &String| serde_json::from_value(cells[column].clone()).ok();
            let Some(cells) = self.columns.iter().map(cell).collect::<Option<Vec<Cell>>>() else {
                return Some(format!("{name}: {cells} can't be read"));
            };
            cells_difference(&version.to_string(), &cells, row).map(|what| format!("{name}: {what}"))
        })
    }
}

fn row_difference(ours: &Row, theirs: &Value) -> Option<String> {
    cells_difference(ours.resource_version.as_str(), &ours.cells, theirs)
}

fn cells_difference(our_version: &str, ours: &[Cell], theirs: &Value) -> Option<String> {
    let metadata = &theirs["object"]["metadata"];
    let version = metadata["resourceVersion"].as_str().unwrap_or_default();
    if our_version != version {
        return Some(format!("at version {our_version}, the server's is {version}"));
    }
    let cells = theirs["cells"].as_array().map(Vec::as_slice).unwrap_or_default();
    if cells.len() != ours.len() {
        return Some(format!("{} cells, the server has {}", ours.len(), cells.len()));
    }
    ours.iter().zip(cells).find_map(|(ours, theirs)| {
        let theirs = api::cell_text(theirs);
        let is_equal = match ours {
            // The server's text is of the moment when it was printed.
            Cell::Age(since) => since.is_some() && metadata["creationTimestamp"].is_string(),
            Cell::Ago(ago) => theirs.starts_with(&*ago.text),
            other => other.print(0) == theirs,
        };
        (!is_equal).then(|| format!("{ours:?} is {theirs:?} on the server"))
    })
}
