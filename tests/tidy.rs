//! The rules of the house that no compiler holds: module walls, file headers, words that may not
//! stand in the source. Reads the tree as text; never builds or runs anything.

use std::fs;
use std::path::{Path, PathBuf};

/// In the folder (or file), none of the words may stand outside comments and tests.
struct Wall {
    room: &'static str,
    never: &'static [&'static str],
    why: &'static str,
}

const BROWSER: [&str; 4] = ["web_sys", "leptos", "wasm_bindgen", "gloo_net"];
const IMPURE: [&str; 9] = [
    "tokio::",
    "std::net",
    "std::fs",
    "SystemTime",
    "Instant::now",
    "getrandom",
    "rand::",
    "async fn",
    ".await",
];

const WALLS: [Wall; 14] = [
    Wall { room: "shared/src", never: &IMPURE, why: "the contract is pure" },
    Wall {
        room: "shared/src",
        never: &["kube::", "axum", "k8s_openapi"],
        why: "the contract knows no stack",
    },
    Wall { room: "shared/src", never: &BROWSER, why: "the contract knows no browser" },
    Wall { room: "replica/src", never: &IMPURE, why: "the replica is pure: time and chance are arguments" },
    Wall { room: "replica/src", never: &BROWSER, why: "the replica is tested natively and serves tail too" },
    Wall { room: "page/src", never: &IMPURE, why: "the page is pure: time and chance are arguments" },
    Wall { room: "page/src", never: &BROWSER, why: "the page is tested natively" },
    Wall { room: "gateway/src/hub", never: &IMPURE, why: "the hub is pure" },
    Wall {
        room: "gateway/src/hub",
        never: &["kube::", "axum", "crate::session", "crate::http", "crate::cluster"],
        why: "the hub knows the feed's types and nothing after it",
    },
    Wall {
        room: "gateway/src/cluster",
        never: &["crate::hub", "crate::session", "crate::http", "crate::feed"],
        why: "data flows to the right",
    },
    Wall {
        room: "gateway/src/feed",
        never: &["crate::hub", "crate::session", "crate::http"],
        why: "data flows to the right",
    },
    Wall {
        room: "gateway/src/session",
        never: &["kube::", "crate::http"],
        why: "a session knows its socket alone",
    },
    Wall {
        room: "gateway/src/http",
        never: &["kube::", "crate::hub"],
        why: "http knows sessions, not objects",
    },
    Wall {
        room: "frontend/src/views",
        never: &["WebSocket", "unchecked_into", "dyn_into", "JsCast", "crate::link"],
        why: "views show signals; the socket and the casts stand elsewhere",
    },
];

/// The machine is pure; its driver and the exchange of requests are the rim.
const FEED_RIM: [&str; 2] = ["driver", "exchange"];

