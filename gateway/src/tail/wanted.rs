//! From a request to a scope, once the gateway has named its kinds and its context. Never a guess:
//! what doesn't fit the kind is said.

use shared::frame::server::{Kinds, Welcome};
use shared::name::Namespace;
use shared::resource::{Kind, resolve};
use shared::scope::{Namespaces, Scope};

use super::args::{Place, Request};

/// What to subscribe to, and what the printer has to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) scope: Scope,
    /// Whether rows show their namespace: of a namespaced kind, wherever they may have several.
    pub(super) shows_namespace: bool,
}

/// Where a context names no namespace, kubectl takes this one.
const DEFAULT_NAMESPACE: &str = "default";

/// # Errors
/// One sentence: an unknown or disabled resource, a namespace for a kind that has none.
pub(super) fn wanted(request: &Request, kinds: &Kinds, welcome: Option<&Welcome>) -> Result<Wanted, String> {
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
    let namespaces = namespaces(request, kind, welcome)?;
    let scope = Scope {
        cluster: None,
        resource: kind.resource.clone(),
        namespaces,
        name: request.name.clone(),
        labels: request.labels.clone(),
        fields: request.fields.clone(),
    };
    let shows_namespace = kind.namespaced && scope.namespaces.only().is_none();
    Ok(Wanted { scope, shows_namespace })
}

fn namespaces(request: &Request, kind: &Kind, welcome: Option<&Welcome>) -> Result<Namespaces, String> {
    if !kind.namespaced {
        return match &request.place {
            Place::These(_) => Err(format!("{} have no namespace: leave -n out", kind.resource)),
            _ => Ok(Namespaces::All),
        };
    }
    let names = match &request.place {
        Place::All => return Ok(Namespaces::All),
        Place::These(names) => names.clone(),
        Place::Context => welcome.map(|welcome| welcome.namespaces.clone()).unwrap_or_default(),
    };
    let names = if names.is_empty() {
        vec![Namespace::parse(DEFAULT_NAMESPACE).map_err(|problem| problem.message)?]
    } else {
        names
    };
    Namespaces::these(names).map_err(|problem| problem.message)
}

impl Wanted {
    /// As kubectl says it of an empty answer.
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
