//! "Go to": a fuzzy search for kinds, namespaces, objects of the open views, boards and actions. It fetches
//! nothing, so it finds only what the page already has.

use std::ops::Range;

use shared::frame::server::Board;
use shared::resource::Kind;
use shared::row::RowId;

use crate::messages;
use crate::navigation;
use crate::table_view::View;

/// Where a hit leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Kind {
        resource: Box<str>,
        /// `None`: the namespaces stay as they are.
        namespace: Option<Box<str>>,
    },
    Namespace(Box<str>),
    /// A board of the gateway's configuration, by its path and query.
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
    /// The parts of the label that were found, in bytes.
    pub marks: Vec<Range<usize>>,
    /// Beside it: the API group, `in payments`, a key.
    pub note: String,
    pub target: Target,
}

/// The things among which is searched.
pub struct SearchContext<'a> {
    pub kinds: &'a [Kind],
    /// The namespaces of the open views' rows.
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

/// The best hits first in each group; without letters, the boards and the actions.
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

/// `certs pay`: a kind and a namespace.
fn kinds(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let (first, place) = match words {
        [first] => (*first, None),
        [first, place] => {
            let found = ranked(context.namespaces.iter(), |name| fuzzy(place, name));
            let Some((name, _)) = found.into_iter().next() else { return Vec::new() };
            (*first, Some(name))
        }
        _ => return Vec::new(),
    };
    let groups = navigation::groups(context.kinds);
    let entries = groups.iter().flat_map(|group| &group.entries);
    let open = entries.filter(|entry| entry.kind.disabled.is_none());
    let score = |entry: &&navigation::Entry<'_>| {
        let is_short = entry.kind.short.iter().any(|short| **short == *first);
        let mut marks = fuzzy(first, &entry.label).or_else(|| is_short.then(Marks::default))?;
        marks.score += if is_short { SHORT_NAME } else { 0 };
        Some(marks)
    };
    hits(Group::Kinds, ranked(open, score), |entry| {
        let resource = &entry.kind.resource;
        let namespace = place.filter(|_| entry.kind.namespaced).cloned();
        let note = match &namespace {
            Some(name) => messages::palette_in(name),
            None => resource.group.to_string(),
        };
        (entry.label.clone(), note, Target::Kind { resource: resource.to_string().into(), namespace })
    })
}

fn namespaces(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let [word] = words else { return Vec::new() };
    let found = ranked(context.namespaces.iter(), |name| fuzzy(word, name));
    hits(Group::Namespaces, found, |name| (name.to_string(), String::new(), Target::Namespace(name.clone())))
}

/// All words have to stand in `namespace/name`.
fn objects(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let rows = context.views.iter().enumerate().flat_map(|(number, view)| {
        view.table().iter().filter(|(_, entry)| !entry.is_tombstone()).map(move |(_, entry)| (number, entry))
    });
    // The letters of a word have to stand together: scattered ones would find every generated name.
    let score = |(_, entry): &(usize, &replica::table::Entry)| {
        each(words, |word| {
            let at = entry.key().find(word)?;
            let before = at.checked_sub(1).and_then(|at| entry.key().as_bytes().get(at));
            let begins = before.is_none_or(|byte| !byte.is_ascii_alphanumeric());
            let parts = std::iter::once(at..at + word.len()).collect();
            Some(Marks { score: if begins { 2 } else { 1 }, parts })
        })
    };
    hits(Group::Objects, ranked(rows.take(OBJECTS_MAX), score), |(view, entry)| {
        let resource = context.views.get(view).map(|view| view.subscription().scope.resource.to_string());
        let target = Target::Object { view, row: entry.row().id };
        (entry.key().to_owned(), resource.unwrap_or_default(), target)
    })
}

fn boards(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let found = ranked(context.boards.iter(), |board| each(words, |word| fuzzy(word, &board.name)));
    let hit = |board: &Board| (board.name.to_string(), String::new(), Target::Board(board.link.clone()));
    hits(Group::Boards, found, hit)
}

fn actions(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let actions = context.actions.iter().enumerate();
    let found = ranked(actions, |(_, (name, _))| each(words, |word| fuzzy(word, name)));
    hits(Group::Actions, found, |(number, (name, key))| {
        ((*name).to_owned(), (*key).to_owned(), Target::Action(number))
    })
}

/// `describe` gives the label, the note and the target of what was found.
fn hits<T>(
    group: Group,
    found: Vec<(T, Marks)>,
    describe: impl Fn(T) -> (String, String, Target),
) -> Vec<Hit> {
    let hit = |(item, marks): (T, Marks)| {
        let (label, note, target) = describe(item);
        Hit { group, label, marks: marks.parts, note, target }
    };
    found.into_iter().map(hit).collect()
}

/// Each word has to be found, in any order.
fn each(words: &[&str], find: impl Fn(&str) -> Option<Marks>) -> Option<Marks> {
    let mut all = Marks::default();
    for word in words {
        let marks = find(word)?;
        all.score += marks.score;
        all.parts.extend(marks.parts);
    }
    all.parts.sort_by_key(|part| part.start);
    Some(all)
}

/// The parts of a text that were found, in bytes, and how well they fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Marks {
    score: i32,
    parts: Vec<Range<usize>>,
}

const SHORT_NAME: i32 = 100;
const AT_THE_START: i32 = 8;
const BEGINS_A_WORD: i32 = 4;
const TOGETHER: i32 = 3;

/// Finds the letters in their order. A search begins at each place where the first letter stands; the best
/// result counts.
fn fuzzy(word: &str, text: &str) -> Option<Marks> {
    let first = word.chars().next()?;
    let lower = text.to_lowercase();
    // If the lower case has another length, its bytes aren't those of the text, and nothing is marked.
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
    // The sort is stable: items with equal scores keep their order.
    found.sort_by_key(|(_, marks)| std::cmp::Reverse(marks.score));
    found.truncate(HITS_MAX);
    found
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
