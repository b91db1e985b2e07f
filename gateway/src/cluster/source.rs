//! Where the cluster is and which credentials it takes: a kubeconfig, a pod's service account, or a URL. Never
//! a request; an error in a file is one sentence that says what to do.

use std::path::{Path, PathBuf};

use kube::Config;
use kube::config::{ExecInteractiveMode, KubeConfigOptions, Kubeconfig, KubeconfigError};
use shared::name::Namespace;
use shared::problem::{Problem, Reason};

use super::certificate;

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
    pub(super) config: Config,
    /// The name of the kubeconfig's context; `None` for a pod's service account.
    pub(super) context: Option<String>,
    pub(super) namespace: Option<Namespace>,
}

impl Source {
    /// Reads where blocking is allowed: the files are small and local, but an automounted home may hang.
    pub(super) async fn open(self) -> Result<Origin, Problem> {
        match self {
            Self::Kubeconfig { path, context } => {
                let (kubeconfig, place) = blocking(move || read_all(&paths_of(path))).await?;
                choose(kubeconfig, &place, context).await
            }
            Self::InCluster => blocking(in_cluster).await,
            Self::Written { kubeconfig, place } => {
                let read = Kubeconfig::from_yaml(&kubeconfig)
                    .map_err(|error| wrong(format!("{place} can't be used: {error}")))?;
                // No context of a kubeconfig that kubectl would know.
                Ok(Origin { context: None, ..choose(read, &place, None).await? })
            }
            Self::Url { url, token, certificate, name } => at_url(&url, token, certificate, name),
        }
    }
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
    let (kubeconfig, _) = read_all(&paths_of(path))?;
    let names = kubeconfig.contexts.into_iter().map(|entry| entry.name).collect::<Vec<_>>();
    let current = kubeconfig.current_context.filter(|current| names.contains(current));
    Ok(Contexts { current, names })
}

fn paths_of(path: Option<PathBuf>) -> Vec<PathBuf> {
    match path {
        Some(path) => vec![path],
        None => {
            let listed = std::env::var_os("KUBECONFIG");
            default_paths(listed.as_deref(), std::env::home_dir().as_deref())
        }
    }
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

fn default_paths(listed: Option<&std::ffi::OsStr>, home: Option<&Path>) -> Vec<PathBuf> {
    match listed.filter(|text| !text.is_empty()) {
        Some(listed) => std::env::split_paths(listed).filter(|path| !path.as_os_str().is_empty()).collect(),
        None => home.map(|home| home.join(".kube").join("config")).into_iter().collect(),
    }
}

/// As kubectl does: merges the files that exist; the first one that sets a value wins.
fn read_all(paths: &[PathBuf]) -> Result<(Kubeconfig, String), Problem> {
    let place = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let mut merged: Option<Kubeconfig> = None;
    for path in paths.iter().filter(|path| paths.len() == 1 || path.exists()) {
        let next = read_one(path)?;
        merged = Some(match merged {
            None => next,
            Some(before) => before.merge(next).map_err(|_| {
                wrong(format!("the kubeconfig {} is of another version than those before it", path.display()))
            })?,
        });
    }
    match merged {
        Some(kubeconfig) => Ok((kubeconfig, place)),
        None => Err(wrong(format!(
            "there is no kubeconfig at {place}; name one with --kubeconfig or KUBECONFIG, or start with --demo"
        ))),
    }
}

fn read_one(path: &Path) -> Result<Kubeconfig, Problem> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => wrong(format!(
            "the kubeconfig {shown} doesn't exist; write it, name another with --kubeconfig, KUBECONFIG or in `clusters`, or start with --demo"
        )),
        _ => wrong(format!("the kubeconfig {shown} can't be read: {error}")),
    })?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(wrong(format!(
            "the kubeconfig {shown} is empty; write one, or name another with --kubeconfig"
        )));
    }
    Kubeconfig::read_from(path).map_err(|error| match error {
        KubeconfigError::Parse(error) => {
            let text = error.to_string();
            let line: String = text.lines().next().unwrap_or_default().chars().take(160).collect();
            wrong(format!("the kubeconfig {shown} is not a kubeconfig in YAML: {line}"))
        }
        other => wrong(format!("the kubeconfig {shown} can't be read: {other}")),
    })
}

