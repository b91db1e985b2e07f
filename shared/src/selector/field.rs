//! Field selectors. Name and namespace are evaluated here, as the API server evaluates them for every kind; of other
//! terms only the syntax is checked, because the API server alone knows what it can select by.

use serde::{Deserialize, Serialize};

use super::check_length;
use crate::problem::Problem;

/// Comma-separated `field=value`, `field==value`, `field!=value`, as `fields.ParseSelector` of k8s.io/apimachinery reads
/// them: in a value a backslash stands before a comma, an equals sign or a backslash.
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
    /// Fails with `BadRequest`, which quotes the part that isn't `field=value`. An empty part means nothing.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        check_length("field", text)?;
        let mut is_empty = true;
        for part in parts(text).filter(|part| !part.is_empty()) {
            is_empty = false;
            let key = split(part).map(|(key, ..)| key.trim());
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
            if split(part).is_some_and(|(.., value)| unescaped(value).is_none()) {
                return Err(Problem::bad_request(format!(
                    "unable to parse field selector {text:?}: in the value of {part:?} a backslash stands before each comma, equals sign and backslash, and nowhere else"
                )));
            }
        }
        if is_empty {
            return Err(Problem::bad_request(format!("the field selector {text:?} has no field=value")));
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
        let left: Vec<&str> = parts(&self.text)
            .filter(|part| !part.is_empty() && !Term::read(part).is_some_and(is_answered_here))
            .collect();
        (!left.is_empty()).then(|| {
            let text = left.join(",");
            Self { terms: parts(&text).filter_map(Term::read).collect(), text: text.into() }
        })
    }
}

/// The terms, as they are written. A comma behind a backslash separates none.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut is_escaped = false;
    text.split(move |character| {
        let separates = character == ',' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        separates
    })
}

/// The field, whether it has to be equal, and the value as it is written.
fn split(part: &str) -> Option<(&str, bool, &str)> {
    let (before, value) = part.split_once('=')?;
    match before.strip_suffix('!') {
        Some(field) => Some((field, false, value)),
        None => Some((before, true, value.strip_prefix('=').unwrap_or(value))),
    }
}

/// `None`: the API server refuses the value.
fn unescaped(value: &str) -> Option<String> {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => characters.next().filter(|escaped| matches!(escaped, '\\' | ',' | '='))?,
            '=' | ',' => return None,
            other => other,
        });
    }
    Some(text)
}

impl Term {
    /// `None`: the term is for the API server, which may refuse it.
    fn read(part: &str) -> Option<Self> {
        let (field, is_equal, value) = split(part)?;
        let field = match field {
            "metadata.name" => Field::Name,
            "metadata.namespace" => Field::Namespace,
            _ => return None,
        };
        Some(Self { field, is_equal, value: unescaped(value)?.into() })
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
        for text in [
            "spec.nodeName=a,status.phase!=Running",
            r"spec.path=a\=b\,c",
            r"a=\\,b=c",
            "a=b,",
            ",a=b",
            "a==",
        ] {
            assert!(FieldSelector::parse(text).is_ok(), "{text}");
        }
        for text in ["", ",", "spec.nodeName", "=a", "a b=c", r"a=b,c\,d=e"] {
            assert!(FieldSelector::parse(text).is_err(), "{text}");
        }
        for text in [
            r"metadata.name=a\b",
            r"spec.nodeName=a\",
            "spec.nodeName=a=b",
            "metadata.name===web",
            r"metadata.name=a\,metadata.name=b",
            r"a=b,c=d\e",
        ] {
            let problem = FieldSelector::parse(text).expect_err("no such value");
            assert!(problem.message.contains("a backslash stands before"), "{text}: {problem}");
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
            // The API server refuses it.
            (" metadata.name=x", true, Some(" metadata.name=x"), Some(" metadata.name=x")),
            (r"metadata.name=a\,b", false, None, None),
            (
                r"metadata.name!=a\=b,spec.path=a\=b\,c",
                true,
                Some(r"spec.path=a\=b\,c"),
                Some(r"spec.path=a\=b\,c"),
            ),
            (r"metadata.name!=a\\,a=b", true, Some("a=b"), Some("a=b")),
            ("metadata.name=web,", true, None, None),
        ] {
            let selector = FieldSelector::parse(text).expect(text);
            assert_eq!(selector.matches(Some("shop"), "web"), matches, "{text}");
            let left_of = |is_namespaced| selector.beyond_names(is_namespaced);
            assert_eq!(left_of(true).as_ref().map(FieldSelector::as_str), left, "{text}");
            assert_eq!(left_of(false).as_ref().map(FieldSelector::as_str), left_without_namespaces, "{text}");
        }
    }
}
