//! The rights in a test's cluster: role bindings, and a playground of teams with a namespace each. The bindings are
//! objects that a real API server takes as well.

use std::collections::BTreeSet;

use anyhow::Result;
use playground::{Options, Playground, User};
use serde_json::{Value, json};
use shared::resource::Resource;
use shared::scope::Scope;

use crate::load::refused;

const RBAC: &str = "rbac.authorization.k8s.io";
const ROLE_BINDINGS: &str = "rolebindings.rbac.authorization.k8s.io";

/// The subject of a role binding.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    User(&'a str),
    Group(&'a str),
}

/// Gives a ClusterRole to a subject, in all namespaces if `namespace` is empty.
pub fn binding(namespace: &str, name: &str, subject: Subject<'_>, role: &str) -> Value {
    let kind = if namespace.is_empty() { "ClusterRoleBinding" } else { "RoleBinding" };
    let (subject_kind, subject) = match subject {
        Subject::User(name) => ("User", name),
        Subject::Group(name) => ("Group", name),
    };
    let mut binding = json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": kind, "metadata": { "name": name },
        "roleRef": { "apiGroup": RBAC, "kind": "ClusterRole", "name": role },
        "subjects": [{ "apiGroup": RBAC, "kind": subject_kind, "name": subject }],
    });
    if !namespace.is_empty() {
        binding["metadata"]["namespace"] = json!(namespace);
    }
    binding
}

/// The same as a document of a manifest, for `kubectl apply`.
pub fn binding_document(namespace: &str, name: &str, subject: Subject<'_>, role: &str) -> String {
    format!("{}\n---\n", binding(namespace, name, subject, role))
}

/// A namespace for each team, which holds the config map `of-TEAM`. A gateway with the playground's kubeconfig may do
/// everything; a viewer, given by name and groups, has the token `token-of-NAME` and no right yet.
pub async fn playground(viewers: &[(&str, &[&str])], teams: &[&str]) -> Result<Playground> {
    let mut users = vec![User::new("dogwatch", "token-of-the-gateway", &["system:masters"])];
    users.extend(viewers.iter().map(|(name, groups)| User::new(name, &format!("token-of-{name}"), groups)));
    let playground = Playground::start(Options { users, ..Options::quiet() }).await?;
    for team in teams {
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": team } });
        playground.create(namespace).map_err(refused)?;
        add_config_map(&playground, team, &format!("of-{team}"))?;
    }
    Ok(playground)
}

/// The config maps of all namespaces.
pub fn config_maps() -> Result<Scope> {
    Ok(Scope::all(Resource::parse("", "v1", "configmaps")?))
}

/// The users that requests for config maps impersonated; `""` stands for requests without impersonation.
pub fn impersonated(playground: &Playground) -> BTreeSet<String> {
    let requests = playground.requests().into_iter();
    let of_config_maps = requests.filter(|request| request.path_and_query.contains("/configmaps"));
    of_config_maps.map(|request| request.impersonates).collect()
}

pub fn add_config_map(playground: &Playground, team: &str, name: &str) -> Result<()> {
    let metadata = json!({ "name": name, "namespace": team });
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata });
    playground.create(object).map(drop).map_err(refused)
}

/// The subject may see what is in the team's namespace; in all of them if `team` is empty.
pub fn allow(playground: &Playground, team: &str, subject: Subject<'_>) -> Result<()> {
    playground.create(binding(team, BINDING, subject, "view")).map(drop).map_err(refused)
}

/// Takes back what [`allow`] gave in this namespace.
pub fn withdraw(playground: &Playground, team: &str) -> Result<()> {
    playground.delete(ROLE_BINDINGS, team, BINDING).map_err(refused)
}

const BINDING: &str = "viewers";
