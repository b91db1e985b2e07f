//! Lists: of now or of an older revision, whole or in pages that all share one revision.
//! It never keeps a snapshot: an older state is the present state with the history undone.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubernetes_api::{PageToken, prefix_of};

use super::history::Expired;
use super::object::Object;
use super::{Collection, Store};
use crate::resource::GroupResource;

/// A list, or the next page of one.
#[derive(Debug)]
pub struct Page {
    pub revision: u64,
    pub objects: Vec<Arc<Object>>,
    /// Where the next page goes on, and how many are left (known only without selectors).
    pub rest: Option<(PageToken, usize)>,
}

impl Store {
    /// Lists at a revision (none: now), from a key on, up to `limit` that `matches` accepts (0: all).
    pub fn list(
        &self,
        at: &GroupResource,
        namespace: &str,
        revision: Option<u64>,
        from: &str,
        limit: usize,
        matches: &dyn Fn(&Object) -> bool,
    ) -> Result<Page, Expired> {
        let revision = revision.unwrap_or(self.revision).min(self.revision);
        let mut page = Page { revision, objects: Vec::new(), rest: None };
        let Some(collection) = self.collections.get(at) else {
            return Ok(page);
        };
        let mut found = collection.state_at(namespace, revision, from)?.into_iter();
        while let Some(object) = found.next() {
            if !matches(&object) {
                continue;
            }
            page.objects.push(object);
            if limit > 0 && page.objects.len() == limit {
                let left = found.len();
                if let (Some(last), true) = (page.objects.last(), left > 0) {
                    page.rest = Some((PageToken::after(revision, namespace, &last.key), left));
                }
                break;
            }
        }
        Ok(page)
    }
}

impl Collection {
    fn state_at(&self, namespace: &str, revision: u64, from: &str) -> Result<Vec<Arc<Object>>, Expired> {
        let newer = self.history.after(revision, usize::MAX)?;
        let prefix = prefix_of(namespace);
        let from = if from.is_empty() { prefix.as_str() } else { from };
        let mut state: BTreeMap<&str, &Arc<Object>> =
            self.beginning_with(&prefix, from).map(|(key, object)| (key.as_str(), object)).collect();
        // The first change after the revision holds the object at the revision.
        let mut then: BTreeMap<String, Option<Arc<Object>>> = BTreeMap::new();
        for change in newer {
            then.entry(change.key).or_insert(change.before);
        }
        for (key, before) in then.range(from.to_owned()..) {
            match before {
                Some(object) if key.starts_with(&prefix) => state.insert(key, object),
                _ => state.remove(key.as_str()),
            };
        }
        Ok(state.into_values().map(Arc::clone).collect())
    }
}
