//! Where the cluster is and which credentials it takes: a kubeconfig, a pod's service account, or a URL. Never
//! a request; an error in a file is one sentence that says what to do.

use std::path::PathBuf;

use kube::Config;
use shared::name::Namespace;
use shared::problem::{Problem, Reason};

use super::client::Target;
use super::kubeconfig::{self, Chosen, Credential};
use crate::forward_proxy::ProxyVariables;

/// Which cluster to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// `path: None` is `KUBECONFIG` (several, merged), else `~/.kube/config`; `context: None` the current one.
    Kubeconfig { path: Option<PathBuf>, context: Option<String> },
    /// The service account of the pod that this runs in.
    InCluster,
    /// A kubeconfig with one context that the gateway wrote itself, from what `place` names in messages: a ClusterProfile.
    Written { kubeconfig: String, place: String },
    /// An address, such as the playground's. `certificate` (DER) is the one to trust where no known authority issued the
    /// server's. `name` is also the context of the kubeconfig that the playground writes.
    Url { url: String, token: Option<String>, certificate: Option<Vec<u8>>, name: String },
}

/// What a source was read to, before any request is sent.
pub(super) struct Origin {
    pub(super) target: Target,
    /// The name of the kubeconfig's context; `None` for a pod's service account.
    pub(super) context: Option<String>,
    pub(super) namespace: Option<Namespace>,
}

impl Source {
    /// Reads where blocking is allowed: the files are small and local, but an automounted home may hang.
    pub(super) async fn open(self) -> Result<Origin, Problem> {
        blocking(move || self.read(&ProxyVariables::of_environment())).await
    }

    fn read(self, variables: &ProxyVariables) -> Result<Origin, Problem> {
        match self {
            Self::Kubeconfig { path, context } => {
                let (kubeconfig, place) = kubeconfig::read_all(&kubeconfig::paths_of(path))?;
                kubeconfig::choose(kubeconfig, &place, context, variables).map(of_chosen)
            }
            Self::InCluster => in_cluster(variables),
            Self::Written { kubeconfig: text, place } => {
                let read = kubeconfig::read_text(&text)
                    .map_err(|problem| wrong(format!("{place} can't be used: it {}", problem.message)))?;
                let origin = kubeconfig::choose(read, &place, None, variables).map(of_chosen)?;
                // No context of a kubeconfig that kubectl would know.
                Ok(Origin { context: None, ..origin })
            }
            Self::Url { url, token, certificate, name } => at_url(&url, token, certificate, name, variables),
        }
    }
}

fn of_chosen(chosen: Chosen) -> Origin {
    let Chosen { config, proxy, credential, context, namespace } = chosen;
    Origin { target: Target { config, proxy, credential }, context: Some(context), namespace }
}

/// The contexts of a kubeconfig.
#[derive(Debug)]
pub struct Contexts {
    pub current: Option<String>,
    /// In the kubeconfig's order.
    pub names: Vec<String>,
}

/// Reads them as [`Source::Kubeconfig`] does.
///
/// # Errors
/// A problem that says what is wrong with the kubeconfig.
pub fn contexts_of(path: Option<PathBuf>) -> Result<Contexts, Problem> {
    let (kubeconfig, _) = kubeconfig::read_all(&kubeconfig::paths_of(path))?;
    let names = kubeconfig.contexts.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let current = Some(kubeconfig.current_context).filter(|current| names.contains(current));
    Ok(Contexts { current, names })
}

async fn blocking<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::task::spawn_blocking(read).await {
        Ok(result) => result,
        Err(_) => Err(Problem::new(Reason::InternalError, "reading the configuration was interrupted")),
    }
}

fn wrong(message: impl Into<String>) -> Problem {
    Problem::new(Reason::Configuration, message)
}

/// As client-go: the pod's own account, reached through the environment's proxy if there is one.
fn in_cluster(variables: &ProxyVariables) -> Result<Origin, Problem> {
    let mut config = Config::incluster().map_err(|error| {
        wrong(format!(
            "this doesn't run in a pod with a service account ({error}); use --kubeconfig or --demo"
        ))
    })?;
    let namespace = Namespace::parse(config.default_namespace.trim()).ok();
    let proxy = variables.proxy_to(&config.cluster_url)?;
    let credential = match config.auth_info.token_file.take() {
        Some(path) => Credential::TokenFile { path, else_token: None },
        None => Credential::Nothing,
    };
    Ok(Origin { target: Target { config, proxy, credential }, context: None, namespace })
}

fn at_url(
    url: &str,
    token: Option<String>,
    certificate: Option<Vec<u8>>,
    name: String,
    variables: &ProxyVariables,
) -> Result<Origin, Problem> {
    let uri: http::Uri =
        url.parse().ok().filter(|uri: &http::Uri| uri.host().is_some()).ok_or_else(|| {
            wrong(format!("{url:?} is not the address of an API server, such as https://host:6443"))
        })?;
    let mut config = Config::new(uri);
    config.root_cert = certificate.map(|certificate| vec![certificate]);
    let proxy = variables.proxy_to(&config.cluster_url)?;
    let credential = token.map_or(Credential::Nothing, Credential::Token);
    Ok(Origin { target: Target { config, proxy, credential }, context: Some(name), namespace: None })
}

#[cfg(test)]
mod tests;
