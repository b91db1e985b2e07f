//! State lives with its feature: a type with many methods has few fields, and its methods lie in few files. It reads
//! what rustfmt writes; two types of one name are told apart by their folders.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{product_lines, read, root, shown, sources};

const CRATES: [&str; 5] = ["shared", "replica", "page", "frontend", "gateway"];
/// A type with so many methods is an owner.
const OWNER_METHODS: usize = 15;
const FIELDS_MAX: usize = 10;
const IMPL_FILES_MAX: usize = 3;
/// A struct with more fields says what it is for.
const UNDOCUMENTED_FIELDS_MAX: usize = 5;
/// The lines of documentation of the types that a newcomer reads first.
const PAGE_OF_DOC: std::ops::RangeInclusive<usize> = 20..=40;
const READ_FIRST: [(&str, &str); 7] = [
    ("gateway", "Hub"),
    ("gateway", "Session"),
    ("gateway", "Machine"),
    ("gateway", "Cluster"),
    ("replica", "Client"),
    ("page", "Page"),
    ("page", "Pane"),
];
/// Only their own files may change them as a whole.
const NEVER_LENT: [(&str, &str); 4] =
    [("gateway", "Hub"), ("gateway", "Session"), ("page", "Page"), ("replica", "Client")];
/// Owners that may be larger, each with the reason.
const LARGER: [(&str, &str, &str); 4] = [
    (
        "gateway",
        "Session",
        "one connection's machine: a file for each thing that is asked, subscriptions, clusters and logs",
    ),
    (
        "gateway",
        "Source",
        "the state machine of one container's log in a view: its backlog, its reader and where both join",
    ),
    ("gateway", "Machine", "the state machine of one list and watch: its files are its transitions, by idea"),
    ("page", "Index", "columns of one index, kept in step: they are read together for each row"),
];

/// A struct or an enum, and its inherent methods.
#[derive(Default)]
struct Type {
    defined_in: String,
    doc_lines: usize,
    fields: Vec<Field>,
    /// Its documentation is the command's own help.
    is_command_line: bool,
    /// A frame of the wire or the arguments of a command line: a list by nature.
    is_list: bool,
    impls: BTreeSet<String>,
    methods: usize,
}

struct Field {
    name: String,
    is_private: bool,
}

type Types = BTreeMap<(String, String), Vec<Type>>;

#[test]
fn an_owner_has_few_fields_and_its_methods_lie_in_few_files() {
    let mut large = Vec::new();
    for ((of, name), types) in types() {
        for owner in types.iter().filter(|owner| owner.methods >= OWNER_METHODS && !owner.is_list) {
            let (fields, files) = (owner.fields.len(), owner.impls.len());
            let may_be = LARGER.iter().any(|(in_crate, larger, _)| (*in_crate, *larger) == (&*of, &*name));
            if !may_be && (fields > FIELDS_MAX || files > IMPL_FILES_MAX) {
                large.push(format!(
                    "{of}: {name} ({}): {fields} fields, {} methods in {files} files",
                    owner.defined_in, owner.methods
                ));
            }
        }
    }
    assert!(large.is_empty(), "which feature's state is it?\n{}", large.join("\n"));
}

#[test]
fn the_fields_of_an_owner_are_private() {
    let mut open = Vec::new();
    for ((of, name), types) in types() {
        for owner in types.iter().filter(|owner| owner.methods >= OWNER_METHODS && !owner.is_list) {
            let shared = owner.fields.iter().filter(|field| !field.is_private);
            open.extend(shared.map(|field| format!("{of}: {name}.{} ({})", field.name, owner.defined_in)));
        }
    }
    assert!(open.is_empty(), "\n{}", open.join("\n"));
}

#[test]
fn a_large_struct_says_what_it_is_for() {
    let mut silent = Vec::new();
    for ((of, name), types) in types() {
        for found in types.iter().filter(|found| found.fields.len() > UNDOCUMENTED_FIELDS_MAX) {
            if found.doc_lines == 0 && !found.is_command_line {
                silent.push(format!("{of}: {name} ({})", found.defined_in));
            }
        }
    }
    assert!(silent.is_empty(), "\n{}", silent.join("\n"));
}

