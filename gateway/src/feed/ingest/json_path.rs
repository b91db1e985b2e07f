//! JSONPath as custom resource definitions write it for their printer columns
//! (<https://kubernetes.io/docs/reference/kubectl/jsonpath/>): fields, indices, `*` and equality
//! filters. What it can't read selects nothing, and the cell stays as the server printed it.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct JsonPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(Box<str>),
    /// From the end where negative.
    Index(i64),
    All,
    /// `[?(@.type=="Ready")]`
    Where {
        path: JsonPath,
        equals: Value,
    },
}

impl JsonPath {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(text);
        let mut rest = text.strip_prefix('$').unwrap_or(text);
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = match rest.strip_prefix('[') {
                Some(inner) => bracketed(inner)?,
                None => dotted(rest.strip_prefix('.')?)?,
            };
            steps.push(step);
            rest = after;
        }
        Some(Self(steps))
    }

    /// The first value that it selects.
    pub(super) fn first<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        select(&self.0, value)
    }
}

fn select<'v>(steps: &[Step], value: &'v Value) -> Option<&'v Value> {
    let Some((step, rest)) = steps.split_first() else { return Some(value) };
    match step {
        Step::Field(name) => select(rest, value.get(&**name)?),
        Step::Index(index) => {
            let items = value.as_array()?;
            let from_start = usize::try_from(*index).ok();
            let place = from_start
                .or_else(|| items.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?))?;
            select(rest, items.get(place)?)
        }
        Step::All => match value {
            Value::Array(items) => items.iter().find_map(|item| select(rest, item)),
            Value::Object(fields) => fields.values().find_map(|item| select(rest, item)),
            _ => None,
        },
        Step::Where { path, equals } => {
            let mut matching = value.as_array()?.iter().filter(|item| path.first(item) == Some(equals));
            matching.find_map(|item| select(rest, item))
        }
    }
}

/// A field up to the next `.` or `[`; `\.` is a dot within it.
fn dotted(text: &str) -> Option<(Step, &str)> {
    let mut name = String::new();
    let mut characters = text.char_indices();
    let mut end = text.len();
    while let Some((place, character)) = characters.next() {
        match character {
            '\\' => name.push(characters.next()?.1),
            '.' | '[' => {
                end = place;
                break;
            }
            other => name.push(other),
        }
    }
    let step = match name.as_str() {
        "" => return None,
        "*" => Step::All,
        name => Step::Field(name.into()),
    };
    Some((step, text.get(end..)?))
}

/// What stands between `[` and `]`.
fn bracketed(text: &str) -> Option<(Step, &str)> {
    if let Some(filter) = text.strip_prefix("?(") {
        let (condition, rest) = filter.split_once(")]")?;
        let (path, literal) = condition.split_once("==")?;
        let path = JsonPath::parse(path.trim().strip_prefix('@')?)?;
        return Some((Step::Where { path, equals: literal_of(literal.trim())? }, rest));
    }
    let (inner, rest) = text.split_once(']')?;
    let inner = inner.trim();
    let step = match inner {
        "*" => Step::All,
        quoted if quoted.starts_with(['\'', '"']) => match literal_of(quoted)? {
            Value::String(name) => Step::Field(name.replace("\\.", ".").into()),
            _ => return None,
        },
        number => Step::Index(number.parse().ok()?),
    };
    Some((step, rest))
}

fn literal_of(text: &str) -> Option<Value> {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            return Some(Value::String(inner.to_owned()));
        }
    }
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_selects_what_kubectl_would() {
        let object = json!({
            "metadata": {"labels": {"app.kubernetes.io/name": "x"}},
            "status": {"at": "t", "list": [1, 2, 3], "conditions": [
                {"type": "Synced", "time": "a", "ok": true},
                {"type": "Ready", "time": "b", "ok": false},
            ]},
        });
        let check = |path: &str, expected: Option<Value>| {
            let found = JsonPath::parse(path).and_then(|path| path.first(&object).cloned());
            assert_eq!(found, expected, "{path}");
        };
        check(".status.at", Some(json!("t")));
        check("$.status.at", Some(json!("t")));
        check("{.status.at}", Some(json!("t")));
        check(".status['at']", Some(json!("t")));
        check(".status.list[1]", Some(json!(2)));
        check(".status.list[-1]", Some(json!(3)));
        check(".status.conditions[?(@.type==\"Ready\")].time", Some(json!("b")));
        check(".status.conditions[?(@.type=='Ready')].time", Some(json!("b")));
        check(".status.conditions[?(@.ok==true)].time", Some(json!("a")));
        check(".status.conditions[*].time", Some(json!("a")));
        check(".metadata.labels.app\\.kubernetes\\.io/name", Some(json!("x")));
        check(".metadata.labels['app\\.kubernetes\\.io/name']", Some(json!("x")));
        check(".status.none", None);
        check(".status.list[9]", None);
        check("status.at", None);
        check(".status.conditions[?(@.type=~'R')].time", None);
        check(".a..b", None);
        check(".status.list[-9]", None);
    }
}
