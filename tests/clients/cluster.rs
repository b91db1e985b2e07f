//! A cluster with a gateway before it, and what changes there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::Request;
use kube::Client;
use playground::{Options, Playground};
use serde_json::{Value, json};
use testkit::api;
use testkit::clients::Held;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::planes;

/// Where everything happens.
pub const NAMESPACE: &str = "tutorial";
/// The paths of the kinds that the programs read, below their group and version.
pub const KINDS: [(&str, &str); 4] = [
    ("pods", "/api/v1"),
    ("configmaps", "/api/v1"),
    ("deployments", "/apis/apps/v1"),
    ("widgets", "/apis/example.com/v1"),
];
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const ASK_AGAIN: Duration = Duration::from_millis(50);

/// The API server, a gateway before it, and a kubeconfig of each.
pub struct Cluster {
    pub playground: Option<Playground>,
    pub direct: PathBuf,
    pub through: PathBuf,
    home: Home,
    client: Client,
    _gateway: Dogwatch,
}

impl Cluster {
    pub async fn of_playground() -> Result<Self> {
        let playground =
            Playground::start(Options { token: Some("secret".to_owned()), tls: true, ..Options::empty() })
                .await?;
        let home = Home::new()?;
        let direct = home.kubeconfig_of(&playground)?;
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        api::post(&api::client(&direct).await?, "/api/v1/namespaces", &namespace).await?;
        Self::of(home, direct, Some(playground)).await
    }

    pub async fn of_api_server() -> Result<Self> {
        let plane = tokio::task::spawn_blocking(|| planes::with_namespace(NAMESPACE)).await??;
        Self::of(Home::new()?, plane.kubeconfig(), None).await
    }

    /// It has the custom kind before the gateway starts.
    async fn of(home: Home, direct: PathBuf, playground: Option<Playground>) -> Result<Self> {
        let client = api::client(&direct).await?;
        define(&client).await?;
        let gateway = home.serve_cluster(&direct, 0)?;
        let through = home.path().join("through.kubeconfig");
        let written = home.command().args(["kubeconfig", "--output"]).arg(&through).output()?;
        ensure!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
        Ok(Self { playground, direct, through, home, client, _gateway: gateway })
    }

    fn path(kind: &str) -> Result<String> {
        let (_, group) = KINDS.iter().find(|(name, _)| *name == kind).context(kind.to_owned())?;
        Ok(format!("{group}/namespaces/{NAMESPACE}/{kind}"))
    }

    /// The resourceVersions of what a list of the API server has, and that of the list.
    pub async fn listed(&self, kind: &str, query: &str) -> Result<(Held, String)> {
        let request = Request::get(format!("{}{query}", Self::path(kind)?)).body(Vec::new())?;
        let list: Value = self.client.request(request).await?;
        let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
        let items = list["items"].as_array().context("items")?.iter().map(|item| {
            let metadata = &item["metadata"];
            let key = format!("{}/{}", text(&metadata["namespace"]), text(&metadata["name"]));
            (key, text(&metadata["resourceVersion"]))
        });
        Ok((items.collect(), text(&list["metadata"]["resourceVersion"])))
    }

    pub async fn create(&self, kind: &str, name: &str, app: &str) -> Result<()> {
        let mut object = match kind {
            "pods" => json!({"spec": {"containers": [{"name": "c", "image": "example.com/c:1"}]}}),
            "configmaps" => json!({"data": {"key": "hidden"}}),
            "deployments" => json!({"spec": {
                "selector": {"matchLabels": {"app": app}},
                "template": {
                    "metadata": {"labels": {"app": app}},
                    "spec": {"containers": [{"name": "c", "image": "example.com/c:1"}]},
                },
            }}),
            _ => json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"color": "blue"}}),
        };
        object["metadata"] = json!({"name": name, "labels": {"app": app}});
        api::post(&self.client, &Self::path(kind)?, &object).await?;
        if kind == "pods" {
            let running = json!({"status": {"phase": "Running"}});
            self.merge(kind, &format!("{name}/status"), &running).await?;
        }
        Ok(())
    }

    pub async fn merge(&self, kind: &str, name: &str, patch: &Value) -> Result<()> {
        api::merge(&self.client, &format!("{}/{name}", Self::path(kind)?), patch).await.map(drop)
    }

    pub async fn delete(&self, kind: &str, name: &str) -> Result<()> {
        api::delete(&self.client, &format!("{}/{name}", Self::path(kind)?)).await.map(drop)
    }

    /// The custom kind goes with its objects.
    pub async fn undefine(&self) -> Result<()> {
        api::delete(&self.client, &format!("{DEFINITIONS}/widgets.example.com")).await?;
        until_served(&self.client, false).await
    }

    /// It comes back.
    pub async fn define(&self) -> Result<()> {
        define(&self.client).await
    }

    /// curl with what the kubeconfig says of the server, and a token.
    pub fn curl(&self, kubeconfig: &Path, version: &str) -> Result<Command> {
        let config: Value = serde_saphyr::from_str(&std::fs::read_to_string(kubeconfig)?)?;
        let cluster = &config["clusters"][0]["cluster"];
        let authority = cluster["certificate-authority-data"].as_str().context("an authority")?;
        let file = kubeconfig.with_extension("ca");
        std::fs::write(&file, BASE64_STANDARD.decode(authority)?)?;
        let token = match config["users"][0]["user"]["token"].as_str() {
            Some(token) => token.to_owned(),
            None => {
                let printed = self.home.command().arg("credential").output()?;
                let credential: Value = serde_json::from_slice(&printed.stdout)?;
                credential["status"]["token"].as_str().context("a token")?.to_owned()
            }
        };
        let mut command = Command::new(testkit::clients::folder().join("watch.sh"));
        command.env("SERVER", cluster["server"].as_str().context("a server")?).env("CA", file);
        command.env("TOKEN", token).env("NAMESPACE", NAMESPACE).env("VERSION", version);
        Ok(command)
    }
}

async fn define(client: &Client) -> Result<()> {
    let mut ticks = tokio::time::interval(ASK_AGAIN);
    // One that is being deleted is there a moment longer.
    while api::post(client, DEFINITIONS, &definition()).await.is_err() {
        ticks.tick().await;
    }
    until_served(client, true).await
}

/// A kind is served a moment after it is defined.
async fn until_served(client: &Client, is_served: bool) -> Result<()> {
    let widgets = format!("{}/namespaces/{NAMESPACE}/widgets", KINDS[3].1);
    let mut ticks = tokio::time::interval(ASK_AGAIN);
    while client.request::<Value>(Request::get(&widgets).body(Vec::new())?).await.is_ok() != is_served {
        ticks.tick().await;
    }
    Ok(())
}

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"color": {"type": "string"}}},
                }}},
            }],
        },
    })
}
