//! Texts that people and links bring: selectors, columns with JSONPaths, addresses of the page. Whatever comes is read or
//! refused with a sentence, and what was read says the same when it is written and read again.

use page::address;
use shared::custom_column::CustomColumns;
use shared::selector::{FieldSelector, LabelSelector};

use crate::chance::Chance;

const LABELS: [&str; 6] =
    ["app=cart", "app in (a,b),!x", "tier notin (c)", "a.example/b!=c", "x", "app==cart,env=prod"];
const FIELDS: [&str; 4] =
    ["metadata.name=cart-0", "status.phase!=Running", "metadata.namespace=shop,spec.nodeName=a", "a=b\\,c"];
const COLUMNS: [&str; 5] = [
    "A:.spec.nodeName",
    "B:.metadata.labels['app.kubernetes.io/name'],C:..name",
    "D:.spec.containers[*].image",
    "E:.status.conditions[?(@.type==\"Ready\")].status",
    "F:{.items[0:2]}",
];
const LINKS: [&str; 6] = [
    "/v/pods@prod/shop?q=status!=Running&sort=-restarts",
    "/b?v=pods@prod/*;q=a&v=nodes@prod/-&t=On%20call",
    "/log/pods@prod/shop?o=shop/cart-0&tab=yaml",
    "/v/deployments.apps@/*?l=app%3Dcart&cols=name,age",
    "/v/pods?wide=1&keys=off",
    "/open/v/pods/%2A?sort=trouble",
];
/// What is put between: syntax of all of them, and what has done harm elsewhere.
const BITS: [&str; 24] = [
    "", ",", "=", "!", "(", ")", "[", "]", "..", "*", "?", "&", ";", "%", "%2f", "%zz", "@", "/", "'", "\"",
    "\\", "\u{202e}", "\0", "é",
];

pub fn run(chance: &mut Chance) {
    let text = spoiled(chance, &LABELS);
    if let Ok(read) = LabelSelector::parse(&text) {
        let written = read.to_string();
        assert_eq!(
            LabelSelector::parse(&written).map(|again| again.to_string()).ok(),
            Some(written),
            "{text:?}"
        );
    }
    drop(FieldSelector::parse(&spoiled(chance, &FIELDS)));
    drop(CustomColumns::parse(&spoiled(chance, &COLUMNS)));
    let link = spoiled(chance, &LINKS);
    let (read, _) = address::parse(&link);
    assert!(!read.panes.is_empty(), "there is always something to show: {link:?}");
}

/// A text cut and glued at characters.
fn spoiled(chance: &mut Chance, from: &[&str]) -> String {
    let mut text: Vec<char> = chance.pick(from).chars().collect();
    for _ in 0..chance.below(5) {
        let at = chance.below(text.len() + 1);
        match chance.below(3) {
            0 => drop(text.splice(at..at, chance.pick(&BITS).chars()).collect::<Vec<_>>()),
            1 => drop(text.drain(at..(at + chance.below(6)).min(text.len()))),
            _ => drop(text.splice(at..at, chance.pick(from).chars()).collect::<Vec<_>>()),
        }
    }
    text.into_iter().collect()
}
