//! One version: what is published together says the same one.

use crate::tree::{read, root};

/// A file, and what stands before the version in it.
const SAYS: [(&str, &str); 8] = [
    ("element/package.json", "\n  \"version\": \""),
    ("element/dogwatch.js", "\nexport const version = \""),
    ("deploy/chart/Chart.yaml", "\nversion: "),
    ("deploy/chart/Chart.yaml", "\nappVersion: \""),
    ("deploy/chart/README.md", "oci:target/image:"),
    ("README.md", "tar -xzf dogwatch-"),
    ("docs/INSTALL.md", "\nversion="),
    // The section that the next release cuts out is the first one.
    ("CHANGELOG.md", "\n## "),
];

/// Digits and dots behind the first place of these words.
fn version_behind<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(words)?;
    rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()
}

#[test]
fn everything_that_is_published_says_the_version_of_the_workspace() {
    let manifest = read(&root().join("Cargo.toml"));
    let version = version_behind(&manifest, "[workspace.package]\nversion = \"").expect("a version");
    assert_eq!(version.split('.').count(), 3, "{version}");
    for (file, words) in SAYS {
        let text = read(&root().join(file));
        assert_eq!(version_behind(&text, words), Some(version), "{file}, behind {words:?}");
    }
    let lock = read(&root().join("Cargo.lock"));
    assert_eq!(version_behind(&lock, "name = \"dogwatch\"\nversion = \""), Some(version), "Cargo.lock");
}
