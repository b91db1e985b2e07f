//! `dogwatch tail` prints what `kubectl get` prints, cell for cell and in order, on a real kube-apiserver: for every kind
//! of cell, for custom columns and labels, and for selectors.

use anyhow::Result;
use testkit::contents::KINDS;
use testkit::dogwatch::Dogwatch;
use testkit::kubectl_table::Table;
use testkit::planes;

/// Paths that both read alike.
const CUSTOM: [(&str, &str); 4] = [
    (
        "pods",
        "NAME:.metadata.name,IMAGE:.spec.containers[*].image,FIRST:{.spec.containers[0].image},\
         READY:.status.conditions[?(@.type==\"Ready\")].status,APP:metadata.labels.app,\
         COUNTS:.status.containerStatuses[*].restartCount,LABELS:.metadata.labels,NONE:.spec.nothing,\
         PRIORITY:.spec.priority,SERVICE:.spec.enableServiceLinks,\
         OTHER:.status.conditions[?(@.type!=\"Ready\")].type,CONTAINERS:.status.containerStatuses[*].ready",
    ),
    (
        "nodes",
        "NAME:.metadata.name,HOST:.metadata.labels.kubernetes\\.io/hostname,ROLE:.metadata.labels['node-role\\.kubernetes\\.io/control-plane']",
    ),
    ("deployments", "NAME:.metadata.name,WANTED:.spec.replicas,ALL:.status.conditions,IMAGES:..image"),
    (
        "customresourcedefinitions",
        "NAME:.metadata.name,VERSIONS:.spec.versions[*].name,SERVED:.spec.versions[*].served",
    ),
];

const SELECTED: [&[&str]; 6] = [
    &["pods", "-L", "app,tier"],
    &["pods", "-L", "app.kubernetes.io/name"],
    &["pods", "-l", "tier in (api)"],
    &["pods", "--field-selector", "status.phase=Pending"],
    &["pods", "-l", "tier in (api)", "--field-selector", "status.phase=Running"],
    &["widgets.example.com", "--field-selector", "spec.color=blue"],
];

#[test]
fn tail_prints_what_kubectl_prints() -> Result<()> {
    let plane = planes::filled()?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let customs = CUSTOM.map(|(kind, columns)| (kind, format!("custom-columns={columns}")));
    let wide = KINDS.iter().map(|kind| vec![*kind, "-o", "wide"]);
    let custom = customs.iter().map(|(kind, output)| vec![*kind, "-o", output.as_str()]);
    let mut differences = Vec::new();
    for arguments in wide.chain(custom).chain(SELECTED.map(<[&str]>::to_vec)) {
        let theirs = Table::parse(&plane.kubectl_output(&[&["get"], &*arguments, &["-A"]].concat())?);
        assert!(!theirs.rows.is_empty(), "{arguments:?}: kubectl prints nothing");
        let output = dogwatch.tail(&[&*arguments, &["-A", "--once"]].concat())?;
        let ours = Table::parse(&String::from_utf8(output.stdout)?);
        if !output.status.success() {
            differences.push(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)));
        } else if let Err(difference) = ours.compare(&theirs) {
            differences.push(format!("{arguments:?}:\n{difference}"));
        }
    }
    assert!(differences.is_empty(), "tail and kubectl differ\n{}", differences.join("\n"));
    Ok(())
}
