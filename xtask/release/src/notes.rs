//! The notes of a release: its section of the changelog.

use anyhow::{Context, Result};

/// The section of this version, whose links lead to the files of this commit.
pub(crate) fn of(changelog: &str, version: &str, commit: &str) -> Result<String> {
    let is_title = |line: &str| line.split([' ', ',']).next() == Some(version);
    let mut sections = changelog.split("\n## ").skip(1);
    let section = sections.find(|section| section.lines().next().is_some_and(is_title));
    let section = section.with_context(|| {
        format!("CHANGELOG.md has no section `## {version}`; call the section of this release so")
    })?;
    let text = section.split_once('\n').map_or("", |(_, text)| text).trim();
    Ok(format!("# Dogwatch {version}\n\n{}\n", absolute(text, commit)))
}

/// The chart's own page, whose links out of its folder lead to the files of this commit.
pub(crate) fn of_chart(readme: &str, commit: &str) -> String {
    readme.replace("](../../", &format!("]({}/blob/{commit}/", env!("CARGO_PKG_REPOSITORY")))
}

/// A link to a file of the source leads nowhere from a folder of notes.
fn absolute(text: &str, commit: &str) -> String {
    const LINK: &str = "](";
    let mut parts = text.split(LINK);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        whole += LINK;
        let target = part.split(')').next().unwrap_or_default();
        if !target.starts_with('#') && !target.contains("://") {
            whole += &format!("{}/blob/{commit}/", env!("CARGO_PKG_REPOSITORY"));
        }
        whole += part;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_of_the_version_is_cut_out_of_the_changelog() {
        let changelog = "# Changelog\n\n## 0.2.0, 2026-12-01\n### New\n- a\n\n## 0.1.0\n- b\n";
        let of = |version| of(changelog, version, "0123");
        assert_eq!(of("0.2.0").expect("there"), "# Dogwatch 0.2.0\n\n### New\n- a\n");
        assert_eq!(of("0.1.0").expect("there"), "# Dogwatch 0.1.0\n\n- b\n");
        assert_eq!(
            of("0.3.0").expect_err("not there").to_string(),
            "CHANGELOG.md has no section `## 0.3.0`; call the section of this release so"
        );
    }

    #[test]
    fn links_into_the_source_lead_to_the_commit() {
        let changelog = "## a\n\n## 1.0.0\n[A](docs/A.md#b), [B](https://example.org/b), [C](#c).\n";
        let notes = of(changelog, "1.0.0", "0123").expect("there");
        let expected = "[A](https://github.com/dogwatch/dogwatch/blob/0123/docs/A.md#b), \
                        [B](https://example.org/b), [C](#c).";
        assert_eq!(notes, format!("# Dogwatch 1.0.0\n\n{expected}\n"));
    }

    #[test]
    fn links_out_of_the_chart_lead_to_the_commit() {
        let page = of_chart("[A](../../docs/A.md#b), [B](VALUES.md), [C](#c)", "0123");
        let expected =
            "[A](https://github.com/dogwatch/dogwatch/blob/0123/docs/A.md#b), [B](VALUES.md), [C](#c)";
        assert_eq!(page, expected);
    }
}
