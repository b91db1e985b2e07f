//! What the gateway tells of the cluster's own documents: the kinds that it shows, with the verbs that it answers.

use serde_json::Value;
use shared::frame::server::Kinds;
use shared::resource::{Kind, Resource};

/// The verbs that the gateway answers.
pub(super) const VERBS: [&str; 3] = ["get", "list", "watch"];

/// The media type of aggregated discovery.
pub(super) const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Leaves out of a discovery document what the gateway doesn't show. Groups stay, also those of which nothing is left, and
/// so do Secrets, so that a client hears why it gets none instead of that the cluster has no such kind.
pub(super) fn of_gateway(mut document: Value, kinds: &Kinds) -> Value {
    match text(&document, "kind").as_str() {
        "APIGroupDiscoveryList" => {
            for item in array(&mut document, "items").into_iter().flatten() {
                let group =
                    item.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
                for version in array(item, "versions").into_iter().flatten() {
                    let of_version = text(version, "version");
                    keep(array(version, "resources"), |resource| {
                        shown(kinds, (&group, &of_version), &text(resource, "resource"))
                    });
                }
            }
        }
        "APIResourceList" => {
            let group_version = text(&document, "groupVersion");
            let of = group_version.split_once('/').unwrap_or(("", &group_version));
            keep(array(&mut document, "resources"), |resource| shown(kinds, of, &text(resource, "name")));
        }
        // A client of the gateway doesn't learn where the API server itself is reached.
        "APIVersions" => {
            if let Some(fields) = document.as_object_mut() {
                fields.insert("serverAddressByClientCIDRs".to_owned(), Value::Array(Vec::new()));
            }
        }
        _ => {}
    }
    document
}

/// Whether a document is in the aggregated form.
pub(super) fn is_aggregated(document: &Value) -> bool {
    text(document, "kind") == "APIGroupDiscoveryList"
}

fn shown<'k>(kinds: &'k Kinds, (group, version): (&str, &str), plural: &str) -> Option<&'k Kind> {
    let resource = Resource::parse(group, version, plural).ok()?;
    let is_told = |kind: &&Kind| kind.disabled.is_none() || kind.resource.is_secrets();
    kinds.kinds.iter().filter(is_told).find(|kind| kind.serves(&resource))
}

fn keep<'k>(resources: Option<&mut Vec<Value>>, shown: impl Fn(&Value) -> Option<&'k Kind>) {
    let Some(resources) = resources else { return };
    resources.retain_mut(|resource| {
        let Some(kind) = shown(resource) else { return false };
        if let Some(fields) = resource.as_object_mut() {
            fields.remove("subresources");
        }
        if let Some(verbs) = array(resource, "verbs") {
            verbs.retain(|verb| {
                verb.as_str().is_some_and(|verb| VERBS.contains(&verb) && (verb != "watch" || kind.watch))
            });
        }
        true
    });
}

fn text(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn array<'a>(value: &'a mut Value, field: &str) -> Option<&'a mut Vec<Value>> {
    value.get_mut(field)?.as_array_mut()
}

/// The index of OpenAPI, with the paths by which this gateway serves its parts.
pub(super) fn index_below(mut index: Value, mount: &str) -> Value {
    if let Some(paths) = index.get_mut("paths").and_then(Value::as_object_mut) {
        for path in paths.values_mut() {
            let Some(url) = path.get("serverRelativeURL").and_then(Value::as_str) else { continue };
            let url = format!("{mount}{url}");
            if let Some(fields) = path.as_object_mut() {
                fields.insert("serverRelativeURL".to_owned(), url.into());
            }
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::name::ClusterName;

    use super::*;

    fn kinds() -> Kinds {
        let kind = |group: &str, plural: &str, name: &str| {
            Kind::new(Resource::parse(group, "v1", plural).expect("valid"), name, true)
        };
        let not_shown = |kind: Kind| Kind { disabled: Some("not shown".into()), ..kind };
        let hidden = [kind("", "secrets", "Secret"), kind("", "endpoints", "Endpoints")].map(not_shown);
        let polled = Kind { watch: false, ..kind("metrics.k8s.io", "pods", "PodMetrics") };
        let shown = [kind("", "pods", "Pod"), kind("apps", "deployments", "Deployment"), polled];
        let all = shown.into_iter().chain(hidden).collect();
        Kinds::new(ClusterName::parse("prod").expect("valid"), all, Vec::new())
    }

    #[test]
    fn hidden_kinds_subresources_and_verbs_that_write_are_left_out_and_secrets_stay() {
        let verbs = json!(["create", "delete", "get", "list", "patch", "watch"]);
        let list = json!({"kind": "APIResourceList", "groupVersion": "v1", "resources": [
            {"name": "pods", "verbs": verbs}, {"name": "pods/log", "verbs": ["get"]}, {"name": "secrets", "verbs": verbs},
            {"name": "endpoints", "verbs": verbs},
        ]});
        let told = of_gateway(list, &kinds());
        let read = |name: &str| json!({"name": name, "verbs": ["get", "list", "watch"]});
        assert_eq!(told["resources"], json!([read("pods"), read("secrets")]));
        let aggregated = json!({"kind": "APIGroupDiscoveryList", "items": [
            {"metadata": {"name": "apps"}, "versions": [{"version": "v1", "resources": [
                {"resource": "deployments", "verbs": verbs, "subresources": [{"subresource": "scale"}]},
                {"resource": "controllerrevisions", "verbs": verbs},
            ]}]},
            {"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1", "resources": [
                {"resource": "pods", "verbs": ["get", "list", "watch"]},
            ]}]},
        ]});
        let told = of_gateway(aggregated, &kinds());
        let apps = &told["items"][0]["versions"][0]["resources"];
        assert_eq!(*apps, json!([{"resource": "deployments", "verbs": ["get", "list", "watch"]}]));
        assert_eq!(told["items"][1]["versions"][0]["resources"][0]["verbs"], json!(["get", "list"]));
    }

    #[test]
    fn the_index_of_openapi_names_paths_of_the_gateway() {
        let index =
            json!({"paths": {"apis/apps/v1": {"serverRelativeURL": "/openapi/v3/apis/apps/v1?hash=A"}}});
        let told = index_below(index, "/k8s/prod");
        let url = &told["paths"]["apis/apps/v1"]["serverRelativeURL"];
        assert_eq!(url, "/k8s/prod/openapi/v3/apis/apps/v1?hash=A");
    }
}
