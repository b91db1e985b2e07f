//! The API server selects by every field that the page and `tail` offer.

use anyhow::Result;
use page::query::fields::fields_of;
use shared::resource::Resource;
use testkit::planes;

#[test]
fn the_api_server_selects_by_every_field_that_is_offered() -> Result<()> {
    let plane = planes::filled()?;
    let kinds = [
        ("", "pods", true),
        ("", "nodes", false),
        ("", "namespaces", false),
        ("", "services", true),
        ("", "secrets", true),
        ("", "replicationcontrollers", true),
        ("", "events", true),
        ("events.k8s.io", "events", true),
        ("", "configmaps", true),
        ("apps", "deployments", true),
        ("apps", "replicasets", true),
        ("batch", "jobs", true),
        ("certificates.k8s.io", "certificatesigningrequests", false),
    ];
    let mut refused = Vec::new();
    for (group, plural, is_namespaced) in kinds {
        let resource =
            Resource::parse(group, "v1", plural).map_err(|problem| anyhow::anyhow!("{problem}"))?;
        for field in fields_of(&resource, is_namespaced) {
            let value =
                if matches!(field, "spec.hostNetwork" | "spec.unschedulable") { "false" } else { "0" };
            let name =
                if group.is_empty() { format!("{plural}.v1.") } else { format!("{plural}.v1.{group}") };
            let asked = ["get", &name, "-A", "--field-selector", &format!("{field}={value}")];
            if let Err(why) = plane.kubectl_output(&asked) {
                refused.push(format!("{name} {field}: {why}"));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    Ok(())
}
