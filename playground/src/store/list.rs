//! Lists: of now or of an older revision, whole or in pages that all share one revision.
//! It never keeps a snapshot: an older state is the present state with the history undone.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine};
use serde::{Deserialize, Serialize};

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

/// The content of a continue token. The form is the real server's, so that its tokens can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageToken {
    v: String,
    /// Negative: an inconsistent continuation at whatever is newest.
    pub rv: i64,
    /// The first key of the next page, below the namespace that is listed.
    start: String,
}

const TOKEN_VERSION: &str = "meta.k8s.io/v1";

impl PageToken {
    fn after(revision: u64, namespace: &str, key: &str) -> Self {
        let below = key.strip_prefix(&prefix_of(namespace)).unwrap_or(key);
        let rv = i64::try_from(revision).unwrap_or(i64::MAX);
        // The smallest key that is larger.
        Self { v: TOKEN_VERSION.to_owned(), rv, start: format!("/{below}\0") }
    }

    /// The same place in whatever is newest.
    pub fn at_newest(&self) -> Self {
        Self { rv: -1, ..self.clone() }
    }

    pub fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads a token. A token of another resource is a place in this one as well.
    pub fn decode(text: &str) -> Result<Self, String> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|why| {
            let at = match why {
                DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => at,
                DecodeError::InvalidLength(length) => length.saturating_sub(1),
                DecodeError::InvalidPadding => text.len(),
            };
            format!("illegal base64 data at input byte {at}")
        })?;
        let token: Self = serde_json::from_slice(&bytes).map_err(|why| why.to_string())?;
        if token.v != TOKEN_VERSION {
            return Err(format!("server does not recognize this encoded version {}", token.v));
        }
        if token.rv == 0 {
            return Err(format!("incorrect encoded start resourceVersion (version {TOKEN_VERSION})"));
        }
        if token.start.is_empty() {
            return Err(format!("encoded start key empty (version {TOKEN_VERSION})"));
        }
        let path = token.start.strip_prefix('/').unwrap_or(&token.start);
        if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(token.start);
        }
        Ok(token)
    }

    /// The key to go on from, where this namespace is listed.
    pub fn key(&self, namespace: &str) -> String {
        format!("{}{}", prefix_of(namespace), self.start.strip_prefix('/').unwrap_or(&self.start))
    }
}

/// What the keys of a namespace begin with; nothing for all.
pub(super) fn prefix_of(namespace: &str) -> String {
    if namespace.is_empty() { String::new() } else { format!("{namespace}/") }
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
