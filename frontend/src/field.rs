//! A field of the model as a signal. Leptos' own signal is compiled for each type that it holds, about 3 KB each, and
//! the model has 60 of them; here one code serves all.

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use crate::prelude::{GetValue, LocalStorage, Notify, RwSignal, SetValue, StoredValue, Track};
use page::fields::{Holder, Signals, Value};

/// A value that wakes its readers when it changes. One whose owner is gone reads as the default.
pub(crate) struct Field<T> {
    value: StoredValue<Rc<dyn Any>, LocalStorage>,
    changed: RwSignal<()>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Field<T> {}

impl<T> Debug for Field<T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("Field")
    }
}

impl<T> PartialEq for Field<T> {
    fn eq(&self, other: &Self) -> bool {
        self.changed == other.changed
    }
}

impl<T> Eq for Field<T> {}

impl<T: Clone + Default + 'static> Field<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: StoredValue::new_local(Rc::new(value)), changed: RwSignal::new(()), of: PhantomData }
    }

    pub(crate) fn get(self) -> T {
        self.with(T::clone)
    }

    pub(crate) fn get_untracked(self) -> T {
        self.with_untracked(T::clone)
    }

    /// `None`: its owner is gone.
    pub(crate) fn try_get_untracked(self) -> Option<T> {
        held(self.value)?.downcast_ref().cloned()
    }

    /// Wakes the current reader when it changes.
    pub(crate) fn track(self) {
        self.changed.track();
    }

    pub(crate) fn with<R>(self, read: impl FnOnce(&T) -> R) -> R {
        self.changed.track();
        self.with_untracked(read)
    }

    pub(crate) fn with_untracked<R>(self, read: impl FnOnce(&T) -> R) -> R {
        match held(self.value).as_deref().and_then(<dyn Any>::downcast_ref) {
            Some(value) => read(value),
            None => read(&T::default()),
        }
    }

    pub(crate) fn set(self, value: T) {
        put(self.value, self.changed, Rc::new(value));
    }
}

#[inline(never)]
fn held(value: StoredValue<Rc<dyn Any>, LocalStorage>) -> Option<Rc<dyn Any>> {
    value.try_get_value()
}

#[inline(never)]
fn put(place: StoredValue<Rc<dyn Any>, LocalStorage>, changed: RwSignal<()>, value: Rc<dyn Any>) {
    place.try_set_value(value);
    changed.notify();
}

/// In the place of each field of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Signal {}

impl Holder for Signal {
    type Of<T: Value> = Field<T>;
}

/// A field is set, and wakes its readers, only if the model has another value.
impl Signals for Signal {
    fn new<T: Value>(value: T) -> Field<T> {
        Field::new(value)
    }

    fn write<T: Value>(held: &Field<T>, value: &T) {
        if held.with_untracked(|held| held != value) {
            held.set(value.clone());
        }
    }

    fn write_shared<T: Value>(held: &Field<Arc<T>>, value: &Arc<T>) {
        if held.with_untracked(|held| !Arc::ptr_eq(held, value) && **held != **value) {
            held.set(Arc::clone(value));
        }
    }
}
