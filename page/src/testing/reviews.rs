//! What reviews say to a [`TestGateway`] of the rights of its viewer.

use shared::frame::client::{self, Projection, Subscribe};
use shared::frame::server::{Rights, ServerFrame};
use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::scope::{Namespaces, Scope};
use shared::state::UnixMillis;

use super::TestGateway;
use super::frames::Open;

impl TestGateway {
    /// Reviews leave these namespaces of a table that was asked for in all of them.
    pub fn grant(&mut self, resource: &str, namespaces: &[&str], now_ms: UnixMillis) -> Vec<ServerFrame> {
        let names = namespaces.iter().map(|name| Namespace::parse(name).expect("a namespace"));
        let granted = Namespaces::these(names.collect()).unwrap_or(Namespaces::All);
        let asked: Vec<Subscribe> = self
            .open
            .iter()
            .filter(|open| open.is_of(resource, Projection::Rows))
            .map(|open| open.asked.clone())
            .collect();
        self.open.retain(|open| !open.is_of(resource, Projection::Rows));
        let mut frames = Vec::new();
        for asked in asked {
            let (wanted, id) = (asked.scope.clone(), asked.id);
            let scope = Scope { namespaces: granted.clone(), ..wanted };
            frames.extend(self.subscribe(Subscribe { scope, token: None, id, ..asked }, now_ms));
        }
        frames
    }

    /// Reviews refuse these namespaces of a table to a subscription that names them, and no others.
    pub fn deny(&mut self, resource: &str, namespaces: &[&str], now_ms: UnixMillis) -> Vec<ServerFrame> {
        let names = namespaces.iter().map(|name| (*name).to_owned()).collect();
        self.denied.insert(resource.to_owned(), names);
        let is_of = |asked: &Subscribe| {
            asked.scope.resource.to_string() == *resource && asked.projection == Projection::Rows
        };
        let mut asked: Vec<Subscribe> = Vec::new();
        let (again, open) = std::mem::take(&mut self.open).into_iter().partition(|open| is_of(&open.asked));
        let (refused, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(is_of);
        (self.open, self.waiting) = (open, waiting);
        asked.extend(again.into_iter().map(|open: Open| open.asked));
        asked.extend::<Vec<Subscribe>>(refused);
        asked
            .into_iter()
            .flat_map(|asked| self.subscribe(Subscribe { token: None, ..asked }, now_ms))
            .collect()
    }

    pub(super) fn is_denied(&self, scope: &Scope) -> bool {
        let denied = self.denied.get(&scope.resource.to_string()).map(Vec::as_slice).unwrap_or_default();
        let mut denied = denied.iter();
        !scope.namespaces.is_all() && denied.any(|name| scope.namespaces.contains(Some(name)))
    }

    pub(super) fn rights_to(&mut self, asked: client::Rights) -> Vec<ServerFrame> {
        let Some(rights) = &self.rights else { return Vec::new() };
        let resource = asked.resource.to_string();
        let cluster = asked.cluster.as_ref().map(|cluster| format!("@{cluster}")).unwrap_or_default();
        let named = format!("{resource}{cluster}");
        self.asked.push(format!("rights to {named}"));
        let names = rights.get(&named).or_else(|| rights.get(&resource));
        let names = names.map(|names| names.iter().filter_map(|name| Namespace::parse(name).ok()));
        let problem = Problem::new(Reason::Forbidden, format!("you may not list {resource}"));
        let (namespaces, problem) = match names.map(|names| Namespaces::these(names.collect())) {
            None => (Namespaces::All, None),
            Some(Ok(names)) => (names, None),
            Some(Err(_)) => (Namespaces::All, Some(problem)),
        };
        let (id, watch) = (asked.id, problem.is_none());
        vec![ServerFrame::Rights(Box::new(Rights {
            id,
            cluster: asked.cluster,
            resource: asked.resource,
            namespaces,
            watch,
            problem,
        }))]
    }
}
