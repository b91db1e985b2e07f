//! The list of completions under an input. The focus stays in the input: arrows choose, Enter and Tab take, Escape
//! closes.

use crate::dom::html::{div, span};
use crate::prelude::*;
use tachys::html::element::Input;
use tachys::html::event as ev;

use super::super::css;
use super::super::icons::glyph;
use crate::dom;
use crate::field::Field;
use page::model::Suggestions;
use page::query::{Note, Suggestion};

/// An input and its list.
#[derive(Clone, Copy)]
pub(crate) struct Suggest {
    pub(crate) shown: Field<Option<Suggestions>>,
    chosen: RwSignal<Option<usize>>,
    field: NodeRef<Input>,
    id: &'static str,
}

/// What a key did.
pub(crate) enum Pressed {
    /// The key belongs to the input.
    Other,
    Moved,
    Taken(Suggestion),
}

impl Suggest {
    pub(crate) fn new(shown: Field<Option<Suggestions>>, field: NodeRef<Input>, id: &'static str) -> Self {
        let chosen = RwSignal::new(None);
        // A new list has no chosen item.
        Effect::new(move |_| {
            shown.track();
            chosen.set(None);
        });
        Self { shown, chosen, field, id }
    }

    pub(crate) fn is_open(self) -> bool {
        self.shown.with(Option::is_some)
    }

    pub(crate) fn option_id(self) -> Option<String> {
        self.chosen.get().filter(|_| self.is_open()).map(|at| format!("{}-{at}", self.id))
    }

    pub(crate) fn key(self, name: &str) -> Pressed {
        let count = self.shown.with_untracked(|shown| shown.as_ref().map(|shown| shown.items.len()));
        let Some(last) = count.and_then(|count| count.checked_sub(1)) else { return Pressed::Other };
        let chosen = self.chosen.get_untracked();
        match (name, chosen) {
            ("ArrowDown", _) => self.chosen.set(Some(chosen.map_or(0, |at| (at + 1).min(last)))),
            ("ArrowUp", _) => self.chosen.set(chosen.and_then(|at| at.checked_sub(1))),
            ("Enter" | "Tab", Some(at)) => return self.take(at).map_or(Pressed::Other, Pressed::Taken),
            _ => return Pressed::Other,
        }
        Pressed::Moved
    }

    /// The only completion of a text that isn't whole yet.
    pub(crate) fn only(self, text: &str) -> Option<Suggestion> {
        let is_only = self.shown.with_untracked(|shown| {
            let items = shown.as_ref().map(|shown| shown.items.as_slice());
            matches!(items, Some([only]) if only.whole != text && only.whole.starts_with(text))
        });
        if is_only { self.take(0) } else { None }
    }

    fn take(self, at: usize) -> Option<Suggestion> {
        let item = self.shown.with_untracked(|shown| shown.as_ref()?.items.get(at).cloned())?;
        if let Some(field) = self.field.try_get_untracked().flatten() {
            dom::element::write(&field, &item.whole, item.caret);
        }
        Some(item)
    }

    pub(crate) fn list<T>(self, taken: T) -> impl IntoView
    where
        T: Fn(Suggestion) + Copy + Send + 'static,
    {
        let title = move || self.shown.with(|shown| shown.as_ref().map(|shown| shown.title.clone()));
        let foot = move || self.shown.with(|shown| shown.as_ref().map(|shown| shown.foot.clone()));
        let options = move || {
            let items = self.shown.with(|shown| shown.as_ref().map(|shown| shown.items.clone()));
            let items = items.unwrap_or_default();
            items.iter().enumerate().map(|(at, item)| self.option(at, item, taken)).collect::<Vec<_>>()
        };
        let is_open = Memo::new(move |_| self.is_open());
        move || {
            is_open.get().then(|| {
                div()
                    .class("pop pop-filter menu")
                    // A press on the list keeps the focus in the input.
                    .on(ev::pointerdown, |event| event.prevent_default())
                    .child((
                        div().class("menu-head").attr("aria-hidden", "true").child(title),
                        div()
                            .attr("role", "listbox")
                            .attr("id", self.id)
                            .attr("aria-label", title)
                            .child(options),
                        div().class("menu-head").child(foot),
                    ))
            })
        }
    }

    fn option<T>(self, at: usize, item: &Suggestion, taken: T) -> impl IntoView + use<T>
    where
        T: Fn(Suggestion) + Copy + Send + 'static,
    {
        div()
            .class("menu-item")
            .attr("role", "option")
            .attr("id", format!("{}-{at}", self.id))
            .attr("aria-selected", move || (self.chosen.get() == Some(at)).to_string())
            .on(ev::click, move |_| self.take(at).into_iter().for_each(taken))
            .child((
                item.class.map(|class| span().class(css::status(class)).child(glyph(css::glyph(class)))),
                span().class("mono cut").child(item.text.clone()),
                match &item.note {
                    Note::Words(words) => {
                        span().class("faint suggest-note suggest-words").child(words.clone())
                    }
                    Note::Rows(rows) => span().class("push faint suggest-note").child(rows.clone()),
                },
            ))
    }
}
