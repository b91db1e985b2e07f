//! The fuzzy search for kinds, namespaces, objects of the open views, places where the reader was, boards and
//! actions. It finds only what the page already has.

mod clusters;
mod fuzzy;

use shared::frame::server::Board;

use super::actions::{self, Named};
use super::part::{Part, SearchContext};
use super::{Group, Hit, Purpose, Target, words};
use crate::messages;
use crate::navigation;
use crate::table_view::View;
use clusters::{at, clusters, named};
use fuzzy::{Marks, SHORT_NAME, each, fuzzy, ranked};

/// Named in the piece alone.
pub(crate) const PART: Part = Part { search, action: actions::action };

/// Kinds whose rows are offered under a text.
const FILTERED_MAX: usize = 3;
/// Objects that are searched at one keystroke.
const OBJECTS_MAX: usize = 100_000;
/// Fewer letters begin too many words.
const OTHER_NAME_MIN: usize = 3;
/// Letters that are looked for: more than a reader types.
const QUERY_MAX: usize = 100;

/// For a new pane, what a pane can show, and first the view beside it.
fn search(text: &str, purpose: &Purpose, context: &SearchContext<'_>) -> Vec<Hit> {
    let mut hits = find(text, context, actions::names());
    if let Purpose::AddView { same } = purpose {
        hits.retain(|hit| hit.target.is_view());
        if text.trim().is_empty() {
            hits.insert(0, same_view(same));
        }
    }
    hits
}

/// The best hits first in each group, and letters that stand apart after all that stand together; without letters, where
/// the reader was, the kinds that are opened most, the boards and the actions.
fn find(text: &str, context: &SearchContext<'_>, actions: impl Iterator<Item = Named>) -> Vec<Hit> {
    let query: String = text.chars().take(QUERY_MAX).collect::<String>().to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let filtered_kind = filtered_kind(text.trim(), context);
    let mut hits = Vec::new();
    if words.is_empty() {
        hits.extend(recent(&words, context));
        hits.extend(often(context));
    } else {
        hits.extend(kinds(&words, context));
        hits.extend(clusters(&words, context));
        hits.extend(namespaces(&words, context));
        hits.extend(objects(&words, filtered_kind.as_ref(), context));
    }
    hits.extend(boards(&words, context));
    hits.extend(sorts(&words, context));
    hits.extend(named_actions(&words, actions));
    if !words.is_empty() {
        hits.extend(recent(&words, context));
    }
    let (mut hits, mut scattered): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(|hit| !hit.is_scattered);
    // The generated names of objects have any letters.
    if hits.iter().any(|hit| hit.group != Group::Objects) {
        scattered.clear();
    }
    // The reader wrote the name of a kind: that was meant, rather than letters that stand anywhere.
    hits.extend(filtered_kind);
    hits.extend(scattered);
    hits.extend(filtered(text.trim(), context));
    hits
}

/// `svc checkout`: the rest as a filter of the kind that the first word names. So an object of any kind is found, and
/// nothing is asked for before the reader chooses it.
fn filtered_kind(text: &str, context: &SearchContext<'_>) -> Option<Hit> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    let (first, rest) = (first.to_lowercase(), rest.trim());
    let mut found = kinds(&[&first], context);
    found.retain(|hit| !hit.is_scattered);
    let of_kind = |hit: Hit| match hit.target {
        Target::Kind { resource, .. } => {
            let (label, query) = (words::rows_that_match(&hit.label, rest), rest.into());
            let target = Target::Filtered { resource, query };
            Some(Hit { group: Group::Filtered, label, marks: Vec::new(), target, ..hit })
        }
        _ => None,
    };
    found.into_iter().next().and_then(of_kind)
}

/// The text as a filter of the kind that is open and of those that readers open most. Nothing is asked for before
/// the reader chooses one.
fn filtered(text: &str, context: &SearchContext<'_>) -> Vec<Hit> {
    let names = std::iter::once(context.resource).chain(navigation::OFTEN).enumerate();
    let names = names.filter(|(at, name)| *at == 0 || *name != context.resource).map(|(_, name)| name);
    let named = |name: &str| {
        context.kinds.iter().find(|kind| kind.disabled.is_none() && kind.resource.to_string() == *name)
    };
    let kinds = names.filter_map(named).filter(|_| !text.is_empty()).take(FILTERED_MAX);
    let found = kinds.map(|kind| (kind, Marks::default())).collect();
    hits(Group::Filtered, found, |kind| {
        let resource = kind.resource.to_string().into();
        let label = words::rows_that_match(kind.resource.resource.as_str(), text);
        (label, String::new(), Target::Filtered { resource, query: text.into() })
    })
}

