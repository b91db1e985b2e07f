//! The modules of a crate and the paths that they name, resolved to files. It reads what rustfmt writes;
//! it isn't a parser of Rust.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::tree::{product_lines, shown};

/// Names from the crate's root down.
type ModulePath = Vec<String>;

pub struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

struct Module {
    file: String,
    /// Without comments, tests and `use` items.
    code: String,
    uses: Vec<Use>,
}

/// One leaf of a `use`: the path, and the name that it has here; `*` for all of them.
struct Use {
    path: Vec<String>,
    name: String,
    is_public: bool,
}

impl Crate {
    /// `None` where there is no such crate.
    pub fn read(entry: &Path) -> Option<Self> {
        let mut source = Self { modules: BTreeMap::new() };
        if entry.is_file() {
            source.add(Vec::new(), entry, entry.parent()?);
        }
        (!source.modules.is_empty()).then_some(source)
    }

    fn add(&mut self, path: ModulePath, file: &Path, folder: &Path) {
        let text: String = product_lines(file).into_iter().map(|(_, line)| line + "\n").collect();
        let (uses, code) = split_uses(&text);
        for name in declared_modules(&text) {
            let candidates: [PathBuf; 2] =
                [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
            if let Some(child) = candidates.iter().find(|candidate| candidate.is_file()) {
                let path = [path.clone(), vec![name.clone()]].concat();
                self.add(path, child, &folder.join(&name));
            }
        }
        let uses = uses.iter().flat_map(|(is_public, item)| leaves(item, *is_public)).collect();
        self.modules.insert(path, Module { file: shown(file), code, uses });
    }

    /// Which files each file names something of.
    pub fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (at, module) in &self.modules {
            // What is only handed on isn't used here.
            let used =
                module.uses.iter().filter(|leaf| !leaf.is_public || has_word(&module.code, &leaf.name));
            let mut named: Vec<Vec<String>> = used.map(|leaf| leaf.path.clone()).collect();
            named.extend(paths_in(&module.code));
            let files = named.iter().filter_map(|path| self.resolve(at, path, 0));
            // A child may use what the modules around it define.
            let others = files.filter(|file| !self.is_around(file, at)).map(str::to_owned);
            imports.entry(module.file.clone()).or_default().extend(others);
        }
        imports
    }

    /// Whether it is the file of this module or of one around it.
    fn is_around(&self, file: &str, module: &[String]) -> bool {
        (0..=module.len())
            .any(|depth| self.modules.get(&module[..depth]).is_some_and(|around| around.file == file))
    }

    /// The file that defines what the path names, seen from this module.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<&str> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), path.get(1..)?),
            "self" => (from.to_vec(), path.get(1..)?),
            "super" => (from.split_last()?.1.to_vec(), path.get(1..)?),
            _ => (from.to_vec(), path),
        };
        while rest.first().is_some_and(|name| name == "super") {
            (at, rest) = (at.split_last()?.1.to_vec(), rest.get(1..)?);
        }
        let is_absolute = matches!(path.first()?.as_str(), "crate" | "self" | "super");
        let mut is_inside = is_absolute;
        while let Some(name) = rest.first() {
            let child = [at.clone(), vec![name.clone()]].concat();
            if !self.modules.contains_key(&child) {
                break;
            }
            (at, rest, is_inside) = (child, rest.get(1..)?, true);
        }
        let module = self.modules.get(&at)?;
        let Some(name) = rest.first() else { return Some(&module.file) };
        if depth > 8 {
            return None;
        }
        // What a module imports it hands on to its children, and with `pub` to others.
        for leaf in &module.uses {
            let is_named = leaf.name == *name || (leaf.name == "*" && !self.defines(module, name));
            let target = [&leaf.path[..], if leaf.name == "*" { &rest[..1] } else { &rest[1..] }].concat();
            if is_named && leaf.path != path {
                if leaf.name == "*" && !self.glob_has(&at, leaf, name) {
                    continue;
                }
                if let Some(file) = self.resolve(&at, &target, depth + 1) {
                    return Some(file);
                }
                if leaf.name != "*" {
                    return None;
                }
            }
        }
        is_inside.then_some(&module.file)
    }

    fn glob_has(&self, at: &[String], leaf: &Use, name: &str) -> bool {
        let file = self.resolve(at, &leaf.path, 1);
        self.modules.values().any(|module| Some(module.file.as_str()) == file && self.defines(module, name))
    }

    fn defines(&self, module: &Module, name: &str) -> bool {
        let kinds = ["struct", "enum", "trait", "fn", "type", "const", "static", "mod", "union"];
        kinds.iter().any(|kind| has_word(&module.code, &format!("{kind} {name}")))
            || module.uses.iter().any(|leaf| leaf.name == name)
    }
}

