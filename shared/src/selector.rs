//! Selectors, parsed once. Labels, names and namespaces are evaluated here, so that all viewers of a resource
//! share one feed; other fields are the API server's.
//!
//! Syntax: <https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors>.

mod field;
mod name;
mod parse;

use std::fmt;

use crate::sorted;
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
pub use field::FieldSelector;
pub use name::{SUBDOMAIN_RULE, key_faults, value_faults};

/// Requirements, all of which must hold. They are sorted, so that equal selectors are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Longer than any selector that a person writes. The selector becomes part of a URL.
const SELECTOR_BYTES_MAX: usize = 4096;

impl LabelSelector {
    /// Fails with `BadRequest` in the API server's words.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        check_length("label", text)?;
        let mut requirements = parse::requirements(text).map_err(Problem::bad_request)?;
        sorted::sort(&mut requirements);
        requirements.dedup();
        Ok(Self { requirements })
    }

    /// Whether it has no requirement, and so selects everything.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// `get` returns the value of a label.
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
            ("", true),
            (" app = web , ! zone ", true),
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
    fn what_cannot_be_read_is_refused_in_the_api_servers_words() {
        for (selector, words) in [
            ("app=web,", "found '', expected: identifier after ','"),
            ("app in web", "unable to parse requirement: found 'web' expected: '('"),
            ("app in (web", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("=web", "found '=', expected: !, identifier, or 'end of string'"),
            ("app is web", "unable to parse requirement: found 'is', expected: in, notin, =, ==, !=, gt, lt"),
            (
                "app=-",
                "unable to parse requirement: values[0][app]: Invalid value: \"-\": a valid label must be",
            ),
            (
                "weight>x",
                "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ] {
            let problem = LabelSelector::parse(selector).expect_err(selector);
            assert!(problem.message.starts_with(words), "{selector}: {}", problem.message);
        }
    }
}