#[test]
fn every_module_keeps_to_its_side_of_the_wall() {
    let mut broken = Vec::new();
    for wall in &WALLS {
        for file in sources(&root().join(wall.room)) {
            for (number, line) in product_lines(&file) {
                for word in wall.never.iter().filter(|word| line.contains(**word)) {
                    broken.push(format!("{}:{number}: {word:?} ({})", shown(&file), wall.why));
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn the_feed_is_pure_apart_from_its_driver() {
    let mut broken = Vec::new();
    for file in sources(&root().join("gateway/src/feed")) {
        if FEED_RIM.iter().any(|rim| shown(&file).contains(rim)) {
            continue;
        }
        for (number, line) in product_lines(&file) {
            for word in IMPURE.iter().chain(&["kube::", "axum"]).filter(|word| line.contains(**word)) {
                broken.push(format!("{}:{number}: {word:?}", shown(&file)));
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn the_servers_side_never_uses_the_replica_or_the_page() {
    let broken: Vec<String> = sources(&root().join("gateway/src"))
        .into_iter()
        .filter(|file| !shown(file).starts_with("gateway/src/tail"))
        .filter(|file| {
            product_lines(file).iter().any(|(_, line)| line.contains("replica::") || line.contains("page::"))
        })
        .map(|file| shown(&file))
        .collect();
    assert!(broken.is_empty(), "only tail is a viewer: {broken:?}");
}

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    let missing: Vec<String> = all_sources()
        .into_iter()
        .filter(|file| {
            let text = read(file);
            text.strip_prefix("//! ")
                .and_then(|rest| rest.lines().next())
                .is_none_or(|line| line.trim().len() < 10)
        })
        .map(|file| shown(&file))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn no_source_file_is_longer_than_one_idea() {
    const LINES_MAX: usize = 400;
    let long: Vec<String> = all_sources()
        .into_iter()
        .filter(|file| read(file).lines().count() > LINES_MAX)
        .map(|file| format!("{} ({} lines)", shown(&file), read(&file).lines().count()))
        .collect();
    assert!(long.is_empty(), "which idea is missing? {long:#?}");
}

#[test]
fn the_page_is_written_in_builder_syntax_and_as_text() {
    let mut broken = Vec::new();
    for file in sources(&root().join("frontend/src")) {
        for (number, line) in product_lines(&file) {
            // The macro turns literal markup into innerHTML, which Trusted Types forbid.
            for word in ["view!", "inner_html", "set_inner_html", "innerHTML"] {
                if line.contains(word) {
                    broken.push(format!("{}:{number}: {word}", shown(&file)));
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn no_test_is_ignored_or_waits_for_time() {
    let mut broken = Vec::new();
    for file in all_sources() {
        if shown(&file) == "tests/tidy.rs" {
            continue;
        }
        let is_test_file =
            ["tests/", "/tests/", "/tests.rs", "_test.rs"].iter().any(|part| shown(&file).contains(part));
        let mut in_tests = is_test_file;
        for (number, line) in read(&file).lines().enumerate() {
            in_tests = in_tests || line.contains("#[cfg(test)]");
            let ignored = line.contains("#[ignore");
            let sleeps = in_tests && (line.contains("thread::sleep(") || line.contains("time::sleep("));
            // A poll of an outside process has its pause in one named place.
            if ignored || (sleeps && !line.contains("ASK_AGAIN")) {
                broken.push(format!("{}:{}: {}", shown(&file), number + 1, line.trim()));
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn every_test_that_the_security_table_names_exists() {
    let table = read(&root().join("SECURITY.md"));
    let mut missing = Vec::new();
    for row in table.lines().filter(|line| line.starts_with("| R-")) {
        let shown_by = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
        for group in shown_by.split("; ") {
            let quoted = group.split('`').skip(1).step_by(2);
            let (places, names): (Vec<&str>, Vec<&str>) = quoted.partition(|word| word.contains('/'));
            let text_of = |place: &&str| {
                let path = root().join(place);
                let files = if path.is_file() { vec![path] } else { sources(&path) };
                files.iter().map(|file| read(file)).collect::<String>()
            };
            let texts: Vec<String> = places.iter().map(text_of).collect();
            let is_in = |name: &str, text: &String| match name.strip_suffix('…') {
                Some(beginning) => text.contains(&format!("fn {beginning}")),
                None => text.contains(&format!("fn {name}(")),
            };
            let nowhere = names.iter().filter(|name| !texts.iter().any(|text| is_in(name, text)));
            missing.extend(nowhere.map(|name| format!("{name} in {group}")));
            let holds = |text: &String| {
                !text.is_empty() && (names.is_empty() || names.iter().any(|name| is_in(name, text)))
            };
            let without = places.iter().zip(&texts).filter(|(_, text)| !holds(text));
            missing.extend(without.map(|(place, _)| format!("{place} in {group}")));
            if places.is_empty() {
                missing.push(format!("a place in {group}"));
            }
        }
    }
    assert!(table.contains("| R-") && missing.is_empty(), "\n{}", missing.join("\n"));
}

#[test]
fn the_map_names_every_folder() {
    let map = read(&root().join("ARCHITECTURE.md"));
    let listed = |name: &str| map.contains(&format!("{name}/"));
    let missing: Vec<String> = fs::read_dir(root())
        .expect("the root can be read")
        .filter_map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().to_string_lossy().into_owned();
            let built = ["target", "dist", "node_modules"].contains(&name.as_str());
            (entry.path().is_dir() && !name.starts_with('.') && !built && !listed(&name)).then_some(name)
        })
        .collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md doesn't name {missing:?}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).to_string_lossy().into_owned()
}

fn all_sources() -> Vec<PathBuf> {
    ["shared", "gateway", "page", "playground", "replica", "frontend", "tests", "xtask"]
        .iter()
        .flat_map(|member| sources(&root().join(member)))
        .collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() && entry.file_name() != "target" {
                left.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Numbered lines without comments, up to the file's tests.
fn product_lines(file: &Path) -> Vec<(usize, String)> {
    if file.file_name().is_some_and(|name| name == "tests.rs") || shown(file).contains("/tests/") {
        return Vec::new();
    }
    read(file)
        .lines()
        .take_while(|line| !line.trim_start().starts_with("#[cfg(test)]"))
        .map(|line| line.split("//").next().unwrap_or_default().to_owned())
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .collect()
}
