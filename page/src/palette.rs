//! "Go to": what a reader may mean by a few letters. Kinds, namespaces, objects of the open views and
//! actions, matched fuzzily. It fetches nothing: what isn't here isn't found, and the palette says so.

use std::ops::Range;

use shared::frame::server::Board;
use shared::resource::Kind;
use shared::row::RowId;

use crate::messages;
use crate::navigation;
use crate::table_view::View;

/// What can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Kind {
        resource: Box<str>,
        /// Where to look for it; as it is, where none was named.
        namespace: Option<Box<str>>,
    },
    Namespace(Box<str>),
    /// A page of the team's, by its path and query.
    Board(Box<str>),
    /// An object of the open view of this number.
    Object {
        view: usize,
        row: RowId,
    },
    /// The action of this number.
    Action(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Kinds,
    Namespaces,
    Objects,
    Boards,
    Actions,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub group: Group,
    pub label: String,
    /// The parts of the label that were meant, in bytes.
    pub marks: Vec<Range<usize>>,
    /// Beside it: the API group, `in payments`, a key.
    pub note: String,
    pub target: Target,
}

/// What is searched.
pub struct SearchContext<'a> {
    pub kinds: &'a [Kind],
    /// Names that the page has seen.
    pub namespaces: &'a [Box<str>],
    pub views: Vec<&'a View>,
    pub boards: &'a [Board],
    /// Each with its key.
    pub actions: &'a [(&'static str, &'static str)],
}

/// Hits of one group: more than a reader looks through.
const HITS_MAX: usize = 8;
/// Objects that are searched at one keystroke.
const OBJECTS_MAX: usize = 100_000;
/// Letters that are looked for: more than a reader types.
const QUERY_MAX: usize = 100;

/// The best first within each group; without letters, the boards and the actions.
#[must_use]
pub fn find(query: &str, context: &SearchContext<'_>) -> Vec<Hit> {
    let query: String = query.chars().take(QUERY_MAX).collect::<String>().to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let mut hits = Vec::new();
    if !words.is_empty() {
        hits.extend(kinds(&words, context));
        hits.extend(namespaces(&words, context));
        hits.extend(objects(&words, context));
    }
    hits.extend(boards(&words, context));
    hits.extend(actions(&words, context));
    hits
}

/// `certs pay`: a kind, and where.
fn kinds(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    let place = match rest {
        [] => None,
        [one] => best(context.namespaces.iter(), |name| fuzzy(one, name)),
        _ => return Vec::new(),
    };
    if !rest.is_empty() && place.is_none() {
        return Vec::new();
    }
    let groups = navigation::groups(context.kinds);
    let entries = groups.iter().flat_map(|group| &group.entries);
    let open = entries.filter(|entry| entry.kind.disabled.is_none());
    let score = |entry: &&navigation::Entry<'_>| {
        let short = entry.kind.short.iter().any(|short| **short == **first);
        let marks = fuzzy(first, &entry.label).or_else(|| short.then(|| Marks::exact(0)))?;
        Some(if short { Marks { score: marks.score + SHORT_NAME, ..marks } } else { marks })
    };
    let hit = |(entry, marks): (&navigation::Entry<'_>, Marks)| Hit {
        group: Group::Kinds,
        label: entry.label.clone(),
        marks: marks.parts,
        note: match (&place, entry.kind.namespaced) {
            (Some((name, _)), true) => messages::palette_in(name),
            _ => entry.kind.resource.group.to_string(),
        },
        target: Target::Kind {
            resource: entry.kind.resource.to_string().into(),
            namespace: place.as_ref().filter(|_| entry.kind.namespaced).map(|(name, _)| (*name).clone()),
        },
    };
    ranked(open, score).into_iter().map(hit).collect()
}

fn namespaces(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let [word] = words else { return Vec::new() };
    let names = context.namespaces.iter().map(|name| &**name);
    let hit = |(name, marks): (&str, Marks)| Hit {
        group: Group::Namespaces,
        label: name.to_owned(),
        marks: marks.parts,
        note: String::new(),
        target: Target::Namespace(name.into()),
    };
    ranked(names, |name| fuzzy(word, name)).into_iter().map(hit).collect()
}

