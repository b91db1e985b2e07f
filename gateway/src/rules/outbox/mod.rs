//! What of notifications outlives the gateway: those that wait, and what fires. In a folder of the record it is one
//! file ([`folder`]). In its database all gateways share it ([`database`]), and one of them tells the webhooks.

mod database;
mod folder;

use history::StoreError;
use serde::{Deserialize, Serialize};
use shared::duration::UnixSeconds;
use shared::resource_version::ResourceVersion;
use shared::state::UnixMillis;

pub use database::DatabaseOutbox;
pub use folder::FolderOutbox;

/// Where it is kept.
pub trait Outbox: Send {
    /// What fired when a gateway last wrote here.
    ///
    /// # Errors
    /// It can't be read.
    fn firing(&mut self) -> Result<Vec<Firing>, StoreError>;

    /// The messages that wait.
    ///
    /// # Errors
    /// It can't be read.
    fn waiting(&mut self) -> Result<Vec<KeptMessage>, StoreError>;

    /// Keeps all of it or nothing.
    ///
    /// # Errors
    /// Nothing was kept.
    fn write(&mut self, news: &News) -> Result<(), StoreError>;

    /// Whether this gateway is the one that tells webhooks.
    ///
    /// # Errors
    /// It can't be said.
    fn leads(&mut self) -> Result<bool, StoreError>;

    /// Those of these messages that another gateway has brought to an end.
    ///
    /// # Errors
    /// It can't be read.
    fn ended_elsewhere(&mut self, waiting: &[MessageKey]) -> Result<Vec<MessageKey>, StoreError>;
}

/// What is new since it was written last.
#[derive(Clone, Debug, Default)]
pub struct News {
    pub messages: Vec<KeptMessage>,
    /// Messages that were taken, or are lost.
    pub ended: Vec<MessageKey>,
    pub changes: Vec<FiringChange>,
}

#[derive(Clone, Debug)]
pub enum FiringChange {
    Fires(Firing),
    Over(FiringKey),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MessageKey {
    pub receiver: Box<str>,
    pub id: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptMessage {
    pub key: MessageKey,
    pub about: Box<str>,
    pub body: String,
    pub since_ms: UnixMillis,
}

/// A group for which a rule fires.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FiringKey {
    pub rule: Box<str>,
    pub cluster: Box<str>,
    pub kind: Box<str>,
    /// The feed's, where that isn't of the whole cluster.
    #[serde(default)]
    pub namespace: Option<Box<str>>,
    pub group: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Firing {
    pub key: FiringKey,
    /// The object with which it fired.
    pub uid: Box<str>,
    pub resource_version: ResourceVersion,
    pub since_s: UnixSeconds,
}

impl News {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.ended.is_empty() && self.changes.is_empty()
    }
}
