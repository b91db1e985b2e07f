//! What a gateway masks besides what it always masks, as its configuration says it. Never a value.

use std::hash::RandomState;
use std::sync::{Arc, LazyLock};

use super::ingest::Names;

/// As the configuration has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedactionSettings {
    pub config_map_values: bool,
    /// Names that announce a credential, besides the known ones.
    pub credential_names: Vec<String>,
    /// Annotations that are dropped, besides the known ones.
    pub dropped_annotations: Vec<String>,
}

impl RedactionSettings {
    /// What is masked, for those who get it without the gateway.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut masked = vec!["values whose names announce a credential".to_owned()];
        if !self.config_map_values {
            masked.push("the values of ConfigMaps".to_owned());
        }
        masked.extend(self.credential_names.iter().map(|name| format!("values named {name}")));
        masked.join(", ")
    }
}

/// What a gateway masks. Hashes of hidden values are comparable within a run.
#[derive(Clone, Debug)]
pub struct Redaction(Arc<Rules>);

#[derive(Debug)]
pub(super) struct Rules {
    pub(super) config_map_values: bool,
    pub(super) names: Names,
    dropped_annotations: Vec<Box<str>>,
    /// Names the settings, the same in every process.
    digest: u64,
    /// Keys the hashes of what is hidden.
    pub(super) key: RandomState,
}

impl Rules {
    pub(super) fn drops(&self, annotation: &[u8]) -> bool {
        self.dropped_annotations.iter().any(|dropped| dropped.as_bytes() == annotation)
    }

    /// Whether a JSON text may have an annotation that is dropped.
    pub(super) fn names_dropped_annotation(&self, json: &str) -> bool {
        self.dropped_annotations.iter().any(|dropped| json.contains(&**dropped))
    }
}

/// Each is a copy of the whole object as it was applied; the first has contained whole Secrets.
const DROPPED: [&str; 3] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    "kapp.k14s.io/original",
    "objectset.rio.cattle.io/applied",
];

/// What a run hid can be compared with what it hides later, under other rules as well.
fn key_of_run() -> RandomState {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    KEY.clone()
}

impl Redaction {
    #[must_use]
    pub fn of(settings: &RedactionSettings) -> Self {
        let extra = settings.dropped_annotations.iter().map(String::as_str);
        Self(Arc::new(Rules {
            config_map_values: settings.config_map_values,
            names: Names::with(&settings.credential_names),
            dropped_annotations: DROPPED.into_iter().chain(extra).map(Into::into).collect(),
            digest: shared::digest::of(&(
                settings.config_map_values,
                &settings.credential_names,
                &settings.dropped_annotations,
                env!("CARGO_PKG_VERSION"),
            )),
            key: key_of_run(),
        }))
    }

    /// Two gateways of one release with one digest mask the same.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.0.digest
    }

    pub(super) fn rules(&self) -> &Rules {
        &self.0
    }
}

impl Default for Redaction {
    fn default() -> Self {
        Self::of(&RedactionSettings::default())
    }
}
