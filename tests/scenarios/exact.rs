//! `dogwatch tail` prints what `kubectl get` prints, cell for cell and in order, for every kind of cell, on a
//! real kube-apiserver.

use anyhow::Result;
use testkit::contents::KINDS;
use testkit::dogwatch::Dogwatch;
use testkit::kubectl_table::Table;
use testkit::planes;

#[test]
fn tail_prints_what_kubectl_prints() -> Result<()> {
    let plane = planes::filled()?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let mut differences = Vec::new();
    for kind in KINDS {
        let theirs = Table::parse(&plane.kubectl_output(&["get", kind, "-A", "-o", "wide"])?);
        let output = dogwatch.tail(&[kind, "-A", "-o", "wide", "--once"])?;
        let ours = String::from_utf8(output.stdout)?;
        if !output.status.success() {
            differences.push(format!("{kind}: {}", String::from_utf8_lossy(&output.stderr)));
        } else if let Err(difference) = Table::parse(&ours).compare(&theirs) {
            differences.push(format!("{kind}:\n{difference}"));
        }
    }
    assert!(differences.is_empty(), "tail and kubectl differ\n{}", differences.join("\n"));
    Ok(())
}
