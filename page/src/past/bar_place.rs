//! What an address says of the bar of the past: `span=1h`, and `find=OOMKilled` while a word is looked for. Never a time, which
//! is that of the panes. The address keeps it as it is, because it is read with the bar.

use super::span::Span;
use crate::location::percent;

/// A part of the address of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BarPlace {
    /// As the reader chose it.
    pub(super) span: Option<Span>,
    /// Empty: no word is looked for.
    pub(super) word: Box<str>,
    /// The span that the address says is none.
    pub(super) is_unread: bool,
}

/// A gateway searches for no longer word.
const WORD_BYTES_MAX: usize = 200;

impl BarPlace {
    pub(super) fn read(link: &str) -> Self {
        let mut place = Self::default();
        for (key, value) in link.split('&').filter_map(|part| part.split_once('=')) {
            match key {
                "span" => {
                    place.span = Span::ALL.into_iter().find(|span| span.in_link() == value);
                    place.is_unread = place.span.is_none();
                }
                "find" => {
                    let word = percent::decode(value);
                    let word = word.trim();
                    place.word =
                        word.get(..word.floor_char_boundary(WORD_BYTES_MAX)).unwrap_or_default().into();
                }
                _ => {}
            }
        }
        place
    }

    pub(super) fn link(&self) -> Box<str> {
        let span = self.span.map(|span| format!("span={}", span.in_link()));
        let word = (!self.word.is_empty()).then(|| format!("find={}", percent::encode(&self.word)));
        span.into_iter().chain(word).collect::<Vec<_>>().join("&").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_span_that_is_none_is_known() {
        for link in ["", "span=24h", "find=OOM%20a%26b", "span=15m&find=x"] {
            assert_eq!(&*BarPlace::read(link).link(), link);
        }
        let place = BarPlace::read("span=2h&find=%20");
        assert!(place.is_unread && place.link().is_empty(), "{place:?}");
        assert_eq!(BarPlace::read(&format!("find={}", "é".repeat(300))).word.len(), 200);
    }
}
