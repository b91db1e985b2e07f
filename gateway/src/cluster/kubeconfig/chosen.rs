//! One context of a kubeconfig as what a client is built from: where the server is, what proves it, who comes, and through
//! which proxy.

use kube::Config;
use shared::name::Namespace;
use shared::problem::Problem;

use super::cluster::{authority, certificates, of_address, server};
use super::credential::Credential;
use super::shape::{Kubeconfig, User};
use super::user::{check_user, credential_of, identify, impersonate};
use super::{proxy_url, wrong};
use crate::forward_proxy::{Proxy, ProxyVariables};

/// What a context says. `config` has the server, its authority and the client's certificate, and impersonation, but no
/// other credential and no proxy. `credential` is what a request proves itself with.
pub(in crate::cluster) struct Chosen {
    pub(in crate::cluster) config: Config,
    pub(in crate::cluster) proxy: Option<Proxy>,
    pub(in crate::cluster) credential: Credential,
    pub(in crate::cluster) context: String,
    pub(in crate::cluster) namespace: Option<Namespace>,
}

/// The context that was asked for, else the current one.
///
/// # Errors
/// One sentence for each thing that kubectl refuses, too.
pub(in crate::cluster) fn choose(
    mut kubeconfig: Kubeconfig,
    place: &str,
    context: Option<String>,
    variables: &ProxyVariables,
) -> Result<Chosen, Problem> {
    let name = wanted_context(&kubeconfig, place, context)?;
    let context = take(&mut kubeconfig.contexts, &name).unwrap_or_default();
    let Some(cluster) = take(&mut kubeconfig.clusters, &context.cluster) else {
        return Err(wrong(format!(
            "the context {name:?} names the cluster {:?}, which the kubeconfig {place} doesn't define",
            context.cluster
        )));
    };
    let user = match (context.user.as_str(), take(&mut kubeconfig.users, &context.user)) {
        (_, Some(user)) => user,
        ("", None) => User::default(),
        (user, None) => {
            return Err(wrong(format!(
                "the context {name:?} names the user {user:?}, which the kubeconfig {place} doesn't define"
            )));
        }
    };
    let of_cluster = format!("the cluster {:?} in the kubeconfig {place}", context.cluster);
    let of_user = format!("the user {:?} in the kubeconfig {place}", context.user);
    let about = |whose: &str, problem: Problem| wrong(format!("{whose} can't be used: {}", problem.message));
    let server = server(&cluster, &of_cluster)?;
    let proxy = match proxy_url::proxy(&cluster.proxy_url).map_err(|problem| about(&of_cluster, problem))? {
        Some(proxy) => Some(proxy),
        None => variables.proxy_for(&server)?,
    };
    let authority = authority(&cluster, &server).map_err(|problem| about(&of_cluster, problem))?;
    check_user(&user).map_err(|problem| about(&of_user, problem))?;
    let uri = server.uri().ok_or_else(|| {
        wrong(format!(
            "{of_cluster} has a `server` that no request can be sent to; write it as https://host:6443"
        ))
    })?;
    let mut config = Config::new(uri);
    impersonate(&mut config.auth_info, &user);
    let mut credential = of_address(&server);
    if server.scheme == "https" {
        config.root_cert = authority.as_deref().map(certificates);
        config.accept_invalid_certs = cluster.insecure_skip_tls_verify;
        config.tls_server_name = Some(cluster.tls_server_name.clone()).filter(|name| !name.is_empty());
        identify(&mut config.auth_info, &user, &context.user).map_err(|problem| Problem {
            message: format!("{of_user} can't be used: {}", problem.message),
            ..problem
        })?;
        let own = credential_of(user, &context.user, &cluster, authority.as_deref())
            .map_err(|problem| about(&of_user, problem))?;
        credential = credential.or(Some(own));
    }
    let namespace = Namespace::parse(&context.namespace).ok();
    Ok(Chosen {
        config,
        proxy,
        credential: credential.unwrap_or(Credential::Nothing),
        context: name,
        namespace,
    })
}

fn take<T>(entries: &mut Vec<(String, T)>, name: &str) -> Option<T> {
    let position = entries.iter().position(|(known, _)| known == name)?;
    Some(entries.swap_remove(position).1)
}

fn wanted_context(kubeconfig: &Kubeconfig, place: &str, context: Option<String>) -> Result<String, Problem> {
    let names = || kubeconfig.contexts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    if kubeconfig.contexts.is_empty() {
        return Err(wrong(format!(
            "the kubeconfig {place} holds no context; name another with --kubeconfig"
        )));
    }
    let wanted = context.unwrap_or_else(|| kubeconfig.current_context.clone());
    if wanted.is_empty() {
        return Err(wrong(format!(
            "the kubeconfig {place} sets no current-context; choose one with --context: {}",
            names()
        )));
    }
    if !kubeconfig.contexts.iter().any(|(name, _)| *name == wanted) {
        return Err(wrong(format!("the kubeconfig {place} has no context {wanted:?}; it has {}", names())));
    }
    Ok(wanted)
}
