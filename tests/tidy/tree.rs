//! The source tree as text. It judges nothing.

use std::fs;
use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_owned()
}

pub fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The path from the root.
pub fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).to_string_lossy().into_owned()
}

/// Every Rust file of the workspace.
pub fn all_sources() -> Vec<PathBuf> {
    let members =
        fs::read_dir(root()).expect("the root can be read").map(|entry| entry.expect("an entry").path());
    let is_source = |folder: &PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        folder.is_dir() && !name.starts_with('.') && !["target", "dist", "node_modules"].contains(&&*name)
    };
    members.filter(is_source).flat_map(|folder| sources(&folder)).collect()
}

/// Every file of the workspace, what a build makes aside.
#[cfg(test)]
pub fn all_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![root()];
    while let Some(folder) = left.pop() {
        for path in fs::read_dir(&folder).expect("it can be read").flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // The gate stands in a hidden folder.
            let is_hidden = name.starts_with('.') && name != ".ci";
            if path.is_dir() && !is_hidden && !["target", "dist", "node_modules"].contains(&name.as_str()) {
                left.push(path);
            } else if path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The Rust files of a folder, or the file itself.
pub fn sources(place: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![place.to_owned()];
    while let Some(path) = left.pop() {
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target" && name != "node_modules") {
            left.extend(fs::read_dir(&path).expect("it can be read").flatten().map(|entry| entry.path()));
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Numbered lines without comments and without what is compiled for tests alone.
#[cfg(test)]
pub fn product_lines(file: &Path) -> Vec<(usize, String)> {
    if shown(file).ends_with("tests.rs") || shown(file).contains("/tests/") {
        return Vec::new();
    }
    let mut product = Vec::new();
    // The indentation of an item for tests, up to its last line.
    let mut skipped = None;
    for (index, line) in read(file).lines().enumerate() {
        let indentation = line.len() - line.trim_start().len();
        if line.trim() == "#[cfg(test)]" {
            skipped = Some(indentation);
        } else if skipped == Some(indentation) && (line.ends_with(';') || line.trim() == "}") {
            skipped = None;
        } else if skipped.is_none() {
            product.push((index + 1, line.split("//").next().unwrap_or_default().to_owned()));
        }
    }
    product
}
