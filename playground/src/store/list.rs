//! Lists: of now or of an older revision, whole or in pages that all share one revision.
//! It never keeps a snapshot: an older state is the present one with the history undone.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Serialize};

use super::history::Expired;
use super::object::Object;
use super::{Shelf, Store};
use crate::resource::GroupResource;

/// A list, or the next page of one.
#[derive(Debug)]
pub struct Page {
    pub revision: u64,
    pub objects: Vec<Arc<Object>>,
    /// Where the next page goes on, and how many are left (known only without selectors).
    pub rest: Option<(PageToken, usize)>,
}

/// What a continue token says. The shape is the real server's, so that foreign ones are recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageToken {
    v: String,
    /// -1: an inconsistent continuation at whatever is newest.
    pub rv: i64,
    /// The first key of the next page.
    pub start: String,
}

const TOKEN_VERSION: &str = "meta.k8s.io/v1";

impl PageToken {
    pub fn after(revision: i64, key: &str) -> Self {
        Self { v: TOKEN_VERSION.to_owned(), rv: revision, start: format!("{key}\0") }
    }

    pub fn encode(&self) -> String {
        STANDARD_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads a token.
    ///
    /// # Errors
    /// Why it can't be one of ours, in the real server's words.
    pub fn decode(text: &str) -> Result<Self, String> {
        let bytes = STANDARD_NO_PAD
            .decode(text)
            .map_err(|_| "continue key is not valid: illegal base64 data".to_owned())?;
        let token: Self =
            serde_json::from_slice(&bytes).map_err(|why| format!("continue key is not valid: {why}"))?;
        if token.v != TOKEN_VERSION {
            return Err(format!(
                "continue key is not valid: server does not recognize this encoded version \"{}\"",
                token.v
            ));
        }
        if token.rv == 0 || !token.start.ends_with('\0') {
            return Err(
                "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"
                    .to_owned(),
            );
        }
        Ok(token)
    }

    pub fn key(&self) -> &str {
        self.start.trim_end_matches('\0')
    }
}

/// What the keys of a namespace begin with; nothing for all.
pub(super) fn prefix_of(namespace: &str) -> String {
    if namespace.is_empty() { String::new() } else { format!("{namespace}/") }
}

impl Store {
    /// Lists at a revision (none: now), after a key, up to `limit` that `matches` accepts (0: all).
    ///
    /// # Errors
    /// The revision is older than the history.
    pub fn list(
        &self,
        at: &GroupResource,
        namespace: &str,
        revision: Option<u64>,
        after: &str,
        limit: usize,
        matches: &dyn Fn(&Object) -> bool,
    ) -> Result<Page, Expired> {
        let revision = revision.unwrap_or(self.revision).min(self.revision);
        let mut page = Page { revision, objects: Vec::new(), rest: None };
        let Some(shelf) = self.shelves.get(at) else {
            return Ok(page);
        };
        let mut found = shelf.state_at(namespace, revision, after)?.into_iter();
        while let Some(object) = found.next() {
            if !matches(&object) {
                continue;
            }
            page.objects.push(object);
            if limit > 0 && page.objects.len() == limit {
                let left = found.len();
                if let (Some(last), true) = (page.objects.last(), left > 0) {
                    let rv = i64::try_from(revision).unwrap_or(i64::MAX);
                    page.rest = Some((PageToken::after(rv, &last.key), left));
                }
                break;
            }
        }
        Ok(page)
    }
}

impl Shelf {
    fn state_at(&self, namespace: &str, revision: u64, after: &str) -> Result<Vec<Arc<Object>>, Expired> {
        let newer = self.history.after(revision, usize::MAX)?;
        if newer.is_empty() {
            return Ok(self.range(namespace, after).map(|(_, object)| Arc::clone(object)).collect());
        }
        // The first change after the revision says what stood there at it.
        let mut then: BTreeMap<String, Option<Arc<Object>>> = BTreeMap::new();
        for change in newer {
            then.entry(change.key).or_insert(change.before);
        }
        let mut state: BTreeMap<&str, &Arc<Object>> =
            self.range(namespace, after).map(|(key, object)| (key.as_str(), object)).collect();
        let prefix = prefix_of(namespace);
        let from = match after {
            "" => Bound::Unbounded,
            key => Bound::Excluded(key.to_owned()),
        };
        for (key, before) in then.range::<String, _>((from, Bound::Unbounded)) {
            match before {
                Some(object) if key.starts_with(&prefix) => state.insert(key, object),
                _ => state.remove(key.as_str()),
            };
        }
        Ok(state.into_values().map(Arc::clone).collect())
    }
}
