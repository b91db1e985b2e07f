//! The compiled frontend as several files: what the first rows need, and the pieces that are fetched later. And the
//! JavaScript that starts it, for the page and for the elements.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::{Options, transform};

use crate::assets::{Assets, FOLDER};
use crate::compact::compact;
use crate::glue;
use crate::html::{self, Program, Start};
use crate::sheets;

// Modules of the frontend's own that the glue imports.
const FILES: &str = "files.js";
const KEY: &str = "key.js";
const GREETING: &str = "greeting.js";
/// The elements' start of the program.
const PROGRAM: &str = "program.js";

/// What loads the pieces. The wasm names it as well, so it keeps this name in there.
const LINK: &str = "link.js";

/// How the link module logs what couldn't be fetched.
const LOGGING: &str = "console.error(e);";

const GLUE: &str = "frontend.js";

/// How the program's code is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// With the names of its functions.
    Named,
    /// As it was linked.
    Plain,
    /// As users get it.
    Compact,
}

/// The files of the program and how the page begins it.
pub(crate) fn write(wasm: &Path, root: &Path, code: Code, assets: &mut Assets) -> Result<Start> {
    let folder = tempfile::tempdir().context("create a folder for the program")?;
    let folder = folder.path();
    let input = fs::read(wasm).with_context(|| format!("read {}", wasm.display()))?;
    let main = folder.join("main.wasm");
    let mut options = Options::new(&input);
    options.output_dir = folder;
    options.main_out_path = &main;
    let (link_name, main_module) = (format!("./{LINK}"), format!("./{GLUE}"));
    options.link_name = &link_name;
    options.main_module = &main_module;
    let split = transform(options).map_err(|error| anyhow!("split {}: {error:#}", wasm.display()))?;
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(&main)
        .out_name("frontend")
        .web(true)?
        .typescript(false)
        .omit_default_module_path(true)
        // The pieces use the main file's functions by these names.
        .keep_lld_exports(true)
        .demangle(false)
        // They add two thirds to its size, and only a profile needs them.
        .remove_name_section(code != Code::Named)
        .remove_producers_section(true)
        .generate(folder)
        .with_context(|| format!("write the JavaScript for {}", wasm.display()))?;
    let read = |name: &str| fs::read(folder.join(name)).with_context(|| format!("there is no {name}"));
    let text = |name: &str| String::from_utf8(read(name)?).with_context(|| format!("{name} isn't text"));

    let module = read("frontend_bg.wasm")?;
    let served = |module: Vec<u8>| if code == Code::Compact { compact(&module) } else { Ok(module) };
    let module = assets.add("frontend.wasm", served(module)?)?;
    // The page says itself what couldn't be fetched.
    let mut link = text(LINK)?;
    ensure!(link.contains(LOGGING), "{LINK} no longer logs as it did");
    link = link.replace(LOGGING, "");
    let mut pieces: Vec<_> = split.split_modules;
    pieces.sort();
    for path in pieces {
        let name = path.file_name().and_then(|name| name.to_str()).context("a piece has no name")?;
        let piece = assets.add(name, served(read(name)?)?)?;
        ensure!(link.contains(&format!("\"./{name}\"")), "{LINK} doesn't load {name}");
        link = link.replace(&format!("\"./{name}\""), &format!("\"./{piece}\""));
    }
    let own = |name: &str| {
        fs::read_to_string(root.join("frontend").join(name)).with_context(|| format!("read frontend/{name}"))
    };
    let files =
        sheets::naming(&own(FILES)?, root, assets)?.replace("./frontend.wasm", &format!("./{module}"));
    let files = assets.add(FILES, files.into_bytes())?;
    let key = assets.add(KEY, own(KEY)?.into_bytes())?;
    let greeting = assets.add(GREETING, naming(&own(GREETING)?, KEY, &key)?.into_bytes())?;
    let mut glue = text(GLUE)?;
    for (name, hashed) in [(FILES, &files), (KEY, &key), (GREETING, &greeting)] {
        glue = naming(&glue, &own_snippet(&folder.join("snippets"), name)?, hashed)?;
    }
    let link = assets.add(LINK, glue::link_function(&link, GLUE)?.into_bytes())?;
    let glue = naming(&glue::create_function(&glue, LINK)?, LINK, &link)?;
    let glue = assets.add(GLUE, glue.into_bytes())?;
    let elements = naming_assets(&own(PROGRAM)?, &[("frontend.wasm", &module), (GLUE, &glue)])?;
    assets.named(PROGRAM, elements);
    let stopped = root.join("frontend/stopped.js");
    let stopped = fs::read(&stopped).with_context(|| format!("read {}", stopped.display()))?;
    let stopped = assets.add("stopped.js", stopped)?;
    let program = Program { stopped, key, greeting, glue, link, module };
    let script = assets.add("start.js", html::start_module(&program).into_bytes())?;
    Ok(Start { script, program })
}

/// The path by which the glue imports a module of the frontend's own. JavaScript of a dependency is refused, because
/// it was never reviewed.
fn own_snippet(folder: &Path, module: &str) -> Result<String> {
    let names: Vec<String> = fs::read_dir(folder)
        .with_context(|| format!("the program imports no frontend/{module}"))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    match names.as_slice() {
        [own] if own.starts_with("frontend-") => Ok(format!("snippets/{own}/{module}")),
        _ => bail!("a dependency brings JavaScript of its own (wasm-bindgen snippets {names:?})"),
    }
}

/// A module with the hashed name of another that it imports. The wasm's own names of imports stay.
pub(crate) fn naming(module: &str, imported: &str, hashed: &str) -> Result<String> {
    let named = module.replace(&format!("from \"./{imported}\""), &format!("from \"./{hashed}\""));
    let named = named.replace(&format!("from './{imported}'"), &format!("from './{hashed}'"));
    if named == module {
        bail!("nothing imports ./{imported}");
    }
    Ok(named)
}

/// A module beside the folder of assets, with the hashed names of those that it loads.
fn naming_assets(module: &str, names: &[(&str, &String)]) -> Result<String> {
    let mut module = module.to_owned();
    for (name, hashed) in names {
        let plain = format!("\"./{FOLDER}/{name}\"");
        ensure!(module.contains(&plain), "{PROGRAM} doesn't load {name}");
        module = module.replace(&plain, &format!("\"./{FOLDER}/{hashed}\""));
    }
    Ok(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_imports_nothing_is_refused() {
        assert_eq!(naming("import a from './x.js';", "x.js", "x-1.js").unwrap(), "import a from './x-1.js';");
        assert!(naming("import a from './y.js';", "x.js", "x-1.js").is_err());
    }
}
