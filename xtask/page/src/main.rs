//! Turns the compiled frontend and `index.html` into `dist/`: what the gateway carries and serves.
//!
//! `xtask-page WASM ROOT OUT PACKAGE [--sizes | --names | --plain]` reads the wasm file and `ROOT/index.html`. It prints the
//! sizes in brotli by part (`--sizes`), keeps the names of the functions and prints their sizes by crate (`--names`), or takes
//! no time to make the program small (`--plain`), and writes
//!
//! ```text
//! OUT/index.html
//! OUT/missing.js: loads the page again when files of it are missing
//! OUT/open.html: where a printed link leads
//! OUT/element.js, OUT/program.js: the elements for other people's pages, and the program that they start
//! OUT/embed.html: one of them for a frame
//! OUT/assets/NAME-HASH.{js,wasm,css,svg,…}
//! PACKAGE/: the npm package, with the program in it
//! ```
//!
//! In `index.html` an element with the attribute `data-dogwatch` and an `href` names a file of the
//! clone (from the root): it is copied under its hashed name, and the `href` follows. The start of
//! the program, which is split into several files, goes before `</head>` by itself. Comments are left out. Every URL to an asset begins
//! with `"/assets/`, and the head with `<head>`: a gateway below a base path writes its path there.
//!
//! Nothing is inline, for the page's CSP allows no inline script or style; nothing is downloaded;
//! and `dist/` isn't touched when nothing changed, so that the gateway isn't built again for it.

mod assets;
mod compact;
mod glue;
mod html;
mod package;
mod program;
mod script;
mod sheets;
mod sizes;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::assets::Assets;
use crate::program::Code;

fn main() -> ExitCode {
    match write_page() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn write_page() -> Result<()> {
    let mut arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let mut has = |option: &str| arguments.pop_if(|last| last.as_os_str() == option).is_some();
    let (says_sizes, keeps_names, is_plain) = (has("--sizes"), has("--names"), has("--plain"));
    let [wasm, root, out, package] = arguments.as_slice() else {
        bail!("usage: xtask-page WASM ROOT OUT PACKAGE [--sizes | --names | --plain]");
    };
    let mut assets = Assets::default();
    let code = match (keeps_names, is_plain) {
        (true, _) => Code::Named,
        (false, true) => Code::Plain,
        (false, false) => Code::Compact,
    };
    let start = program::write(wasm, root, code, &mut assets)?;
    let index = root.join("index.html");
    let text = fs::read_to_string(&index).with_context(|| format!("read {}", index.display()))?;
    let page = html::page(&text, &start.elements(), |path| assets.add_file(root, path))
        .with_context(|| format!("in {}", index.display()))?;
    assets.named("index.html", page);
    let missing = fs::read_to_string(root.join("frontend/missing.js")).context("read frontend/missing.js")?;
    assets.named("missing.js", missing);
    let script = fs::read_to_string(root.join("frontend/open.js")).context("read frontend/open.js")?;
    small_page(root, "open", &program::naming(&script, "key.js", &start.program.key)?, &mut assets)?;
    let element = root.join("element/dogwatch.js");
    let element = fs::read_to_string(&element).with_context(|| format!("read {}", element.display()))?;
    assets.named("element.js", script::bare(&element).context("in element/dogwatch.js")?);
    let script = fs::read_to_string(root.join("frontend/embed.js")).context("read frontend/embed.js")?;
    small_page(root, "embed", &script, &mut assets)?;
    assets.write(out)?;
    package::write(&assets, root, package)?;
    println!("{}", assets.summary(out));
    if keeps_names {
        println!("{}", sizes::by_crate(&assets)?);
    }
    if says_sizes {
        println!("{}", sizes::table(&assets)?);
    }
    Ok(())
}

/// `frontend/NAME.html`, which has a script of its own in place of the program.
fn small_page(root: &Path, name: &str, script: &str, assets: &mut Assets) -> Result<()> {
    let path = root.join(format!("frontend/{name}.html"));
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let script = assets.add(&format!("{name}.js"), script.as_bytes().to_vec())?;
    let page = html::page(&text, &html::module_element(&script), |path| assets.add_file(root, path))
        .with_context(|| format!("in {}", path.display()))?;
    assets.named(&format!("{name}.html"), page);
    Ok(())
}