/// `label`: the view that is shown already.
fn same_view(label: &str) -> Hit {
    let label = label.to_owned();
    let (note, marks, is_scattered) = (String::new(), Vec::new(), false);
    Hit { group: Group::SameView, label, marks, note, target: Target::SameView, is_scattered }
}

/// The kinds that readers open most.
fn often(context: &SearchContext<'_>) -> Vec<Hit> {
    let groups = navigation::groups(&context.kinds);
    let entries = || groups.iter().flat_map(|group| &group.entries);
    let named = |name: &str| {
        entries().find(|entry| entry.kind.disabled.is_none() && entry.kind.resource.to_string() == *name)
    };
    let found = navigation::OFTEN.iter().filter_map(|name| Some((named(name)?, Marks::default())));
    hits(Group::Kinds, found.collect(), |entry| kind_hit(entry, None, None))
}

/// What the line of a kind says.
fn kind_hit(
    entry: &navigation::Entry<'_>,
    namespace: Option<Box<str>>,
    cluster: Option<Box<str>>,
) -> (String, String, Target) {
    let resource = &entry.kind.resource;
    let note = match (&namespace, &cluster) {
        (Some(name), Some(cluster)) => messages::of_cluster(&words::in_namespace(name), &at(cluster)),
        (Some(name), None) => words::in_namespace(name),
        (None, Some(cluster)) => at(cluster),
        (None, None) => resource.group.to_string(),
    };
    (entry.label.clone(), note, Target::Kind { resource: resource.to_string().into(), namespace, cluster })
}

/// The letters of a word have to stand together, as in the names of objects, which are among these places.
fn recent(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let find = |word: &str, label: &str| fuzzy(word, label).filter(|marks| !marks.is_scattered);
    let found = ranked(context.recent.iter(), |recent| each(words, |word| find(word, &recent.label)));
    hits(Group::Recent, found, |recent| {
        (recent.label.clone(), String::new(), Target::Link(recent.link.clone()))
    })
}

/// `certs pay`: a kind and a namespace; `certs @eu` or `certs pay @eu`: of another cluster.
fn kinds(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let (clusters, words): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with('@'));
    let cluster = match clusters.as_slice() {
        [] => None,
        [word] => match named(word, context).into_iter().next() {
            Some((name, _)) => Some(name),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let (first, place, is_far) = match words.as_slice() {
        [first] => (*first, None, false),
        [first, place] => {
            let found = ranked(context.namespaces.iter(), |name| fuzzy(place, name));
            let Some((name, marks)) = found.into_iter().next() else { return Vec::new() };
            (*first, Some(name), marks.is_scattered)
        }
        _ => return Vec::new(),
    };
    let groups = navigation::groups(&context.kinds);
    let entries = groups.iter().flat_map(|group| &group.entries);
    let open = entries.filter(|entry| entry.kind.disabled.is_none());
    let score = |entry: &&navigation::Entry<'_>| {
        let is_short = entry.kind.short.iter().any(|short| **short == *first);
        let mut marks = fuzzy(first, &entry.label).or_else(|| is_short.then(Marks::default))?;
        marks.score += if is_short { SHORT_NAME } else { 0 };
        marks.is_scattered = marks.is_scattered && !is_short || is_far;
        Some(marks)
    };
    hits(Group::Kinds, ranked(open, score), |entry| {
        kind_hit(entry, place.filter(|_| entry.kind.namespaced).cloned(), cluster.map(Into::into))
    })
}

fn namespaces(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let [word] = words else { return Vec::new() };
    let found = ranked(context.namespaces.iter(), |name| fuzzy(word, name));
    hits(Group::Namespaces, found, |name| (name.to_string(), String::new(), Target::Namespace(name.clone())))
}