#[test]
fn what_is_read_first_has_a_page_of_documentation() {
    let types = types();
    let mut short = Vec::new();
    for (of, name) in READ_FIRST {
        // A type that was dissolved has none.
        let largest = types
            .get(&(of.to_owned(), name.to_owned()))
            .and_then(|types| types.iter().max_by_key(|found| found.methods));
        if let Some(found) = largest.filter(|found| !PAGE_OF_DOC.contains(&found.doc_lines)) {
            short.push(format!("{}: {name} has {} lines", found.defined_in, found.doc_lines));
        }
    }
    assert!(short.is_empty(), "\n{}", short.join("\n"));
}

#[test]
fn no_function_elsewhere_changes_an_owner_as_a_whole() {
    let types = types();
    let mut lent = Vec::new();
    for (of, name) in NEVER_LENT {
        let own: BTreeSet<&String> = types
            .get(&(of.to_owned(), name.to_owned()))
            .into_iter()
            .flatten()
            .flat_map(|found| found.impls.iter().chain([&found.defined_in]))
            .collect();
        for file in sources(&root().join(of).join("src")) {
            if own.contains(&shown(&file)) || shown(&file).contains("/testing") {
                continue;
            }
            let lines = product_lines(&file).into_iter().filter(|(_, line)| is_lent(line, name));
            lent.extend(lines.map(|(number, line)| format!("{}:{number}: {}", shown(&file), line.trim())));
        }
    }
    assert!(lent.is_empty(), "\n{}", lent.join("\n"));
}

/// Whether the line has a parameter `&mut NAME`.
fn is_lent(line: &str, name: &str) -> bool {
    line.split(": &mut ").skip(1).any(|rest| {
        let path = rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next();
        path.is_some_and(|path| path.rsplit("::").next() == Some(name))
    })
}

fn types() -> Types {
    let mut types = Types::new();
    let mut impls = Vec::new();
    for of in CRATES {
        for file in sources(&root().join(of).join("src")) {
            let name = shown(&file);
            if name.contains("/testing") {
                continue;
            }
            let lines = product_lines(&file);
            let whole = read(&file);
            let whole: Vec<&str> = whole.lines().collect();
            for (place, (number, line)) in lines.iter().enumerate() {
                if let Some(defined) = defined_type(line) {
                    let key = (of.to_owned(), defined.to_owned());
                    let doc_lines = doc_lines(&whole, *number);
                    let mut body = lines[place..].iter().take_while(|(_, line)| line != "}");
                    let is_command_line = body.any(|(_, line)| line.contains("#[arg("));
                    let is_list = is_command_line || name.starts_with("shared/src/frame");
                    let fields = fields(&lines[place..]);
                    let found = Type {
                        defined_in: name.clone(),
                        doc_lines,
                        fields,
                        is_command_line,
                        is_list,
                        ..Type::default()
                    };
                    types.entry(key).or_default().push(found);
                }
                if let Some(of_type) = inherent_impl(&lines[place..]) {
                    impls.push((of.to_owned(), of_type, name.clone(), methods(&lines[place..])));
                }
            }
        }
    }
    for (of, name, file, methods) in impls {
        let candidates = types.entry((of, name)).or_default();
        // The definition that shares the longest way with the file.
        let nearest = candidates.iter_mut().max_by_key(|found| {
            let shared = found.defined_in.split(['/', '.']).zip(file.split(['/', '.']));
            (found.defined_in == file, shared.take_while(|(a, b)| a == b).count())
        });
        if let Some(found) = nearest {
            found.impls.insert(file);
            found.methods += methods;
        }
    }
    types
}

/// The name, where a struct or an enum begins in the first column.
fn defined_type(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ").unwrap_or(line);
    let rest = match rest.strip_prefix("pub(") {
        Some(scoped) => scoped.split_once(") ")?.1,
        None => rest,
    };
    let rest = rest.strip_prefix("struct ").or_else(|| rest.strip_prefix("enum "))?;
    rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
}

/// The lines of documentation over a definition, whose number counts from one.
fn doc_lines(lines: &[&str], number: usize) -> usize {
    let over = lines[..number - 1]
        .iter()
        .rev()
        .take_while(|line| ["///", "#[", ")]"].iter().any(|begin| line.starts_with(begin)));
    over.filter(|line| line.starts_with("///")).count()
}

