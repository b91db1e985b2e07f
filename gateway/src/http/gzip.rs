//! gzip of an answer that is written in pieces.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// As kube-apiserver reads it: one of the codings is `gzip`, without a weight.
pub(super) fn is_gzip_accepted(accept_encoding: &str) -> bool {
    accept_encoding.split(',').any(|coding| coding.trim() == "gzip")
}

/// Compresses pieces as they are taken. A piece that is `None` ends the answer before its time, so that no client takes it
/// for whole.
pub(super) struct Gzip<I> {
    pieces: I,
    /// `None`: it is over.
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl<I> Gzip<I> {
    pub(super) fn of(pieces: I) -> Self {
        // The level of kube-apiserver, for an answer that is read once.
        Self { pieces, encoder: Some(GzEncoder::new(Vec::new(), Compression::fast())) }
    }
}

impl<I: Iterator<Item = Option<Bytes>>> Iterator for Gzip<I> {
    type Item = Option<Bytes>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut encoder = self.encoder.take()?;
        loop {
            let Some(piece) = self.pieces.next() else {
                return Some(encoder.finish().ok().map(Bytes::from));
            };
            let Some(taken) = piece.and_then(|piece| taken(&mut encoder, &piece).ok()) else {
                return Some(None);
            };
            if !taken.is_empty() {
                self.encoder = Some(encoder);
                return Some(Some(taken));
            }
        }
    }
}

fn taken(encoder: &mut GzEncoder<Vec<u8>>, piece: &[u8]) -> io::Result<Bytes> {
    encoder.write_all(piece)?;
    Ok(std::mem::take(encoder.get_mut()).into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn pieces_are_one_gzip_member_and_a_lost_piece_leaves_it_unfinished() {
        let pieces = || (0..20).map(|at: u32| Some(Bytes::from(at.to_string().repeat(9_000))));
        let plain: Vec<u8> = pieces().flatten().flatten().collect();
        let whole: Vec<u8> = Gzip::of(pieces()).flatten().flatten().collect();
        let mut read = Vec::new();
        GzDecoder::new(&*whole).read_to_end(&mut read).expect("whole");
        assert!(read == plain && whole.len() * 10 < plain.len(), "{} of {}", whole.len(), plain.len());
        let cut: Vec<_> = Gzip::of(pieces().take(9).chain([None]).chain(pieces())).collect();
        assert_eq!(cut.last(), Some(&None));
        let cut: Vec<u8> = cut.into_iter().flatten().flatten().collect();
        GzDecoder::new(&*cut).read_to_end(&mut read).expect_err("it isn't whole");
    }

    #[test]
    fn gzip_is_accepted_where_it_is_named_without_a_weight() {
        for (text, is_accepted) in [
            ("gzip", true),
            ("deflate, gzip, br", true),
            ("gzip;q=0", false),
            ("x-gzip", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(is_gzip_accepted(text), is_accepted, "{text:?}");
        }
    }
}
