//! Compression against what a text resembles: the difference to that text where it is small, else zstd with it as a prefix.

use std::cell::RefCell;

use zstd::zstd_safe::{CCtx, DCtx, compress_bound, get_frame_content_size};

use crate::difference::{self, difference, text_of};

/// Level 3 costs 20 µs for a pod, and level 1 takes a tenth more room.
const LEVEL: i32 = 3;
/// What a frame says of its length isn't believed beyond this: an object is at most 16 MiB.
const UNPACKED_BYTES_MAX: u64 = 32 * 1024 * 1024;

thread_local! {
    /// Making one takes as long as compressing a pod with it.
    static CONTEXTS: RefCell<Option<(CCtx<'static>, DCtx<'static>)>> = const { RefCell::new(None) };
}

fn with_contexts<T>(act: impl FnOnce(&mut CCtx<'static>, &mut DCtx<'static>) -> Option<T>) -> Option<T> {
    CONTEXTS.with_borrow_mut(|contexts| {
        if contexts.is_none() {
            *contexts = Some((CCtx::try_create()?, DCtx::try_create()?));
        }
        let (compressor, decompressor) = contexts.as_mut()?;
        act(compressor, decompressor)
    })
}

/// Up to here a difference is about as small as zstd's frame, and takes a twentieth of its time.
const DIFFERENCE_BYTES_MAX: usize = 160;

/// A text that differs from another in few places. `None`: as [`pack`].
pub(crate) fn pack_patch(text: &[u8], former: &[u8]) -> Option<Vec<u8>> {
    difference(text, former, DIFFERENCE_BYTES_MAX).or_else(|| pack(text, former))
}

/// `None` if it can't be compressed, which doesn't happen while there is memory.
pub(crate) fn pack(text: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    with_contexts(|compressor, _| {
        let mut packed = Vec::with_capacity(compress_bound(text.len()));
        compressor.compress_using_dict(&mut packed, text, prefix, LEVEL).ok()?;
        packed.shrink_to_fit();
        Some(packed)
    })
}

/// `None` if it isn't what [`pack`] or [`pack_patch`] made with this prefix.
pub(crate) fn unpack(packed: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    if packed.first() == Some(&difference::MARK) {
        return text_of(packed, prefix, UNPACKED_BYTES_MAX);
    }
    let length = get_frame_content_size(packed).ok()??;
    if length > UNPACKED_BYTES_MAX {
        return None;
    }
    let mut text = Vec::with_capacity(usize::try_from(length).ok()?);
    with_contexts(|_, decompressor| decompressor.decompress_using_dict(&mut text, packed, prefix).ok())?;
    Some(text)
}

/// The text of a version: its keyframe's, against the model, or that of a patch to it.
pub(crate) fn unpack_version(model: &[u8], keyframe: &[u8], patch: Option<&[u8]>) -> Option<Vec<u8>> {
    let keyframe = unpack(keyframe, model)?;
    match patch {
        Some(patch) => unpack(patch, &keyframe),
        None => Some(keyframe),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_with_its_prefix_alone_and_is_small_if_it_resembles_it() {
        let pod = |n: usize| {
            format!("{{\"name\":\"pod-{n}\",{}}}", "\"image\":\"a.example/b:1\",".repeat(n % 7 + 300))
        };
        let (keyframe, next) = (pod(1), pod(1).replace("pod-1", "pod-9"));
        let packed = pack(next.as_bytes(), keyframe.as_bytes()).expect("memory");
        assert!(packed.len() < 60, "{}", packed.len());
        assert_eq!(unpack(&packed, keyframe.as_bytes()).as_deref(), Some(next.as_bytes()));
        assert_ne!(unpack(&packed, pod(2).as_bytes()).as_deref(), Some(next.as_bytes()));
        for damaged in [&b""[..], b"no frame", &packed[..packed.len() - 1]] {
            assert_eq!(unpack(damaged, keyframe.as_bytes()), None);
        }
    }
}
