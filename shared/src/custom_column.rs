//! Columns that a client asks for beyond the server's: a name and a JSONPath each, as in
//! `kubectl -o custom-columns=NAME:PATH,…`. Parsed once, here; never evaluated here.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::column::Column;
use crate::go;
use crate::json_path::JsonPath;
use crate::problem::Problem;

/// The custom columns of one subscription: a screen shows a dozen.
pub const CUSTOM_COLUMNS_MAX: usize = 32;
/// The length of a column's name: a label's key has at most 63 bytes after its prefix.
pub const CUSTOM_NAME_BYTES_MAX: usize = 63;
/// The length of a path: 32 of them fit into a client's frame.
pub const CUSTOM_PATH_BYTES_MAX: usize = 1024;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct CustomColumn {
    name: Box<str>,
    /// Without braces, with its first dot.
    path: Box<str>,
    read: JsonPath,
}

/// A custom column in a frame.
#[derive(Clone, Serialize, Deserialize)]
struct Written {
    name: Box<str>,
    path: Box<str>,
}

/// In their order. Two may have one name, as for `kubectl`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<CustomColumn>", into = "Vec<CustomColumn>")]
pub struct CustomColumns(Arc<[CustomColumn]>);

impl CustomColumn {
    /// Fails with `BadRequest`, which quotes what can't be read and says where.
    pub fn parse(name: &str, path: &str) -> Result<Self, Problem> {
        let is_name = !name.is_empty()
            && name.len() <= CUSTOM_NAME_BYTES_MAX
            && name.trim() == name
            && !name.contains(|c: char| c.is_control() || matches!(c, ',' | ':'));
        if !is_name {
            let shown: String = name.chars().take(CUSTOM_NAME_BYTES_MAX).collect();
            return Err(Problem::bad_request(format!(
                "the name of a column has 1 to {CUSTOM_NAME_BYTES_MAX} bytes and neither ',' nor ':'; found {shown:?}"
            )));
        }
        if path.len() > CUSTOM_PATH_BYTES_MAX {
            return Err(Problem::bad_request(format!(
                "the path of the column {name:?} has {} bytes; at most {CUSTOM_PATH_BYTES_MAX} are read",
                path.len()
            )));
        }
        let read = JsonPath::parse_relaxed(path).map_err(|why| {
            Problem::bad_request(format!("the path {path:?} of the column {name:?} can't be read: {why}"))
        })?;
        Ok(Self { name: name.into(), path: canonical(path).into(), read })
    }

    /// A label as a column, as `kubectl get -L` shows it: named by what stands behind the key's slash.
    /// Fails as [`CustomColumn::parse`] does.
    pub fn of_label(key: &str) -> Result<Self, Problem> {
        let name = go::upper(key.rsplit_once('/').map_or(key, |(_, name)| name));
        Self::parse(&name, &format!(".metadata.labels['{key}']"))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn json_path(&self) -> &JsonPath {
        &self.read
    }

    /// The column as `subscribed` lists it after the server's.
    pub fn column(&self) -> Column {
        Column {
            name: self.name.clone(),
            kind: "string".into(),
            format: "".into(),
            description: "".into(),
            priority: 0,
            path: self.path.clone(),
        }
    }
}

fn canonical(path: &str) -> String {
    let path = path.trim();
    let path = path.strip_prefix('{').and_then(|path| path.strip_suffix('}')).unwrap_or(path).trim();
    // `$` alone stays, because the whole object has no other name.
    let path = path.strip_prefix('$').filter(|rest| !rest.is_empty()).unwrap_or(path);
    let dot = if path.starts_with(['.', '[']) || path == "$" { "" } else { "." };
    format!("{dot}{path}")
}

impl Eq for CustomColumn {}

impl Hash for CustomColumn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, &self.path).hash(state);
    }
}

impl CustomColumns {
    /// Fails with `BadRequest` for more than [`CUSTOM_COLUMNS_MAX`].
    pub fn these(columns: Vec<CustomColumn>) -> Result<Self, Problem> {
        if columns.len() > CUSTOM_COLUMNS_MAX {
            return Err(Problem::bad_request(format!(
                "a subscription has at most {CUSTOM_COLUMNS_MAX} columns of its own; these are {}",
                columns.len()
            )));
        }
        Ok(Self(columns.into()))
    }

