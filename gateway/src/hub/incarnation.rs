//! The epoch: a name of one incarnation of a hub. Another follows when resourceVersions went back or
//! the columns changed, for nothing of the old rows can be continued then.

use sha2::{Digest, Sha256};

pub(super) struct Incarnation {
    seed: u64,
    count: u64,
    epoch: Box<str>,
}

impl Incarnation {
    pub(super) fn first(seed: u64) -> Self {
        Self { seed, count: 0, epoch: name(seed, 0) }
    }

    pub(super) fn next(&mut self) {
        self.count += 1;
        self.epoch = name(self.seed, self.count);
    }

    pub(super) fn epoch(&self) -> &str {
        &self.epoch
    }
}

fn name(seed: u64, count: u64) -> Box<str> {
    let hash = Sha256::digest([seed.to_be_bytes(), count.to_be_bytes()].concat());
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>().into()
}