fn fields(lines: &[(usize, String)]) -> Vec<Field> {
    let is_struct = lines.first().is_some_and(|(_, line)| line.contains("struct ") && line.ends_with('{'));
    let body = lines.iter().skip(1).map(|(_, line)| line.as_str()).take_while(|line| *line != "}");
    let field = |line: &str| {
        let line = line.strip_prefix("    ")?;
        let (visibility, rest) = match line.strip_prefix("pub") {
            Some(rest) => rest.split_once(' ').map(|(scope, rest)| (Some(scope), rest))?,
            None => (None, line),
        };
        let name = rest.split_once(':')?.0;
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        is_name.then(|| Field { name: name.to_owned(), is_private: visibility.is_none() })
    };
    if is_struct { body.filter_map(field).collect() } else { Vec::new() }
}

/// The type, where an `impl` without a trait begins in the first column.
fn inherent_impl(lines: &[(usize, String)]) -> Option<String> {
    let first = &lines.first()?.1;
    if !first.strip_prefix("impl").is_some_and(|rest| rest.starts_with([' ', '<'])) {
        return None;
    }
    let mut header = String::new();
    for (_, line) in lines {
        header.push_str(line);
        header.push(' ');
        if line.ends_with('{') || line.ends_with("{}") {
            break;
        }
    }
    let rest = header.strip_prefix("impl")?;
    let rest = after_generics(rest).trim_start();
    let rest = rest.split(" where ").next()?;
    if rest.contains(" for ") {
        return None;
    }
    let path = rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next()?;
    path.rsplit("::").next().map(str::to_owned)
}

/// What follows `<…>`, where the text begins with it.
fn after_generics(text: &str) -> &str {
    if !text.starts_with('<') {
        return text;
    }
    let mut depth = 0;
    for (place, character) in text.char_indices() {
        depth += i32::from(character == '<') - i32::from(character == '>' && !text[..place].ends_with('-'));
        if depth == 0 {
            return &text[place + 1..];
        }
    }
    text
}

fn methods(lines: &[(usize, String)]) -> usize {
    let body = lines.iter().skip(1).map(|(_, line)| line.as_str()).take_while(|line| *line != "}");
    body.filter(|line| line.starts_with("    ") && !line.starts_with("     "))
        .filter(|line| {
            line.split('(').next().is_some_and(|head| head.contains("fn ")) || line.contains(") fn ")
        })
        .count()
}

#[test]
fn types_and_their_methods_are_counted() {
    let lines = |text: &str| -> Vec<(usize, String)> {
        text.lines().enumerate().map(|(number, line)| (number + 1, line.to_owned())).collect()
    };
    let found = fields(&lines(
        "pub struct Hub<S> {\n    objects: Objects,\n    pub(super) log: Log,\n    pub count: u64,\n}",
    ));
    let found: Vec<_> = found.iter().map(|field| (&*field.name, field.is_private)).collect();
    assert_eq!(found, [("objects", true), ("log", false), ("count", false)]);
    for (text, of) in [
        ("impl<S: Fn() -> u8> hub::Hub<S> {", Some("Hub")),
        ("impl Hub {", Some("Hub")),
        ("impl<S> Hub<S>\nwhere\n    S: Send,\n{", Some("Hub")),
        ("impl Display for Hub {", None),
        ("implicit", None),
    ] {
        assert_eq!(inherent_impl(&lines(text)).as_deref(), of, "{text}");
    }
    let text = "impl Hub {\n    fn a(&self) {\n        fn inner() {}\n    }\n\n    pub(crate) fn b() {}\n    pub async fn c(\n    ) {}\n}\nfn d() {}";
    assert_eq!(methods(&lines(text)), 3);
    assert_eq!(defined_type("pub(in crate::a) struct Hub<S> {"), Some("Hub"));
    assert!(is_lent("fn f(hub: &mut hub::Hub<S>) {", "Hub"));
    assert!(!is_lent("fn f(hub: &mut HubRequest) -> &mut Hub", "Hub"));
}
