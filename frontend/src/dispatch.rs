//! Sends an [`Action`] from a view, which doesn't know the receiver.

use std::rc::Rc;

use leptos::prelude::{GetValue, LocalStorage, StoredValue};

use page::action::Action;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dispatch(StoredValue<Rc<dyn Fn(Action)>, LocalStorage>);

impl Dispatch {
    pub(crate) fn new(apply: impl Fn(Action) + 'static) -> Self {
        Self(StoredValue::new_local(Rc::new(apply)))
    }

    pub(crate) fn send(self, action: impl Into<Action>) {
        if let Some(apply) = self.0.try_get_value() {
            apply(action.into());
        }
    }
}
