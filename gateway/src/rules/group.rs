//! What is told as one: an object, all of one owner, or all with one value at a path.

use serde_json::Value;
use shared::row::Row;

use super::rule::Grouping;

/// The name of what is told as one, within a rule and a feed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKey(pub Box<str>);

impl Grouping {
    /// `object`: as far as the path of `once_per` leads.
    pub(super) fn key(&self, row: &Row, object: &Value) -> GroupKey {
        let (namespace, name) = row.place();
        let place =
            |name: &str| namespace.map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}"));
        let mut parts = Vec::new();
        if self.by_owner {
            // What has no owner is its own.
            parts.push(
                owner(row).map_or_else(|| place(name), |(kind, name)| format!("{kind} {}", place(&name))),
            );
        }
        if let Some(path) = &self.once_per {
            let values: Vec<String> = path.select(object).into_iter().map(text_of).collect();
            parts.push(format!("{}={}", path.text, values.join(",")));
        }
        if parts.is_empty() {
            parts.push(place(name));
        }
        GroupKey(parts.join(" ").into())
    }

    #[must_use]
    pub fn is_single(&self) -> bool {
        !self.by_owner && self.once_per.is_none()
    }
}

/// The controller. For the pods of a Deployment that is the Deployment: its ReplicaSets have its name and the hash of
/// their template, and two of them make one rollout.
fn owner(row: &Row) -> Option<(&str, String)> {
    let extra = row.extra.as_ref()?;
    let owner = extra.owner.as_ref()?;
    let deployment = extra
        .hash
        .as_ref()
        .filter(|_| &*owner.kind == "ReplicaSet")
        .and_then(|hash| owner.name.strip_suffix(&**hash)?.strip_suffix('-'));
    Some(match deployment {
        Some(name) => ("Deployment", name.to_owned()),
        None => (&owner.kind, owner.name.to_string()),
    })
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}
