//! "What may I see?": what is known of each kind in the clusters that the page shows, by what it was decided, and the line
//! that asks for the rest.

use std::collections::BTreeSet;

use shared::frame::server::Viewer;
use shared::name::ClusterName;
use shared::resource::Kind;
use shared::scope::Namespaces;

use super::model::{KindRights, RightsSheet};
use super::part::{Here, Part};
use super::{Known, Rights, clusters, is_reviewed, kinds, stood_still, words};
use crate::kind_link::KindLink;
use crate::kubectl::in_context;
use crate::messages;
use crate::status::Class;

/// Named in the piece alone.
pub(crate) const PART: Part = Part { sheet: RightsSheet::of };

impl RightsSheet {
    fn of(viewer: &Viewer, rights: &Rights, here: Here<'_>) -> Self {
        let client = here.client;
        let clusters = clusters(client, here.location);
        let mut known = Vec::new();
        let (mut unknown, mut hidden) = (BTreeSet::new(), BTreeSet::new());
        for cluster in &clusters {
            let in_scope = client.in_scope(cluster);
            let (served, of_none): (Vec<&Kind>, Vec<&Kind>) =
                kinds(client, in_scope.as_ref()).iter().partition(|kind| kind.disabled.is_none());
            let named = Some(cluster.as_str()).filter(|_| clusters.len() > 1);
            let lines = served.iter().filter_map(|kind| {
                let known = rights.of_kind(client, in_scope.as_ref(), kind);
                let line = known.and_then(|known| kind_rights(kind, known, named, here));
                if line.is_none() {
                    unknown.insert(kind.resource.to_string());
                }
                line
            });
            let (granted, refused): (Vec<_>, Vec<_>) = lines.partition(|line| line.class == Class::Ok);
            known.extend(granted.into_iter().chain(refused));
            hidden.extend(of_none.iter().map(|kind| kind.resource.to_string()));
        }
        let hidden: Vec<&str> = hidden.iter().map(String::as_str).collect();
        let groups: Vec<&str> = viewer.groups.iter().map(|group| &**group).collect();
        let names = clusters.iter().filter(|_| client.clusters().len() > 1);
        let about = words::about_clusters(&names.map(ClusterName::as_str).collect::<Vec<_>>());
        let asked = messages::asked_as(&viewer.user, &groups);
        let mut notes =
            vec![words::not_known(unknown.len(), is_reviewed(client)), words::hidden_from_all(&hidden)];
        notes.retain(|note| !note.is_empty());
        let can_i_list = words::can_i_list(namespace(rights, here));
        Self {
            asked: if about.is_empty() { asked } else { format!("{asked} {about}") },
            decided: words::decided_by(viewer.rights),
            kinds: known,
            notes,
            command: in_context(&can_i_list, client, clusters.first()),
        }
    }
}

/// The namespace that the command asks about: one that the reader looks at, otherwise one that they may see.
fn namespace<'a>(rights: &'a Rights, here: Here<'a>) -> Option<&'a str> {
    let client = here.client;
    let name = match here.chosen {
        Namespaces::These(names) => names.first(),
        Namespaces::All => {
            let cluster = client.in_scope(clusters(client, here.location).first()?);
            let mut kinds = kinds(client, cluster.as_ref()).iter();
            let resource = kinds.find(|kind| kind.resource.to_string() == *here.location.resource);
            rights.of_kind(client, cluster.as_ref(), resource?)?.granted().next()
        }
    };
    Some(name?.as_str())
}

/// `None`: no answer has come. `cluster`: the name of its cluster, where several are shown.
fn kind_rights(kind: &Kind, known: &Known, cluster: Option<&str>, here: Here<'_>) -> Option<KindRights> {
    let granted: Vec<&str> = known.granted().map(|name| name.as_str()).collect();
    let refused: Vec<&str> = known.refused().map(|name| name.as_str()).collect();
    let is_granted = known.is_everywhere() || !granted.is_empty();
    let place = match known.is_everywhere() {
        _ if !kind.namespaced => words::CLUSTER_WIDE.to_owned(),
        true => messages::ALL_NAMESPACES.to_owned(),
        false => words::may_in(&granted, &refused),
    };
    let place = cluster.map_or_else(|| place.clone(), |cluster| words::may_in_cluster(cluster, &place));
    if !is_granted && known.all.is_none() && refused.is_empty() {
        return None;
    }
    let answered = match stood_still(known.answered_ms, here.now_ms) {
        Some(at_ms) => messages::instant(at_ms, here.now_ms, here.zone),
        None => words::RIGHTS_NOW.to_owned(),
    };
    Some(KindRights {
        kind: KindLink::of(kind, here.location),
        // A right that one doesn't have is no failure.
        class: if is_granted { Class::Ok } else { Class::Idle },
        may: words::may(is_granted, known.is_polled || !kind.watch),
        place,
        answered,
    })
}
