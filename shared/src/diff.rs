//! The differences of two JSON values, field by field. The patches of an `object` frame and the fields of a
//! `timeline` are made from them. Paths are JSON Pointers (RFC 6901), because the keys of labels have dots.

use serde_json::{Map, Value};

/// One field that differs. Applied one after the other, the differences lead from the old value to the new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference<'a> {
    pub path: String,
    /// `None`: it was added.
    pub old: Option<&'a Value>,
    /// `None`: it was removed.
    pub new: Option<&'a Value>,
}

pub fn differences<'a>(old: &'a Value, new: &'a Value) -> Vec<Difference<'a>> {
    let mut found = Vec::new();
    compare(String::new(), old, new, &mut found);
    found
}

/// A key as RFC 6901 writes it in a pointer.
pub fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The keys of a pointer, as they were before they were escaped.
pub fn keys(path: &str) -> impl Iterator<Item = String> {
    path.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~"))
}

fn compare<'a>(path: String, old: &'a Value, new: &'a Value, found: &mut Vec<Difference<'a>>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => compare_objects(&path, old, new, found),
        (Value::Array(old), Value::Array(new)) => compare_arrays(&path, old, new, found),
        _ if old == new => {}
        _ => found.push(Difference { path, old: Some(old), new: Some(new) }),
    }
}

fn compare_objects<'a>(
    path: &str,
    old: &'a Map<String, Value>,
    new: &'a Map<String, Value>,
    found: &mut Vec<Difference<'a>>,
) {
    for (key, old) in old {
        let path = format!("{path}/{}", escaped(key));
        match new.get(key) {
            Some(new) => compare(path, old, new, found),
            None => found.push(Difference { path, old: Some(old), new: None }),
        }
    }
    for (key, new) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
        let path = format!("{path}/{}", escaped(key));
        found.push(Difference { path, old: None, new: Some(new) });
    }
}

/// Equal elements at both ends are skipped first, so that one element that is added or removed is one difference,
/// and not one for each element after it.
fn compare_arrays<'a>(path: &str, old: &'a [Value], new: &'a [Value], found: &mut Vec<Difference<'a>>) {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old, new) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let old = old.get(..old.len() - tail).unwrap_or_default();
    let new = new.get(..new.len() - tail).unwrap_or_default();
    for (place, (old, new)) in old.iter().zip(new).enumerate() {
        compare(format!("{path}/{}", head + place), old, new, found);
    }
    // From the end, because each removal moves the elements after it.
    for (place, old) in old.iter().enumerate().skip(new.len()).rev() {
        found.push(Difference { path: format!("{path}/{}", head + place), old: Some(old), new: None });
    }
    for (place, new) in new.iter().enumerate().skip(old.len()) {
        found.push(Difference { path: format!("{path}/{}", head + place), old: None, new: Some(new) });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(old: &Value, new: &Value, expected: &[&str]) {
        let found: Vec<String> = differences(old, new)
            .iter()
            .map(|difference| match (difference.old, difference.new) {
                (Some(old), Some(new)) => format!("{} {old} {new}", difference.path),
                (Some(old), None) => format!("-{} {old}", difference.path),
                (None, new) => format!("+{} {}", difference.path, new.unwrap_or(&Value::Null)),
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_field_that_differs_is_named_once() {
        check(&json!({"a": 1, "b": {"c": null}}), &json!({"a": 1, "b": {"c": null}}), &[]);
        check(
            &json!({"a": 1, "b": {"c": 2, "d": 3}, "e": null}),
            &json!({"a": 2, "b": {"c": 2, "f": 4}}),
            &["/a 1 2", "-/b/d 3", "+/b/f 4", "-/e null"],
        );
        check(&json!({"a": null}), &json!({}), &["-/a null"]);
        check(&json!({"a.b/c~d": 1}), &json!({"a.b/c~d": 2}), &["/a.b~1c~0d 1 2"]);
        check(&json!([1]), &json!({}), &[" [1] {}"]);
    }

    #[test]
    fn one_element_that_comes_or_goes_is_one_difference() {
        check(&json!(["a", "b", "c"]), &json!(["a", "c"]), &["-/1 \"b\""]);
        check(&json!(["a", "c"]), &json!(["a", "b", "c"]), &["+/1 \"b\""]);
        check(&json!([{"t": 1, "v": 1}, 2]), &json!([{"t": 1, "v": 3}, 2]), &["/0/v 1 3"]);
        check(&json!([1, 2, 3, 9]), &json!([4, 9]), &["/0 1 4", "-/2 3", "-/1 2"]);
    }

    #[test]
    fn the_keys_of_a_path_read_back() {
        assert_eq!(keys("/a.b~1c~0d/0").collect::<Vec<_>>(), ["a.b/c~d", "0"]);
        assert_eq!(keys("").count(), 0);
    }
}
