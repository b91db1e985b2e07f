//! The npm package as it is published: the elements of `element/`, and the program in two forms. In `program/` stand the
//! files as a gateway serves them, for an address of one's own; in `inline/` each is a module, for bundlers.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::assets::{Assets, FOLDER};
use crate::script;

/// No other folder has it.
const ELEMENT: &str = "dogwatch.js";
const DESCRIPTION: &str = "package.json";
/// The one file without an ending.
const LICENSE: &str = "LICENSE";
/// Keeps npm from publishing the folder of the clone, which has no program.
const PRIVATE: &str = "  \"private\": true,\n";

const PROGRAM: &str = "program.js";
const INLINED: &str = "inlined.js";

/// Writes the package, and nothing else, into `out`.
pub(crate) fn write(assets: &Assets, root: &Path, out: &Path) -> Result<()> {
    let element = root.join("element");
    let read = |path: &Path| fs::read(path).with_context(|| format!("read {}", path.display()));
    let description = String::from_utf8(read(&element.join(DESCRIPTION))?)?;
    let mut files = Vec::new();
    for name in published(&description)? {
        let content = read(&element.join(&name))?;
        let content = if name == ELEMENT {
            of_no_gateway(&script::bare(text(&name, &content)?)?)?.into_bytes()
        } else {
            content
        };
        files.push((name, content));
    }
    ensure!(description.contains(PRIVATE), "{DESCRIPTION} could be published without the program");
    files.push((DESCRIPTION.to_owned(), description.replace(PRIVATE, "").into_bytes()));

    let start = assets.get(PROGRAM).context("there is no start of the program for elements")?;
    files.push((format!("program/{PROGRAM}"), start.to_vec()));
    files.push((format!("inline/{PROGRAM}"), inlining(text(PROGRAM, start)?)?.into_bytes()));
    files.push((format!("inline/{INLINED}"), read(&root.join("frontend").join(INLINED))?));
    for name in loaded(assets, start)? {
        let content = assets.get(&format!("{FOLDER}/{name}")).context("a file that is gone")?;
        files.push((format!("program/{FOLDER}/{name}"), content.to_vec()));
        files.push(if name.ends_with(".js") {
            (format!("inline/{name}"), inlining(text(&name, content)?)?.into_bytes())
        } else {
            (format!("inline/{name}.js"), as_module(&name, content)?.into_bytes())
        });
    }
    if out.exists() {
        let is_ours = out.join(ELEMENT).exists() || fs::read_dir(out)?.next().is_none();
        ensure!(is_ours, "{} holds something else than the package", out.display());
        fs::remove_dir_all(out).with_context(|| format!("empty {}", out.display()))?;
    }
    for (name, content) in files {
        let path = out.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        fs::write(&path, content).with_context(|| format!("write {}", path.display()))?;
    }
    Ok(())
}

/// The same file as a gateway's, but for its own address: bundles that aren't modules have none.
fn of_no_gateway(module: &str) -> Result<String> {
    const ADDRESS: &str = "import.meta.url";
    ensure!(module.matches("import.meta").count() == 1, "{ELEMENT} has its address in one place");
    ensure!(module.contains(ADDRESS), "{ELEMENT} doesn't say where it comes from");
    Ok(module.replace(ADDRESS, "\"\""))
}

/// The files of `element/` that the package's description names. What has no ending is a folder of the program, which is
/// written here.
fn published(description: &str) -> Result<Vec<String>> {
    let names = description.split_once("\"files\": [").and_then(|(_, rest)| rest.split_once(']'));
    let (names, _) = names.with_context(|| format!("{DESCRIPTION} names no files"))?;
    let names = names.split(',').map(|name| name.trim().trim_matches('"'));
    Ok(names.filter(|name| name.contains('.') || *name == LICENSE).map(str::to_owned).collect())
}

/// The assets that this module loads, and those that they load.
fn loaded(assets: &Assets, start: &[u8]) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut unread = vec![text(PROGRAM, start)?.to_owned()];
    while let Some(module) = unread.pop() {
        for name in named_in(&module) {
            let content = assets.get(&format!("{FOLDER}/{name}"));
            if let Some(content) = content.filter(|_| names.insert(name.to_owned()))
                && name.ends_with(".js")
            {
                unread.push(text(name, content)?.to_owned());
            }
        }
    }
    ensure!(names.iter().any(|name| name.ends_with(".css")), "the program loads no style sheet: {names:?}");
    Ok(names)
}

