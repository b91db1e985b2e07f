//! What the filter box shows beside its text: how each term is read, and what may be typed next.

use crate::messages;
use crate::query::complete::complete;
use crate::query::{self, Filter, Reading};

use super::displayed::Rows;
use crate::model::{self, PaneModel, SuggestionItem, Suggestions, TextMark};

/// What may be typed next into the filter.
#[derive(Default)]
pub(super) struct Completion(Option<Suggestions>);

impl Completion {
    /// `typed`: the text, with the caret before this byte; `None`: its list is closed.
    pub(super) fn update(&mut self, typed: Option<(String, usize)>, rows: Option<Rows<'_>>) {
        self.0 = typed.zip(rows).and_then(|((text, caret), rows)| {
            suggestions(&text, &complete(&text, caret, rows.view.table(), rows.has_namespaces()))
        });
    }

    pub(super) fn render(&self, rows: &Rows<'_>, model: &mut PaneModel) {
        let filter = rows.index.filter();
        let unread = filter.unread();
        model.marks = marks(filter);
        model.unread = unread.map_or_else(String::new, |(term, why)| messages::filter_unread(term, why));
        model.suggestions.clone_from(&self.0);
    }
}

/// `None` where there is nothing to choose from.
pub(super) fn suggestions(text: &str, completion: &query::Completion) -> Option<Suggestions> {
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
fn marks(filter: &Filter) -> Vec<TextMark> {
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
