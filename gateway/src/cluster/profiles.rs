//! Lists and watches the ClusterProfiles of a cluster (Cluster Inventory API, KEP-4322), and makes of each how its cluster is
//! reached. It reads no Secret: a plugin brings the credentials (KEP-5339), and the profile names the plugin.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use kube::core::ObjectList;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::name::{ClusterName, Namespace};
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use tokio::time::sleep;

use super::connect::cluster_name;
use super::failure::Failure;
use super::handle::Cluster;
use super::request::{Accept, ApiRequest, Selection};
use super::source::Source;
use crate::limits::PROFILES_AGAIN_S;
use crate::plain_file;

/// Lists and watches the profiles of one namespace, or of all namespaces.
pub struct ProfileWatch {
    namespace: Option<Namespace>,
    resource_version: String,
}

/// The fields of a ClusterProfile that the gateway reads.
#[derive(Clone, Debug, Deserialize)]
pub struct Profile {
    metadata: kube::core::ObjectMeta,
    #[serde(default)]
    status: Status,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    access_providers: Vec<Provider>,
    /// The former name of `accessProviders`, which older cluster managers write.
    credential_providers: Vec<Provider>,
}

#[derive(Clone, Debug, Deserialize)]
struct Provider {
    name: String,
    #[serde(default)]
    cluster: Server,
}

/// How a cluster is reached. Other fields aren't read: a profile could name a file of the gateway's machine.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct Server {
    server: String,
    certificate_authority_data: Option<String>,
    tls_server_name: Option<String>,
    proxy_url: Option<String>,
    extensions: Vec<Value>,
}

/// The plugins that bring credentials, by the name of the access provider that they are for.
#[derive(Debug, Default)]
pub struct Plugins {
    by_name: BTreeMap<String, Value>,
    /// The path of their file, for messages.
    place: Option<String>,
}

#[derive(Deserialize)]
struct PluginFile {
    providers: Vec<Plugin>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Plugin {
    name: String,
    exec_config: Value,
}

impl ProfileWatch {
    #[must_use]
    pub fn of(namespace: Option<Namespace>) -> Self {
        Self { namespace, resource_version: String::new() }
    }

    /// # Errors
    /// The API server refused, or it couldn't be reached.
    pub async fn list(&mut self, cluster: &Cluster) -> Result<Vec<Profile>, Failure> {
        let Some(request) = self.request() else { return Ok(Vec::new()) };
        let answer = cluster.send(&request).await?;
        let body = answer.whole().await.map_err(Failure::Broken)?;
        let listed: ObjectList<Profile> = serde_json::from_slice(&body).map_err(|error| {
            Failure::Broken(Problem::new(
                Reason::NotKubernetes,
                format!("ClusterProfiles can't be read: {error}"),
            ))
        })?;
        self.resource_version = listed.metadata.resource_version.unwrap_or_default();
        Ok(listed.items)
    }

    /// Returns when a profile changed after the last list, or when the watch broke so that one may have.
    pub async fn changed(&self, cluster: &Cluster) {
        let Some(request) = self.request() else { return std::future::pending().await };
        let request = request.watched().with("resourceVersion", &self.resource_version);
        match cluster.send(&request).await {
            Ok(mut answer) => {
                // The request asks for no bookmarks, so the first byte is an event.
                let _ = answer.chunk().await;
            }
            Err(_) => sleep(Duration::from_secs(PROFILES_AGAIN_S)).await,
        }
    }

    fn request(&self) -> Option<ApiRequest> {
        let resource = Resource::parse("multicluster.x-k8s.io", "v1alpha1", "clusterprofiles").ok()?;
        let selection = Selection { resource, namespace: self.namespace.clone(), name: None, fields: None };
        Some(ApiRequest::objects(&selection, Accept::Json))
    }
}

impl Profile {
    #[must_use]
    pub fn name(&self) -> ClusterName {
        cluster_name(self.metadata.name.as_deref().unwrap_or_default())
    }

    /// How its cluster is reached.
    ///
    /// # Errors
    /// The gateway has no plugin for any provider of the profile, or the provider's server isn't an https:// address.
    pub fn source(&self, plugins: &Plugins) -> Result<Source, Problem> {
        let wrong = |why: String| Problem::new(Reason::Configuration, why);
        let shown = self.shown();
        let Status { access_providers, credential_providers } = &self.status;
        let providers = || access_providers.iter().chain(credential_providers);
        let found = providers().find_map(|provider| Some((provider, plugins.by_name.get(&provider.name)?)));
        let Some((provider, exec)) = found else {
            let names: Vec<&str> = providers().map(|provider| provider.name.as_str()).collect();
            return Err(wrong(match (names.as_slice(), &plugins.place) {
                ([], _) => format!(
                    "{shown} has no credentials: its status names no access provider; its cluster manager writes those"
                ),
                (names, None) => format!(
                    "{shown} has credentials by {}; name the file of its plugin with --cluster-profile-providers",
                    names.join(", ")
                ),
                (names, Some(place)) => {
                    format!(
                        "{shown} has credentials by {}, and {place} has no plugin for that",
                        names.join(", ")
                    )
                }
            }));
        };
        // The plugin's token is sent to this server, so it must be encrypted on the way.
        if !provider.cluster.server.starts_with("https://") {
            return Err(wrong(format!(
                "{shown} gives {:?} as its server, which isn't an https:// address",
                provider.cluster.server
            )));
        }
        let kubeconfig = kubeconfig(&provider.cluster, exec);
        Ok(Source::Written { kubeconfig: kubeconfig.to_string(), place: shown })
    }

