//! What a browser fetches of the program, compressed as the gateway sends it.

#[path = "../../../gateway/program/compress.rs"]
mod compress;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use rustc_demangle::demangle;
use wasmparser::{KnownCustom, Name, Parser, Payload};

use crate::assets::Assets;

/// A line of the table: what it is, and how the names of its files begin.
const PARTS: [(&str, &[&str]); 5] = [
    ("an element, to its first table", &["frontend-", "link-", "files-", "key-", "greeting-"]),
    ("the page around it, and what pieces share", &["split_shell-", "chunk_"]),
    ("what a reader opens", &["split_more-"]),
    ("the panel", &["split_panel-"]),
    ("the logs of containers", &["split_logs-"]),
];

/// Bytes in brotli that all parts have, and that the first of them has: what was reached, and a little. What leaves the
/// first part costs a third of its bytes in the sum, because parts are compressed apart. The compiler orders functions by
/// names that depend on its paths, so the same source has up to 1,950 bytes more where a release is built.
const ALL_MAX: usize = 946_500;
const ELEMENT_MAX: usize = 465_500;

/// Bytes in brotli by part.
///
/// # Errors
/// More than was reached before.
pub(crate) fn table(assets: &Assets) -> Result<String> {
    let bytes = |names: &[&str]| -> Result<usize> {
        let of_part = assets.program().filter(|(name, _)| names.iter().any(|begin| name.starts_with(begin)));
        of_part.map(|(_, content)| compressed(content)).sum()
    };
    let sizes = PARTS.map(|(part, names)| bytes(names).map(|bytes| (part, bytes)));
    let sizes: Vec<(&str, usize)> = sizes.into_iter().collect::<Result<_>>()?;
    let all = sizes.iter().map(|(_, bytes)| bytes).sum();
    let mut table = String::from("the program in brotli, bytes:");
    for (part, bytes) in &sizes {
        write!(table, "\n  {bytes:>9}  {part}")?;
    }
    write!(table, "\n  {all:>9}  all")?;
    let element = sizes.first().map_or(0, |(_, bytes)| *bytes);
    is_within(element, all).with_context(|| table.clone())?;
    Ok(table)
}

fn is_within(element: usize, all: usize) -> Result<()> {
    ensure!(
        element <= ELEMENT_MAX && all <= ALL_MAX,
        "the program has grown over {ELEMENT_MAX} bytes to its first table, or {ALL_MAX} in all"
    );
    Ok(())
}

/// The bytes of code of the main file by the crates that the functions are named after. Code that was compiled for a
/// type of another crate counts where the function was written.
pub(crate) fn by_crate(assets: &Assets) -> Result<String> {
    let main = assets.program().find(|(name, _)| name.starts_with("frontend-") && name.ends_with(".wasm"));
    let (_, wasm) = main.context("the program has no main file")?;
    let functions = functions(wasm)?;
    let mut crates: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (name, bytes) in &functions {
        let (sum, count) = crates.entry(crate_of(name)).or_default();
        *sum += bytes;
        *count += 1;
    }
    let mut sorted: Vec<_> = crates.into_iter().collect();
    sorted.sort_by_key(|(_, (sum, _))| std::cmp::Reverse(*sum));
    let mut table = String::from("the main file's code, bytes and functions by crate:");
    for (name, (sum, count)) in sorted {
        write!(table, "\n  {sum:>9} {count:>6}  {name}")?;
    }
    Ok(table)
}

/// The name and the length of each function of a file that has names.
fn functions(wasm: &[u8]) -> Result<Vec<(String, usize)>> {
    let (mut imported, mut lengths, mut names) = (0, Vec::new(), HashMap::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, wasmparser::TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => lengths.push(body.as_bytes().len()),
            Payload::CustomSection(section) => {
                let KnownCustom::Name(subsections) = section.as_known() else { continue };
                for subsection in subsections {
                    let Name::Function(named) = subsection? else { continue };
                    for naming in named {
                        let naming = naming?;
                        names.insert(naming.index, naming.name);
                    }
                }
            }
            _ => {}
        }
    }
    let name = |index: u32| names.get(&index).map_or(String::new(), |name| format!("{:#}", demangle(name)));
    Ok((imported..).map(name).zip(lengths).collect())
}

/// The first crate that a function's name tells.
fn crate_of(name: &str) -> String {
    let end = name.find("::").unwrap_or(0);
    let begin = name[..end].rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let found = &name[begin..end];
    if found.is_empty() { "without a name".to_owned() } else { found.to_owned() }
}

fn compressed(content: &[u8]) -> Result<usize> {
    Ok(compress::brotli(content, compress::QUALITY)?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_emb_8_a_program_that_has_grown_is_refused() {
        assert!(is_within(ELEMENT_MAX, ALL_MAX).is_ok());
        assert!(is_within(ELEMENT_MAX + 1, ALL_MAX).is_err());
        assert!(is_within(ELEMENT_MAX, ALL_MAX + 1).is_err());
    }

    #[test]
    fn the_crate_of_a_function_is_the_first_that_its_name_tells() {
        for (name, expected) in [
            ("page::pane::Pane::render", "page"),
            ("<alloc::vec::Vec<T> as core::clone::Clone>::clone", "alloc"),
            ("<&mut serde_json::de::A as serde::B>::c", "serde_json"),
            ("main", "without a name"),
            ("", "without a name"),
        ] {
            assert_eq!(crate_of(name), expected, "{name}");
        }
    }
}
