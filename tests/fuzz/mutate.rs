//! One frame made from another: a value of its tree replaced, removed, repeated or moved, or its text
//! cut, glued and spoiled. Most of what comes out is still JSON, much of it still a frame.

use serde_json::{Map, Value, json};

use simulation::chance::Chance;

/// Returns text, for frames of clients are text. Values are taken from `corpus`.
pub fn mutated(chance: &mut Chance, frame: &str, corpus: &[&str]) -> String {
    let Ok(mut tree) = serde_json::from_str::<Value>(frame) else { return frame.to_owned() };
    for _ in 0..=chance.index(3) {
        mutate_tree(chance, &mut tree, corpus);
    }
    let text = tree.to_string();
    if chance.percent(25) { spoiled(chance, &text, corpus) } else { text }
}

fn mutate_tree(chance: &mut Chance, tree: &mut Value, corpus: &[&str]) {
    let odd = odd_value(chance, corpus);
    let node = any_node(chance, tree);
    match (chance.index(8), node) {
        (0 | 1, node) => *node = odd,
        (2, Value::Object(fields)) => drop(remove_any(chance, fields)),
        (3, Value::Object(fields)) => drop(fields.insert("unknown".into(), odd)),
        (4, Value::Object(fields)) => {
            // The member gets another name, perhaps a sibling's.
            if let Some(value) = remove_any(chance, fields) {
                let name = fields.keys().next().cloned().unwrap_or_else(|| "renamed".into());
                fields.insert(name, value);
            }
        }
        (2 | 3, Value::Array(items)) if !items.is_empty() => drop(items.remove(chance.index(items.len()))),
        (_, Value::Array(items)) if !items.is_empty() => {
            let item = items[chance.index(items.len())].clone();
            items.insert(chance.index(items.len()), item);
        }
        (_, Value::Number(number)) => {
            // A position is off by one, or far off.
            let by = chance.pick(&[1, -1, 2, -1_000, i64::MAX / 2]);
            if let Some(integer) = number.as_i64() {
                *number = integer.saturating_add(by).into();
            }
        }
        (_, Value::Bool(flag)) => *flag = !*flag,
        (_, node) => *node = json!([node.clone()]),
    }
}

fn remove_any(chance: &mut Chance, fields: &mut Map<String, Value>) -> Option<Value> {
    let name = fields.keys().nth(chance.index(fields.len())).cloned()?;
    fields.remove(&name)
}

/// Chooses a value anywhere in the tree: the root, a leaf or one between.
fn any_node<'a>(chance: &mut Chance, tree: &'a mut Value) -> &'a mut Value {
    let mut node = tree;
    loop {
        let count = match &*node {
            Value::Object(fields) => fields.len(),
            Value::Array(items) => items.len(),
            _ => 0,
        };
        if count == 0 || chance.percent(15) {
            return node;
        }
        let place = chance.index(count);
        let child = match node {
            Value::Object(fields) => fields.values_mut().nth(place),
            Value::Array(items) => items.get_mut(place),
            _ => None,
        };
        node = child.expect("it was counted");
    }
}

fn odd_value(chance: &mut Chance, corpus: &[&str]) -> Value {
    match chance.index(14) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(9_007_199_254_740_993_u64),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!(1e308),
        6 => json!(""),
        7 => json!("\u{0}\u{1b}[2J\u{202e}\u{feff}"),
        8 => json!("x".repeat(chance.index(70_000))),
        9 => nested(chance.index(120)),
        10 => json!({}),
        11 => json!([]),
        12 => json!("AAAAAAAAAB"),
        _ => {
            let other: &str = chance.pick(corpus);
            let other = serde_json::from_str(other);
            any_node(chance, &mut other.unwrap_or_default()).clone()
        }
    }
}

/// A text of the corpus, cut, spoiled and glued to others.
pub fn mutated_text(chance: &mut Chance, corpus: &[&str]) -> String {
    let mut text = chance.pick(corpus).to_owned();
    for _ in 0..chance.index(4) {
        text = match chance.index(8) {
            0 => glued(chance, &text, corpus),
            1 => glued(chance, &text, ODD_TEXTS),
            _ => spoiled(chance, &text, corpus),
        };
    }
    text
}

/// Another text where the first one was cut.
fn glued(chance: &mut Chance, text: &str, corpus: &[&str]) -> String {
    let other = chance.pick(corpus);
    let (before, behind) = text.split_at(text.floor_char_boundary(chance.index(text.len())));
    let rest = behind.get(behind.ceil_char_boundary(chance.index(8))..).unwrap_or_default();
    format!("{before}{other}{rest}")
}

/// What separates, escapes, opens and ends in one of the languages.
const ODD_TEXTS: &[&str] = &[
    "%",
    "%2f",
    "%00",
    "%ff",
    "..",
    "//",
    "?",
    "&",
    ";",
    "=",
    "==",
    "!=",
    ",",
    "(",
    ")",
    " in ",
    " notin ",
    "!",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "\\",
    "$",
    "@",
    "*",
    "..[*]",
    "[?(@.a==",
    "[-1:]",
    "[::0]",
    ":",
    "<",
    ">=",
    "/",
    "+",
    "-",
    "~",
    "\u{202e}",
    "\u{feff}",
    "\n",
    "é",
    "99999999999999999999",
    "-9223372036854775808",
    "",
];

fn nested(depth: usize) -> Value {
    (0..depth)
        .fold(Value::Null, |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({"a": inner}) })
}

fn spoiled(chance: &mut Chance, text: &str, corpus: &[&str]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let place = chance.index(characters.len());
    match chance.index(7) {
        0 => characters.truncate(place),
        1 => characters.insert(place, chance.pick(&['"', '{', ']', ',', '\\', '\u{0}', 'é', '9', '-', 'e'])),
        2 if !characters.is_empty() => drop(characters.remove(place)),
        3 => {
            let end = (place + chance.index(200)).min(characters.len());
            let again = characters[place..end].to_vec();
            characters.extend(again);
        }
        4 => return format!("{text}{}", chance.pick(corpus)),
        5 => return "[".repeat(chance.index(70_000)),
        _ => return text.replacen(':', " :\n\t", 3),
    }
    characters.into_iter().collect()
}
