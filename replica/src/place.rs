//! Where a copy that isn't a table stands in its hub: the chain of its frames, and the token that the
//! next subscription continues with. Never what the frames hold.

use shared::frame::server::Subscribed;
use shared::resource_version::ResourceVersion;
use shared::token::Token;

use crate::table::Broken;

#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// Without position and resourceVersion: what the gateway said last of itself.
    identity: Option<Token>,
    position: Option<u64>,
    token: Option<Token>,
}

impl Place {
    pub(crate) fn subscribed(&mut self, answer: &Subscribed) {
        if answer.epoch.is_empty() {
            // Whether our token holds isn't known yet; another answer follows.
            return self.detached();
        }
        let identity = Token {
            cluster: answer.cluster.clone(),
            columns: answer.columns_hash.clone(),
            epoch: answer.epoch.clone(),
            sequence: "0".into(),
            resource_version: ResourceVersion::default(),
            digest: None,
        };
        let is_same = self.position.is_some()
            && self.identity.as_ref().is_some_and(|known| known.epoch == identity.epoch);
        if !is_same {
            self.position = answer.at.or(Some(0));
        }
        self.identity = Some(identity);
    }

    /// # Errors
    /// The frame isn't a continuation of what is here.
    pub(crate) fn step(&mut self, from: u64, to: u64, reset: bool) -> Result<(), Broken> {
        if reset {
            self.position = Some(from);
        }
        if self.position != Some(from) {
            return Err(Broken::NotChained { from, position: self.position });
        }
        if to < from {
            return Err(Broken::Backwards { from, to });
        }
        self.position = Some(to);
        Ok(())
    }

    pub(crate) fn cut(&mut self, resource_version: ResourceVersion) {
        let Some(position) = self.position else { return };
        self.token = self.identity.clone().map(|identity| Token {
            sequence: position.to_string().into(),
            resource_version,
            ..identity
        });
    }

    pub(crate) fn detached(&mut self) {
        self.position = None;
    }

    pub(crate) fn distrust(&mut self) {
        self.detached();
        self.token = None;
    }

    pub(crate) fn position(&self) -> Option<u64> {
        self.position
    }

    pub(crate) fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }
}
