//! Real control planes that all tests of one process share. They end with the process, as every
//! [`ControlPlane`] does.

use std::sync::OnceLock;

use anyhow::{Result, anyhow};
use cluster::{ControlPlane, Options};

use crate::contents;

/// It holds [`contents`] and [`EXTRAS`]; no test writes to it.
pub fn filled() -> Result<&'static ControlPlane> {
    static PLANE: Shared = OnceLock::new();
    once(&PLANE, |plane| {
        contents::fill(plane)?;
        plane.apply(EXTRAS)?;
        plane.kubectl_output(&["wait", "--for=condition=Established", "crd/widgets.example.com"])?;
        plane.apply(WIDGETS).map(drop)
    })
}

/// Each test writes into a namespace of its own; nothing else happens there.
pub fn with_namespace(namespace: &str) -> Result<&'static ControlPlane> {
    static PLANE: Shared = OnceLock::new();
    let plane = once(&PLANE, |_| Ok(()))?;
    plane.kubectl_output(&["create", "namespace", namespace])?;
    Ok(plane)
}

type Shared = OnceLock<Result<ControlPlane, String>>;

fn once(
    shared: &'static Shared,
    fill: impl FnOnce(&ControlPlane) -> Result<()>,
) -> Result<&'static ControlPlane> {
    let start = || {
        let plane = ControlPlane::start(Options::default())?;
        fill(&plane)?;
        anyhow::Ok(plane)
    };
    let started = shared.get_or_init(|| start().map_err(|error| format!("{error:#}")));
    started.as_ref().map_err(|error| anyhow!("{error}"))
}

/// A deployment with a value that is never to be seen, and a kind that can be selected by a field.
const EXTRAS: &str = include_str!("../fixtures/applied.yaml");
const WIDGETS: &str = include_str!("../fixtures/widgets.yaml");
