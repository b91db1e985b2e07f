//! `cargo xtask bench NAME` and `cargo xtask chaos`: the programs `bench-NAME` and `chaos` of the tests
//! package, against the gateway that users get.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::build::{self, Page};
use crate::commands::{cargo, succeed};

pub(crate) fn bench(name: Option<&str>, arguments: &[String]) -> Result<()> {
    let names = names()?;
    let known = names.join(", ");
    let Some(name) = name else {
        println!("benches: {known}");
        return Ok(());
    };
    if !names.iter().any(|known| known == name) {
        bail!("there is no bench {name:?}; there are: {known}");
    }
    let is_profiled = arguments.iter().any(|argument| argument.starts_with("--profile"));
    program(&format!("{PREFIX}{name}"), arguments, if is_profiled { Page::Profiled } else { Page::Release })
}

/// `cargo xtask chaos`: every fault on a real control plane.
pub(crate) fn chaos(arguments: &[String]) -> Result<()> {
    program("chaos", arguments, Page::Release)
}

fn program(name: &str, arguments: &[String], page: Page) -> Result<()> {
    let gateway = build::release(page)?;
    let mut run = cargo("run");
    run.args(["--release", "--package=tests", "--bin", name, "--"]);
    succeed(run.args(arguments).env("DOGWATCH_BIN", gateway))
}

fn names() -> Result<Vec<String>> {
    let output =
        cargo("metadata").args(["--no-deps", "--format-version=1"]).output().context("run cargo metadata")?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let list = |value: &Value, key: &str| {
        let list = value.get(key).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let name = |value: &Value| Some(value.get("name")?.as_str()?.to_owned());
    let mut names: Vec<String> = list(&metadata, "packages")
        .iter()
        .filter(|package| name(package).as_deref() == Some("tests"))
        .flat_map(|package| list(package, "targets"))
        .filter_map(|target| Some(name(&target)?.strip_prefix(PREFIX)?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

const PREFIX: &str = "bench-";
