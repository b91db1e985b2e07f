//! The tests of a file: their names, the rows that they are of, and what they run against.

use std::collections::BTreeSet;

use super::rows::Kind;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Test {
    pub file: String,
    pub name: String,
    pub rows: BTreeSet<String>,
    pub kind: Kind,
    /// The real part that it runs against.
    pub part: &'static str,
}

const AGAINST: &str = "Against: ";

/// What a test's comment names, with the kind that this makes it.
const PARTS: [(&str, Kind); 7] = [
    ("API server", Kind::ApiServer),
    ("browser", Kind::Browser),
    ("nginx", Kind::Running),
    ("provider", Kind::Running),
    ("playground", Kind::Running),
    ("sockets", Kind::Running),
    ("the source", Kind::Source),
];

/// By the beginning of a file's path: the first that fits.
const PLACES: [(&str, &str, Kind); 16] = [
    ("tests/deploy/install.rs", "API server", Kind::ApiServer),
    ("tests/scenarios/", "API server", Kind::ApiServer),
    ("tests/cluster/", "API server", Kind::ApiServer),
    ("tests/conformance/", "API server", Kind::ApiServer),
    ("tests/ui/", "browser", Kind::Browser),
    ("tests/team/", "provider", Kind::Running),
    ("tests/edge/", "playground", Kind::Running),
    ("tests/fuzz/", "fuzzer", Kind::Fuzz),
    ("tests/simulation/", "simulation", Kind::Running),
    ("tests/tidy/", "the source", Kind::Source),
    ("gateway/tests/", "playground", Kind::Running),
    ("gateway/src/http/tests/", "sockets", Kind::Running),
    ("gateway/src/feed/driver/tests.rs", "playground", Kind::Running),
    ("playground/", "playground", Kind::Running),
    ("xtask/", "the source", Kind::Source),
    ("", "alone", Kind::Unit),
];

/// The tests that are of a row.
pub fn tests_in(file: &str, text: &str) -> Vec<Test> {
    let mut tests = Vec::new();
    let mut comment = String::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim_start) {
        if let Some(words) = line.strip_prefix("///") {
            comment.push_str(words);
            continue;
        }
        if line.starts_with("#[") || line.starts_with(']') {
            is_test |= line.starts_with("#[test") || line.contains("::test");
            continue;
        }
        if let Some(name) = name_of(line) {
            let mut rows: BTreeSet<String> = row_of(name).into_iter().collect();
            // A command that checks a row says so in the same words.
            if is_test || comment.contains(AGAINST) {
                rows.extend(rows_in(&comment));
            }
            if !rows.is_empty() {
                let (part, kind) = part_of(file, &comment);
                tests.push(Test { file: file.to_owned(), name: name.to_owned(), rows, kind, part });
            }
        }
        comment.clear();
        is_test = false;
    }
    tests
}

fn name_of(line: &str) -> Option<&str> {
    let line = ["pub ", "pub(crate) "].iter().find_map(|seen| line.strip_prefix(seen)).unwrap_or(line);
    let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}

/// `r_authn_13_…` is of `R-AUTHN-13`.
fn row_of(name: &str) -> Option<String> {
    let mut parts = name.strip_prefix("r_")?.split('_');
    let (area, number) = (parts.next()?, parts.next()?);
    let is_row = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_row.then(|| format!("R-{}-{number}", area.to_uppercase()))
}

fn rows_in(comment: &str) -> Vec<String> {
    let words = comment.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let is_row = |word: &&str| {
        let number = word.strip_prefix("R-").and_then(|rest| rest.rsplit_once('-')).map(|(_, number)| number);
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    words.filter(is_row).map(str::to_owned).collect()
}

fn part_of(file: &str, comment: &str) -> (&'static str, Kind) {
    let named = comment.split_once(AGAINST).map(|(_, rest)| rest);
    let named = named.and_then(|rest| PARTS.iter().find(|(part, _)| rest.starts_with(part)));
    if let Some((part, kind)) = named {
        return (part, *kind);
    }
    let place = PLACES.iter().find(|(beginning, ..)| file.starts_with(beginning));
    place.map_or(("alone", Kind::Unit), |(_, part, kind)| (*part, *kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_of_the_row_in_its_name_and_of_those_in_its_comment() {
        let text = "
            /// Says nothing of a row.
            #[test]
            fn r_a11y_2_one() {}
            /// R-AUTHZ-1, R-AUTHZ-3: what each viewer sees. Against: nginx
            #[tokio::test(flavor = \"multi_thread\")]
            async fn another<T>() {}
            /// R-NET-4
            const NO_TEST: u32 = 1;
            /// R-NET-5
            fn no_test() {}
            fn r_and_no_row() {}
        ";
        let found = tests_in("tests/edge/x.rs", text);
        let found: Vec<(&str, Vec<&str>, &str)> = found
            .iter()
            .map(|test| (&*test.name, test.rows.iter().map(String::as_str).collect(), test.part))
            .collect();
        let expected = [
            ("r_a11y_2_one", vec!["R-A11Y-2"], "playground"),
            ("another", vec!["R-AUTHZ-1", "R-AUTHZ-3"], "nginx"),
        ];
        assert_eq!(found, expected);
    }
}