async fn choose(mut kubeconfig: Kubeconfig, place: &str, context: Option<String>) -> Result<Origin, Problem> {
    let wanted = wanted_context(&kubeconfig, place, context)?;
    let entry = kubeconfig.contexts.iter().find(|entry| entry.name == wanted).and_then(|e| e.context.clone());
    let Some(entry) = entry else {
        let names = context_names(&kubeconfig);
        return Err(wrong(format!("the kubeconfig {place} has no context {wanted:?}; it has {names}")));
    };
    let cluster =
        kubeconfig.clusters.iter().find(|c| c.name == entry.cluster).and_then(|c| c.cluster.as_ref());
    let Some(cluster) = cluster else {
        return Err(wrong(format!(
            "the context {wanted:?} names the cluster {:?}, which the kubeconfig {place} doesn't define",
            entry.cluster
        )));
    };
    if cluster.server.as_ref().is_none_or(|server| server.trim().is_empty()) {
        return Err(wrong(format!(
            "the cluster {:?} in the kubeconfig {place} has no `server`",
            entry.cluster
        )));
    }
    let own_proxy = cluster.proxy_url.as_ref().is_some_and(|url| !url.is_empty());
    let user = entry.user.clone().unwrap_or_default();
    prepare_user(&mut kubeconfig, &user, place, &wanted)?;
    let options = KubeConfigOptions { context: Some(wanted.clone()), cluster: None, user: None };
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(|error| {
        wrong(format!("the context {wanted:?} of the kubeconfig {place} can't be used: {error}"))
    })?;
    if !own_proxy && config.cluster_url.host().is_some_and(is_loopback) {
        // As Go and curl do: a server on this machine isn't reached through HTTPS_PROXY.
        config.proxy_url = None;
    }
    check_client_certificate(&config, &user)?;
    let namespace = entry.namespace.as_deref().and_then(|text| Namespace::parse(text).ok());
    Ok(Origin { config, context: Some(wanted), namespace })
}

fn wanted_context(kubeconfig: &Kubeconfig, place: &str, context: Option<String>) -> Result<String, Problem> {
    if kubeconfig.contexts.is_empty() {
        return Err(wrong(format!(
            "the kubeconfig {place} holds no context; name another with --kubeconfig"
        )));
    }
    context.or_else(|| kubeconfig.current_context.clone()).filter(|name| !name.is_empty()).ok_or_else(|| {
        wrong(format!(
            "the kubeconfig {place} sets no current-context; choose one with --context: {}",
            context_names(kubeconfig)
        ))
    })
}

fn context_names(kubeconfig: &Kubeconfig) -> String {
    kubeconfig.contexts.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn prepare_user(kubeconfig: &mut Kubeconfig, user: &str, place: &str, context: &str) -> Result<(), Problem> {
    if user.is_empty() {
        return Ok(());
    }
    let Some(entry) = kubeconfig.auth_infos.iter_mut().find(|entry| entry.name == user) else {
        return Err(wrong(format!(
            "the context {context:?} names the user {user:?}, which the kubeconfig {place} doesn't define"
        )));
    };
    if let Some(exec) = entry.auth_info.as_mut().and_then(|auth| auth.exec.as_mut()) {
        if matches!(exec.interactive_mode, Some(ExecInteractiveMode::Always)) {
            return Err(wrong(format!(
                "the exec plugin of the user {user:?} asks for a terminal; log in with it first, or set its interactiveMode to IfAvailable"
            )));
        }
        // The gateway has no terminal, and the plugin's output must reach the error message.
        exec.interactive_mode = Some(ExecInteractiveMode::Never);
    }
    Ok(())
}

/// An API server answers an expired client certificate with a bare 401.
fn check_client_certificate(config: &Config, user: &str) -> Result<(), Problem> {
    use base64::Engine;
    let auth = &config.auth_info;
    let from_text = auth
        .client_certificate_data
        .as_ref()
        .and_then(|text| base64::engine::general_purpose::STANDARD.decode(text.trim()).ok());
    let pem =
        from_text.or_else(|| auth.client_certificate.as_ref().and_then(|path| std::fs::read(path).ok()));
    let Some(expires) = pem.as_deref().and_then(certificate::not_after) else { return Ok(()) };
    if expires > jiff::Timestamp::now() {
        return Ok(());
    }
    Err(Problem::new(
        Reason::CertificateExpired,
        format!(
            "the client certificate of the user {user:?} expired at {expires}; log in again to get another"
        ),
    ))
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn in_cluster() -> Result<Origin, Problem> {
    let config = Config::incluster().map_err(|error| {
        wrong(format!(
            "this doesn't run in a pod with a service account ({error}); use --kubeconfig or --demo"
        ))
    })?;
    let namespace = Namespace::parse(config.default_namespace.trim()).ok();
    Ok(Origin { config, context: None, namespace })
}

fn at_url(
    url: &str,
    token: Option<String>,
    certificate: Option<Vec<u8>>,
    name: String,
) -> Result<Origin, Problem> {
    let uri: http::Uri =
        url.parse().ok().filter(|uri: &http::Uri| uri.host().is_some()).ok_or_else(|| {
            wrong(format!("{url:?} is not the address of an API server, such as https://host:6443"))
        })?;
    let mut config = Config::new(uri);
    config.auth_info.token = token.map(Into::into);
    config.root_cert = certificate.map(|certificate| vec![certificate]);
    Ok(Origin { config, context: Some(name), namespace: None })
}

#[cfg(test)]
mod tests;
