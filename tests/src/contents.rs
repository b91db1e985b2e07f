//! What a real control plane holds in the scenarios: every kind of cell that a table can show, with ages near the
//! borders of their units. No controller runs, so nothing changes by itself.

use anyhow::{Context, Result};
use cluster::ControlPlane;
use jiff::{SignedDuration, Timestamp};

const CRDS: &str = include_str!("../fixtures/crds.yaml");
const OBJECTS: &str = include_str!("../fixtures/objects.yaml");
const CUSTOMS: &str = include_str!("../fixtures/customs.yaml");

/// The kinds whose tables are compared, as typed after `kubectl get`.
pub const KINDS: [&str; 13] = [
    "pods",
    "deployments",
    "nodes",
    "events",
    "services",
    "jobs",
    "cronjobs",
    "namespaces",
    "customresourcedefinitions",
    "certificates.pki.example.com",
    "rollouts.delivery.example.com",
    "measures.odd.example.com",
    "clusterroles",
];

/// Fills an empty control plane, statuses included.
pub fn fill(plane: &ControlPlane) -> Result<()> {
    let now = Timestamp::now();
    plane.apply(CRDS)?;
    plane.kubectl_output(&["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"])?;
    put(plane, &dated(OBJECTS, now)?)?;
    put(plane, &dated(CUSTOMS, now)?)?;
    // Without a kubelet, a deleted pod stays Terminating.
    plane.kubectl_output(&["delete", "pod", "-n", "payments-eu", "ledger-writer-2", "--wait=false"])?;
    Ok(())
}

/// Creating an object drops its status, so a second request writes it, as a kubelet would.
fn put(plane: &ControlPlane, manifests: &str) -> Result<()> {
    plane.kubectl_with_input(&["create", "-f", "-"], manifests)?;
    let with_status: Vec<&str> =
        manifests.split("\n---\n").filter(|manifest| manifest.contains("\nstatus:")).collect();
    plane
        .kubectl_with_input(&["replace", "--subresource=status", "-f", "-"], &with_status.join("\n---\n"))?;
    Ok(())
}

/// `AGO(300)` is the instant 300 seconds ago, `AGOMICRO` the same as Kubernetes' MicroTime.
fn dated(manifests: &str, now: Timestamp) -> Result<String> {
    let mut text = String::with_capacity(manifests.len());
    let mut rest = manifests;
    while let Some(place) = rest.find("AGO") {
        let (before, from) = rest.split_at(place);
        text.push_str(before);
        let (word, behind) = from.split_once(')').context("AGO( is closed")?;
        let (name, seconds) = word.split_once('(').context("AGO has seconds")?;
        let instant = now - SignedDuration::from_secs(seconds.parse()?);
        let digits = if name == "AGOMICRO" { "%Y-%m-%dT%H:%M:%S.%6fZ" } else { "%Y-%m-%dT%H:%M:%SZ" };
        text.push_str(&instant.strftime(digits).to_string());
        rest = behind;
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_becomes_its_instant() -> Result<()> {
        let now: Timestamp = "2026-01-01T00:05:00Z".parse()?;
        assert_eq!(dated("a: \"AGO(300)\" b", now)?, "a: \"2026-01-01T00:00:00Z\" b");
        assert_eq!(dated("\"AGOMICRO(-1)\"", now)?, "\"2026-01-01T00:05:01.000000Z\"");
        Ok(())
    }
}
