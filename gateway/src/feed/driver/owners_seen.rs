//! Tells the cluster which kinds own the objects of one answer, each once. It never keeps an object.

use shared::resource::Resource;

use crate::cluster::Cluster;
use crate::feed::Object;
use crate::feed::event::What;
use crate::feed::machine::Input;

pub(super) struct OwnersSeen {
    cluster: Cluster,
    child: Resource,
    /// The kinds that the cluster was told.
    known: Vec<Box<str>>,
}

/// The kinds of which one answer tells: Kubernetes' pods have six kinds of controllers.
const KNOWN_MAX: usize = 32;

impl OwnersSeen {
    pub(super) fn new(cluster: Cluster, child: Resource) -> Self {
        Self { cluster, child, known: Vec::new() }
    }

    pub(super) fn note(&mut self, input: &Input) {
        match input {
            Input::Event(event) => {
                if let What::Put(object) = &event.what {
                    self.note_object(object);
                }
            }
            Input::Page(page) => page.objects.iter().flatten().for_each(|object| self.note_object(object)),
            _ => {}
        }
    }

    fn note_object(&mut self, object: &Object) {
        let owner = object.row.extra.as_deref().and_then(|extra| extra.owner.as_ref());
        let Some(owner) = owner else { return };
        if self.known.len() >= KNOWN_MAX || self.known.contains(&owner.kind) {
            return;
        }
        self.cluster.note_owner(&owner.kind, &self.child);
        self.known.push(owner.kind.clone());
    }
}
