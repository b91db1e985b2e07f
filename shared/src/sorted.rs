//! One sort for short lists of any type. It orders the places of the items, so that its code stands once in the page's
//! program; the standard library's is compiled for each type, 4 to 8 KB each.

use std::cmp::Ordering;

/// Sorts, and keeps the order of equal items.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = places(items.len(), &mut |a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    // The item that belongs to a place may have been moved away by an earlier swap: to the place that its own item had.
    for at in 0..order.len() {
        let mut from = at;
        while let Some(next) = order.get(from) {
            from = *next;
            if from >= at {
                break;
            }
        }
        items.swap(at, from);
    }
}

/// Sorts by what `key` makes of an item, and keeps the order of equal ones.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts, and keeps the order of equal items.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// The places of so many items, in their order.
#[inline(never)]
fn places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(items in prop::collection::vec((0_u8..8, any::<u16>()), 0..60)) {
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            prop_assert_eq!(ours, theirs);
        }
    }
}
