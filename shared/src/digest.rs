//! The digest by which both ends prove that their rows are equal: the wrapping sum of a 64-bit
//! hash of each row as sent. Order doesn't matter, and a change costs one subtraction, one addition.
//!
//! The hash is FNV-1a over the JSON of `[id, resourceVersion, cells]`, finished with the mixer of SplitMix64, because
//! a plain sum of FNV-1a would let differences in the last byte cancel out.

use std::io;

use serde::Serialize;

use crate::cell::Cell;
use crate::row::Row;

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// What one row adds to the digest of its view.
pub fn row_hash(row: &Row) -> u64 {
    let mut fnv = Fnv(FNV_OFFSET);
    fnv.bytes(b"[\"");
    fnv.bytes(&row.id.characters());
    fnv.bytes(b"\",");
    fnv.text(row.resource_version.as_str());
    let mut before: &[u8] = b",[";
    for cell in &row.cells {
        fnv.bytes(before);
        match cell {
            Cell::Text(text) => fnv.text(text),
            Cell::Null => fnv.bytes(b"null"),
            other => fnv.value(other),
        }
        before = b",";
    }
    fnv.bytes(if row.cells.is_empty() { b",[]]" } else { b"]]" });
    mix(fnv.0)
}

/// The hash of a value's JSON.
pub fn of(value: &impl Serialize) -> u64 {
    let mut fnv = Fnv(FNV_OFFSET);
    fnv.value(value);
    mix(fnv.0)
}

fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

struct Fnv(u64);

impl Fnv {
    #[inline(never)]
    fn bytes(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME));
    }

    fn value(&mut self, value: &impl Serialize) {
        // Writing to the hasher can't fail, and what frames hold is always JSON.
        let written = serde_json::to_writer(self, value);
        debug_assert!(written.is_ok());
    }

    /// A text as JSON has it. Few texts have something that is escaped.
    fn text(&mut self, text: &str) {
        if text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
            return self.value(&text);
        }
        self.bytes(b"\"");
        self.bytes(text.as_bytes());
        self.bytes(b"\"");
    }
}

impl io::Write for Fnv {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The digest as `sync` has it: 16 hexadecimal digits, because JSON's numbers are exact up to 2^53 only.
pub fn to_text(digest: u64) -> String {
    format!("{digest:016x}")
}

/// `None` if it isn't a digest.
pub fn from_text(text: &str) -> Option<u64> {
    let is_digest = text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_digest.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cell::Ago;
    use crate::row::RowId;

    fn row(name: &str, ready: &str) -> Row {
        Row {
            id: RowId::from_hash(7 << 4),
            resource_version: "12".into(),
            namespace: None,
            name: name.into(),
            created: None,
            cells: vec![Cell::text(name), Cell::text(ready)],
            extra: None,
        }
    }

    #[test]
    fn the_hash_is_the_documented_one() {
        // From docs/PROTOCOL.md: a third-party client must compute the same number.
        let mut fnv = Fnv(FNV_OFFSET);
        io::Write::write_all(&mut fnv, br#"["AAAAAAAAAH","12",["a","1/1"]]"#).expect("written");
        assert_eq!(to_text(row_hash(&row("a", "1/1"))), to_text(mix(fnv.0)));
    }

    fn cell() -> impl Strategy<Value = Cell> {
        prop_oneof![
            Just(Cell::Null),
            any::<bool>().prop_map(Cell::Bool),
            any::<i64>().prop_map(Cell::Int),
            any::<f64>().prop_map(Cell::Float),
            proptest::option::of(any::<i64>()).prop_map(Cell::Age),
            ".*".prop_map(|text| Cell::text(&text)),
            "[\"\\\\\u{0}-\u{20}a\u{7f}é\u{2028}]*".prop_map(|text| Cell::text(&text)),
            ("[\"a]*", any::<i64>())
                .prop_map(|(text, at)| Cell::Ago(Box::new(Ago { text: text.into(), at }))),
        ]
    }

    proptest! {
        #[test]
        fn the_hash_is_that_of_the_rows_json(
            id in any::<u64>(),
            version in "([0-9]{1,9}|[\"\\\\a\n]{0,4})",
            cells in proptest::collection::vec(cell(), 0..6),
        ) {
            let row = Row { id: RowId::from_hash(id), resource_version: (&*version).into(), cells, ..row("a", "1/1") };
            prop_assert_eq!(row_hash(&row), of(&(row.id, &row.resource_version, &row.cells)));
        }
    }

    #[test]
    fn a_digest_is_read_as_it_was_written() {
        for digest in [0, 7, u64::MAX] {
            assert_eq!(from_text(&to_text(digest)), Some(digest));
        }
        for other in ["", "7", "+00000000000000f", "000000000000000F", "00000000000000000"] {
            assert_eq!(from_text(other), None, "{other}");
        }
    }

    #[test]
    fn another_cell_gives_another_hash() {
        assert_ne!(row_hash(&row("a", "1/1")), row_hash(&row("a", "1/2")));
    }
}
