//! Sends an [`Action`] from a view, which doesn't know the receiver. And tells the view what was copied: every part of
//! the page has something to copy, and the clipboard's answer comes later.

use std::rc::Rc;

use crate::prelude::{GetValue, LocalStorage, StoredValue, WriteValue};
use tachys::html::event::KeyboardEvent;

use page::action::{Action, TwoLetters};
use page::clipboard::Copied;
use page::model::{PageModel, PieceShown};

use crate::dom;
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

    /// Sends the action of a key. A key that is used here is none of the page around. `of` knows the keys of one letter.
    pub(crate) fn send_key(
        self,
        event: &KeyboardEvent,
        letters: StoredValue<TwoLetters>,
        of: impl FnOnce(&str) -> Option<Action>,
    ) {
        let Some(name) = dom::element::plain_key(event) else { return };
        let asked = letters.write_value().action(&name, of);
        if asked.is_some() || letters.get_value().is_begun() {
            event.prevent_default();
        }
        asked.into_iter().for_each(|asked| self.send(asked));
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
