//! What a viewer may see of a record: what they may list now, in the namespaces that were there then and still are, and
//! what the operator shows now.

use std::collections::HashMap;
use std::sync::Arc;

use history::Within;
use shared::past::Removed;
use shared::resource::Resource;
use shared::row::{Row, RowId};
use shared::scope::Namespaces;

use crate::cluster::Ceiling;
use crate::feed::Redaction;
use crate::feed::labels::Labels;
use crate::subscription_request::SubscriptionRequest;

/// What may be seen of a question's answer.
pub struct Sees {
    /// With the namespaces that the viewer may see.
    pub request: Arc<SubscriptionRequest>,
    /// The viewer may list the kind in the whole cluster.
    pub of_whole_cluster: bool,
    pub ceiling: Ceiling,
    /// The rules of now.
    pub redaction: Redaction,
}

/// The row of each namespace that is there, by its name.
pub(super) type NamespaceRows = HashMap<Box<str>, RowId>;

/// Whether an object of a namespace is shown to those who may list its kind there: a namespace that was made anew may be
/// another tenant's, who never saw what was in the former one.
pub(super) fn is_of_same_namespace(
    rows: &NamespaceRows,
    namespace: Option<&str>,
    then: Option<RowId>,
) -> bool {
    match namespace {
        Some(name) => then.is_some() && rows.get(name).copied() == then,
        None => true,
    }
}

impl Sees {
    /// Whether what is shown depends on the namespaces that there are.
    pub(super) fn asks_for_namespaces(&self) -> bool {
        !self.of_whole_cluster || !self.ceiling.shows_all_namespaces()
    }

    pub(super) fn shows(
        &self,
        rows: &NamespaceRows,
        (row, labels): (&Row, &Labels),
        namespace_row: Option<RowId>,
    ) -> bool {
        let place = row.place();
        self.request.accepts_row(row, labels)
            && self.ceiling.shows_object(&self.request.scope.resource, place.0, place.1)
            && (self.of_whole_cluster || is_of_same_namespace(rows, place.0, namespace_row))
    }

    /// Whether the viewer is told that something was removed: it may have been of what they see.
    pub(super) fn tells(&self, removed: &Removed) -> bool {
        let Some(name) = &removed.namespace else { return true };
        let may_see = match &self.request.scope.namespaces {
            Namespaces::All => self.of_whole_cluster,
            Namespaces::These(names) => names.iter().any(|it| it.as_str() == &**name),
        };
        may_see && self.ceiling.shows_namespace(name)
    }

    /// The namespaces whose changes are counted.
    pub(super) fn within(&self, rows: &NamespaceRows) -> Within {
        let scope = &self.request.scope;
        match (&scope.namespaces, self.of_whole_cluster) {
            (Namespaces::All, true) if self.ceiling.shows_all_namespaces() => Within::All,
            (Namespaces::All, true) => {
                let shown = rows.keys().filter(|name| self.ceiling.shows_namespace(name));
                Within::Named(shown.cloned().collect())
            }
            (Namespaces::These(names), true) => {
                Within::Named(names.iter().map(|name| name.as_str().into()).collect())
            }
            (Namespaces::All, false) => Within::Rows(Vec::new()),
            (Namespaces::These(names), false) => {
                Within::Rows(names.iter().filter_map(|name| rows.get(name.as_str()).copied()).collect())
            }
        }
    }
}

/// The kind whose objects are namespaces.
pub(super) fn namespaces() -> Option<Resource> {
    Resource::parse("", "v1", "namespaces").ok()
}

#[cfg(test)]
mod tests {
    use shared::scope::Scope;

    use super::*;
    use crate::cluster::Choice;

    fn id(number: u64) -> RowId {
        RowId::from_hash(number << 20)
    }

    /// What a viewer of pods sees, with this name in their question.
    fn sees(of_whole_cluster: bool, ceiling: Ceiling, name: Option<&str>) -> Sees {
        let name = name.map(|name| shared::name::ObjectName::parse(name).expect("a name"));
        let scope = Scope { name, ..Scope::all(Resource::parse("", "v1", "pods").expect("a resource")) };
        let request = Arc::new(SubscriptionRequest::rows(1, scope));
        Sees { request, of_whole_cluster, ceiling, redaction: Redaction::default() }
    }

    fn pod(namespace: &str) -> Row {
        Row {
            id: id(7),
            resource_version: "1".into(),
            namespace: Some(namespace.into()),
            name: "web".into(),
            created: None,
            cells: Vec::new(),
            extra: None,
        }
    }

    #[test]
    fn what_was_in_a_namespace_before_it_was_made_anew_is_for_those_alone_who_list_the_whole_cluster() {
        let (was, made_anew) = (id(1), id(2));
        let now = NamespaceRows::from([("shop".into(), made_anew), ("ledger".into(), was)]);
        let shows = |of_whole_cluster, namespace: &str, then| {
            let row = pod(namespace);
            sees(of_whole_cluster, Ceiling::default(), None).shows(&now, (&row, &Labels::default()), then)
        };
        assert!(shows(false, "ledger", Some(was)), "it is the same namespace");
        for namespace in ["shop", "gone"] {
            assert!(!shows(false, namespace, Some(was)), "{namespace}");
            assert!(shows(true, namespace, Some(was)), "{namespace}");
        }
        assert!(!shows(false, "ledger", None), "whose namespace isn't known is shown to no one else");
    }

    #[test]
    fn what_was_removed_in_a_namespace_is_told_to_those_alone_who_see_it() {
        let removed = |namespace: Option<&str>| Removed {
            from_ms: 1,
            to_ms: 2,
            removed_ms: 3,
            namespace: namespace.map(Box::from),
            path: None,
            masked: false,
        };
        let hidden = Choice {
            hidden: vec![crate::cluster::Pattern::parse("vault").expect("a name")],
            ..Choice::default()
        };
        let ceiling = Ceiling::of(Choice::default(), hidden);
        let whole = sees(true, ceiling.clone(), None);
        assert!(whole.tells(&removed(None)) && whole.tells(&removed(Some("shop"))));
        assert!(!whole.tells(&removed(Some("vault"))), "the operator hides it");
        let shop = vec![shared::name::Namespace::parse("shop").expect("a name")];
        let namespaces = Namespaces::these(shop).expect("one");
        let scope = Scope { namespaces, ..whole.request.scope.clone() };
        let part =
            Sees { request: Arc::new(SubscriptionRequest::rows(1, scope)), ..sees(false, ceiling, None) };
        assert!(part.tells(&removed(None)) && part.tells(&removed(Some("shop"))));
        assert!(!part.tells(&removed(Some("ledger"))));
    }

    #[test]
    fn the_operators_ceiling_and_the_name_of_the_question_hold_for_the_past() {
        let row = pod("shop");
        let shows = |ceiling, name| {
            let rows = NamespaceRows::new();
            sees(true, ceiling, name).shows(&rows, (&row, &Labels::default()), None)
        };
        assert!(shows(Ceiling::default(), Some("web")) && !shows(Ceiling::default(), Some("other")));
        let hidden = Choice {
            hidden: vec![crate::cluster::Pattern::parse("shop").expect("a name")],
            ..Choice::default()
        };
        assert!(!shows(Ceiling::of(Choice::default(), hidden), None));
    }
}
