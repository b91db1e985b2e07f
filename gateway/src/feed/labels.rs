//! The labels of an object, as they are kept. Never a selector.

use std::fmt;
use std::sync::Arc;

/// The labels of one object in one allocation, which former states of it share: ten thousand pods have a hundred
/// thousand labels.
/// `key NUL value NUL …`: Kubernetes allows no NUL in either.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Labels(Arc<str>);

const END: char = '\0';

impl Labels {
    /// In this order.
    #[must_use]
    pub fn pack<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Self {
        let bytes = pairs.clone().map(|(key, value)| key.len() + value.len() + 2).sum();
        let mut packed = String::with_capacity(bytes);
        for part in pairs.flat_map(|(key, value)| [key, value]) {
            packed.push_str(part);
            packed.push(END);
        }
        Self(packed.into())
    }

    /// Keys and values in turn, each ended by a NUL.
    #[must_use]
    pub fn packed(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }

    #[must_use]
    pub fn of_packed(packed: &str) -> Self {
        Self(packed.into())
    }

    #[must_use]
    pub fn get(&self, wanted: &str) -> Option<&str> {
        let mut parts = self.0.split(END);
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            if key == wanted {
                return Some(value);
            }
        }
        None
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace(END, " "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_found_by_its_whole_key() {
        let labels = Labels::pack([("app", "web"), ("empty", "")].into_iter());
        assert_eq!(labels.get("app"), Some("web"));
        assert_eq!(labels.get("empty"), Some(""));
        assert_eq!(labels.get("ap"), None);
        assert_eq!(labels.get("web"), None);
    }
}