/// All words have to stand in `namespace/name`; the first one may name their kind instead, which `of_kind` found.
fn objects(words: &[&str], of_kind: Option<&Hit>, context: &SearchContext<'_>) -> Vec<Hit> {
    let named = of_kind.and_then(|hit| match &hit.target {
        Target::Filtered { resource, .. } => Some(&**resource),
        _ => None,
    });
    let is_named = |view: &View| named == Some(&*view.subscription().scope.resource.to_string());
    let of_kind: Vec<bool> = context.views.iter().map(|view| is_named(view)).collect();
    let rows = context.views.iter().enumerate().flat_map(|(number, view)| {
        view.table().iter().filter(|(_, entry)| !entry.is_tombstone()).map(move |(_, entry)| (number, entry))
    });
    // The letters of a word have to stand together: scattered ones would find every generated name.
    let score = |(view, entry): &(usize, &replica::table::Entry)| {
        // The name of its cluster is in no object's name: a word with @ finds it.
        let cluster = entry.key().strip_prefix('@').and_then(|key| Some(key.find('/')? + 2)).unwrap_or(0);
        let find = |word: &str| {
            let from = if word.starts_with('@') { 0 } else { cluster };
            let at = from + entry.key().get(from..)?.find(word)?;
            let before = at.checked_sub(1).and_then(|at| entry.key().as_bytes().get(at));
            let begins = before.is_none_or(|byte| !byte.is_ascii_alphanumeric());
            let parts = std::iter::once(at..at + word.len()).collect();
            Some(Marks { score: if begins { 2 } else { 1 }, parts, is_scattered: false })
        };
        let rest = words.get(1..).filter(|_| of_kind.get(*view) == Some(&true));
        each(words, find).or_else(|| each(rest?, find))
    };
    hits(Group::Objects, ranked(rows.take(OBJECTS_MAX), score), |(view, entry)| {
        let resource = context.views.get(view).map(|view| view.subscription().scope.resource.to_string());
        let target = Target::Object { view, row: entry.row().id };
        (entry.key().to_owned(), resource.unwrap_or_default(), target)
    })
}

fn boards(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let found = ranked(context.boards.iter(), |board| each(words, |word| fuzzy(word, &board.name)));
    let hit = |board: &Board| (board.name.to_string(), String::new(), Target::Link(board.link.clone()));
    hits(Group::Boards, found, hit)
}

/// An action is also found by the beginning of another name that readers have for it.
fn named_actions(words: &[&str], actions: impl Iterator<Item = Named>) -> Vec<Hit> {
    let other = |word: &str, others: &str| {
        let begins = |other: &str| other.starts_with(word);
        let is_one = word.len() >= OTHER_NAME_MIN && others.split(' ').any(begins);
        is_one.then(Marks::default)
    };
    let found = ranked(actions.enumerate(), |(_, (name, _, others))| {
        each(words, |word| {
            let by_name = fuzzy(word, name);
            match other(word, others) {
                Some(marks) if by_name.as_ref().is_none_or(|marks| marks.is_scattered) => Some(marks),
                _ => by_name,
            }
        })
    });
    hits(Group::Actions, found, |(number, (name, key, _))| {
        (name.to_owned(), key.to_owned(), Target::Action(number))
    })
}

/// `sort mem`: the columns of the open view by which it can be sorted.
fn sorts(words: &[&str], context: &SearchContext<'_>) -> Vec<Hit> {
    let is_short = words.iter().all(|word| word.len() < OTHER_NAME_MIN);
    let columns = context.columns.iter().filter(|_| !is_short).map(|title| words::sort_by(title)).enumerate();
    let found = ranked(columns, |(_, label)| each(words, |word| fuzzy(word, label)));
    hits(Group::Actions, found, |(column, label)| (label, String::new(), Target::Sort(column)))
}

