//! The epoch of a hub. Another follows when resourceVersions went back or the columns changed, because old
//! rows can't be continued then.

use sha2::{Digest, Sha256};

use super::request::SubscriptionRequest;

pub(super) struct Epoch {
    seed: u64,
    count: u64,
}

impl Epoch {
    pub(super) fn first(seed: u64) -> Self {
        Self { seed, count: 0 }
    }

    pub(super) fn next(&mut self) {
        self.count += 1;
    }

    /// The name of the epoch in a view. Each view has its own, so a token can't be continued in another one: the
    /// rows that only the other one has would never be sent.
    pub(super) fn name_in(&self, view: &SubscriptionRequest) -> Box<str> {
        let which = serde_json::to_vec(&(&view.scope, view.row)).unwrap_or_default();
        let hash = Sha256::new().chain_update(self.seed.to_be_bytes()).chain_update(self.count.to_be_bytes());
        let hash = hash.chain_update(which).finalize();
        hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>().into()
    }
}
