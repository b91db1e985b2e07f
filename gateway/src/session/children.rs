//! The looks for kinds of children that one connection waits for. What a viewer may not list isn't looked at for them.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use shared::resource::Kind;
use shared::scope::{Namespaces, Scope};

use super::protocol::{AnswerId, ChildrenRequest};
use crate::access::{Grant, Question, Reviews};
use crate::cluster::{FoundChildren, Subject};
use crate::inventory::Reached;

#[derive(Default)]
pub(super) struct ChildrenAsked {
    looks: FuturesUnordered<BoxFuture<'static, (AnswerId, FoundChildren)>>,
}

impl ChildrenAsked {
    /// `named`: the kinds that the configuration names.
    pub(super) fn ask(&mut self, reached: Option<Reached>, named: Vec<Box<str>>, request: ChildrenRequest) {
        let ChildrenRequest { answer, subject, question, .. } = request;
        let look = async move {
            // A cluster that is gone has no children.
            let Some(Reached { cluster, reviews, .. }) = reached else {
                return (answer, FoundChildren::default());
            };
            let namespaces = question.namespace.clone().map(|namespace| Namespaces::these(vec![namespace]));
            let namespaces = namespaces.and_then(Result::ok).unwrap_or(Namespaces::All);
            let may_list = move |kind: Kind| {
                let (reviews, subject, namespaces) = (reviews.clone(), subject.clone(), namespaces.clone());
                let granted = async move {
                    match &subject {
                        Some(subject) => is_granted(&reviews, subject, &kind, &namespaces).await,
                        None => true,
                    }
                };
                granted.boxed()
            };
            (answer, cluster.child_kinds(&question, &named, &may_list).await)
        };
        self.looks.push(look.boxed());
    }

    /// Never returns while nothing is looked for.
    pub(super) async fn next(&mut self) -> (AnswerId, FoundChildren) {
        match self.looks.next().await {
            Some(found) => found,
            None => std::future::pending().await,
        }
    }
}

/// Whether the viewer may list all objects of the kind in these namespaces.
async fn is_granted(reviews: &Reviews, subject: &Arc<Subject>, kind: &Kind, namespaces: &Namespaces) -> bool {
    let namespaces = if kind.namespaced { namespaces.clone() } else { Namespaces::All };
    let scope = Scope { namespaces, ..Scope::all(kind.resource.clone()) };
    let mut grants = reviews.watch(subject, Question::of(&scope, kind.namespaced));
    let granted = grants.wait_for(Option::is_some).await;
    match granted.as_deref() {
        Ok(Some(Grant::Whole)) => true,
        Ok(Some(Grant::Listed(listed))) => *listed == scope.namespaces,
        Ok(Some(Grant::Within(_) | Grant::Refused(_)) | None) | Err(_) => false,
    }
}
