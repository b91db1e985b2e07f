//! From a request to a scope, once the gateway has named its kinds and its context. Never a guess: a request
//! that doesn't fit its kind is an error.

use shared::frame::server::{Cluster, Kinds, Welcome};
use shared::name::{ClusterName, Namespace};
use shared::resource::{Kind, resolve};
use shared::scope::{Namespaces, Scope};

use super::args::{ClusterChoice, NamespaceChoice, Request};

/// The scope of the subscription, and whether its rows show their namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) scope: Scope,
    /// True for a namespaced kind in several namespaces.
    pub(super) shows_namespace: bool,
}

/// The namespace that kubectl uses if the context names none.
const DEFAULT_NAMESPACE: &str = "default";

/// The clusters that were asked for, by name. None: the home cluster alone.
/// Fails with one sentence: the gateway shows no such cluster.
pub(super) fn clusters(request: &Request, welcome: &Welcome) -> Result<Vec<ClusterName>, String> {
    let known = || welcome.clusters.iter().map(|cluster| cluster.name.clone());
    match &request.clusters {
        ClusterChoice::Home => Ok(Vec::new()),
        ClusterChoice::All => Ok(known().collect()),
        ClusterChoice::These(names) => match names.iter().find(|name| known().all(|known| known != **name)) {
            None => Ok(names.clone()),
            Some(unknown) => {
                let names: Vec<String> = known().map(String::from).collect();
                Err(format!(
                    "this gateway shows no cluster {:?}; it has {}",
                    unknown.as_str(),
                    names.join(", ")
                ))
            }
        },
    }
}

/// `clusters`: by [`clusters`]; `kinds`: of one of them, which serves the resource if any does.
/// Fails with one sentence: an unknown or disabled resource, a namespace for a kind that has none.
pub(super) fn target(
    request: &Request,
    clusters: &[ClusterName],
    kinds: &Kinds,
    welcome: Option<&Welcome>,
) -> Result<Target, String> {
    let kind = resolve(&kinds.kinds, &request.word).map_err(|problem| {
        let missing: Vec<&str> = kinds.problems.iter().map(|problem| problem.message.as_str()).collect();
        if missing.is_empty() {
            problem.message
        } else {
            format!("{}; some groups didn't answer: {}", problem.message, missing.join("; "))
        }
    })?;
    if let Some(why) = &kind.disabled {
        return Err(format!("{} are not served: {why}", kind.resource));
    }
    let of_first = welcome.and_then(|welcome| match clusters.first() {
        Some(first) => welcome.clusters.iter().find(|cluster| cluster.name == *first),
        None => welcome.cluster(),
    });
    let namespaces = namespaces(request, kind, of_first)?;
    let scope = Scope {
        cluster: clusters.first().filter(|_| clusters.len() == 1).cloned(),
        resource: kind.resource.clone(),
        namespaces,
        name: request.name.clone(),
        labels: request.labels.clone(),
        fields: request.fields.clone(),
    };
    let shows_namespace = kind.namespaced && scope.namespaces.only().is_none();
    Ok(Target { scope, shows_namespace })
}

fn namespaces(request: &Request, kind: &Kind, cluster: Option<&Cluster>) -> Result<Namespaces, String> {
    if !kind.namespaced {
        return match &request.namespaces {
            NamespaceChoice::These(_) => Err(format!("{} have no namespace: leave -n out", kind.resource)),
            _ => Ok(Namespaces::All),
        };
    }
    let names = match &request.namespaces {
        NamespaceChoice::All => return Ok(Namespaces::All),
        NamespaceChoice::These(names) => names.clone(),
        NamespaceChoice::Context => cluster.map(|cluster| cluster.namespaces.clone()).unwrap_or_default(),
    };
    let names = if names.is_empty() {
        vec![Namespace::parse(DEFAULT_NAMESPACE).map_err(|problem| problem.message)?]
    } else {
        names
    };
    Namespaces::these(names).map_err(|problem| problem.message)
}

impl Target {
    /// kubectl's sentence for an empty answer.
    pub(super) fn nothing_found(&self) -> String {
        if let Some(name) = &self.scope.name {
            return format!("{} {:?} not found", self.scope.resource, name.as_str());
        }
        match &self.scope.namespaces {
            Namespaces::All => "No resources found".to_owned(),
            Namespaces::These(names) => {
                let names: Vec<&str> = names.iter().map(Namespace::as_str).collect();
                format!("No resources found in {} namespace.", names.join(", "))
            }
        }
    }
}
