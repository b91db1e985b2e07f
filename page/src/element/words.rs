//! What is said of an element's attributes that can't be read.

pub const ELEMENT_WITHOUT_RESOURCE: &str = "give the element a `resource` or a `link`, as resource=\"pods\"";
pub const ELEMENT_WITHOUT_NAME: &str = "give the element the `name` of an object, as name=\"web-1\"";

/// A chip looks at namespaces.
pub const ELEMENT_OF_NO_NAMESPACE: &str = "names or * are expected";
pub const ELEMENT_EMPTY: &str = "it is empty: give it a value, or take the attribute away";
pub const ELEMENT_OF_BOARD: &str = "a board has several views: give each an element";

pub const ELEMENT_CHANGES_ARE_LIVE: &str = "changes are followed live: take `at` away, or show the table";

/// `is_expected`: the kind is namespaced, and the element has no namespace; else the other way round.
pub fn element_namespace(resource: &str, is_expected: bool) -> String {
    match is_expected {
        true => format!("{resource} are in namespaces: give the element a `namespace`"),
        false => format!("{resource} are in no namespace: take the element's `namespace` away"),
    }
}

pub fn element_unread(name: &str, value: &str, why: &str) -> String {
    format!("{name}=\"{}\": {why}", value.chars().take(60).collect::<String>())
}

/// `auto, light or dark is expected`
pub fn element_expected(words: &[&str]) -> String {
    let (last, others) = words.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
    format!("{} or {last} is expected", others.join(", "))
}
