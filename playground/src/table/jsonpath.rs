//! The JSONPath of printer columns: fields, indices, wildcards and filters such as
//! `.status.conditions[?(@.type=="Ready")].status`.
//! It never scripts: what Kubernetes' dialect allows beyond this is refused when it is read.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    Index(i64),
    All,
    Where { path: Vec<Step>, operator: Operator, literal: Value },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Exists,
}

impl JsonPath {
    /// Reads a path.
    ///
    /// # Errors
    /// What of it can't be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let inner = text.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(text);
        Ok(Self { steps: steps(inner.strip_prefix('$').unwrap_or(inner))? })
    }

    pub fn find<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        walk(&self.steps, value)
    }
}

fn walk<'a>(steps: &[Step], value: &'a Value) -> Vec<&'a Value> {
    let mut found = vec![value];
    for step in steps {
        found = found.into_iter().flat_map(|value| take(step, value)).collect();
    }
    found
}

fn take<'a>(step: &Step, value: &'a Value) -> Vec<&'a Value> {
    match step {
        Step::Field(name) => value.get(name).into_iter().collect(),
        Step::Index(at) => {
            let items = value.as_array().map_or(&[][..], Vec::as_slice);
            let at = match usize::try_from(*at) {
                Ok(at) => Some(at),
                Err(_) => items.len().checked_add_signed(isize::try_from(*at).unwrap_or(isize::MIN)),
            };
            at.and_then(|at| items.get(at)).into_iter().collect()
        }
        Step::All => match value {
            Value::Array(items) => items.iter().collect(),
            Value::Object(fields) => fields.values().collect(),
            _ => Vec::new(),
        },
        Step::Where { path, operator, literal } => value
            .as_array()
            .into_iter()
            .flatten()
            .filter(|item| walk(path, item).first().is_some_and(|left| operator.holds(left, literal)))
            .collect(),
    }
}

impl Operator {
    fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
            (Value::Number(left), Value::Number(right)) => left.as_f64().partial_cmp(&right.as_f64()),
            (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
            _ => None,
        };
        match self {
            Self::Exists => true,
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            Self::LessOrEqual => order.is_some_and(std::cmp::Ordering::is_le),
            Self::Greater => order.is_some_and(std::cmp::Ordering::is_gt),
            Self::GreaterOrEqual => order.is_some_and(std::cmp::Ordering::is_ge),
        }
    }
}

fn steps(text: &str) -> Result<Vec<Step>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let (name, after) = field(after)?;
            match name.as_str() {
                "" if after.starts_with('[') || after.is_empty() => {}
                "" => return Err(format!("recursive descent is not supported: {text}")),
                "*" => found.push(Step::All),
                _ => found.push(Step::Field(name)),
            }
            rest = after;
        } else if let Some(after) = rest.strip_prefix('[') {
            let (inner, after) = bracket(after).ok_or_else(|| format!("unterminated array: {text}"))?;
            found.push(in_bracket(inner)?);
            rest = after;
        } else {
            return Err(format!("unexpected character in jsonPath: {text}"));
        }
    }
    Ok(found)
}

/// A field's name up to the next step; a backslash takes a dot into the name.
fn field(text: &str) -> Result<(String, &str), String> {
    let mut name = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '.' | '[' => return Ok((name, text.get(at..).unwrap_or_default())),
            '\\' => match letters.next() {
                Some((_, letter)) => name.push(letter),
                None => return Err(format!("unterminated escape: {text}")),
            },
            letter => name.push(letter),
        }
    }
    Ok((name, ""))
}

/// What stands up to the closing bracket, quotes and inner brackets respected.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, ']') if depth > 0 => depth -= 1,
            (None, ']') => return Some((text.get(..at)?, text.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

fn in_bracket(inner: &str) -> Result<Step, String> {
    let inner = inner.trim();
    if inner == "*" {
        return Ok(Step::All);
    }
    if let Some(filter) = inner.strip_prefix("?(").and_then(|rest| rest.strip_suffix(')')) {
        return condition(filter);
    }
    if let Some(name) = unquoted(inner) {
        return Ok(Step::Field(name.to_owned()));
    }
    inner.parse().map(Step::Index).map_err(|_| format!("invalid array index {inner}"))
}

fn unquoted(text: &str) -> Option<&str> {
    ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote).and_then(|rest| rest.strip_suffix(*quote)))
}

fn condition(filter: &str) -> Result<Step, String> {
    const OPERATORS: &[(&str, Operator)] = &[
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];
    let split = OPERATORS
        .iter()
        .find_map(|(sign, operator)| filter.split_once(sign).map(|(left, right)| (left, *operator, right)));
    let (left, operator, right) = split.unwrap_or((filter, Operator::Exists, "null"));
    let path = left.trim().strip_prefix('@').ok_or_else(|| format!("a filter begins with @: {filter}"))?;
    let right = right.trim();
    let literal = match unquoted(right) {
        Some(text) => Value::String(text.to_owned()),
        None => serde_json::from_str(right).map_err(|_| format!("unrecognized literal {right}"))?,
    };
    Ok(Step::Where { path: steps(path)?, operator, literal })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(path: &str, expected: &[Value]) {
        let value = json!({
            "spec": {"replicas": 3, "a.b": "dotted", "ports": [80, 443]},
            "status": {"conditions": [
                {"type": "Ready", "status": "True"},
                {"type": "Issuing", "status": "False"},
            ]},
        });
        let found: Vec<Value> = JsonPath::parse(path)
            .expect("a path that can be read")
            .find(&value)
            .into_iter()
            .cloned()
            .collect();
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn a_path_finds_what_the_server_finds() {
        check(".spec.replicas", &[json!(3)]);
        check("{.spec.replicas}", &[json!(3)]);
        check(".spec.a\\.b", &[json!("dotted")]);
        check(".spec.ports[-1]", &[json!(443)]);
        check(".spec.ports[*]", &[json!(80), json!(443)]);
        check(".status.conditions[?(@.type==\"Ready\")].status", &[json!("True")]);
        check(".status.conditions[?(@.type=='Issuing')].status", &[json!("False")]);
        check(".status.conditions[?(@.type!=\"Ready\")].type", &[json!("Issuing")]);
        check(".spec.missing", &[]);
    }

    #[test]
    fn a_path_that_cannot_be_read_is_refused() {
        for path in ["spec", ".spec[", ".spec[?(type==1)]", "..all"] {
            assert!(JsonPath::parse(path).is_err(), "{path}");
        }
    }
}
