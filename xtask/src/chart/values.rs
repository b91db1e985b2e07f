//! The table of the chart's values, deploy/chart/VALUES.md: comments and defaults are those of values.yaml, and what a value
//! takes is what values.schema.json says. It reads values.yaml by its lines, for a YAML parser drops comments; so a value
//! stands on one line, or is a block of keys.

use std::fs;
use std::iter::Peekable;
use std::str::Lines;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::commands::root;

pub(crate) const TABLE: &str = "deploy/chart/VALUES.md";
const VALUES: &str = "deploy/chart/values.yaml";
const SCHEMA: &str = "deploy/chart/values.schema.json";

/// A value, or a group of values that has a comment.
#[derive(Debug)]
struct Row {
    path: String,
    takes: String,
    default: String,
    comment: String,
}

/// The whole page.
pub(crate) fn page() -> Result<String> {
    let read = |file: &str| fs::read_to_string(root().join(file)).with_context(|| format!("read {file}"));
    let schema = serde_json::from_str(&read(SCHEMA)?).with_context(|| format!("read {SCHEMA}"))?;
    let rows = rows(&read(VALUES)?, &schema)?;
    let line = |row: &Row| {
        let cells = [&*row.path, &row.takes, &row.default, &row.comment];
        format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
    };
    Ok(format!("{HEAD}{}", rows.iter().map(line).collect::<String>()))
}

const HEAD: &str = "\
# Values of the chart
`cargo xtask chart` writes this table from the comments of [values.yaml](values.yaml) and from \
[values.schema.json](values.schema.json). [README.md](README.md) says what belongs together.

| value | takes | default | |
|---|---|---|---|
";

/// The key that a line sets, with the groups that it stands in.
struct Key<'a> {
    indent: usize,
    name: &'a str,
    has_comment: bool,
}

fn rows(values: &str, schema: &Value) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut keys: Vec<Key<'_>> = Vec::new();
    let mut lines = values.lines().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        match text.strip_prefix('#') {
            // An example, or the end of what a comment belongs to.
            Some(example) if example.starts_with("  ") => comment.clear(),
            Some(words) => comment.push(words.trim()),
            None if text.is_empty() => comment.clear(),
            None => {
                let (name, default) = text.split_once(':').with_context(|| format!("no key in {line:?}"))?;
                keys.retain(|key| key.indent < indent);
                keys.push(Key { indent, name, has_comment: !comment.is_empty() });
                let comment = std::mem::take(&mut comment).join(" ");
                rows.extend(row(&keys, default.trim(), comment, schema, &mut lines)?);
            }
        }
    }
    Ok(rows)
}

