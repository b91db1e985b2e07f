//! Turns the compiled frontend and `index.html` into `dist/`: what the gateway carries and serves.
//!
//! `xtask-page WASM ROOT OUT [--names]` reads the wasm file and `ROOT/index.html` and writes
//!
//! ```text
//! OUT/index.html
//! OUT/open.html: where a printed link leads
//! OUT/element.js, OUT/embed.html: the live table for other people's pages, and such a page
//! OUT/assets/NAME-HASH.{js,wasm,css,svg,…}
//! ```
//!
//! In `index.html` an element with the attribute `data-dogwatch` and an `href` names a file of the
//! clone (from the root): it is copied under its hashed name, and the `href` follows. The start of
//! the program goes before `</head>` by itself. Comments are left out. Every URL to an asset begins
//! with `"/assets/`, and the head with `<head>`: a gateway below a base path writes its path there.
//!
//! Nothing is inline, for the page's CSP allows no inline script or style; nothing is downloaded;
//! and `dist/` isn't touched when nothing changed, so that the gateway isn't built again for it.

mod assets;
mod html;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::assets::Assets;

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
    let keeps_names = arguments.pop_if(|last| last.as_os_str() == "--names").is_some();
    let [wasm, root, out] = arguments.as_slice() else {
        bail!("usage: xtask-page WASM ROOT OUT [--names]");
    };
    let mut assets = Assets::default();
    let start = program(wasm, root, keeps_names, &mut assets)?;
    let index = root.join("index.html");
    let text = fs::read_to_string(&index).with_context(|| format!("read {}", index.display()))?;
    let page = html::page(&text, Some(&start.elements()), |path| assets.add_file(root, path))
        .with_context(|| format!("in {}", index.display()))?;
    assets.named("index.html", page);
    let open = root.join("frontend/open.html");
    let text = fs::read_to_string(&open).with_context(|| format!("read {}", open.display()))?;
    let script = fs::read_to_string(root.join("frontend/open.js")).context("read frontend/open.js")?;
    let script = assets.add("open.js", naming(&script, "key.js", &start.program.key)?.into_bytes())?;
    let page = html::page(&text, Some(&html::module_element(&script)), |path| assets.add_file(root, path))
        .with_context(|| format!("in {}", open.display()))?;
    assets.named("open.html", page);
    let class = root.join("frontend/element.js");
    let class = fs::read_to_string(&class).with_context(|| format!("read {}", class.display()))?;
    assets.named("element.js", html::element_module(&start, &class));
    let embed = root.join("frontend/embed.html");
    let text = fs::read_to_string(&embed).with_context(|| format!("read {}", embed.display()))?;
    let page = html::page(&text, None, |path| assets.add_file(root, path))
        .with_context(|| format!("in {}", embed.display()))?;
    assets.named("embed.html", page);
    assets.write(out)?;
    println!("{}", assets.summary(out));
    Ok(())
}

/// The files of the program and how the page begins it.
fn program(wasm: &Path, root: &Path, keeps_names: bool, assets: &mut Assets) -> Result<html::Start> {
    let folder = tempfile::tempdir().context("create a folder for the glue")?;
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(wasm)
        .out_name("frontend")
        .web(true)?
        .typescript(false)
        .omit_default_module_path(true)
        // They add two thirds to its size, and only a profile needs them.
        .remove_name_section(!keeps_names)
        .remove_producers_section(true)
        .generate(folder.path())
        .with_context(|| format!("write the JavaScript for {}", wasm.display()))?;
    let key = own_snippet(&folder.path().join("snippets"))?;
    let read = |name: &str| {
        fs::read(folder.path().join(name)).with_context(|| format!("wasm-bindgen wrote no {name}"))
    };
    let module = assets.add("frontend.wasm", read("frontend_bg.wasm")?)?;
    let script = fs::read(root.join("frontend/key.js")).context("read frontend/key.js")?;
    let (imported, key) = (key, assets.add("key.js", script)?);
    let glue = String::from_utf8(read("frontend.js")?).context("the glue isn't text")?;
    let glue = assets.add("frontend.js", naming(&glue, &imported, &key)?.into_bytes())?;
    let stopped = root.join("frontend/stopped.js");
    let stopped = fs::read(&stopped).with_context(|| format!("read {}", stopped.display()))?;
    let stopped = assets.add("stopped.js", stopped)?;
    let program = html::Program { stopped, key, glue, module };
    let script = assets.add("start.js", html::start_module(&program).into_bytes())?;
    Ok(html::Start { script, program })
}

/// The path by which the glue imports `frontend/key.js`. JavaScript of a dependency is refused: nobody reviewed it.
fn own_snippet(folder: &Path) -> Result<String> {
    let names: Vec<String> = fs::read_dir(folder)
        .context("the program imports no frontend/key.js")?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    match names.as_slice() {
        [own] if own.starts_with("frontend-") => Ok(format!("snippets/{own}/key.js")),
        _ => bail!("a dependency brings JavaScript of its own (wasm-bindgen snippets {names:?})"),
    }
}

/// A module with the hashed name of another that it imports. The wasm's own names of imports stay.
fn naming(module: &str, imported: &str, hashed: &str) -> Result<String> {
    let named = module.replace(&format!("from \"./{imported}\""), &format!("from \"./{hashed}\""));
    let named = named.replace(&format!("from './{imported}'"), &format!("from './{hashed}'"));
    if named == module {
        bail!("nothing imports ./{imported}");
    }
    Ok(named)
}
