//! Sends an [`Action`] from a view, which doesn't know the receiver. And tells the view what was copied: every part of
//! the page has something to copy, and the clipboard's answer comes later.

use std::rc::Rc;

use leptos::prelude::{GetValue, LocalStorage, StoredValue};

use page::action::Action;
use page::clipboard::Copied;
use page::model::{PageModel, PieceShown};

use crate::field::Field;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dispatch {
    apply: StoredValue<Rc<dyn Fn(Action)>, LocalStorage>,
    copied: Field<Option<Copied>>,
    more: Field<PieceShown>,
}

impl Dispatch {
    pub(crate) fn new(
        copied: Field<Option<Copied>>,
        more: Field<PieceShown>,
        apply: impl Fn(Action) + 'static,
    ) -> Self {
        Self { apply: StoredValue::new_local(Rc::new(apply)), copied, more }
    }

    /// With signals of its own, which end with their owner: a signal of the page would remember each reader that left.
    pub(crate) fn apart(apply: impl Fn(Action) + 'static) -> Self {
        Self::new(Field::new(None), Field::new(PieceShown::default()), apply)
    }

    /// Writes the signals of its own.
    pub(crate) fn write(self, page: &PageModel) {
        if self.copied.with_untracked(|held| *held != page.copied) {
            self.copied.set(page.copied.clone());
        }
        if self.more.with_untracked(|held| *held != page.more_piece) {
            self.more.set(page.more_piece.clone());
        }
    }

    pub(crate) fn send(self, action: impl Into<Action>) {
        if let Some(apply) = self.apply.try_get_value() {
            apply(action.into());
        }
    }

    /// What was copied a moment ago.
    pub(crate) fn copied(self) -> Field<Option<Copied>> {
        self.copied
    }

    /// Whether the views that are fetched later are there.
    pub(crate) fn more(self) -> Field<PieceShown> {
        self.more
    }
}
