//! From a request to a scope, once the gateway has named its kinds and its context. Never a guess: a request
//! that doesn't fit its kind is an error.

use shared::frame::server::{Cluster, Kinds, Welcome};
use shared::name::{ClusterName, Namespace, ObjectName};
use shared::resource::{Kind, resolve};
use shared::row::order_key;
use shared::scope::{Namespaces, Scope};

use super::args::{ClusterChoice, NamespaceChoice, Selection};
use crate::question::Place;

/// The scope of the subscription, and whether its rows show their namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) scope: Scope,
    /// True for a namespaced kind in several namespaces.
    pub(crate) shows_namespace: bool,
    /// What `kubectl get -o name` prints before a name: `pod`, `deployment.apps`.
    pub(crate) kind: String,
    /// The reader named a namespace, and the kind has none.
    pub(crate) ignores_namespace: bool,
}

/// The namespace that kubectl uses if the context names none.
const DEFAULT_NAMESPACE: &str = "default";

/// The clusters that were asked for, by name. None: the home cluster alone.
/// Fails with one sentence: the gateway shows no such cluster.
pub(crate) fn clusters(selection: &Selection, welcome: &Welcome) -> Result<Vec<ClusterName>, String> {
    let known = || welcome.clusters.iter().map(|cluster| cluster.name.clone());
    match &selection.clusters {
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

/// The clusters that were asked for and were never reached, each with why, if that is known: a sentence. `clusters`: by
/// [`clusters`].
pub(crate) fn unreached(clusters: &[ClusterName], welcome: &Welcome) -> Vec<(ClusterName, Option<String>)> {
    let home = welcome.cluster().filter(|_| clusters.is_empty());
    let named =
        clusters.iter().filter_map(|name| welcome.clusters.iter().find(|cluster| cluster.name == *name));
    let never = home.into_iter().chain(named).filter(|cluster| cluster.version.is_empty());
    let why = |cluster: &Cluster| {
        let problem = cluster.problem.as_ref()?;
        Some(format!("{} can't be reached: {}", cluster.name, problem.problem.message))
    };
    never.map(|cluster| (cluster.name.clone(), why(cluster))).collect()
}

/// `clusters`: by [`clusters`]; `kinds`: of one of them, which serves the resource if any does.
/// Fails with one sentence: an unknown or disabled resource.
pub(crate) fn target(
    selection: &Selection,
    clusters: &[ClusterName],
    kinds: &Kinds,
    welcome: Option<&Welcome>,
) -> Result<Target, String> {
    let kind = resolve(&kinds.kinds, &selection.word).map_err(|problem| {
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
    let namespaces = namespaces(selection, &kind, of_first)?;
    let scope = Scope {
        cluster: clusters.first().filter(|_| clusters.len() == 1).cloned(),
        resource: kind.resource.clone(),
        namespaces,
        name: selection.name.clone(),
        labels: selection.labels.clone(),
        fields: selection.fields.clone(),
    };
    let shows_namespace = kind.namespaced && scope.namespaces.only().is_none();
    let group = kind.resource.group.as_str();
    let dot = if group.is_empty() { "" } else { "." };
    Ok(Target {
        scope,
        shows_namespace,
        kind: format!("{}{dot}{group}", kind.kind.to_lowercase()),
        ignores_namespace: !kind.namespaced && matches!(selection.namespaces, NamespaceChoice::These(_)),
    })
}

fn namespaces(selection: &Selection, kind: &Kind, cluster: Option<&Cluster>) -> Result<Namespaces, String> {
    if !kind.namespaced {
        // kubectl ignores -n for them.
        return Ok(Namespaces::All);
    }
    let names = match &selection.namespaces {
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
    /// The place of an object that is asked about by its name.
    pub(crate) fn place(&self, target: usize, name: &ObjectName) -> Place {
        let key = match &self.scope.namespaces {
            Namespaces::These(names) => order_key(names.iter().next().map(Namespace::as_str), name.as_str()),
            Namespaces::All => name.to_string(),
        };
        Place { target, key: key.into() }
    }

    /// kubectl's sentence for an empty answer.
    pub(crate) fn nothing_found(&self) -> String {
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
