//! Whole objects, compressed one by one with a dictionary trained on the first of them, so that each can be
//! read alone. They are never printed or logged.

use std::sync::Arc;

use history::PackedBody;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::DecoderDictionary;
use zstd::zstd_safe::compress_bound;

use crate::feed::ObjectBody;
use crate::limits::{DICTIONARY_BYTES, DICTIONARY_SAMPLE_BYTES_MAX, DICTIONARY_SAMPLES};

/// One object's JSON, compressed.
#[derive(Clone)]
pub(super) enum Body {
    Packed(Packed),
    /// As a record keeps it.
    Kept(Arc<PackedBody>),
}

/// A JSON with the dictionary that it was packed with.
#[derive(Clone)]
pub(super) struct Packed {
    /// Shared with those that listen to the hub and keep what they heard.
    bytes: Arc<[u8]>,
    length: u32,
    dictionary: Option<Arc<Dictionary>>,
}

pub(super) struct Bodies {
    plain: Option<Compressor<'static>>,
    trained: Option<(Compressor<'static>, Arc<Dictionary>)>,
    /// Each body is written here first, because its length isn't known before.
    scratch: Vec<u8>,
    /// Collected until there are enough to train on.
    samples: Vec<u8>,
    sample_lengths: Vec<usize>,
}

pub(super) struct Dictionary {
    decoder: DecoderDictionary<'static>,
}

/// Level 1 costs a third of level 3's time for a tenth more bytes.
const LEVEL: i32 = 1;

impl Bodies {
    pub(super) fn new() -> Self {
        Self {
            plain: Compressor::new(LEVEL).ok(),
            trained: None,
            scratch: Vec::new(),
            samples: Vec::new(),
            sample_lengths: Vec::new(),
        }
    }

    /// A body that can't be compressed is kept as it is.
    pub(super) fn keep(&mut self, body: &ObjectBody) -> Body {
        match body {
            ObjectBody::Json(json) => self.pack(json),
            ObjectBody::Kept(packed) => Body::Kept(Arc::clone(packed)),
        }
    }

    pub(super) fn pack(&mut self, json: &[u8]) -> Body {
        Body::Packed(self.packed(json))
    }

    fn packed(&mut self, json: &[u8]) -> Packed {
        self.learn(json);
        let length = u32::try_from(json.len()).unwrap_or(u32::MAX);
        if let Some((compressor, dictionary)) = &mut self.trained
            && let Some(bytes) = compress(compressor, json, &mut self.scratch)
        {
            return Packed { bytes, length, dictionary: Some(dictionary.clone()) };
        }
        let packed = self.plain.as_mut().and_then(|compressor| compress(compressor, json, &mut self.scratch));
        Packed { bytes: packed.unwrap_or_else(|| json.into()), length, dictionary: None }
    }

    /// Whether a body was packed before there was a dictionary, and is worth packing again.
    pub(super) fn is_outdated(&self, body: &Body) -> bool {
        self.trained.is_some() && matches!(body, Body::Packed(packed) if packed.dictionary.is_none())
    }

    fn learn(&mut self, json: &[u8]) {
        if self.trained.is_some() || self.sample_lengths.len() >= DICTIONARY_SAMPLES {
            return;
        }
        if self.samples.len() + json.len() <= DICTIONARY_SAMPLE_BYTES_MAX {
            self.samples.extend_from_slice(json);
            self.sample_lengths.push(json.len());
        } else {
            self.sample_lengths.resize(DICTIONARY_SAMPLES, 0);
        }
        if self.sample_lengths.len() == DICTIONARY_SAMPLES {
            self.sample_lengths.retain(|length| *length > 0);
            self.trained = train(&self.samples, &self.sample_lengths);
            // The samples aren't needed again, even if the training failed.
            self.samples = Vec::new();
            self.sample_lengths = vec![0; DICTIONARY_SAMPLES];
        }
    }
}

/// The buffer shrinks to this after a large object.
const SCRATCH_BYTES_MAX: usize = 64 * 1024;

fn compress(compressor: &mut Compressor<'_>, json: &[u8], scratch: &mut Vec<u8>) -> Option<Arc<[u8]>> {
    scratch.clear();
    scratch.reserve(compress_bound(json.len()));
    compressor.compress_to_buffer(json, scratch).ok()?;
    let bytes = scratch.as_slice().into();
    scratch.clear();
    scratch.shrink_to(SCRATCH_BYTES_MAX);
    Some(bytes)
}

fn train(samples: &[u8], lengths: &[usize]) -> Option<(Compressor<'static>, Arc<Dictionary>)> {
    let bytes = zstd::dict::from_continuous(samples, lengths, DICTIONARY_BYTES).ok()?;
    let compressor = Compressor::with_dictionary(LEVEL, &bytes).ok()?;
    Some((compressor, Arc::new(Dictionary { decoder: DecoderDictionary::copy(&bytes) })))
}

impl Body {
    /// What it keeps in memory.
    pub(super) fn kept_bytes(&self) -> usize {
        match self {
            Self::Packed(packed) => packed.bytes.len(),
            // The record counts its own.
            Self::Kept(_) => 0,
        }
    }

    /// As [`Packed::unpack`]. `None` also if the record of it can't be read any more.
    pub(super) fn unpack(&self) -> Option<Vec<u8>> {
        match self {
            Self::Packed(packed) => packed.unpack(),
            Self::Kept(packed) => packed.unpack(),
        }
    }
}

impl Packed {
    /// The JSON again; `None` if it can't be read, which a test says never happens.
    fn unpack(&self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.length).ok()?;
        let mut decompressor = match &self.dictionary {
            Some(dictionary) => Decompressor::with_prepared_dictionary(&dictionary.decoder).ok()?,
            None => Decompressor::new().ok()?,
        };
        decompressor.decompress(&self.bytes, length).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(body: &Body) -> usize {
        match body {
            Body::Packed(packed) => packed.bytes.len(),
            Body::Kept(_) => panic!("it was packed here"),
        }
    }

    fn json(number: usize) -> Vec<u8> {
        let spec = "\"containers\":[{\"name\":\"api\",\"image\":\"registry.example.com/api:1\"}]".repeat(20);
        format!("{{\"metadata\":{{\"name\":\"pod-{number}\"}},\"spec\":{{{spec}}}}}").into_bytes()
    }

    #[test]
    fn a_body_reads_back_as_it_was_written_and_the_dictionary_makes_it_smaller() {
        let mut bodies = Bodies::new();
        let packed: Vec<Body> =
            (0..DICTIONARY_SAMPLES + 50).map(|number| bodies.pack(&json(number))).collect();
        for (number, body) in packed.iter().enumerate() {
            assert_eq!(body.unpack().as_deref(), Some(json(number).as_slice()), "{number}");
        }
        let (first, last) = (packed.first().expect("many"), packed.last().expect("many"));
        assert!(bodies.is_outdated(first) && !bodies.is_outdated(last));
        assert!(bytes_of(last) < bytes_of(first));
    }
}