/// Names of files that stand in a module as relative addresses.
fn named_in(module: &str) -> impl Iterator<Item = &str> {
    let strings = module.split(['"', '\'']).filter_map(|part| part.strip_prefix("./"));
    strings.map(|path| path.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path))
}

/// The module with each fetch of a file as an import of the module that holds it. All stand in one folder.
fn inlining(module: &str) -> Result<String> {
    let (begin, end) = ("fetch(new URL(\"./", "\", import.meta.url)");
    let module = module.replace(&format!("\"./{FOLDER}/"), "\"./");
    let mut parts = module.split(begin);
    let mut inlined = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(end).context("a fetch of an address that isn't a file's")?;
        inlined += &format!("inlined(() => import(\"./{name}.js\"){rest}");
    }
    if inlined.contains("import.meta") {
        bail!("a module loads a file otherwise than by {begin}…{end}");
    }
    Ok(if inlined == module {
        module
    } else {
        format!("import {{ inlined }} from \"./{INLINED}\";\n{inlined}")
    })
}

/// A file as a module, compressed: its text is then hardly longer than what a server would send of the file.
fn as_module(name: &str, content: &[u8]) -> Result<String> {
    let media_type = match name.rsplit('.').next() {
        Some("wasm") => "application/wasm",
        Some("css") => "text/css",
        _ => bail!("{name} is of no kind that the program loads"),
    };
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(content)?;
    let gzip = STANDARD.encode(gzip.finish()?);
    Ok(format!("export const type = \"{media_type}\";\nexport const gzip = \"{gzip}\";\n"))
}

fn text<'a>(name: &str, content: &'a [u8]) -> Result<&'a str> {
    std::str::from_utf8(content).with_context(|| format!("{name} isn't text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_imports_what_it_fetched_and_what_is_loaded_otherwise_is_refused() {
        let fetching = "const a = fetch(new URL(\"./assets/a-1.wasm\", import.meta.url));\n\
            const b = fetch(new URL(\"./b-2.css\", import.meta.url), { method: \"HEAD\" });\n";
        assert_eq!(
            inlining(fetching).unwrap(),
            "import { inlined } from \"./inlined.js\";\n\
             const a = inlined(() => import(\"./a-1.wasm.js\"));\n\
             const b = inlined(() => import(\"./b-2.css.js\"), { method: \"HEAD\" });\n"
        );
        assert_eq!(inlining("import \"./assets/c.js\";").unwrap(), "import \"./c.js\";");
        for wrong in ["fetch(new URL(`./${a}`, import.meta.url))", "new URL(\"a\", import.meta.url)"] {
            assert!(inlining(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_packages_copy_of_the_elements_knows_no_address_of_its_own() {
        let module = of_no_gateway(include_str!("../../../element/dogwatch.js")).unwrap();
        assert!(module.contains("const MODULE = \"\";") && !module.contains("import.meta"), "{module}");
        assert!(of_no_gateway("const MODULE = import.meta.url + import.meta.url;").is_err());
    }

    #[test]
    fn the_package_has_each_file_that_its_exports_name() {
        let description = include_str!("../../../element/package.json");
        let files = published(description).unwrap();
        let exported = description.split('"').filter_map(|word| word.strip_prefix("./"));
        let exported: Vec<_> = exported
            .filter(|name| name.contains('.') && !name.contains('/') && *name != DESCRIPTION)
            .collect();
        assert!(exported.len() > 8, "{exported:?}");
        for name in exported {
            // `./program.js` is the name of a module of the folder `program`.
            assert!(files.iter().any(|file| file == name) || name == PROGRAM, "{name} isn't published");
        }
        assert!(files.iter().any(|file| file == LICENSE) && !files.iter().any(|file| file == "inline"));
    }

    #[test]
    fn all_that_the_start_loads_is_found_and_nothing_else() {
        let mut assets = Assets::default();
        let sheet = assets.add("view.css", b"a {}".to_vec()).unwrap();
        let glue = assets.add("glue.js", format!("import './{sheet}'").into_bytes()).unwrap();
        assets.add("other.js", Vec::new()).unwrap();
        let start = format!("import(\"./assets/{glue}\"); 'other.js'");
        let names = loaded(&assets, start.as_bytes()).unwrap();
        assert_eq!(names, BTreeSet::from([sheet, glue]));
    }

    #[test]
    fn a_file_becomes_a_module_of_its_compressed_bytes() {
        let module = as_module("a.wasm", b"\0asm").unwrap();
        assert!(
            module.starts_with("export const type = \"application/wasm\";\nexport const gzip = \"H4sI"),
            "{module}"
        );
        assert!(as_module("a.png", b"").is_err());
    }
}
