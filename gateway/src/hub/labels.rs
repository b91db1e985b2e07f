//! The labels of one object in one allocation: ten thousand pods have a hundred thousand of them.

use std::fmt;

/// `key NUL value NUL …`: Kubernetes allows no NUL in either.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Labels(Box<str>);

const END: char = '\0';

impl Labels {
    pub(super) fn pack(pairs: &[(Box<str>, Box<str>)]) -> Self {
        let bytes = pairs.iter().map(|(key, value)| key.len() + value.len() + 2).sum();
        let mut packed = String::with_capacity(bytes);
        for (key, value) in pairs {
            packed.push_str(key);
            packed.push(END);
            packed.push_str(value);
            packed.push(END);
        }
        Self(packed.into())
    }

    pub(super) fn get(&self, wanted: &str) -> Option<&str> {
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
        let labels = Labels::pack(&[("app".into(), "web".into()), ("empty".into(), "".into())]);
        assert_eq!(labels.get("app"), Some("web"));
        assert_eq!(labels.get("empty"), Some(""));
        assert_eq!(labels.get("ap"), None);
        assert_eq!(labels.get("web"), None);
    }
}
