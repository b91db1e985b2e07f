//! A kind and the address of its view, in the namespaces of the place where the link stands.

use shared::resource::{Kind, Resource};

use crate::location::{Location, Place};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KindLink {
    pub resource: Resource,
    pub href: String,
}

impl KindLink {
    pub fn of(kind: &Kind, here: &Location) -> Self {
        let location = Location {
            resource: kind.resource.to_string().into(),
            cluster: here.cluster.clone(),
            place: if kind.namespaced { here.place.clone() } else { Place::Cluster },
            ..Location::default()
        };
        Self { resource: kind.resource.clone(), href: location.href() }
    }
}
