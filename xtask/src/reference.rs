//! `cargo xtask reference`: what is said of the elements in docs/EMBEDDING.md and in their types, from one source,
//! element/custom-elements.json. It is written between markers, `reference: NAME` and `/reference`.

mod types;

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::commands::{root, say};

const SOURCE: &str = "element/custom-elements.json";
const DOCUMENT: &str = "docs/EMBEDDING.md";
/// What else has markers. The types of the other frameworks are made of those in `dogwatch.d.ts` by the compiler.
const TYPES: [&str; 3] = ["element/dogwatch.d.ts", "element/react-18.d.ts", "element/react-18.js"];

fn written() -> impl Iterator<Item = &'static str> {
    [DOCUMENT].into_iter().chain(TYPES)
}

/// Writes all of it.
pub(crate) fn write() -> Result<()> {
    for file in written() {
        let path = root().join(file);
        fs::write(&path, renewed(file)?).with_context(|| format!("write {}", path.display()))?;
        say(&format!("wrote {file}"));
    }
    Ok(())
}

/// The file with what the source gives.
fn renewed(file: &str) -> Result<String> {
    let read = |file: &str| fs::read_to_string(root().join(file)).with_context(|| format!("read {file}"));
    let elements = Elements::parse(&read(SOURCE)?)?;
    filled(&read(file)?, |name| elements.part(name)).with_context(|| file.to_owned())
}

/// The text with other content between its markers. The closing one is indented like the content.
fn filled(text: &str, part: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut lines = text.lines();
    let mut filled = String::new();
    while let Some(line) = lines.next() {
        filled += line;
        filled.push('\n');
        let Some((_, marked)) = line.split_once("reference: ") else { continue };
        let name = marked.trim_end_matches("-->").trim();
        filled += &part(name)?;
        let end = lines.by_ref().find(|line| line.contains("/reference"));
        filled += end.with_context(|| format!("{name} has no end"))?;
        filled.push('\n');
    }
    Ok(filled)
}

/// What the source says of each element, as the schema has it: <https://github.com/webcomponents/custom-elements-manifest>
struct Elements(Vec<Value>);

impl Elements {
    fn parse(text: &str) -> Result<Self> {
        let source: Value = serde_json::from_str(text).with_context(|| format!("read {SOURCE}"))?;
        let elements = source.pointer("/modules/0/declarations").and_then(Value::as_array);
        Ok(Self(elements.context("no element is declared")?.clone()))
    }

    /// What stands between the markers of this name.
    fn part(&self, name: &str) -> Result<String> {
        if let Some(line) = name.strip_prefix("each ") {
            return Ok(self.0.iter().map(|element| types::line(line, element)).collect());
        }
        let (what, of) = name.split_once(" of ").unwrap_or((name, ""));
        let one = || self.0.iter().find(|element| text(element, "tagName") == of);
        let one = || one().with_context(|| format!("no element is called {of}"));
        Ok(match what {
            "attributes" => attributes(one()?),
            "members" => self.table("name", "members", |member| {
                (member.get("attribute").is_none()).then(|| format!("`{}`", shown_member(member)))
            }),
            "types" => types::types(&self.0),
            "events" => self.table("event", "events", quoted),
            "parts" => self.table("part", "cssParts", quoted),
            "slots" => self.table("slot", "slots", quoted),
            "custom properties" => self.table("custom property", "cssProperties", quoted),
            _ => anyhow::bail!("{name:?} is no part of the reference"),
        })
    }

    /// A row for each thing, with the elements that have it. The same name with other words is another row.
    fn table(&self, head: &str, kind: &str, shown: impl Fn(&Value) -> Option<String>) -> String {
        let mut rows: Vec<(String, &str, Vec<&str>)> = Vec::new();
        for element in &self.0 {
            for thing in list(element, kind) {
                let (Some(name), words) = (shown(thing), text(thing, "description")) else { continue };
                let tag = text(element, "tagName").trim_start_matches("dogwatch-");
                match rows.iter_mut().find(|row| row.0 == name && row.1 == words) {
                    Some((.., tags)) => tags.push(tag),
                    None => rows.push((name, words, vec![tag])),
                }
            }
        }
        // Rows of one name stand together.
        let names: Vec<String> = rows.iter().map(|(name, ..)| name.clone()).collect();
        rows.sort_by_key(|(name, ..)| names.iter().position(|first| first == name));
        let of = |tags: &[&str]| if tags.len() == self.0.len() { "all".to_owned() } else { tags.join(", ") };
        let rows = rows.iter().map(|(name, words, tags)| format!("| {name} | {} | {words} |\n", of(tags)));
        format!("| {head} | of | |\n|---|---|---|\n{}", rows.collect::<String>())
    }
}

