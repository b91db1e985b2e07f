//! Where the page is: what an address means, which view that opens, and how the address follows.
//! Filter and sort replace the history's entry; another kind or other namespaces push one.

use std::rc::Rc;

use replica::location::{Location, Place};
use shared::resource::{Kind, Resource, resolve};
use shared::scope::{Namespaces, Scope};

use super::page::{Open, Page};
use super::signals::put;
use crate::dom;

/// Where a first page starts.
const FIRST_RESOURCE: &str = "pods";

impl Page {
    pub(super) fn kinds_came(&mut self) {
        if !self.is_open() {
            self.open_what_the_address_names();
        }
        self.write_navigation();
    }

    /// Back, forward.
    pub(super) fn go_where_the_address_says(&mut self) {
        self.place = place_of_address();
        self.open_what_the_address_names();
        self.write_navigation();
    }

    pub(super) fn open_what_the_address_names(&mut self) {
        if self.place.resource.is_empty() {
            self.place.resource = FIRST_RESOURCE.into();
        }
        let Some(kinds) = self.client.kinds() else { return };
        let kind = match resolve(&kinds.kinds, &self.place.resource) {
            Ok(kind) => Rc::new(kind.clone()),
            Err(problem) => {
                self.close_view();
                self.open = Open::Unknown(problem);
                return;
            }
        };
        self.complete_address(&kind);
        let scope = self.scope(&kind);
        let moment = self.moment();
        let key = self.client.open(scope, moment);
        if self.key() != Some(key) {
            self.close_view();
            self.screen.begin_anew();
        }
        if let Some(view) = self.client.view_mut(key) {
            view.set_filter(&self.place.query);
            view.set_sort(self.place.sort.clone());
        }
        put(self.view.filter, self.place.query.to_string());
        self.open = Open::View { key, kind };
        self.screen.rows_changed = true;
    }

    /// So that the link means the same for everybody, and later.
    fn complete_address(&mut self, kind: &Kind) {
        let Some(welcome) = self.client.welcome() else { return };
        self.place.resource = kind.resource.to_string().into();
        self.place.cluster = Some(welcome.cluster.name.clone());
        self.place.place = match (kind.namespaced, self.place.namespaces(&welcome.namespaces)) {
            (false, _) => Place::Cluster,
            (true, Namespaces::All) => Place::All,
            (true, Namespaces::These(names)) => Place::These(names),
        };
        self.write_address();
    }

    pub(super) fn write_address(&self) {
        dom::address::replace(&self.place.href());
    }

    fn scope(&self, kind: &Kind) -> Scope {
        Scope {
            cluster: None,
            resource: kind.resource.clone(),
            namespaces: self.place.namespaces(&[]),
            name: None,
            labels: self.place.labels.clone(),
            fields: self.place.fields.clone(),
        }
    }

    fn close_view(&mut self) {
        if let Some(key) = self.key() {
            self.client.close(key);
        }
        self.open = Open::Unresolved;
    }

    pub(super) fn open_kind(&mut self, resource: Resource) {
        let place = match &self.place.place {
            // A kind without namespaces doesn't remember them: the context's again.
            Place::Cluster => Place::Context,
            place => place.clone(),
        };
        let wide = self.place.wide;
        let name = resource.to_string();
        self.go_to(Location { resource: name.into(), place, wide, ..Location::default() });
    }

    pub(super) fn set_namespaces(&mut self, namespaces: Namespaces) {
        let place = match namespaces {
            Namespaces::All => Place::All,
            Namespaces::These(names) => Place::These(names),
        };
        self.go_to(Location { place, ..self.place.clone() });
    }

    fn go_to(&mut self, place: Location) {
        dom::address::push(&place.href());
        self.place = place;
        self.open_what_the_address_names();
        self.write_navigation();
    }
}

/// What the address bar says.
pub(crate) fn place_of_address() -> Location {
    let address = dom::address::path();
    let (path, query) = address.split_once('?').unwrap_or((&address, ""));
    replica::location::parse(path, query).location
}
