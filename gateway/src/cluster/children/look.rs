//! Looks for the children of a kind: one list of metadata for each kind that may have some, a few at a time. What
//! several viewers of one identity ask for is asked once.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde::Deserialize;
use shared::resource::Kind;
use shared::sorted;
use tokio::time::{Instant, timeout_at};

use super::{ChildKinds, ChildrenQuestion, FoundChildren, Look, Looked, MayList, lock};
use crate::cluster::credentials::Credentials;
use crate::cluster::request::{Accept, ApiRequest, Selection};
use crate::cluster::served::Served;
use crate::limits::{
    CHILD_KINDS_LOOKED_AT_MAX, CHILD_LIST_OBJECTS, CHILD_LISTS_AT_ONCE_MAX, CHILD_LOOK_AGAIN_S, CHILD_LOOK_S,
    CHILD_LOOKS_KEPT_MAX,
};

/// A list of metadata, as far as it is read.
#[derive(Deserialize)]
struct List {
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    metadata: ItemMetadata,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ItemMetadata {
    owner_references: Option<Vec<OwnerKind>>,
}

#[derive(Deserialize)]
struct OwnerKind {
    kind: Box<str>,
}

/// As [`crate::cluster::Cluster::child_kinds`].
pub(in crate::cluster) async fn find(
    (served, credentials): (&Served, &Credentials),
    known: &ChildKinds,
    (question, named): (&ChildrenQuestion, &[Box<str>]),
    may_list: &MayList,
) -> FoundChildren {
    let kinds = served.known();
    let Some(owner) = kinds.kinds.iter().find(|kind| kind.serves(&question.resource)) else {
        return FoundChildren::default();
    };
    let Candidates { known: first, looked_at, of } = Candidates::of(&kinds.kinds, owner, known, named);
    let deadline = Instant::now() + Duration::from_secs(CHILD_LOOK_S);
    let first = first.into_iter().map(|kind| (kind.clone(), true));
    let looks: Vec<(Kind, bool)> =
        first.chain(looked_at.into_iter().map(|kind| (kind.clone(), false))).collect();
    let looks = stream::iter(looks).map(|(kind, is_known)| async move {
        let may_list = may_list(kind.clone()).await;
        // What a viewer may not list isn't listed for them.
        let is_looked_at = may_list && (is_known || look_at(credentials, known, question, &kind).await);
        (kind, may_list, is_looked_at)
    });
    let mut looks = std::pin::pin!(looks.buffer_unordered(CHILD_LISTS_AT_ONCE_MAX));
    let mut found = FoundChildren { of, ..FoundChildren::default() };
    while let Ok(Some((kind, may_list, is_looked_at))) = timeout_at(deadline, looks.next()).await {
        found.looked_at += usize::from(is_looked_at);
        if may_list && known.are_children(owner, &kind) {
            found.kinds.push(kind.resource);
        }
    }
    found.kinds.sort();
    found
}

/// The kinds that may be those of children.
struct Candidates<'k> {
    /// They are, as something has shown.
    known: Vec<&'k Kind>,
    looked_at: Vec<&'k Kind>,
    /// All of them, also those that aren't looked at.
    of: usize,
}

impl<'k> Candidates<'k> {
    fn of(kinds: &'k [Kind], owner: &Kind, known: &ChildKinds, named: &[Box<str>]) -> Self {
        let may_have = kinds.iter().filter(|kind| may_be_child(kind, owner));
        let (known, rest): (Vec<&Kind>, Vec<&Kind>) =
            may_have.partition(|kind| known.are_children(owner, kind));
        let of = known.len() + rest.len();
        let is_named = |kind: &&Kind| named.iter().any(|name| **name == *kind.resource.to_string());
        let (mut looked_at, mut others): (Vec<&Kind>, Vec<&Kind>) = rest.into_iter().partition(is_named);
        sorted::sort_by_key(&mut others, |kind| distance(owner, kind));
        others.truncate(CHILD_KINDS_LOOKED_AT_MAX);
        looked_at.append(&mut others);
        Self { known, looked_at, of }
    }
}

/// Kinds that can't be watched are those of answers, such as reviews and metrics; nothing owns an Event.
fn may_be_child(kind: &Kind, owner: &Kind) -> bool {
    let is_event = &*kind.kind == "Event" && matches!(kind.resource.group.as_str(), "" | "events.k8s.io");
    kind.disabled.is_none() && kind.watch && !is_event && (kind.namespaced || !owner.namespaced)
}

/// The group of the owner first, then the kinds of Kubernetes that controllers make most.
fn distance(owner: &Kind, kind: &Kind) -> u8 {
    match kind.resource.group.as_str() {
        group if group == owner.resource.group.as_str() => 0,
        "apps" | "batch" => 1,
        "" => 2,
        _ if !kind.custom => 3,
        _ => 4,
    }
}

/// Whether the kind was looked at, now or lately.
async fn look_at(
    credentials: &Credentials,
    known: &ChildKinds,
    question: &ChildrenQuestion,
    kind: &Kind,
) -> bool {
    let look = Look {
        whom: question.whom.clone(),
        resource: kind.resource.clone(),
        namespace: question.namespace.clone(),
    };
    let looked = known.looked(look);
    let answered = looked.answered.get_or_try_init(|| async {
        let _permit = known.at_once.acquire().await.ok();
        list(credentials, known, question, kind).await.ok_or(())
    });
    answered.await.is_ok()
}

