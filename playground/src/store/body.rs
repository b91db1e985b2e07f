//! The JSON of an object as it is kept: plain, or packed with another object of its kind as dictionary.
//! It never reads the JSON.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{CCtx, DCtx, compress_bound};

/// Level 1: similar objects are found by the dictionary, not by a thorough search.
const LEVEL: i32 = 1;

#[derive(Clone, Debug)]
pub(super) enum Body {
    Plain(Bytes),
    Packed { bytes: Box<[u8]>, length: usize, dictionary: Arc<Dictionary> },
}

/// An object of a resource, by which the others are packed into few bytes: most of a pod is equal in
/// all pods.
pub struct Dictionary {
    encoder: EncoderDictionary<'static>,
    decoder: DecoderDictionary<'static>,
}

thread_local! {
    // Making one costs more than packing an object with it.
    static PACKER: RefCell<CCtx<'static>> = RefCell::new(CCtx::create());
    static UNPACKER: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Dictionary")
    }
}

impl Dictionary {
    pub(super) fn new(json: &[u8]) -> Self {
        Self { encoder: EncoderDictionary::copy(json, LEVEL), decoder: DecoderDictionary::copy(json) }
    }
}

impl Body {
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Plain(bytes) => bytes.len(),
            Self::Packed { length, .. } => *length,
        }
    }

    pub(super) fn kept(&self) -> usize {
        match self {
            Self::Plain(bytes) => bytes.len(),
            Self::Packed { bytes, .. } => bytes.len(),
        }
    }

    /// The JSON. If it couldn't be unpacked it would be empty, which is no object.
    pub(super) fn read(&self) -> Bytes {
        match self {
            Self::Plain(bytes) => bytes.clone(),
            Self::Packed { bytes, length, dictionary } => {
                let mut json = Vec::with_capacity(*length);
                let read = UNPACKER.with_borrow_mut(|unpacker| {
                    unpacker.decompress_using_ddict(&mut json, bytes, dictionary.decoder.as_ddict())
                });
                read.map(|_| Bytes::from(json)).unwrap_or_default()
            }
        }
    }

    pub(super) fn packed(self, dictionary: &Arc<Dictionary>) -> Self {
        let Self::Plain(plain) = &self else {
            return self;
        };
        let mut bytes = Vec::with_capacity(compress_bound(plain.len()));
        let packed = PACKER.with_borrow_mut(|packer| {
            packer.compress_using_cdict(&mut bytes, plain, dictionary.encoder.as_cdict())
        });
        match packed {
            Ok(_) => {
                Self::Packed { bytes: bytes.into(), length: plain.len(), dictionary: Arc::clone(dictionary) }
            }
            Err(_) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_reads_back_and_is_small() {
        let pod = |name: &str| {
            let spec = "\"image\":\"registry.example.com/api:1\",".repeat(60);
            Bytes::from(format!("{{\"metadata\":{{\"name\":\"{name}\"}},{spec}}}"))
        };
        let dictionary = Arc::new(Dictionary::new(&pod("cart-x2v4")));
        let body = Body::Plain(pod("checkout-9kq7")).packed(&dictionary);
        assert_eq!(body.read(), pod("checkout-9kq7"));
        assert_eq!(body.length(), pod("checkout-9kq7").len());
        assert!(body.kept() < 100, "{}", body.kept());
    }
}
