//! Turns the compiled frontend and `index.html` into `dist/`: what the gateway carries and serves.
//!
//! `xtask-page WASM ROOT OUT [--names]` reads the wasm file and `ROOT/index.html` and writes
//!
//! ```text
//! OUT/index.html
//! OUT/element.js, OUT/embed.html: the live table for other people's pages, and such a page
//! OUT/assets/NAME-HASH.{js,wasm,css,svg,…}
//! ```
//!
//! In `index.html` an element with the attribute `data-dogwatch` and an `href` names a file of the
//! clone (from the root): it is copied under its hashed name, and the `href` follows. The start of
//! the program goes before `</head>` by itself. Comments are left out. Every URL to an asset begins
//! with `"/assets/`, so that a gateway under a path prefix can put its prefix there.
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
    let page = html::page(&text, Some(&start), |path| assets.add_file(root, path))
        .with_context(|| format!("in {}", index.display()))?;
    assets.named("index.html", page);
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
    if folder.path().join("snippets").exists() {
        bail!("a dependency brings JavaScript of its own (wasm-bindgen snippets), and nobody reviewed it");
    }
    let read = |name: &str| {
        fs::read(folder.path().join(name)).with_context(|| format!("wasm-bindgen wrote no {name}"))
    };
    let module = assets.add("frontend.wasm", read("frontend_bg.wasm")?)?;
    let glue = assets.add("frontend.js", read("frontend.js")?)?;
    let stopped = root.join("frontend/stopped.js");
    let stopped = fs::read(&stopped).with_context(|| format!("read {}", stopped.display()))?;
    let stopped = assets.add("stopped.js", stopped)?;
    let program = html::Program { stopped, glue, module };
    let script = assets.add("start.js", html::start_module(&program).into_bytes())?;
    Ok(html::Start { script, program })
}
