//! `cargo xtask bench NAME` and `cargo xtask chaos`: run the programs `bench` and `chaos` of the tests package
//! against a release build of the gateway.

use anyhow::{Result, bail};

use crate::build::{self, Page};
use crate::commands::{cargo, succeed};

pub(crate) fn bench(name: Option<&str>, arguments: &[String]) -> Result<()> {
    let known = BENCHES.join(", ");
    let Some(name) = name else {
        println!("benches: {known}");
        return Ok(());
    };
    if !BENCHES.contains(&name) {
        bail!("there is no bench {name:?}; there are: {known}");
    }
    let is_profiled = arguments.iter().any(|argument| argument.starts_with("--profile"));
    let arguments: Vec<String> = [name.to_owned()].into_iter().chain(arguments.iter().cloned()).collect();
    program("bench", &arguments, if is_profiled { Page::Profiled } else { Page::Release })
}

/// `cargo xtask chaos`: every fault on a real control plane.
pub(crate) fn chaos(arguments: &[String]) -> Result<()> {
    program("chaos", arguments, Page::Release)
}

/// `cargo xtask soak`: no fault, and viewers that come and go.
pub(crate) fn soak(mut arguments: Vec<String>) -> Result<()> {
    arguments.insert(0, "--soak".to_owned());
    chaos(&arguments)
}

fn program(name: &str, arguments: &[String], page: Page) -> Result<()> {
    let gateway = build::release(page)?;
    let mut run = cargo("run");
    run.args(["--release", "--package=tests", "--bin", name, "--"]);
    succeed(run.args(arguments).env("DOGWATCH_BIN", gateway))
}

const BENCHES: [&str; 13] = [
    "capacity", "cells", "clients", "clusters", "logs", "page", "past", "pictures", "rights", "roll",
    "rules", "spine", "viewers",
];
