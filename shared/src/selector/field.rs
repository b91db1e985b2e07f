//! Field selectors. Name and namespace are evaluated here, as the API server evaluates them for every kind; of other
//! terms only the syntax is checked, because the API server alone knows what it can select by.

use serde::{Deserialize, Serialize};

use super::check_length;
use crate::problem::Problem;

/// Comma-separated `field=value`, `field==value`, `field!=value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FieldSelector {
    text: Box<str>,
    /// Its terms on name and namespace, read once.
    terms: Box<[Term]>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Term {
    field: Field,
    is_equal: bool,
    value: Box<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Field {
    Name,
    Namespace,
}

impl FieldSelector {
    /// Fails with `BadRequest`, which quotes the part that isn't `field=value`.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        check_length("field", text)?;
        for part in text.split(',') {
            let key = part.split_once("!=").or_else(|| part.split_once('=')).map(|(key, _)| key.trim());
            let is_path = |key: &str| {
                !key.is_empty()
                    && key
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'/'))
            };
            if !key.is_some_and(is_path) {
                return Err(Problem::bad_request(format!(
                    "unable to parse field selector {text:?}: found {part:?}, expected field=value or field!=value"
                )));
            }
        }
        Ok(Self { text: text.into(), terms: parts(text).filter_map(Term::read).collect() })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether an object fits the terms on name and namespace. The others hold for it, if it comes from a feed
    /// of [`FieldSelector::beyond_names`].
    pub fn matches(&self, namespace: Option<&str>, name: &str) -> bool {
        self.terms.iter().all(|term| {
            let value = match term.field {
                Field::Name => name,
                Field::Namespace => namespace.unwrap_or_default(),
            };
            (*term.value == *value) == term.is_equal
        })
    }

    /// What is left for the API server. It refuses a namespace of objects without one, so that term is left to it.
    pub fn beyond_names(&self, is_namespaced: bool) -> Option<Self> {
        let is_answered_here = |term: Term| {
            matches!(term.field, Field::Name) || matches!(term.field, Field::Namespace) && is_namespaced
        };
        let left: Vec<&str> =
            parts(&self.text).filter(|part| !Term::read(part).is_some_and(is_answered_here)).collect();
        (!left.is_empty()).then(|| {
            let text = left.join(",");
            Self { terms: parts(&text).filter_map(Term::read).collect(), text: text.into() }
        })
    }
}

/// The terms. An escaped comma doesn't separate terms, so a selector with escapes counts as one term, which only the
/// API server reads.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let separator = if text.contains('\\') { '\0' } else { ',' };
    text.split(separator)
}

impl Term {
    /// `None`: the term is for the API server, which may refuse it.
    fn read(part: &str) -> Option<Self> {
        let (field, value) = part.split_once('=')?;
        let (field, is_equal) = field.strip_suffix('!').map_or((field, true), |field| (field, false));
        let value = if is_equal { value.strip_prefix('=').unwrap_or(value) } else { value };
        let field = match field {
            "metadata.name" => Field::Name,
            "metadata.namespace" => Field::Namespace,
            _ => return None,
        };
        (!value.contains(['=', '\\'])).then(|| Self { field, is_equal, value: value.into() })
    }
}

impl TryFrom<String> for FieldSelector {
    type Error = Problem;
    fn try_from(text: String) -> Result<Self, Problem> {
        Self::parse(&text)
    }
}

impl From<FieldSelector> for String {
    fn from(selector: FieldSelector) -> Self {
        selector.text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_selector_is_a_list_of_field_and_value() {
        assert!(FieldSelector::parse("spec.nodeName=a,status.phase!=Running").is_ok());
        for text in ["", "spec.nodeName", "=a", "a b=c", "a=b,"] {
            assert!(FieldSelector::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn name_and_namespace_are_evaluated_and_the_rest_is_left_to_the_api_server() {
        for (text, matches, left, left_without_namespaces) in [
            ("metadata.name=web", true, None, None),
            ("metadata.name==web", true, None, None),
            ("metadata.name=we", false, None, None),
            ("metadata.name!=web", false, None, None),
            ("metadata.name!=a,metadata.name!=b", true, None, None),
            ("metadata.name=", false, None, None),
            ("metadata.namespace=shop,metadata.name=web", true, None, Some("metadata.namespace=shop")),
            ("metadata.namespace!=shop", false, None, Some("metadata.namespace!=shop")),
            (
                "spec.nodeName=a,metadata.name=x,b!=c",
                false,
                Some("spec.nodeName=a,b!=c"),
                Some("spec.nodeName=a,b!=c"),
            ),
            // The API server refuses these, or reads them otherwise than they look.
            ("metadata.name=a=b", true, Some("metadata.name=a=b"), Some("metadata.name=a=b")),
            ("metadata.name===web", true, Some("metadata.name===web"), Some("metadata.name===web")),
            (" metadata.name=x", true, Some(" metadata.name=x"), Some(" metadata.name=x")),
            (
                r"metadata.name=a\,metadata.name=b",
                true,
                Some(r"metadata.name=a\,metadata.name=b"),
                Some(r"metadata.name=a\,metadata.name=b"),
            ),
        ] {
            let selector = FieldSelector::parse(text).expect(text);
            assert_eq!(selector.matches(Some("shop"), "web"), matches, "{text}");
            let left_of = |is_namespaced| selector.beyond_names(is_namespaced);
            assert_eq!(left_of(true).as_ref().map(FieldSelector::as_str), left, "{text}");
            assert_eq!(left_of(false).as_ref().map(FieldSelector::as_str), left_without_namespaces, "{text}");
        }
    }
}
