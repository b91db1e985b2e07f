//! The columns of a hub and their hash, which is part of every resume token, because rows of other columns
//! can't be continued.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use shared::column::Column;

#[derive(Clone)]
pub(super) struct Columns {
    pub(super) list: Arc<[Column]>,
    pub(super) hash: Box<str>,
}

impl Columns {
    pub(super) fn new(list: Arc<[Column]>) -> Self {
        let mut hasher = Sha256::new();
        for column in list.iter() {
            // No part contains a NUL, so different lists give different bytes.
            for part in [&column.name, &column.kind, &column.format] {
                hasher.update(part.as_bytes());
                hasher.update([0]);
            }
            hasher.update(column.priority.to_be_bytes());
            if column.is_custom() {
                hasher.update(column.path.as_bytes());
                hasher.update([0]);
            }
        }
        let hash = hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect::<String>();
        Self { list, hash: hash.into() }
    }

    /// Before the server's first answer.
    pub(super) fn unknown() -> Self {
        Self { list: Arc::new([]), hash: "".into() }
    }
}