    fn shown(&self) -> String {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        format!("the ClusterProfile {}/{}", text(&self.metadata.namespace), text(&self.metadata.name))
    }
}

fn kubeconfig(server: &Server, exec: &Value) -> Value {
    let Server { server, certificate_authority_data, tls_server_name, proxy_url, extensions } = server;
    let mut cluster = json!({"server": server, "extensions": extensions});
    for (key, value) in [
        ("certificate-authority-data", certificate_authority_data),
        ("tls-server-name", tls_server_name),
        ("proxy-url", proxy_url),
    ] {
        if let (Some(value), Some(cluster)) = (value, cluster.as_object_mut()) {
            cluster.insert(key.to_owned(), value.clone().into());
        }
    }
    // The plugin runs beside no terminal.
    let mut exec = exec.clone();
    if let Some(exec) = exec.as_object_mut() {
        exec.entry("interactiveMode").or_insert_with(|| "Never".into());
    }
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "profile",
        "clusters": [{"name": "profile", "cluster": cluster}],
        "users": [{"name": "profile", "user": {"exec": exec}}],
        "contexts": [{"name": "profile", "context": {"cluster": "profile", "user": "profile"}}],
    })
}

impl Plugins {
    /// Reads the file that other consumers of ClusterProfiles take, too:
    /// `{"providers": [{"name": …, "execConfig": {…}}]}`. Without a file there are no plugins.
    ///
    /// # Errors
    /// The file can't be read, or isn't of this form.
    pub fn read(file: Option<&Path>) -> Result<Self, Problem> {
        let Some(file) = file else { return Ok(Self::default()) };
        let place = file.display().to_string();
        let wrong = |why: String| {
            Problem::new(
                Reason::Configuration,
                format!("the plugins of ClusterProfiles in {place} can't be used: {why}"),
            )
        };
        let text = plain_file::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
        let read: PluginFile = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let by_name = read.providers.into_iter().map(|plugin| (plugin.name, plugin.exec_config)).collect();
        Ok(Self { by_name, place: Some(place) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(status: &Value) -> Profile {
        let metadata = json!({"name": "eu_West", "namespace": "fleet"});
        serde_json::from_value(json!({"metadata": metadata, "status": status})).expect("a profile")
    }

    fn plugins() -> Plugins {
        let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/token"});
        Plugins { by_name: [("corp".to_owned(), exec)].into(), place: Some("/p.json".to_owned()) }
    }

    #[test]
    fn a_profile_without_credentials_says_so_in_one_sentence() {
        let by = |name: &str, server: &str| json!({"name": name, "cluster": {"server": server}});
        for (status, plugins, words) in [
            (json!({}), plugins(), "fleet/eu_West has no credentials: its status names no access provider"),
            (
                json!({"accessProviders": [by("gke", "https://a")]}),
                plugins(),
                "by gke, and /p.json has no plugin",
            ),
            (
                json!({"accessProviders": [by("corp", "https://a")]}),
                Plugins::default(),
                "name the file of its plugin with --cluster-profile-providers",
            ),
            (json!({"accessProviders": [by("corp", "http://a")]}), plugins(), "isn't an https:// address"),
        ] {
            let problem = profile(&status).source(&plugins).expect_err(words);
            assert!(problem.message.contains(words), "{problem}");
        }
    }

    #[test]
    fn the_first_provider_with_a_plugin_is_taken_and_a_file_of_this_machine_is_not_read() {
        let cluster = json!({"server": "https://b:6443", "certificate-authority": "/etc/passwd",
            "certificate-authority-data": "Y2E=", "insecure-skip-tls-verify": true,
            "extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"name": "b"}}]});
        for field in ["accessProviders", "credentialProviders"] {
            let status = json!({field: [{"name": "other"}, {"name": "corp", "cluster": cluster}]});
            let profile = profile(&status);
            let Ok(Source::Written { kubeconfig, .. }) = profile.source(&plugins()) else {
                panic!("{field}")
            };
            for there in ["https://b:6443", "Y2E=", "/bin/token", "client.authentication.k8s.io/exec"] {
                assert!(kubeconfig.contains(there), "{there}: {kubeconfig}");
            }
            for absent in ["/etc/passwd", "insecure"] {
                assert!(!kubeconfig.contains(absent), "{absent}: {kubeconfig}");
            }
            assert_eq!(profile.name().as_str(), "eu-west");
        }
    }
}
