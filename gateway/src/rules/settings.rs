//! The rules and receivers of a configuration.

use std::path::PathBuf;
use std::sync::Arc;

use http::Uri;

use super::rule::Rule;

/// All rules, and who is told of them.
#[derive(Clone, Debug, Default)]
pub struct RulesSettings {
    pub rules: Vec<Arc<Rule>>,
    pub receivers: Vec<ReceiverSettings>,
}

#[derive(Clone, Debug)]
pub struct ReceiverSettings {
    pub name: Box<str>,
    pub kind: ReceiverKind,
    pub url: Uri,
    /// The authorities of its certificate. `None`: the system's.
    pub ca_file: Option<PathBuf>,
    /// A file with a token that it asks for.
    pub token_file: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub enum ReceiverKind {
    /// With the file of the keys by which messages are signed.
    Webhook {
        secret_file: PathBuf,
    },
    Alertmanager,
}

impl ReceiverSettings {
    #[must_use]
    pub fn is_webhook(&self) -> bool {
        matches!(self.kind, ReceiverKind::Webhook { .. })
    }
}
