//! What an address says of the bar of the past: `span=1h`, and `find=OOMKilled` while a word is looked for. Never a time, which
//! is that of the panes.

use shared::problem::Problem;

use super::span::Span;
use super::words;
use crate::location::percent;
use crate::messages;

/// A part of the address of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BarPlace {
    /// As the reader chose it.
    pub span: Option<Span>,
    /// Empty: no word is looked for.
    pub word: Box<str>,
}

impl BarPlace {
    /// Returns whether the part of the link is one of these.
    pub(crate) fn read(&mut self, part: &str, problems: &mut Vec<Problem>) -> bool {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match key {
            "span" => {
                self.span = Span::ALL.into_iter().find(|span| span.in_link() == value);
                if self.span.is_none() {
                    let message =
                        messages::location_unread(key, &percent::decode(value), words::SPAN_EXPECTED);
                    problems.push(Problem::bad_request(message));
                }
            }
            "find" => self.word = cut(percent::decode(value).trim()),
            _ => return false,
        }
        true
    }

    /// The parts of a link, each behind its sign.
    pub(crate) fn parts(&self) -> impl Iterator<Item = String> {
        let span = self.span.map(|span| format!("span={}", span.in_link()));
        let word = (!self.word.is_empty()).then(|| format!("find={}", percent::encode(&self.word)));
        span.into_iter().chain(word)
    }
}

/// A gateway searches for no longer word.
fn cut(word: &str) -> Box<str> {
    word.get(..word.floor_char_boundary(WORD_BYTES_MAX)).unwrap_or_default().into()
}

const WORD_BYTES_MAX: usize = 200;
