//! Label selectors, parsed and evaluated here, so that all viewers of a resource share one feed;
//! field selectors, only checked for shape: the API server alone knows which fields it can select by.
//!
//! Syntax: <https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors>.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// Requirements that all hold. Written canonically (sorted), so that equal selectors are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Requirement {
    pub key: Box<str>,
    pub operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    Exists,
    DoesNotExist,
    In(Vec<Box<str>>),
    NotIn(Vec<Box<str>>),
    GreaterThan(i64),
    LessThan(i64),
}

/// Comma-separated `field=value`, `field==value`, `field!=value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FieldSelector(Box<str>);

/// More than any selector that a person writes; it ends up in a URL.
const SELECTOR_BYTES_MAX: usize = 4096;

impl LabelSelector {
    /// # Errors
    /// `BadRequest` that quotes what can't be read and says what was expected there.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        check_length("label", text)?;
        let mut requirements = Vec::new();
        for part in split_outside_parentheses(text) {
            requirements.push(requirement(part.trim()).map_err(|why| {
                Problem::bad_request(format!("unable to parse label selector {text:?}: {why}"))
            })?);
        }
        requirements.sort();
        requirements.dedup();
        Ok(Self { requirements })
    }

    /// `get` answers the value of a label.
    pub fn matches<'a>(&self, get: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = get(&requirement.key);
            match &requirement.operator {
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
                Operator::In(values) => value.is_some_and(|value| values.iter().any(|v| **v == *value)),
                Operator::NotIn(values) => !value.is_some_and(|value| values.iter().any(|v| **v == *value)),
                Operator::GreaterThan(bound) => number(value).is_some_and(|n| n > *bound),
                Operator::LessThan(bound) => number(value).is_some_and(|n| n < *bound),
            }
        })
    }
}

fn number(value: Option<&str>) -> Option<i64> {
    value?.parse().ok()
}

fn check_length(what: &str, text: &str) -> Result<(), Problem> {
    if text.len() > SELECTOR_BYTES_MAX {
        return Err(Problem::bad_request(format!(
            "the {what} selector is longer than {SELECTOR_BYTES_MAX} bytes"
        )));
    }
    if text.chars().any(char::is_control) {
        return Err(Problem::bad_request(format!("the {what} selector holds control characters")));
    }
    Ok(())
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for (place, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.extend(text.get(start..place));
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.extend(text.get(start..));
    parts
}

fn requirement(part: &str) -> Result<Requirement, String> {
    if let Some(key) = part.strip_prefix('!') {
        return Ok(Requirement { key: key_of(key)?, operator: Operator::DoesNotExist });
    }
    if let Some((key, values)) = part.split_once("!=") {
        return Ok(Requirement { key: key_of(key)?, operator: Operator::NotIn(vec![value_of(values)?]) });
    }
    if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return Ok(Requirement { key: key_of(key)?, operator: Operator::In(vec![value_of(value)?]) });
    }
    if let Some((key, bound)) = part.split_once('>') {
        return Ok(Requirement { key: key_of(key)?, operator: Operator::GreaterThan(bound_of(bound)?) });
    }
    if let Some((key, bound)) = part.split_once('<') {
        return Ok(Requirement { key: key_of(key)?, operator: Operator::LessThan(bound_of(bound)?) });
    }
    if let Some((head, list)) = part.split_once('(') {
        return set_requirement(head.trim(), list);
    }
    Ok(Requirement { key: key_of(part)?, operator: Operator::Exists })
}

fn set_requirement(head: &str, list: &str) -> Result<Requirement, String> {
    let list = list.trim_end().strip_suffix(')').ok_or("expected ')' at the end of a set")?;
    let mut values = list.split(',').map(value_of).collect::<Result<Vec<_>, _>>()?;
    values.sort();
    values.dedup();
    match head.split_whitespace().collect::<Vec<_>>().as_slice() {
        [key, "in"] => Ok(Requirement { key: key_of(key)?, operator: Operator::In(values) }),
        [key, "notin"] => Ok(Requirement { key: key_of(key)?, operator: Operator::NotIn(values) }),
        _ => Err(format!("found {head:?} before '(', expected: KEY in (…) or KEY notin (…)")),
    }
}