fn text<'a>(thing: &'a Value, key: &str) -> &'a str {
    thing.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(element: &'a Value, kind: &str) -> &'a [Value] {
    element.get(kind).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn type_of(thing: &Value) -> String {
    thing.pointer("/type/text").and_then(Value::as_str).unwrap_or_default().replace('\'', "\"")
}

fn quoted(thing: &Value) -> Option<String> {
    Some(format!("`{}`", text(thing, "name")))
}

/// `export(format?)`
fn shown_member(member: &Value) -> String {
    if text(member, "kind") != "method" {
        return text(member, "name").to_owned();
    }
    let parameters = list(member, "parameters").iter();
    let parameters: Vec<String> = parameters.map(|given| format!("{}?", text(given, "name"))).collect();
    format!("{}({})", text(member, "name"), parameters.join(", "))
}

fn attributes(element: &Value) -> String {
    let rows = list(element, "attributes").iter();
    let rows = rows.map(|held| format!("| `{}` | {} |\n", text(held, "name"), text(held, "description")));
    format!("| attribute | value |\n|---|---|\n{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use anyhow::ensure;

    use super::*;

    #[test]
    fn r_emb_1_the_documents_say_of_the_elements_what_their_source_says() -> Result<()> {
        for file in written() {
            let written = fs::read_to_string(root().join(file))?;
            ensure!(
                written == renewed(file)?,
                "run `cargo xtask reference`, and look at what changed in {file}"
            );
        }
        Ok(())
    }

    /// Tools that read the source want both for each attribute. The changes are a table, too.
    #[test]
    fn an_attribute_has_its_property_and_the_changes_have_what_a_table_has() -> Result<()> {
        let Elements(elements) = Elements::parse(&fs::read_to_string(root().join(SOURCE))?)?;
        for element in &elements {
            let attributes: Vec<_> = list(element, "attributes")
                .iter()
                .map(|held| (text(held, "name"), text(held, "fieldName"), type_of(held)))
                .collect();
            let fields: Vec<_> = list(element, "members")
                .iter()
                .filter(|member| member.get("attribute").is_some())
                .map(|field| (text(field, "attribute"), text(field, "name"), type_of(field)))
                .collect();
            assert_eq!(attributes, fields, "{}", text(element, "tagName"));
        }
        let [table, changes, ..] = elements.as_slice() else { anyhow::bail!("too few elements") };
        for kind in ["members", "events", "cssParts", "slots", "cssProperties"] {
            assert_eq!(table.get(kind), changes.get(kind), "{kind}");
        }
        // One that the changes refuse says so.
        let described = |element| {
            let attributes = list(element, "attributes").iter();
            let described = attributes.map(|held| (text(held, "name"), text(held, "description")));
            described.filter(|(_, said)| !said.starts_with("Refused: ")).collect::<Vec<_>>()
        };
        let of_changes = described(changes);
        let of_table =
            described(table).into_iter().filter(|held| held.0 != "at" || of_changes.contains(held));
        assert_eq!(of_table.collect::<Vec<_>>(), of_changes);
        Ok(())
    }

    #[test]
    fn what_stands_between_markers_is_replaced_and_nothing_else() {
        let part = |name: &str| Ok(format!("new {name}\n"));
        let text = "a\n<!-- reference: b of c -->\nold\nold\n<!-- /reference -->\nd\n";
        let expected = "a\n<!-- reference: b of c -->\nnew b of c\n<!-- /reference -->\nd\n";
        assert_eq!(filled(text, part).expect("it has an end"), expected);
        assert!(filled("<!-- reference: b -->\n", part).is_err());
    }
}
