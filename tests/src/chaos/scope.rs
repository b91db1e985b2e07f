//! What a viewer of a run subscribes to, and where the API server lists the same.

use anyhow::Result;
use shared::name::Namespace;
use shared::scope::{Namespaces, Scope};
use shared::selector::LabelSelector;

use super::kind::{Kind, NAMESPACE};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewScope {
    pub kind: Kind,
    pub labels: Option<&'static str>,
    /// In the objects' own namespace alone.
    pub in_namespace: bool,
}

impl ViewScope {
    /// Those of each viewer.
    pub fn all() -> Vec<Self> {
        let whole = Kind::ALL.map(|kind| Self { kind, labels: None, in_namespace: false });
        let shard = Self { kind: Kind::ConfigMaps, labels: Some("shard=a"), in_namespace: false };
        let pods = Self { kind: Kind::Pods, labels: None, in_namespace: true };
        whole.into_iter().chain([shard, pods]).collect()
    }

    pub fn name(&self) -> String {
        let labels = self.labels.map(|labels| format!(" -l {labels}")).unwrap_or_default();
        let namespace = if self.in_namespace { " -n chaos" } else { "" };
        format!("{}{namespace}{labels}", self.kind.plural())
    }

    pub fn list_path(&self) -> String {
        let path = if self.in_namespace { self.kind.path() } else { self.kind.list_path() };
        let query = self.labels.map(|labels| format!("?labelSelector={}", labels.replace('=', "%3D")));
        path + &query.unwrap_or_default()
    }

    pub fn scope(&self) -> Result<Scope> {
        let namespaces = match self.in_namespace {
            true => Namespaces::these(vec![Namespace::parse(NAMESPACE)?])?,
            false => Namespaces::All,
        };
        let labels = self.labels.map(LabelSelector::parse).transpose()?;
        let resource = self.kind.resource()?;
        Ok(Scope { cluster: None, resource, namespaces, name: None, labels, fields: None })
    }
}
