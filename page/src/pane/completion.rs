//! What the filter box shows beside its text: how each term is read, and what may be typed next.

use crate::messages;
use crate::query::complete::complete;
use crate::query::{Completion, Filter, Reading};
use crate::table_view::Client;

use super::Pane;
use crate::model::{self, SuggestionItem, Suggestions, TextMark};

impl Pane {
    pub(super) fn complete(&mut self, client: &Client, typed: Option<(String, usize)>) {
        let with_namespace = self.room(client).with_namespace;
        self.screen.suggestions =
            typed.zip(self.displayed.shown(client)).and_then(|((text, caret), (view, _))| {
                suggestions(&text, &complete(&text, caret, view.table(), with_namespace))
            });
    }
}

/// `None` where there is nothing to choose from.
pub(super) fn suggestions(text: &str, completion: &Completion) -> Option<Suggestions> {
    let item = |suggestion: &crate::query::Suggestion| {
        let (whole, caret) = completion.apply(text, suggestion);
        let note = match suggestion.rows {
            Some(rows) => messages::completion_rows(rows),
            None => suggestion.detail.clone(),
        };
        SuggestionItem { text: suggestion.text.clone(), note, whole, caret }
    };
    let items: Vec<SuggestionItem> = completion.suggestions.iter().map(item).collect();
    let foot =
        completion.counted.map(|(rows, of)| messages::completion_counted(rows, of)).unwrap_or_default();
    (!items.is_empty()).then(|| Suggestions { title: completion.title.clone(), items, foot })
}

/// The whole text in pieces, each with how it is read.
pub(super) fn marks(filter: &Filter) -> Vec<TextMark> {
    let text = filter.text();
    let mut marks = Vec::new();
    let mut at = 0;
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_owned();
    for term in filter.terms() {
        if term.span.start > at {
            marks.push(TextMark { text: piece(at, term.span.start), reading: model::Reading::Plain });
        }
        let reading = match term.reading() {
            Reading::Compared => model::Reading::Compared,
            Reading::Unread(_) => model::Reading::Unread,
            Reading::Word | Reading::Regex => model::Reading::Plain,
        };
        marks.push(TextMark { text: piece(term.span.start, term.span.end), reading });
        at = term.span.end;
    }
    marks
}