/// `None` for a group without a comment.
fn row(
    keys: &[Key<'_>],
    default: &str,
    comment: String,
    schema: &Value,
    lines: &mut Peekable<Lines<'_>>,
) -> Result<Option<Row>> {
    let path = keys.iter().map(|key| key.name).collect::<Vec<_>>().join(".");
    let pointer: String = keys.iter().map(|key| format!("/properties/{}", key.name)).collect();
    let known = schema.pointer(&pointer).with_context(|| format!("{path} isn't in {SCHEMA}"))?;
    let path = format!("`{path}`");
    if default.is_empty() && known.get("properties").is_some() {
        let row = Row { path, takes: String::new(), default: String::new(), comment };
        return Ok(Some(row).filter(|row| !row.comment.is_empty()));
    }
    ensure!(keys.iter().rev().take(2).any(|key| key.has_comment), "{path} has no comment in {VALUES}");
    let default = if default.is_empty() { block(keys, lines) } else { default.to_owned() };
    Ok(Some(Row { path, takes: takes(known), default: format!("`{default}`"), comment }))
}

/// The lines below a key, on one line.
fn block(keys: &[Key<'_>], lines: &mut Peekable<Lines<'_>>) -> String {
    let indent = keys.last().map_or(0, |key| key.indent);
    let is_below = |line: &&str| line.len() - line.trim_start().len() > indent;
    let mut below = Vec::new();
    while let Some(line) = lines.next_if(is_below) {
        below.push(line.trim());
    }
    format!("{{{}}}", below.join(", "))
}

/// What a value takes, in words.
fn takes(schema: &Value) -> String {
    let of_list = |key: &str| schema.get(key).and_then(Value::as_array);
    if let Some(allowed) = of_list("enum") {
        let word = |value: &Value| match value.as_str() {
            Some("") => "empty".to_owned(),
            Some(text) => format!("`{text}`"),
            None => format!("`{value}`"),
        };
        return allowed.iter().map(word).collect::<Vec<_>>().join(", ");
    }
    if let Some(several) = of_list("anyOf") {
        return several.iter().map(takes).collect::<Vec<_>>().join(" or ");
    }
    if let Some(several) = of_list("type") {
        return several.iter().map(|one| plain(one, schema)).collect::<Vec<_>>().join(" or ");
    }
    plain(schema.get("type").unwrap_or(&Value::Null), schema)
}

fn plain(kind: &Value, schema: &Value) -> String {
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    match kind.as_str() {
        Some("string") => "text".to_owned(),
        Some("boolean") => "`true`, `false`".to_owned(),
        Some("integer") => match (bound("minimum"), bound("maximum")) {
            (Some(least), Some(most)) => format!("number from {least} to {most}"),
            (Some(least), None) => format!("number from {least}"),
            _ => "number".to_owned(),
        },
        Some("array") => match schema.get("items") {
            Some(items) => format!("list of: {}", takes(items)),
            None => "list".to_owned(),
        },
        _ if schema.pointer("/additionalProperties/type").is_some() => "texts by name".to_owned(),
        _ => "object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Result;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_table_of_the_charts_values_says_what_their_file_and_schema_say() -> Result<()> {
        let written = fs::read_to_string(root().join(TABLE))?;
        ensure!(written == page()?, "run `cargo xtask chart`, and look at what changed in {TABLE}");
        Ok(())
    }

    /// An operator reads values.yaml, and finds no value there that only the schema knows.
    #[test]
    fn every_value_that_the_schema_takes_has_its_line_among_the_values() -> Result<()> {
        let schema: Value = serde_json::from_str(&fs::read_to_string(root().join(SCHEMA))?)?;
        let values = fs::read_to_string(root().join(VALUES))?;
        let rows = rows(&values, &schema)?;
        let mut missing = Vec::new();
        let mut groups = vec![(String::new(), &schema)];
        while let Some((path, group)) = groups.pop() {
            for (name, inner) in group.get("properties").and_then(Value::as_object).context("properties")? {
                let path = format!("{path}{name}");
                let below = format!("`{path}.");
                if rows.iter().any(|row| row.path.starts_with(&below)) {
                    groups.push((format!("{path}."), inner));
                } else if !rows.iter().any(|row| row.path == format!("`{path}`")) {
                    missing.push(path);
                }
            }
        }
        ensure!(missing.is_empty(), "{missing:?} isn't in {VALUES}");
        Ok(())
    }

    #[test]
    fn a_value_is_a_line_with_the_comment_above_it_and_a_block_becomes_one_line() -> Result<()> {
        let text = json!({ "type": "string" });
        let port = json!({ "type": "integer", "minimum": 1, "maximum": 9 });
        let names = json!({ "type": "array", "items": text });
        let kind = json!({ "enum": ["", "A"] });
        let group = json!({ "properties": { "port": port, "kind": kind } });
        let schema = json!({ "properties": { "a": text, "group": group, "names": names, "open": { "type": "object" } } });
        let values = "# A header.\n\n# One word,\n# or two.\na: \"\"\n\n# A group.\ngroup:\n  port: 1\n  # Its kind.\n  \
                      kind: A\n# Many.\nnames: []\n#  names: [b]\n\n# Open.\nopen:\n  b: 1\n  c: {d: e}\n";
        let rows = rows(values, &schema)?;
        let shown: Vec<_> = rows
            .iter()
            .map(|row| format!("{} {} {} {}", row.path, row.takes, row.default, row.comment))
            .collect();
        let expected = [
            "`a` text `\"\"` One word, or two.",
            "`group`   A group.",
            "`group.port` number from 1 to 9 `1` ",
            "`group.kind` empty, `A` `A` Its kind.",
            "`names` list of: text `[]` Many.",
            "`open` object `{b: 1, c: {d: e}}` Open.",
        ];
        assert_eq!(shown, expected);
        Ok(())
    }

    #[test]
    fn a_value_that_the_schema_does_not_know_or_without_a_comment_is_named() {
        let schema = json!({ "properties": { "a": { "type": "string" } } });
        for (values, words) in [("# A.\nb: 1\n", "b isn't in"), ("a: \"\"\n", "`a` has no comment")] {
            let why = rows(values, &schema).map(drop).expect_err("refused").to_string();
            assert!(why.contains(words), "{why}");
        }
    }
}