/// All words have to be found in `namespace/name`.
fn objects(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let rows = context.views.iter().enumerate().flat_map(|(number, view)| {
        view.table().iter().filter(|(_, entry)| !entry.is_tombstone()).map(move |(_, entry)| (number, entry))
    });
    let score = |(_, entry): &(usize, &replica::table::Entry)| {
        let mut all = Marks::exact(0);
        for word in words {
            // Letters that stand together: scattered ones would find every generated name.
            let at = entry.key().find(word)?;
            let starts =
                at == 0 || entry.key().as_bytes().get(at - 1).is_some_and(|b| !b.is_ascii_alphanumeric());
            all.score += if starts { 2 } else { 1 };
            all.parts.push(at..at + word.len());
        }
        all.parts.sort_by_key(|part| part.start);
        Some(all)
    };
    let hit = |((view, entry), marks): ((usize, &replica::table::Entry), Marks)| Hit {
        group: Group::Objects,
        label: entry.key().to_owned(),
        marks: marks.parts,
        note: context
            .views
            .get(view)
            .map(|view| view.subscription().scope.resource.to_string())
            .unwrap_or_default(),
        target: Target::Object { view, row: entry.row().id },
    };
    ranked(rows.take(OBJECTS_MAX), score).into_iter().map(hit).collect()
}

fn boards(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let hit = |(board, marks): (&Board, Marks)| Hit {
        group: Group::Boards,
        label: board.name.to_string(),
        marks: marks.parts,
        note: String::new(),
        target: Target::Board(board.link.clone()),
    };
    ranked(context.boards.iter(), |board| each(words, &board.name)).into_iter().map(hit).collect()
}

/// Every word, anywhere.
fn each(words: &[&str], text: &str) -> Option<Marks> {
    let mut all = Marks::exact(0);
    for word in words {
        let marks = fuzzy(word, text)?;
        all.score += marks.score;
        all.parts.extend(marks.parts);
    }
    all.parts.sort_by_key(|part| part.start);
    Some(all)
}

fn actions(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let hit = |((number, (name, key)), marks): ((usize, &(&'static str, &'static str)), Marks)| Hit {
        group: Group::Actions,
        label: (*name).to_owned(),
        marks: marks.parts,
        note: (*key).to_owned(),
        target: Target::Action(number),
    };
    ranked(context.actions.iter().enumerate(), |(_, (name, _))| each(words, name))
        .into_iter()
        .map(hit)
        .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Marks {
    score: i32,
    parts: Vec<Range<usize>>,
}

impl Marks {
    fn exact(score: i32) -> Self {
        Self { score, parts: Vec::new() }
    }
}

const SHORT_NAME: i32 = 100;
const AT_THE_START: i32 = 8;
const BEGINS_A_WORD: i32 = 4;
const TOGETHER: i32 = 3;

/// The letters in their order, with as few gaps as a search from each place finds.
fn fuzzy(word: &str, text: &str) -> Option<Marks> {
    let first = word.chars().next()?;
    let lower = text.to_lowercase();
    // Bytes of the lower case are those of the text, or nothing is marked.
    let same = lower.len() == text.len();
    lower
        .char_indices()
        .filter(|(_, character)| *character == first)
        .filter_map(|(from, _)| along(word, &lower, from))
        .max_by_key(|marks| marks.score)
        .map(|marks| if same { marks } else { Marks { parts: Vec::new(), ..marks } })
}

fn along(word: &str, text: &str, from: usize) -> Option<Marks> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut score = -i32::try_from(text.len().saturating_sub(word.len())).unwrap_or(i32::MAX) / 8;
    let mut at = from;
    for character in word.chars() {
        let found = at + text.get(at..)?.find(character)?;
        let before = text.get(..found).and_then(|before| before.chars().next_back());
        if found == 0 {
            score += AT_THE_START;
        } else if before.is_some_and(|before| !before.is_alphanumeric()) {
            score += BEGINS_A_WORD;
        }
        at = found + character.len_utf8();
        match parts.last_mut() {
            Some(part) if part.end == found => {
                part.end = at;
                score += TOGETHER;
            }
            _ => {
                score -= 1;
                parts.push(found..at);
            }
        }
    }
    Some(Marks { score, parts })
}