    /// `NAME:PATH,…`, as after `kubectl -o custom-columns=`. A comma within brackets or quotes is its path's.
    /// Fails with `BadRequest`, which quotes the part that can't be read.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let column = |part: &str| match part.split_once(':') {
            Some((name, path)) => CustomColumn::parse(name.trim(), path),
            None => {
                let shown: String = part.chars().take(CUSTOM_NAME_BYTES_MAX).collect();
                Err(Problem::bad_request(format!(
                    "found {shown:?}, expected NAME:PATH such as IP:.status.podIP"
                )))
            }
        };
        Self::these(split(text).map(column).collect::<Result<_, _>>()?)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &CustomColumn> {
        self.0.iter()
    }
}

/// Splits a list at the commas that don't belong to a path.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let whole = rest?;
        let end = comma(whole);
        rest = end.and_then(|end| whole.get(end + 1..));
        whole.get(..end.unwrap_or(whole.len()))
    })
}

fn comma(text: &str) -> Option<usize> {
    let (mut brackets, mut quote, mut escaped) = (0_usize, None, false);
    for (place, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if quote.is_some() => quote = quote.filter(|open| *open != character),
            '\'' | '"' if brackets > 0 => quote = Some(character),
            '[' => brackets += 1,
            ']' => brackets = brackets.saturating_sub(1),
            ',' if brackets == 0 => return Some(place),
            _ => {}
        }
    }
    None
}

impl TryFrom<Written> for CustomColumn {
    type Error = Problem;
    fn try_from(written: Written) -> Result<Self, Problem> {
        Self::parse(&written.name, &written.path)
    }
}

impl From<CustomColumn> for Written {
    fn from(column: CustomColumn) -> Self {
        Self { name: column.name, path: column.path }
    }
}

impl TryFrom<Vec<CustomColumn>> for CustomColumns {
    type Error = Problem;
    fn try_from(columns: Vec<CustomColumn>) -> Result<Self, Problem> {
        Self::these(columns)
    }
}

impl From<CustomColumns> for Vec<CustomColumn> {
    fn from(columns: CustomColumns) -> Self {
        columns.0.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_paths_are_written_equally() {
        for path in
            ["spec.nodeName", ".spec.nodeName", "{.spec.nodeName}", "$.spec.nodeName", " {spec.nodeName}"]
        {
            let column = CustomColumn::parse("NODE", path).expect(path);
            assert_eq!(column.path(), ".spec.nodeName", "{path}");
            assert_eq!(CustomColumn::parse("NODE", column.path()).as_ref(), Ok(&column), "{path}");
        }
        let whole = CustomColumn::parse("ALL", "{$}").expect("the whole object");
        assert_eq!(CustomColumn::parse("ALL", whole.path()), Ok(whole));
    }

    #[test]
    fn a_label_is_a_column_named_by_the_end_of_its_key() {
        let column = CustomColumn::of_label("app.kubernetes.io/name").expect("a label");
        assert_eq!((column.name(), column.path()), ("NAME", ".metadata.labels['app.kubernetes.io/name']"));
    }

    #[test]
    fn a_list_of_columns_is_cut_at_the_commas_that_are_of_no_path() {
        let columns = CustomColumns::parse("A:.a[0,1],B:b[?(@.c==\"x],y\")],C:{.d\\,e}").expect("three");
        let paths: Vec<&str> = columns.iter().map(CustomColumn::path).collect();
        assert_eq!(paths, [".a[0,1]", ".b[?(@.c==\"x],y\")]", ".d\\,e"]);
        assert!(CustomColumns::parse("A:.a,B").is_err_and(|problem| problem.message.contains("\"B\"")));
    }

    #[test]
    fn what_cannot_be_a_column_is_refused_with_its_place() {
        let long = "a".repeat(CUSTOM_PATH_BYTES_MAX + 1);
        for (name, path, words) in [
            ("", ".a", "1 to 63 bytes"),
            ("A:B", ".a", "neither ',' nor ':'"),
            ("A", "", "a path is expected"),
            ("A", ".a[x]", "invalid array index x at character 4"),
            ("A", long.as_str(), "1025 bytes"),
            (&long, ".a", "1 to 63 bytes"),
        ] {
            let problem = CustomColumn::parse(name, path).expect_err(words);
            assert!(problem.message.contains(words) && problem.message.len() < 1_200, "{problem}");
        }
    }

    #[test]
    fn a_subscription_has_32_columns_of_its_own() {
        let columns = |count: usize| {
            let column = |number| CustomColumn::parse(&format!("C{number}"), ".a").expect("a column");
            CustomColumns::these((0..count).map(column).collect())
        };
        assert!(columns(CUSTOM_COLUMNS_MAX).is_ok());
        assert!(columns(CUSTOM_COLUMNS_MAX + 1).is_err_and(|problem| problem.message.contains("at most 32")));
    }
}
