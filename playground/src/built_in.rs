//! The built-in resources, by their real names, read from `built_in.txt`. Pure data.
//! Custom ones come from CustomResourceDefinitions (`crd.rs`).

use crate::resource::{ResourceType, Verbs};
use crate::table::Printer;

/// A line for each resource; the file's head says what stands in it.
const RESOURCES: &str = include_str!("built_in.txt");

/// Every built-in resource, in discovery's order.
pub fn types() -> Vec<ResourceType> {
    RESOURCES.lines().filter(|line| !line.starts_with('#')).filter_map(describe).collect()
}

fn describe(line: &str) -> Option<ResourceType> {
    let mut words = line.split_whitespace();
    let (api_version, plural, kind) = (words.next()?, words.next()?, words.next()?);
    let (short_names, scope) = (words.next()?, words.next()?);
    let (subresources, selectable) = (words.next()?, words.next()?);
    let names = |list: &str| list.split(',').filter(|name| *name != "-").map(str::to_owned).collect();
    let verbs = match plural {
        "namespaces" => Verbs::NoDeleteCollection,
        _ if plural.ends_with("reviews") => Verbs::Create,
        _ => Verbs::All,
    };
    Some(ResourceType {
        short_names: names(short_names),
        categories: if scope == "all" { vec!["all".to_owned()] } else { Vec::new() },
        namespaced: scope != "cluster",
        subresources: names(subresources),
        selectable: names(selectable),
        printer: Printer::of_built_in(kind),
        ..ResourceType::new(api_version, plural, kind, verbs)
    })
}