fn ranked<T>(items: impl Iterator<Item = T>, score: impl Fn(&T) -> Option<Marks>) -> Vec<(T, Marks)> {
    let mut found: Vec<(T, Marks)> =
        items.filter_map(|item| score(&item).map(|marks| (item, marks))).collect();
    // Equal ones stay in the order in which they came.
    found.sort_by_key(|(_, marks)| std::cmp::Reverse(marks.score));
    found.truncate(HITS_MAX);
    found
}

fn best<T>(items: impl Iterator<Item = T>, score: impl Fn(&T) -> Option<Marks>) -> Option<(T, Marks)> {
    ranked(items, score).into_iter().next()
}

#[cfg(test)]
mod tests {
    use shared::resource::Resource;

    use super::*;

    fn kind(group: &str, name: &str, short: &[&str]) -> Kind {
        Kind {
            short: short.iter().map(|short| (*short).into()).collect(),
            disabled: (name == "secrets").then(|| "not enabled".into()),
            ..Kind::new(Resource::parse(group, "v1", name).expect("a resource"), name, name != "nodes")
        }
    }

    fn found(query: &str) -> Vec<(Group, String, String)> {
        let kinds = [
            kind("cert-manager.io", "certificaterequests", &["cr"]),
            kind("cert-manager.io", "certificates", &["cert", "certs"]),
            kind("", "pods", &["po"]),
            kind("", "secrets", &[]),
            kind("", "nodes", &["no"]),
            kind("", "persistentvolumeclaims", &["pvc"]),
        ];
        let namespaces = ["ledger".into(), "payments".into()];
        let context = SearchContext {
            kinds: &kinds,
            namespaces: &namespaces,
            views: Vec::new(),
            boards: &[Board { name: "On call".into(), link: "/b?v=pods".into() }],
            actions: &[("Pause", "Space"), ("Copy link", "L")],
        };
        find(query, &context).into_iter().map(|hit| (hit.group, hit.label, hit.note)).collect()
    }

    fn first(query: &str) -> String {
        found(query).into_iter().next().map(|(_, label, note)| format!("{label} {note}")).unwrap_or_default()
    }

    #[test]
    fn a_few_letters_find_the_kind_that_is_meant() {
        assert_eq!(first("cert"), "certificates cert-manager.io");
        assert_eq!(first("certs pay"), "certificates in payments");
        assert_eq!(first("pvc"), "persistentvolumeclaims ");
        assert_eq!(first("po"), "pods ");
        assert_eq!(first("nodes pay"), "nodes ");
    }

    #[test]
    fn what_is_not_served_is_not_found() {
        assert!(found("secrets").iter().all(|(_, label, _)| label != "secrets"));
        assert!(found("zzz").is_empty());
    }

    #[test]
    fn without_letters_there_are_the_boards_and_the_actions() {
        let labels: Vec<String> = found("").into_iter().map(|(_, label, _)| label).collect();
        assert_eq!(labels, ["On call", "Pause", "Copy link"]);
        assert_eq!(first("cpl"), "Copy link L");
        assert_eq!(first("call on"), "On call ");
    }

    #[test]
    fn what_was_meant_is_marked() {
        let marks = fuzzy("cerm", "certificates.cert-manager.io").expect("found");
        let text = "certificates.cert-manager.io";
        let said: String = marks.parts.iter().filter_map(|part| text.get(part.clone())).collect();
        assert_eq!(said, "cerm");
        assert_eq!(fuzzy("straße", "STRASSE"), None);
        assert!(fuzzy("i", "İstanbul").is_some_and(|marks| marks.parts.is_empty()));
    }
}
