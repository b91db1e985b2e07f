//! Numbers and patterns in the texts of settings.

use shared::problem::Problem;

use super::wrong;
use crate::cluster::Pattern;

/// More than the files that any system lets a process open.
const COUNT_MAX: usize = 1_000_000;

pub(super) fn patterns(flag: &str, texts: &[String]) -> Result<Vec<Pattern>, Problem> {
    let pattern = |text: &String| {
        let what =
            "a name in lower case, or one with a * at its begin or end, such as kube-* or *.example.org";
        Pattern::parse(text).ok_or_else(|| wrong(format!("{flag} {text:?} is not {what}")))
    };
    texts.iter().map(pattern).collect()
}

pub(super) fn count(flag: &str, text: &str) -> Result<usize, Problem> {
    let count = text.parse().ok().filter(|count| (1..=COUNT_MAX).contains(count));
    count.ok_or_else(|| wrong(format!("{flag} {text} is not a number from 1 to {COUNT_MAX}")))
}
