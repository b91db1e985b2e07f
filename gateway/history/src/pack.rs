//! Compression against what a text resembles: zstd with that text as a prefix.

use zstd::zstd_safe::{CCtx, CParameter, DCtx, get_frame_content_size};

/// Level 3 costs 20 µs for a pod, and level 1 takes a tenth more room.
const LEVEL: i32 = 3;
/// What a frame says of its length isn't believed beyond this: an object is at most 16 MiB.
const UNPACKED_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// `None` if it can't be compressed, which doesn't happen while there is memory.
pub(crate) fn pack(text: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    let mut context = CCtx::try_create()?;
    context.set_parameter(CParameter::CompressionLevel(LEVEL)).ok()?;
    context.set_parameter(CParameter::DictIdFlag(false)).ok()?;
    if !prefix.is_empty() {
        context.ref_prefix(prefix).ok()?;
    }
    let mut packed = Vec::with_capacity(zstd::zstd_safe::compress_bound(text.len()));
    context.compress2(&mut packed, text).ok()?;
    packed.shrink_to_fit();
    Some(packed)
}

/// `None` if it isn't what [`pack`] made with this prefix.
pub(crate) fn unpack(packed: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    Unpacker::new()?.unpack(packed, prefix)
}

/// Unpacks one text after another, with less work for each.
pub(crate) struct Unpacker<'a> {
    context: DCtx<'a>,
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new() -> Option<Self> {
        Some(Self { context: DCtx::try_create()? })
    }

    pub(crate) fn unpack(&mut self, packed: &[u8], prefix: &'a [u8]) -> Option<Vec<u8>> {
        let length = get_frame_content_size(packed).ok()??;
        if length > UNPACKED_BYTES_MAX {
            return None;
        }
        if !prefix.is_empty() {
            self.context.ref_prefix(prefix).ok()?;
        }
        let mut text = Vec::with_capacity(usize::try_from(length).ok()?);
        self.context.decompress(&mut text, packed).ok()?;
        Some(text)
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
