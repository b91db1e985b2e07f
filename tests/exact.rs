//! `dogwatch tail` and the page show what `kubectl get` prints, cell for cell and in order, for
//! every kind of cell, on a real kube-apiserver.

use anyhow::Result;
use cluster::{ControlPlane, Options};
use tests::browser::Look;
use tests::contents::{self, KINDS};
use tests::dogwatch::{Dogwatch, Home};
use tests::kubectl_table::Table;
use tests::page;

/// All of a kind's rows fit: the table is read from the DOM, which holds the window alone.
const TALL: Look = Look { width: 2400, height: 3200, dark: false };

#[test]
fn tail_prints_what_kubectl_prints() -> Result<()> {
    let (plane, _home, dogwatch) = start()?;
    let mut differences = Vec::new();
    for kind in KINDS {
        let theirs = kubectl(&plane, kind)?;
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

#[tokio::test]
async fn the_page_shows_what_kubectl_prints() -> Result<()> {
    let (plane, _home, dogwatch) = start()?;
    let browser = page::signed_in(TALL, dogwatch.url()).await?;
    let mut differences = Vec::new();
    for kind in KINDS {
        browser.open(&page::link(&browser, &dogwatch.origin(), &with_group(kind), "*").await?).await?;
        let theirs = kubectl(&plane, kind)?;
        let ready = format!("shown('.pill').includes('Live') && rows().length === {}", theirs.rows.len());
        browser.until(&format!("{} rows of {kind}", theirs.rows.len()), &ready).await?;
        if let Err(difference) = page::table(&browser).await?.compare(&kubectl(&plane, kind)?) {
            differences.push(format!("{kind}:\n{difference}"));
        }
    }
    browser.close().await?;
    assert!(differences.is_empty(), "the page and kubectl differ\n{}", differences.join("\n"));
    Ok(())
}

fn start() -> Result<(ControlPlane, Home, Dogwatch)> {
    let plane = ControlPlane::start(Options::default())?;
    contents::fill(&plane)?;
    let home = Home::new()?;
    let dogwatch = home.serve_cluster(&plane.kubeconfig())?;
    Ok((plane, home, dogwatch))
}

fn kubectl(plane: &ControlPlane, kind: &str) -> Result<Table> {
    Ok(Table::parse(&plane.kubectl_output(&["get", kind, "-A", "-o", "wide"])?))
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
