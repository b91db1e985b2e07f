//! The texts of the keyframes of objects that change often, so that they aren't unpacked for each change. They take a bounded
//! number of bytes, whatever changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use fastrand::Rng;

use crate::kind_state::Content;

/// Those of a thousand pods. A change of an object whose text isn't here takes 15 µs longer.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// Shared by the recorders of all shares.
#[derive(Clone, Default)]
pub(crate) struct Texts {
    shelf: Arc<Mutex<Shelf>>,
    /// The recorder that has this handle: keyframes of two recorders may have one number.
    owner: usize,
}

type Key = (usize, i64);

#[derive(Default)]
struct Shelf {
    texts: HashMap<Key, (usize, Arc<Content>)>,
    /// In any order: each text knows its place.
    keys: Vec<Key>,
    bytes: usize,
    rng: Option<Rng>,
}

impl Texts {
    /// The same shelf, for another recorder.
    pub(crate) fn of_owner(&self, owner: usize) -> Self {
        Self { shelf: Arc::clone(&self.shelf), owner }
    }

    /// The text of a keyframe, which is unpacked if it isn't here. `None`: it can't be.
    pub(crate) fn keyframe(
        &self,
        number: i64,
        unpack: impl FnOnce() -> Option<Content>,
    ) -> Option<Arc<Content>> {
        if let Some((_, text)) = self.lock().texts.get(&(self.owner, number)) {
            return Some(Arc::clone(text));
        }
        let text = Arc::new(unpack()?);
        self.put(number, Arc::clone(&text));
        Some(text)
    }

    pub(crate) fn put(&self, number: i64, text: Arc<Content>) {
        self.lock().put((self.owner, number), text);
    }

    /// The keyframe isn't its object's any more.
    pub(crate) fn remove(&self, number: i64) {
        self.lock().remove((self.owner, number));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    /// Takes others away until there is room. Which ones is left to chance: objects that change in turn would each lose its
    /// text just before it is needed, if the oldest one went.
    fn put(&mut self, key: Key, text: Arc<Content>) {
        self.remove(key);
        let bytes = text.len();
        if bytes > BYTES_MAX / 8 {
            return;
        }
        while self.bytes + bytes > BYTES_MAX {
            let place = self.rng.get_or_insert_with(|| Rng::with_seed(1)).usize(..self.keys.len().max(1));
            let Some(other) = self.keys.get(place).copied() else { break };
            self.remove(other);
        }
        self.bytes += bytes;
        self.texts.insert(key, (self.keys.len(), text));
        self.keys.push(key);
    }

    fn remove(&mut self, key: Key) {
        let Some((place, text)) = self.texts.remove(&key) else { return };
        self.bytes -= text.len();
        if place < self.keys.len() {
            self.keys.swap_remove(place);
        }
        if let Some(moved) = self.keys.get(place).and_then(|moved| self.texts.get_mut(moved)) {
            moved.0 = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: usize) -> Content {
        Content { head: Vec::new(), body: vec![7; bytes] }
    }

    #[test]
    fn texts_that_change_in_turn_stay_for_the_most_part_and_take_no_more_than_their_bound() {
        let (texts, each) = (Texts::default(), 8 * 1024);
        let (objects, mut unpacked) = (1_200, 0);
        for n in 0..objects * 5 {
            let unpack = || {
                unpacked += 1;
                Some(text(each))
            };
            assert_eq!(texts.keyframe(n % objects, unpack).map(|text| text.len()), Some(each));
            let shelf = texts.lock();
            assert!(shelf.bytes <= BYTES_MAX && shelf.bytes == shelf.texts.len() * each);
            assert!(shelf.keys.iter().enumerate().all(|(place, key)| shelf.texts[key].0 == place));
        }
        assert!(unpacked < objects * 5 / 2, "{unpacked}");
        // Another recorder's keyframe of this number is another one.
        let mut is_unpacked = false;
        texts.of_owner(1).keyframe(objects - 1, || {
            is_unpacked = true;
            Some(text(1))
        });
        assert!(is_unpacked);
        (0..objects).for_each(|n| texts.remove(n));
        texts.of_owner(1).remove(objects - 1);
        assert_eq!(texts.lock().bytes, 0);
        texts.put(1, Arc::new(text(BYTES_MAX)));
        assert_eq!(texts.lock().bytes, 0, "one that takes the room of all others has none");
    }
}