/// `describe` gives the label, the note and the target of what was found.
fn hits<T>(
    group: Group,
    found: Vec<(T, Marks)>,
    describe: impl Fn(T) -> (String, String, Target),
) -> Vec<Hit> {
    let hit = |(item, marks): (T, Marks)| {
        let (label, note, target) = describe(item);
        Hit { group, label, marks: marks.parts, note, target, is_scattered: marks.is_scattered }
    };
    found.into_iter().map(hit).collect()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use shared::frame::server::Cluster;
    use shared::name::ClusterName;
    use shared::resource::{Kind, Resource};

    use super::super::Recent;
    use super::*;

    fn kind(group: &str, name: &str, short: &[&str]) -> Kind {
        Kind {
            short: short.iter().map(|short| (*short).into()).collect(),
            disabled: (name == "secrets").then(|| "not enabled".into()),
            ..Kind::new(Resource::parse(group, "v1", name).expect("a resource"), name, name != "nodes")
        }
    }

    fn cluster(name: &str) -> Cluster {
        let name = ClusterName::parse(name).expect("a name");
        Cluster { name, ..replica::testing::welcome(0).clusters.remove(0) }
    }

    fn found(query: &str) -> Vec<(Group, String, String)> {
        found_after(query, "services shop")
    }

    /// The reader was at `recent` before.
    fn found_after(query: &str, recent: &str) -> Vec<(Group, String, String)> {
        let kinds = [
            kind("cert-manager.io", "certificaterequests", &["cr"]),
            kind("cert-manager.io", "certificates", &["cert", "certs"]),
            kind("", "pods", &["po"]),
            kind("", "secrets", &[]),
            kind("", "nodes", &["no"]),
            kind("", "persistentvolumeclaims", &["pvc"]),
            kind("autoscaling", "horizontalpodautoscalers", &["hpa"]),
            kind("storage.k8s.io", "csinodes", &[]),
            kind("rbac.authorization.k8s.io", "clusterrolebindings", &[]),
            kind("apps", "deployments", &["deploy"]),
        ];
        let namespaces: [Box<str>; 2] = ["ledger".into(), "payments".into()];
        let clusters = [cluster("prod-eu"), cluster("staging")];
        let recent = Recent { label: recent.to_owned(), link: "/v/services/shop".into() };
        let context = SearchContext {
            kinds: Cow::Borrowed(&kinds),
            clusters: &clusters,
            resource: "nodes",
            namespaces: namespaces.to_vec(),
            recent: vec![recent],
            views: Vec::new(),
            columns: ["NAME", "CPU", "MEMORY"].map(str::to_owned).to_vec(),
            boards: &[Board { name: "On call".into(), link: "/b?v=pods".into() }],
        };
        let actions = [("Pause", "Space", "stop"), ("Copy link", "L", "share url")].into_iter();
        find(query, &context, actions).into_iter().map(|hit| (hit.group, hit.label, hit.note)).collect()
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
        assert_eq!(first("pods @stag"), "pods @staging");
        assert_eq!(first("pods pay @eu"), "pods in payments, @prod-eu");
        assert_eq!(first("pods @*"), "pods @*");
        assert_eq!(first("@stag"), "staging ");
    }

    #[test]
    fn what_is_not_served_is_not_found() {
        assert!(found("secrets").iter().all(|(_, label, _)| label != "secrets"));
        let labels: Vec<String> = found(" Zzz ").into_iter().map(|(_, label, _)| label).collect();
        let expected = ["nodes", "pods", "deployments"].map(|kind| format!("{kind} that match \"Zzz\""));
        assert_eq!(labels, expected, "a way on: the kind that is open, and those that readers open most");
    }

    #[test]
    fn an_object_of_a_kind_that_is_not_open_is_found_by_its_kind_and_a_part_of_its_name() {
        let filtered = |query: &str| {
            let hits = found(query).into_iter().filter(|(group, ..)| *group == Group::Filtered);
            hits.map(|(_, label, _)| label).next().unwrap_or_default()
        };
        assert_eq!(filtered("pvc disk-7"), "persistentvolumeclaims that match \"disk-7\"");
        assert_eq!(filtered("HPA api  web"), "horizontalpodautoscalers that match \"api  web\"");
        assert_eq!(filtered("hrz api"), "nodes that match \"hrz api\"", "scattered letters name no kind");
        assert_eq!(filtered("secrets a"), "nodes that match \"secrets a\"", "it isn't served");
    }

    #[test]
    fn a_column_of_the_view_is_sorted_by_its_name() {
        let sorts = |query: &str| {
            let hits = found(query).into_iter().filter(|(_, label, _)| label.starts_with("Sort"));
            hits.map(|(_, label, _)| label).collect::<Vec<_>>()
        };
        assert_eq!(sorts("sort mem"), ["Sort by MEMORY"]);
        assert_eq!(sorts("memory"), ["Sort by MEMORY"]);
        assert_eq!(sorts("sort"), ["Sort by CPU", "Sort by NAME", "Sort by MEMORY"]);
        assert!(sorts("m").is_empty());
    }

    #[test]
    fn letters_that_stand_together_leave_no_room_for_scattered_ones() {
        let labels = |query: &str| {
            let hits = found(query).into_iter().filter(|(group, ..)| *group != Group::Filtered);
            hits.map(|(_, label, _)| label).collect::<Vec<_>>()
        };
        assert_eq!(labels("nodes"), ["nodes", "csinodes"]);
        assert_eq!(labels("hrzntl"), ["horizontalpodautoscalers"]);
        assert_eq!(labels("logs"), [""; 0], "they begin within a word of clusterrolebindings");
    }

    #[test]
    fn letters_that_stand_apart_never_come_before_what_was_typed() {
        let api = "payments/payments-api deployments.apps";
        let with_filter = "deployments that match \"psp\"";
        for (query, recent, expected) in [
            ("deploy psp", api, with_filter),
            ("deploy psp", "psp/psp-gateway deployments.apps", "psp/psp-gateway deployments.apps"),
            ("deploy psp", "shop/old-psp deployments.apps", "shop/old-psp deployments.apps"),
            ("psp", api, "nodes that match \"psp\""),
            ("payments-api", api, api),
            ("api deploy", api, api),
            ("deploy pay", api, "deployments"),
            ("deploy pmnt", api, "deployments that match \"pmnt\""),
            ("pdapi", "p-d/a-p-i pdapi", "p-d/a-p-i pdapi"),
        ] {
            let first = found_after(query, recent).into_iter().next();
            let label = first.map(|(_, label, _)| label).unwrap_or_default();
            assert_eq!(label, expected, "{query} after {recent}");
        }
        let hits = found("deploy pmnt").into_iter().map(|(_, label, note)| format!("{label} {note}"));
        let hits: Vec<String> = hits.take(2).collect();
        assert_eq!(
            hits,
            ["deployments that match \"pmnt\" apps", "deployments in payments"],
            "a way all the same"
        );
    }

    #[test]
    fn letters_that_stand_together_are_preferred_within_a_text() {
        let parts = |word, text| fuzzy(word, text).map(|marks| marks.parts);
        assert_eq!(parts("psp", "p-s-p/xpsp"), Some(std::iter::once(7..10).collect()));
        assert_eq!(parts("psp", "p-s-p"), Some([0..1, 2..3, 4..5].to_vec()));
    }

    #[test]
    fn an_action_is_found_by_what_readers_call_it_and_none_by_what_it_does_not_do() {
        let actions = |query: &str| {
            let kinds = Cow::Borrowed(&[] as &[Kind]);
            let (namespaces, recent, views, columns) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            let (clusters, boards, resource) = (&[][..], &[][..], "pods");
            let context =
                SearchContext { kinds, clusters, resource, namespaces, recent, views, columns, boards };
            let hits = find(query, &context, actions::names()).into_iter();
            hits.map(|hit| hit.label).collect::<Vec<_>>().join("; ")
        };
        let trouble = "Trouble first, or in the usual order; Failing rows only, or all; What is wrong now; Next failing row, or changing one";
        assert_eq!(actions("trouble"), trouble);
        assert_eq!(actions("share"), "Export: link, kubectl command, file, HTML; Copy link");
        let compare = "Compare two versions of this object; What changed until now";
        assert_eq!(actions("compare"), compare);
        assert_eq!(actions("tree"), "Owners and children of this object");
        assert!(actions("history").starts_with("Timeline of this object; "), "{}", actions("history"));
        for (word, action) in [
            ("context", "Choose clusters"),
            ("ctx", "Choose clusters"),
            ("cluster", "Choose clusters"),
            ("namespace", "Choose namespaces"),
            ("labels", "Filter by labels"),
            ("columns", "Choose columns"),
            ("memory", "Sort by a column"),
            ("sort", "Sort by a column"),
            ("close", "Close this view"),
            ("notify", "Tell me when"),
            ("alert", "Tell me when"),
        ] {
            assert!(actions(word).contains(action), "{word}: {}", actions(word));
        }
        for absent in ["logs", "shell"] {
            assert_eq!(actions(absent), "", "{absent}");
        }
        assert_eq!(actions("tr yaml"), "", "each word is looked for");
    }

    #[test]
    fn without_letters_there_are_recent_places_the_kinds_that_are_opened_most_boards_and_actions() {
        let labels: Vec<String> = found("").into_iter().map(|(_, label, _)| label).collect();
        assert_eq!(
            labels,
            ["services shop", "pods", "deployments", "nodes", "On call", "Pause", "Copy link"]
        );
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
