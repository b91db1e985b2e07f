//! On a real kube-apiserver: a viewer whose gateway was killed, and one that goes to another gateway of
//! the same cluster, get what has changed and nothing else.

use anyhow::Result;
use serde_json::{Value, json};
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use testkit::client::all_pods;
use testkit::dogwatch::Dogwatch;
use testkit::oracle::Fresh;
use testkit::viewer::Viewer;
use testkit::{api, planes};

const COUNT: usize = 20;

#[tokio::test]
async fn a_viewer_of_a_gateway_that_was_killed_gets_only_what_changed_meanwhile() -> Result<()> {
    let (kubeconfig, maps) = ConfigMaps::create("resume-killed").await?;
    let dogwatch = Dogwatch::of_cluster(&kubeconfig)?;
    let mut viewer = Viewer::open(&dogwatch.socket()?, maps.scope()?);
    viewer.until_sync().await?;
    let (home, port) = dogwatch.kill()?;
    let last = maps.change().await?;
    let dogwatch = home.serve_cluster(&kubeconfig, port)?;
    let mut viewer = viewer.come_back(&dogwatch.socket()?).await;
    viewer.until(&last).await?;
    maps.expect_only_the_changes(&viewer).await
}

#[tokio::test]
async fn a_viewer_that_comes_to_another_gateway_of_the_cluster_gets_only_what_changed_meanwhile() -> Result<()>
{
    let (kubeconfig, maps) = ConfigMaps::create("resume-other").await?;
    let gateways = [Dogwatch::of_cluster(&kubeconfig)?, Dogwatch::of_cluster(&kubeconfig)?];
    let mut viewer = Viewer::open(&gateways[0].socket()?, maps.scope()?);
    let mut other = Viewer::open(&gateways[1].socket()?, maps.scope()?);
    viewer.until_sync().await?;
    other.until_sync().await?;
    let last = maps.change().await?;
    other.until(&last).await?;
    let mut viewer = viewer.come_back(&gateways[1].socket()?).await;
    viewer.until(&last).await?;
    maps.expect_only_the_changes(&viewer).await
}

/// Those of one namespace.
struct ConfigMaps {
    namespace: &'static str,
    path: String,
    client: kube::Client,
}

impl ConfigMaps {
    async fn create(namespace: &'static str) -> Result<(std::path::PathBuf, Self)> {
        let kubeconfig = planes::with_namespace(namespace)?.kubeconfig();
        let path = format!("/api/v1/namespaces/{namespace}/configmaps");
        let maps = Self { namespace, path, client: api::client(&kubeconfig).await? };
        for number in 0..COUNT {
            maps.post(number).await?;
        }
        Ok((kubeconfig, maps))
    }

    fn scope(&self) -> Result<Scope> {
        let namespaces = Namespaces::these(vec![Namespace::parse(self.namespace)?])?;
        Ok(Scope { resource: Resource::parse("", "v1", "configmaps")?, namespaces, ..all_pods()? })
    }

    async fn post(&self, number: usize) -> Result<Value> {
        let metadata = json!({ "name": format!("config-{number}") });
        let map = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": { "key": "value" } });
        api::post(&self.client, &self.path, &map).await
    }

    /// One is deleted, one is new, and two are changed. The version of the last change.
    async fn change(&self) -> Result<String> {
        api::delete(&self.client, &format!("{}/config-0", self.path)).await?;
        self.post(COUNT).await?;
        let mut last = Value::Null;
        for number in [1, 2] {
            let patch = json!({ "data": { "another": number.to_string() } });
            last = api::merge(&self.client, &format!("{}/config-{number}", self.path), &patch).await?;
        }
        Ok(last["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned())
    }

    async fn expect_only_the_changes(&self, viewer: &Viewer) -> Result<()> {
        let fresh = Fresh::list(&self.client, &self.path).await?;
        assert_eq!(fresh.difference(viewer.table()), None);
        let received = &viewer.received;
        assert_eq!((received.resets, received.rows, received.deletes), (0, 3, 1));
        Ok(())
    }
}