/// `[prefix/]name` with Kubernetes' characters.
fn key_of(text: &str) -> Result<Box<str>, String> {
    let key = text.trim();
    let (prefix, name) = key.rsplit_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let prefix_is_fine = prefix.is_none_or(|p| {
        !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
    });
    if prefix_is_fine && !name.is_empty() && is_label_text(name) {
        Ok(key.into())
    } else {
        Err(format!("found {key:?}, expected a label key such as app or app.kubernetes.io/name"))
    }
}

fn value_of(text: &str) -> Result<Box<str>, String> {
    let value = text.trim();
    if is_label_text(value) {
        Ok(value.into())
    } else {
        Err(format!("found {value:?}, expected a label value of letters, digits, '-', '_' and '.'"))
    }
}

fn bound_of(text: &str) -> Result<i64, String> {
    let bound = text.trim();
    bound.parse().map_err(|_| format!("found {bound:?}, expected a whole number"))
}

/// Empty is a legal value.
fn is_label_text(text: &str) -> bool {
    let edge = |b: Option<&u8>| b.is_none_or(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    text.len() <= crate::name::LABEL_BYTES_MAX
        && edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, Requirement { key, operator }) in self.requirements.iter().enumerate() {
            if place > 0 {
                f.write_str(",")?;
            }
            match operator {
                Operator::Exists => f.write_str(key)?,
                Operator::DoesNotExist => write!(f, "!{key}")?,
                Operator::In(values) => match values.as_slice() {
                    [value] => write!(f, "{key}={value}")?,
                    values => write!(f, "{key} in ({})", values.join(","))?,
                },
                Operator::NotIn(values) => match values.as_slice() {
                    [value] => write!(f, "{key}!={value}")?,
                    values => write!(f, "{key} notin ({})", values.join(","))?,
                },
                Operator::GreaterThan(bound) => write!(f, "{key}>{bound}")?,
                Operator::LessThan(bound) => write!(f, "{key}<{bound}")?,
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for LabelSelector {
    type Error = Problem;
    fn try_from(text: String) -> Result<Self, Problem> {
        Self::parse(&text)
    }
}

impl From<LabelSelector> for String {
    fn from(selector: LabelSelector) -> Self {
        selector.to_string()
    }
}

impl FieldSelector {
    /// # Errors
    /// `BadRequest` that quotes the part which isn't `field=value`.
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
        Ok(Self(text.into()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
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
        selector.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [(&str, &str); 3] = [("app", "web"), ("tier", "api"), ("weight", "5")];

    fn matches(selector: &str) -> bool {
        let selector = LabelSelector::parse(selector).expect(selector);
        selector.matches(|key| LABELS.iter().find(|(k, _)| *k == key).map(|(_, value)| *value))
    }

    #[test]
    fn requirements_hold_as_kubernetes_evaluates_them() {
        for (selector, expected) in [
            ("app=web", true),
            ("app==web,tier=api", true),
            ("app!=web", false),
            ("zone!=a", true),
            ("tier in (api, worker)", true),
            ("tier notin (api)", false),
            ("zone notin (a)", true),
            ("app", true),
            ("!app", false),
            ("!zone", true),
            ("weight>4", true),
            ("weight<5", false),
            ("app>4", false),
        ] {
            assert_eq!(matches(selector), expected, "{selector}");
        }
    }

    #[test]
    fn equal_selectors_are_written_equally() {
        let canonical = |text| LabelSelector::parse(text).map(|s| s.to_string()).expect("valid");
        assert_eq!(canonical("b=1, a in (y,x),a in (x,y)"), "a in (x,y),b=1");
        assert_eq!(canonical("b=1, a in (y,x)"), canonical("a in (x,y),b==1"));
    }

    #[test]
    fn what_cannot_be_read_is_quoted() {
        for (selector, part) in [
            ("app=web,", "\"\""),
            ("app in web", "\"app in web\""),
            ("app in (web", "')'"),
            ("a b=c", "\"a b\""),
            ("app=-", "\"-\""),
            ("weight>x", "\"x\""),
        ] {
            let problem = LabelSelector::parse(selector).expect_err(selector);
            assert!(problem.message.contains(part), "{selector}: {}", problem.message);
        }
    }

    #[test]
    fn a_field_selector_is_a_list_of_field_and_value() {
        assert!(FieldSelector::parse("spec.nodeName=a,status.phase!=Running").is_ok());
        for text in ["", "spec.nodeName", "=a", "a b=c", "a=b,"] {
            assert!(FieldSelector::parse(text).is_err(), "{text}");
        }
    }
}
