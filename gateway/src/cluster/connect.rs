//! From a source to a cluster that answered: credentials, who the server is, what it serves.

use shared::frame::server::Cluster as ClusterIdentity;
use shared::name::ClusterName;
use shared::problem::Problem;

use super::allow::Shown;
use super::ceiling::Ceiling;
use super::credentials::Credentials;
use super::handle::Cluster;
use super::served::Served;
use super::source::Source;
use super::{client, discovery, environment, identify};
use crate::metrics::Metrics;

impl Cluster {
    /// Reads the credentials, and asks the server for its identity and its kinds. The ceiling limits which kinds are
    /// shown. Every request is counted in `metrics`.
    ///
    /// # Errors
    /// One sentence for each thing that can be wrong with a kubeconfig, a credential or a server.
    pub async fn connect(source: Source, ceiling: Ceiling, metrics: Metrics) -> Result<Self, Problem> {
        Self::connect_as(None, source, ceiling, metrics).await
    }

    /// The same under a name that was chosen for it, if one was.
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub async fn connect_as(
        name: Option<ClusterName>,
        source: Source,
        ceiling: Ceiling,
        metrics: Metrics,
    ) -> Result<Self, Problem> {
        environment::refuse_debug_environment(std::env::vars_os().map(|(name, _)| name))?;
        let origin = source.clone().open().await?;
        let server = origin.target.config.cluster_url.to_string();
        let authority = origin.target.config.root_cert.clone().unwrap_or_default();
        let client = client::build(origin.target, metrics, Shown { logs: ceiling.shows_logs() }).await?;
        let version = identify::version(&client, &server).await?;
        let id = identify::id(&client, &server, &authority).await;
        let name = name.unwrap_or_else(|| cluster_name(origin.context.as_deref().unwrap_or(IN_CLUSTER)));
        let kinds = discovery::discover(&client, &name, None, &ceiling).await?;
        let identity = ClusterIdentity {
            name,
            id,
            context: origin.context.map(Into::into),
            version,
            namespaces: origin.namespace.into_iter().collect(),
            kinds: Box::default(),
            problem: None,
        };
        let credentials = Credentials::new(source, client);
        Ok(Self::of(server, identity, credentials, Served::new(kinds, ceiling)))
    }
}

/// The name of the cluster that the gateway's own pod runs in.
pub const IN_CLUSTER: &str = "in-cluster";

/// A context may be called `arn:aws:eks:…/prod` or `kind_Demo`; the result is a name for a URL.
#[must_use]
pub fn cluster_name(text: &str) -> ClusterName {
    let plain: String = text
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' })
        .take(200)
        .collect();
    let labels: Vec<&str> =
        plain.split('.').map(|label| label.trim_matches('-')).filter(|label| !label.is_empty()).collect();
    let joined = labels.join(".");
    [joined.as_str(), "cluster"]
        .into_iter()
        .find_map(|name| ClusterName::parse(name).ok())
        // "cluster" is a valid name.
        .unwrap_or_else(|| cluster_name("cluster"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_context_gives_a_name_for_a_url() {
        for (context, expected) in [
            ("prod", "prod"),
            ("kind_Demo", "kind-demo"),
            ("arn:aws:eks:eu-west-1:1234:cluster/shop", "arn-aws-eks-eu-west-1-1234-cluster-shop"),
            ("admin@k3s.local", "admin-k3s.local"),
            ("--", "cluster"),
            ("", "cluster"),
        ] {
            assert_eq!(cluster_name(context).as_str(), expected, "{context}");
        }
    }
}
