//! The style sheets of the shadow roots, each list as one file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::assets::Assets;

/// Every list begins with these. Paths are below `frontend/src/views`.
const FIRST: [&str; 6] =
    ["tokens.css", "base.css", "icons/icons.css", "status/status.css", "pill/pill.css", "view/view.css"];

/// A list under the name by which `frontend/files.js` fetches it. In place of `*` stands the sheet of each folder that
/// has one, in alphabetical order.
const LISTS: [(&str, &[&str]); 2] = [
    (
        "view.css",
        &[
            "filter/filter.css",
            "table/table.css",
            "overlay/overlay.css",
            "states/states.css",
            "export/export.css",
            "change/change.css",
            "log/log.css",
            "columns/columns.css",
            "past/past.css",
            "compare/compare.css",
            "wrong/wrong.css",
            "view/host.css",
        ],
    ),
    (
        "panel.css",
        &["overlay/overlay.css", "change/change.css", "panel/panel.css", "tab/*", "panel/host.css"],
    ),
];

/// Writes the lists, and their hashed names into the module that fetches them.
pub(crate) fn naming(module: &str, root: &Path, assets: &mut Assets) -> Result<String> {
    let mut module = module.to_owned();
    for (name, paths) in LISTS {
        let mut sheet = String::new();
        let views = root.join("frontend/src/views");
        let paths: Result<Vec<Vec<PathBuf>>> =
            FIRST.iter().chain(paths).map(|path| sheets_of(&views, path)).collect();
        for path in paths?.into_iter().flatten() {
            let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
            sheet += &without_comments(&text);
        }
        let hashed = assets.add(name, sheet.into_bytes())?;
        ensure!(module.contains(&format!("./{name}")), "frontend/files.js doesn't fetch {name}");
        module = module.replace(&format!("./{name}"), &format!("./{hashed}"));
    }
    Ok(module)
}

/// The sheets that an entry of a list stands for. That of a folder has its name.
fn sheets_of(views: &Path, entry: &str) -> Result<Vec<PathBuf>> {
    let Some(around) = entry.strip_suffix('*') else { return Ok(vec![views.join(entry)]) };
    let around = views.join(around);
    let mut sheets = Vec::new();
    for folder in fs::read_dir(&around).with_context(|| format!("read {}", around.display()))? {
        let folder = folder?.path();
        let name = folder.file_name().unwrap_or_default();
        sheets.push(folder.join(name).with_extension("css"));
    }
    sheets.retain(|sheet| sheet.is_file());
    sheets.sort();
    Ok(sheets)
}

/// Without comments, indentation and empty lines. No string of ours holds what begins a comment.
fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        kept += before;
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    kept += rest;
    let lines = kept.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tab_of_the_panel_brings_its_sheet() -> Result<()> {
        let views = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../frontend/src/views");
        let names = |sheet: PathBuf| sheet.strip_prefix(&views).map(Path::to_owned);
        let sheets: Result<Vec<PathBuf>, _> = sheets_of(&views, "tab/*")?.into_iter().map(names).collect();
        let sheets = sheets?;
        for sheet in ["tab/timeline/timeline.css", "tab/yaml/yaml.css"].map(PathBuf::from) {
            assert!(sheets.contains(&sheet), "{sheet:?} is not in {sheets:?}");
        }
        Ok(())
    }

    #[test]
    fn comments_and_indentation_are_left_out() {
        let text = "/* one\n   two */\n\na { b: c; } /* d */\n@media x {\n  e { f: g; }\n}\n";
        assert_eq!(without_comments(text), "a { b: c; }\n@media x {\ne { f: g; }\n}\n");
    }
}
