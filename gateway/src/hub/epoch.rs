//! The epoch of a hub. Another follows when resourceVersions went back or the columns changed, because old
//! rows can't be continued then.

use sha2::{Digest, Sha256};

pub(super) struct Epoch {
    seed: u64,
    count: u64,
    name: Box<str>,
}

impl Epoch {
    pub(super) fn first(seed: u64) -> Self {
        Self { seed, count: 0, name: name(seed, 0) }
    }

    pub(super) fn next(&mut self) {
        self.count += 1;
        self.name = name(self.seed, self.count);
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

fn name(seed: u64, count: u64) -> Box<str> {
    let hash = Sha256::digest([seed.to_be_bytes(), count.to_be_bytes()].concat());
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>().into()
}