fn has_word(code: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    code.match_indices(word).any(|(place, found)| {
        let (before, after) = (code[..place].chars().next_back(), code[place + found.len()..].chars().next());
        !is_part(before) && !is_part(after)
    })
}

fn declared_modules(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let name = |line: &&str| {
        let name = line.strip_suffix(';')?.rsplit_once("mod ")?;
        let is_mod = name.0.is_empty() || name.0.starts_with("pub");
        is_mod.then(|| name.1.to_owned())
    };
    lines.iter().filter_map(name).collect()
}

/// The `use` items, each with whether it is public, and everything else.
fn split_uses(text: &str) -> (Vec<(bool, String)>, String) {
    let (mut uses, mut code) = (Vec::new(), String::new());
    let mut item: Option<(bool, String)> = None;
    for line in text.lines().map(str::trim) {
        let begun = line.strip_prefix("use ").map(|rest| (false, rest)).or_else(|| {
            let (visibility, rest) = line.split_once(" use ").or_else(|| line.split_once(")use "))?;
            let is_visibility =
                visibility == "pub" || visibility.starts_with("pub(") && !visibility.contains(' ');
            is_visibility.then_some((true, rest))
        });
        match (&mut item, begun) {
            (Some((_, open)), _) => open.push_str(line),
            (None, Some((is_public, rest))) => item = Some((is_public, rest.to_owned())),
            (None, None) => code = code + line + "\n",
        }
        if item.as_ref().is_some_and(|(_, open)| open.ends_with(';')) {
            uses.extend(item.take());
        }
    }
    (uses, code)
}

/// `a::{b, c::d as e}` as its leaves.
fn leaves(item: &str, is_public: bool) -> Vec<Use> {
    let item = item.trim().trim_end_matches(';');
    let Some((prefix, group)) = item.split_once('{') else {
        let (path, alias) = item.split_once(" as ").map_or((item, None), |(path, alias)| (path, Some(alias)));
        let mut path: Vec<String> = path.split("::").map(str::to_owned).collect();
        let is_all = path.pop_if(|last| last == "*").is_some();
        path.pop_if(|last| last == "self");
        let name = if is_all { "*" } else { path.last().map_or("", String::as_str) };
        return vec![Use { name: alias.unwrap_or(name).to_owned(), path, is_public }];
    };
    let group = group.strip_suffix('}').unwrap_or(group);
    let mut depth = 0;
    let parts = group.split(|character| {
        depth += i32::from(character == '{') - i32::from(character == '}');
        character == ',' && depth == 0
    });
    let parts: Vec<&str> = parts.map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.into_iter().flat_map(|part| leaves(&format!("{prefix}{part}"), is_public)).collect()
}

/// Every `a::b` of the code.
fn paths_in(code: &str) -> Vec<Vec<String>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.split(|c: char| !is_part(c))
        .map(|word| word.trim_matches(':'))
        .filter(|word| word.contains("::"))
        .map(|word| word.split("::").map(str::to_owned).collect())
        .collect()
}
