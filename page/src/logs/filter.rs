//! Which lines a reader wants: terms with spaces between them, which all hold. `word` is in the line and `!word` isn't;
//! `/re/` is a regex; `"two words"` are one; `level>=warn` compares what the line says of itself; `pod:x2lqp` and
//! `container:proxy` are of the names of those that wrote it.

use super::level::Level;
use super::needle::Needle;
use super::words;
use crate::limits::QUERY_BYTES_MAX;

#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    terms: Vec<Term>,
    /// Why the first term that can't be read isn't applied.
    pub(super) problem: Option<String>,
}

#[derive(Clone, Debug)]
enum Term {
    Text { needle: Needle, is_negated: bool },
    Level { level: Level, op: Op },
    Name { of: Of, needle: Needle, is_negated: bool },
}

#[derive(Clone, Copy, Debug)]
enum Of {
    Pod,
    Container,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Is,
    IsNot,
    AtLeast,
    AtMost,
}

impl Filter {
    pub(super) fn read(written: &str) -> Self {
        let end = written.floor_char_boundary(QUERY_BYTES_MAX);
        let mut filter = Self::default();
        for word in split(written.get(..end).unwrap_or_default()) {
            match Term::read(word) {
                Ok(term) => filter.terms.extend(term),
                Err(why) => {
                    filter.problem.get_or_insert(why);
                }
            }
        }
        filter
    }

    /// Whether it takes so long that it is done in steps.
    pub(super) fn is_slow(&self) -> bool {
        self.terms.iter().any(|term| matches!(term, Term::Text { needle, .. } if needle.is_slow()))
    }

    /// Whether lines, marks and Events of them are wanted. An Event is of no container.
    pub(super) fn passes_names(&self, pod: &str, container: Option<&str>) -> bool {
        self.terms.iter().all(|term| {
            let Term::Name { of, needle, is_negated } = term else { return true };
            let name = match of {
                Of::Pod => Some(pod),
                Of::Container => container,
            };
            name.is_none_or(|name| needle.is_in(name) != *is_negated)
        })
    }

    /// Whether a line of a source that passes is wanted.
    pub(super) fn passes(&self, text: &str, level: Option<Level>) -> bool {
        self.terms.iter().all(|term| match term {
            Term::Text { needle, is_negated } => needle.is_in(text) != *is_negated,
            Term::Level { level: asked, op } => op.holds(level, *asked),
            Term::Name { .. } => true,
        })
    }
}

impl Op {
    /// A line that says no level is none.
    fn holds(self, level: Option<Level>, asked: Level) -> bool {
        match self {
            Self::Is => level == Some(asked),
            Self::IsNot => level != Some(asked),
            Self::AtLeast => level.is_some_and(|level| level >= asked),
            Self::AtMost => level.is_some_and(|level| level <= asked),
        }
    }
}

impl Term {
    /// `Ok(None)`: there is nothing to apply yet.
    fn read(word: &str) -> Result<Option<Self>, String> {
        if let Some(compared) = word.strip_prefix("level") {
            let ops = [(">=", Op::AtLeast), ("<=", Op::AtMost), ("!=", Op::IsNot), ("=", Op::Is)];
            let found = ops.iter().find_map(|(sign, op)| Some((compared.strip_prefix(sign)?, *op)));
            if let Some((name, op)) = found {
                let level = Level::parse(name).ok_or_else(|| words::no_level(name))?;
                return Ok(Some(Self::Level { level, op }));
            }
        }
        let (text, is_negated) = word.strip_prefix('!').map_or((word, false), |rest| (rest, true));
        for (sign, of) in [("pod:", Of::Pod), ("container:", Of::Container)] {
            if let Some(name) = text.strip_prefix(sign) {
                let needle = Needle::read(name).map_err(|why| words::not_applied(word, &why))?;
                return Ok((!needle.is_nothing()).then_some(Self::Name { of, needle, is_negated }));
            }
        }
        let text = text.strip_prefix('"').map_or(text, |rest| rest.strip_suffix('"').unwrap_or(rest));
        if text.is_empty() {
            return Ok(None);
        }
        let needle = Needle::read(text).map_err(|why| words::not_applied(word, &why))?;
        Ok(Some(Self::Text { needle, is_negated }))
    }
}

/// Words end at a space that isn't between quotes, a regex at its closing slash.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let bare = rest.strip_prefix('!').unwrap_or(rest);
        let begin = rest.len() - bare.len();
        let closing = |sign: char| {
            let inner = bare.strip_prefix(sign)?;
            let at = inner.find(&[sign, ' '].iter().collect::<String>());
            let at = at.or_else(|| inner.strip_suffix(sign).map(str::len))?;
            Some(begin + at + 2)
        };
        let end = closing('"').or_else(|| closing('/')).or_else(|| rest.find(' ')).unwrap_or(rest.len());
        let (word, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(word).filter(|word| !word.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_terms_hold_and_each_has_its_opposite() {
        let line = "GET /v1/orders 500 12 ms";
        for (filter, passes) in [
            ("", true),
            ("get", true),
            ("get post", false),
            ("!post", true),
            ("!get", false),
            (r#""500 12""#, true),
            (r#""12 500""#, false),
            ("/5\\d\\d/", true),
            ("!/5\\d\\d/", false),
            ("/v1/orders", true),
            ("/(get|post) .* 5/ 12", true),
            ("level>=warn", true),
            ("level=info", false),
            ("level!=error", false),
            ("level<=error get", true),
            ("!", true),
        ] {
            let read = Filter::read(filter);
            assert_eq!(read.passes(line, Some(Level::Error)), passes, "{filter}");
            assert_eq!(read.problem, None, "{filter}");
        }
        assert!(!Filter::read("level>=info").passes("says none", None));
        assert!(Filter::read("level!=info").passes("says none", None));
    }

    #[test]
    fn names_of_pods_and_containers_are_compared_with_their_terms_alone() {
        for (filter, passes) in [
            ("pod:X2lqp", true),
            ("pod:shop-x2", true),
            ("!pod:x2lqp", false),
            ("pod:other", false),
            ("!pod:other container:prox", true),
            ("container:app", false),
            ("!container:proxy", false),
            ("pod:/x2|x3/", true),
            ("pod:", true),
            ("x2lqp", true),
        ] {
            let read = Filter::read(filter);
            assert_eq!(read.passes_names("shop-x2lqp", Some("proxy")), passes, "{filter}");
            assert!(read.passes("x2lqp", None), "{filter}");
            assert_eq!(read.problem, None, "{filter}");
        }
        assert!(Filter::read("container:app").passes_names("shop-x2lqp", None), "an Event");
        assert!(!Filter::read(r#""pod:x2lqp""#).passes("x2lqp", None), "a text");
        assert!(Filter::read("pod:/(/").problem.is_some());
    }

    #[test]
    fn a_term_that_cannot_be_read_is_said_and_not_applied() {
        for filter in ["get /(/", "level>=loud get"] {
            let read = Filter::read(filter);
            assert!(
                read.problem.is_some() && read.passes("get", None) && !read.passes("x", None),
                "{filter}"
            );
        }
    }
}
