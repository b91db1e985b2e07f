//! The page shows what `kubectl get` prints, cell for cell and in order, for every kind of cell, on a real
//! kube-apiserver. The page's own core says it; `every_kind` reads a board of a living cluster from Chromium.

use std::time::Instant;

use anyhow::{Result, bail};
use testkit::browser::WAIT;
use testkit::contents::KINDS;
use testkit::dogwatch::Dogwatch;
use testkit::kubectl_table::Table;
use testkit::whole_page::WholePage;
use testkit::{page, planes};

const IMAGE: &str = ".spec.containers[*].image";

#[tokio::test]
async fn the_page_shows_what_kubectl_prints() -> Result<()> {
    let plane = planes::filled()?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let mut page = WholePage::open(&dogwatch.socket()?).await?;
    let mut differences = Vec::new();
    for kind in KINDS {
        page.visit(&format!("/v/{}@/*?{}", with_group(kind), page::as_printed(kind))).await?;
        let theirs = Table::parse(&plane.kubectl_output(&["get", kind, "-A", "-o", "wide"])?);
        differences
            .extend(until_equal(&mut page, &theirs).await.err().map(|why| format!("{kind}:\n{why:#}")));
    }
    let output = format!("custom-columns=NAME:.metadata.name,IMAGE:{IMAGE}");
    let theirs = Table::parse(&plane.kubectl_output(&["get", "pods", "-A", "-o", &output])?);
    page.visit(&format!("/v/pods@/*?cols=name,IMAGE:{IMAGE}")).await?;
    differences.extend(
        until_equal(&mut page, &theirs).await.err().map(|why| format!("pods with {output}:\n{why:#}")),
    );
    assert!(differences.is_empty(), "the page and kubectl differ\n{}", differences.join("\n"));
    Ok(())
}

/// Nothing changes in this cluster.
async fn until_equal(page: &mut WholePage, theirs: &Table) -> Result<()> {
    let started = Instant::now();
    loop {
        let differences = match page.table().compare(theirs) {
            Ok(()) if page.is_live() => return Ok(()),
            Ok(()) => "it isn't live".to_owned(),
            Err(differences) => differences.to_string(),
        };
        if started.elapsed() > WAIT {
            bail!(differences);
        }
        page.until_changed().await;
    }
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