async fn list(
    credentials: &Credentials,
    known: &ChildKinds,
    question: &ChildrenQuestion,
    kind: &Kind,
) -> Option<()> {
    let selection = Selection {
        resource: kind.resource.clone(),
        namespace: question.namespace.clone(),
        name: None,
        fields: None,
    };
    let request = ApiRequest::objects(&selection, Accept::MetadataList)
        .without_second_choice()
        .with("limit", &CHILD_LIST_OBJECTS.to_string());
    let body = credentials.send_as(&question.whom, &request).await.ok()?.whole().await.ok()?;
    let list: List = serde_json::from_slice(&body).ok()?;
    let owners = list.items.iter().flat_map(|item| item.metadata.owner_references.iter().flatten());
    for owner in owners {
        known.note(&owner.kind, &kind.resource);
    }
    Some(())
}

impl ChildKinds {
    /// The answer that is there or on its way, unless it is old.
    fn looked(&self, look: Look) -> Looked {
        let mut looks = lock(&self.looks);
        let is_fresh = |looked: &Looked| looked.at.elapsed() < Duration::from_secs(CHILD_LOOK_AGAIN_S);
        if let Some(looked) = looks.get(&look).filter(|looked| is_fresh(looked)) {
            return looked.clone();
        }
        if looks.len() >= CHILD_LOOKS_KEPT_MAX {
            looks.retain(|_, looked| is_fresh(looked));
        }
        if looks.len() >= CHILD_LOOKS_KEPT_MAX {
            looks.clear();
        }
        let looked = Looked { at: Instant::now(), answered: std::sync::Arc::default() };
        looks.insert(look, looked.clone());
        looked
    }
}

#[cfg(test)]
mod tests {
    use shared::resource::Resource;

    use super::*;

    fn kind(group: &str, plural: &str, name: &str, namespaced: bool) -> Kind {
        Kind::new(Resource::parse(group, "v1", plural).expect("valid"), name, namespaced)
    }

    #[test]
    fn the_kinds_of_the_owners_group_are_looked_at_first_and_none_that_can_have_no_owner() {
        let owner = kind("example.com", "widgets", "Widget", true);
        let parts = kind("example.com", "parts", "Part", true);
        let sets = kind("apps", "replicasets", "ReplicaSet", true);
        let other = Kind { custom: true, ..kind("other.com", "others", "Other", true) };
        let order =
            [&parts, &sets, &kind("", "pods", "Pod", true), &kind("policy", "pdbs", "Pdb", true), &other];
        assert!(order.is_sorted_by_key(|kind| distance(&owner, kind)));
        assert!(may_be_child(&sets, &owner));
        let polled = Kind { watch: false, ..parts.clone() };
        let hidden = Kind { disabled: Some("hidden".into()), ..parts };
        let nodes = kind("", "nodes", "Node", false);
        for none in [&polled, &hidden, &nodes, &kind("", "events", "Event", true)] {
            assert!(!may_be_child(none, &owner), "{none:?}");
        }
        assert!(may_be_child(&nodes, &nodes), "an owner without a namespace owns what has none");
    }

    #[test]
    fn kinds_that_are_known_or_named_are_looked_at_beside_the_most_that_are_looked_at_anyway() {
        let custom = |at: usize| Kind {
            custom: true,
            ..kind("many.com", &format!("a{at:03}"), &format!("A{at}"), true)
        };
        let kinds: Vec<Kind> = (0..CHILD_KINDS_LOOKED_AT_MAX + 20).map(custom).collect();
        let owner = kind("example.com", "widgets", "Widget", true);
        let (known, last) = (ChildKinds::default(), &kinds[kinds.len() - 1]);
        known.note("Widget", &kinds[3].resource);
        let found = Candidates::of(&kinds, &owner, &known, &[last.resource.to_string().into()]);
        assert_eq!((found.known, found.of), (vec![&kinds[3]], kinds.len()));
        assert_eq!(found.looked_at.len(), 1 + CHILD_KINDS_LOOKED_AT_MAX);
        assert_eq!(found.looked_at[0], last);
        assert!(!found.looked_at.contains(&&kinds[3]));
    }

    #[test]
    fn what_is_known_of_owners_has_a_bound() {
        use crate::limits::{CHILD_KINDS_OF_ONE_MAX, OWNER_KINDS_MAX};

        let known = ChildKinds::default();
        let child = |at: usize| kind("", &format!("a{at}"), &format!("A{at}"), true);
        for at in 0..=OWNER_KINDS_MAX {
            known.note(&format!("Owner{at}"), &child(0).resource);
        }
        for at in 0..=CHILD_KINDS_OF_ONE_MAX {
            known.note("Owner0", &child(at).resource);
        }
        let owner = |at: usize| kind("", "owners", &format!("Owner{at}"), true);
        assert!(known.are_children(&owner(0), &child(CHILD_KINDS_OF_ONE_MAX - 1)));
        assert!(!known.are_children(&owner(0), &child(CHILD_KINDS_OF_ONE_MAX)));
        assert!(known.are_children(&owner(OWNER_KINDS_MAX - 1), &child(0)));
        assert!(!known.are_children(&owner(OWNER_KINDS_MAX), &child(0)));
    }
}
