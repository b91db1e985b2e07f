//! What a scan of many versions keeps: the keyframes of those that it came to, unpacked as far as there is room.

use std::collections::HashMap;

use crate::pack::unpack;
use crate::past::Found;

/// A head and a body.
pub(crate) type Texts = (Vec<u8>, Vec<u8>);

/// So many versions are read at once: others may ask between two pages.
pub(crate) const PAGE: usize = 2_000;
/// What the unpacked bodies may take. With all keyframes of a busy day a scan took 100 MB.
const BODIES_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Keyframes by what names them in a store.
#[derive(Default)]
pub(crate) struct ScannedKeyframes {
    packed: HashMap<(i64, i64), Texts>,
    bodies: HashMap<(i64, i64), Vec<u8>>,
    bytes: usize,
}

impl ScannedKeyframes {
    pub(crate) fn has(&self, key: (i64, i64)) -> bool {
        self.packed.contains_key(&key)
    }

    pub(crate) fn add(&mut self, key: (i64, i64), packed: Texts) {
        self.packed.insert(key, packed);
    }

    /// What is found of a version: `patch` is `None` for a keyframe.
    pub(crate) fn find(
        &mut self,
        key: (i64, i64),
        patch: Option<(&[u8], &[u8])>,
        (model_head, model_body): (&[u8], &[u8]),
        is_wanted: &dyn Fn(&[u8]) -> bool,
    ) -> Found {
        let found = self.body(key, patch.map(|(_, body)| body), model_body).and_then(|body| {
            if !is_wanted(&body) {
                return Some(Found::Nothing);
            }
            let head = unpack(&self.packed.get(&key)?.0, model_head)?;
            let head = match patch {
                Some((patch, _)) => unpack(patch, &head)?,
                None => head,
            };
            Some(Found::Wanted { head: Box::new(serde_json::from_slice(&head).ok()?), body })
        });
        found.unwrap_or(Found::Damaged)
    }

    fn body(&mut self, key: (i64, i64), patch: Option<&[u8]>, model: &[u8]) -> Option<Vec<u8>> {
        if !self.bodies.contains_key(&key) {
            let body = unpack(&self.packed.get(&key)?.1, model)?;
            if self.bytes > BODIES_BYTES_MAX {
                (self.bodies, self.bytes) = (HashMap::new(), 0);
            }
            self.bytes += body.len();
            self.bodies.insert(key, body);
        }
        let keyframe = self.bodies.get(&key)?;
        match patch {
            Some(patch) => unpack(patch, keyframe),
            None => Some(keyframe.clone()),
        }
    }
}
