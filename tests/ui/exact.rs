//! The page shows what `kubectl get` prints, cell for cell and in order, for every kind of cell, on a real
//! kube-apiserver.

use anyhow::Result;
use testkit::browser::Look;
use testkit::contents::KINDS;
use testkit::kubectl_table::Table;
use testkit::{page, planes};

use crate::rig::Rig;

const IMAGE: &str = ".spec.containers[*].image";

/// All rows of a kind fit: the table is read from the DOM, which holds the window alone.
const TALL: Look = Look { width: 2400, height: 3200, dark: false };

#[tokio::test]
async fn the_page_shows_what_kubectl_prints() -> Result<()> {
    let plane = planes::filled()?;
    let rig = Rig::of_plane(plane, TALL).await?;
    let browser = &rig.browser;
    let mut differences = Vec::new();
    for kind in KINDS {
        rig.visit(&format!("/v/{}@/*?{}", with_group(kind), page::as_printed(kind))).await?;
        let theirs = Table::parse(&plane.kubectl_output(&["get", kind, "-A", "-o", "wide"])?);
        let ready = format!("shown('.pill').includes('Live') && rows().length === {}", theirs.rows.len());
        browser.until(&format!("{} rows of {kind}", theirs.rows.len()), &ready).await?;
        if let Err(difference) = page::table(browser).await?.compare(&theirs) {
            differences.push(format!("{kind}:\n{difference}"));
        }
    }
    let output = format!("custom-columns=NAME:.metadata.name,IMAGE:{IMAGE}");
    let theirs = Table::parse(&plane.kubectl_output(&["get", "pods", "-A", "-o", &output])?);
    rig.visit(&format!("/v/pods@/*?cols=name,IMAGE:{IMAGE}")).await?;
    let ready =
        format!("rows().length === {} && rows().every((row) => cells(row).at(-1) !== '')", theirs.rows.len());
    browser.until("the images of all pods", &ready).await?;
    if let Err(difference) = page::table(browser).await?.compare(&theirs) {
        differences.push(format!("pods with {output}:\n{difference}"));
    }
    rig.browser.close().await?;
    assert!(differences.is_empty(), "the page and kubectl differ\n{}", differences.join("\n"));
    Ok(())
}

/// As a link writes it, where the group isn't the core's and isn't typed.
fn with_group(kind: &str) -> String {
    let group = match kind {
        "deployments" => ".apps",
        "jobs" | "cronjobs" => ".batch",
        "customresourcedefinitions" => ".apiextensions.k8s.io",
        "clusterroles" => ".rbac.authorization.k8s.io",
        _ => "",
    };
    format!("{kind}{group}")
}
