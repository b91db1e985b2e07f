//! The notes of a release: its section of the changelog.

use anyhow::{Context, Result};

/// The section of this version; of one that is being prepared, what isn't released yet.
pub(crate) fn of(changelog: &str, version: &str) -> Result<String> {
    let section = |title: &str| {
        let is_title = |line: &str| line.split([' ', ',']).next() == Some(title);
        let sections = changelog.split("\n## ").skip(1);
        let section = sections.into_iter().find(|section| section.lines().next().is_some_and(is_title))?;
        let (_, text) = section.split_once('\n')?;
        Some(text.trim())
    };
    let text =
        section(version).or_else(|| section("Unreleased")).context("the changelog has no such section")?;
    Ok(format!("# Dogwatch {version}\n\n{text}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_of_the_version_is_cut_out_of_the_changelog() {
        let changelog =
            "# Changelog\n\n## Unreleased\n- later\n\n## 0.2.0, 2026-12-01\n### New\n- a\n\n## 0.1.0\n- b\n";
        assert_eq!(of(changelog, "0.2.0").expect("there"), "# Dogwatch 0.2.0\n\n### New\n- a\n");
        assert_eq!(of(changelog, "0.1.0").expect("there"), "# Dogwatch 0.1.0\n\n- b\n");
        assert_eq!(of(changelog, "0.3.0").expect("the newest"), "# Dogwatch 0.3.0\n\n- later\n");
        assert!(of("# Changelog\n", "0.1.0").is_err());
    }
}
