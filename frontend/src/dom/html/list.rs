//! Children that come from a list: each keeps its elements while others come, go and move.

use std::any::Any;

use super::{AnyView, IntoView};

/// An item of a list: the key that tells it from the others, and how its view is made.
pub(crate) struct Item {
    pub(super) key: Box<dyn Key>,
    pub(super) make: Box<dyn FnOnce() -> AnyView>,
}

/// What an item is known by.
pub(super) trait Key: Any {
    fn is(&self, other: &dyn Key) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<K: PartialEq + 'static> Key for K {
    fn is(&self, other: &dyn Key) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The items of a list in its order. One whose key is among those of before keeps its elements.
pub(crate) fn keyed<T, K, V>(
    each: impl Fn() -> Vec<T> + 'static,
    key: impl Fn(&T) -> K + 'static,
    child: impl Fn(T) -> V + Clone + 'static,
) -> AnyView
where
    T: 'static,
    K: PartialEq + 'static,
    V: IntoView,
{
    let item = move |it: T| {
        let (key, child) = (Box::new(key(&it)), child.clone());
        Item { key, make: Box::new(move || child(it).into_any()) }
    };
    AnyView::Keyed(Box::new(move || each().into_iter().map(&item).collect()))
}
