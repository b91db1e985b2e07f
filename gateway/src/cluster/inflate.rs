//! A body that comes as gzip (RFC 1952), one member after the other: an API server ends a member with each flush of a
//! WatchList, so that nothing waits for what follows. It's inflated in pieces, so a body that grows a thousandfold
//! takes no more memory than another.

use std::io::Write;

use bytes::{Buf, Bytes};
use flate2::write::MultiGzDecoder;
use shared::problem::{Problem, Reason};

/// The least that a piece has, unless nothing more came.
const PIECE_BYTES: usize = 64 * 1024;

pub(super) struct Inflater {
    members: MultiGzDecoder<Vec<u8>>,
    /// What came and isn't inflated yet.
    came: Bytes,
}

impl Inflater {
    pub(super) fn new() -> Self {
        Self { members: MultiGzDecoder::new(Vec::new()), came: Bytes::new() }
    }

    /// Once the former ones are inflated.
    pub(super) fn take(&mut self, bytes: Bytes) {
        self.came = bytes;
    }

    /// The next piece of what came; `None`: there is no more of it.
    ///
    /// # Errors
    /// `NotKubernetes`: it isn't gzip.
    pub(super) fn next_piece(&mut self) -> Result<Option<Bytes>, Problem> {
        while !self.came.is_empty() && self.members.get_ref().len() < PIECE_BYTES {
            // A write takes as much as its buffer holds when it is inflated.
            let taken = self.members.write(&self.came).map_err(|_| not_gzip())?;
            self.came.advance(taken);
        }
        self.members.flush().map_err(|_| not_gzip())?;
        let piece = std::mem::take(self.members.get_mut());
        Ok((!piece.is_empty()).then(|| piece.into()))
    }
}

fn not_gzip() -> Problem {
    Problem::new(Reason::NotKubernetes, "the answer should have come as gzip, and can't be read as that")
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn member(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).expect("into memory");
        encoder.finish().expect("into memory")
    }

    fn all(inflater: &mut Inflater, bytes: &[u8]) -> Vec<u8> {
        inflater.take(bytes.to_vec().into());
        let mut text = Vec::new();
        while let Some(piece) = inflater.next_piece().expect("gzip") {
            text.extend_from_slice(&piece);
        }
        text
    }

    #[test]
    fn each_member_is_whole_when_its_last_byte_came_wherever_the_bytes_were_cut() {
        let members = [member(b"{\"type\":\"ADDED\"}\n"), member(b""), member(b"{\"type\":\"BOOKMARK\"}\n")];
        let (whole, ends) = (members.concat(), [members[0].len(), members.concat().len()]);
        let expected: [&[u8]; 2] =
            [b"{\"type\":\"ADDED\"}\n", b"{\"type\":\"ADDED\"}\n{\"type\":\"BOOKMARK\"}\n"];
        for size in 1..=whole.len() {
            let mut inflater = Inflater::new();
            let (mut text, mut at) = (Vec::new(), 0);
            for part in whole.chunks(size) {
                text.extend(all(&mut inflater, part));
                at += part.len();
                for (end, expected) in ends.iter().zip(expected) {
                    assert!(at != *end || text == expected, "{size}: {:?}", String::from_utf8_lossy(&text));
                }
            }
            assert_eq!(text, expected[1], "{size}");
        }
    }

    #[test]
    fn r_net_5_a_bomb_is_inflated_a_piece_at_a_time() {
        let bomb = member(&vec![b' '; 64 * 1024 * 1024]);
        let mut inflater = Inflater::new();
        inflater.take(bomb.into());
        let (mut whole, mut largest) = (0, 0);
        while let Some(piece) = inflater.next_piece().expect("gzip") {
            (whole, largest) = (whole + piece.len(), largest.max(piece.len()));
        }
        assert_eq!(whole, 64 * 1024 * 1024);
        assert!(largest <= 4 * PIECE_BYTES, "{largest} bytes at once");
    }

    #[test]
    fn what_is_not_gzip_is_said() {
        let mut inflater = Inflater::new();
        inflater.take(Bytes::from_static(b"{\"kind\":\"Status\"}"));
        assert_eq!(inflater.next_piece().expect_err("JSON").reason, Reason::NotKubernetes);
    }
}
