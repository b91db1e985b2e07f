//! What a gateway masks besides what it always masks, as its configuration says it, and what it says of how objects
//! stand, because both are read with each object. Never a value.

use std::borrow::Cow;
use std::hash::RandomState;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::health::HealthRow;
use super::ingest::Names;

/// As the configuration has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedactionSettings {
    pub config_map_values: bool,
    /// Names that announce a credential, besides the known ones.
    pub credential_names: Vec<String>,
    /// Annotations that are dropped, besides the known ones.
    pub dropped_annotations: Vec<String>,
    /// Namespaces whose objects are shown as they are, but for Secrets.
    pub unmasked_namespaces: Vec<String>,
    /// Rows that come before the rules of health. They mask nothing.
    pub health: Vec<HealthRow>,
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
        let mut words = masked.join(", ");
        if !self.unmasked_namespaces.is_empty() {
            words.push_str(&format!(", except in the namespaces {}", self.unmasked_namespaces.join(", ")));
        }
        words
    }
}

impl RedactionSettings {
    /// Names the namespaces that are shown as they are, in one sentence. `None`: every namespace is masked.
    #[must_use]
    pub fn unmasked_in_words(&self) -> Option<String> {
        let names = self.unmasked_namespaces.join(", ");
        (!names.is_empty()).then(|| {
            format!(
                "objects of these namespaces are shown with all their values, by unmasked-namespace: {names}"
            )
        })
    }
}

/// What a gateway masks. Hashes of hidden values are comparable within a run.
#[derive(Clone, Debug)]
pub struct Redaction(Arc<Rules>);

/// The rules of a gateway, read from its settings.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) config_map_values: bool,
    pub(super) names: Names,
    dropped_annotations: Vec<Box<str>>,
    unmasked_namespaces: Vec<Box<str>>,
    pub(super) health: Vec<HealthRow>,
    /// By these an object is shown as it is.
    pub(super) is_open: bool,
    /// Names the settings, the same in every process.
    digest: u64,
    /// Keys the hashes of what is hidden.
    pub(super) key: RandomState,
}

impl Rules {
    pub(super) fn tell_namespaces_apart(&self) -> bool {
        !self.unmasked_namespaces.is_empty()
    }

    /// The rules for an object, by the namespace in its JSON. A kind of Secrets has no others.
    pub(super) fn of_object(&self, json: &str) -> &Rules {
        static OPEN: LazyLock<Rules> = LazyLock::new(Rules::open);
        if !self.tell_namespaces_apart() {
            return self;
        }
        let namespace = Placed::namespace_in(json);
        let is_unmasked = |namespace: &str| self.unmasked_namespaces.iter().any(|one| **one == *namespace);
        if namespace.as_deref().is_some_and(is_unmasked) { &OPEN } else { self }
    }

    fn open() -> Self {
        Self {
            config_map_values: true,
            names: Names::with(&[]),
            dropped_annotations: Vec::new(),
            unmasked_namespaces: Vec::new(),
            health: Vec::new(),
            is_open: true,
            digest: 0,
            key: key_of_run(),
        }
    }

    /// Whether what is of a namespace is shown as it is.
    pub(super) fn shows_all_in(&self, namespace: &str) -> bool {
        self.unmasked_namespaces.iter().any(|one| **one == *namespace)
    }

    pub(super) fn drops(&self, annotation: &[u8]) -> bool {
        self.dropped_annotations.iter().any(|dropped| dropped.as_bytes() == annotation)
    }

    /// Whether a JSON text may have an annotation that is dropped.
    pub(super) fn names_dropped_annotation(&self, json: &str) -> bool {
        self.dropped_annotations.iter().any(|dropped| json.contains(&**dropped))
    }
}

/// As much of an object as says where it is.
#[derive(Deserialize)]
struct Placed<'a> {
    #[serde(borrow)]
    metadata: Place<'a>,
}

#[derive(Deserialize)]
struct Place<'a> {
    #[serde(borrow)]
    namespace: Cow<'a, str>,
}

impl<'a> Placed<'a> {
    /// `None`: it has none, or what is there isn't an object that is JSON to its end.
    fn namespace_in(json: &'a str) -> Option<Cow<'a, str>> {
        serde_json::from_str::<Self>(json).ok().map(|placed| placed.metadata.namespace)
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
            unmasked_namespaces: settings.unmasked_namespaces.iter().map(|name| (**name).into()).collect(),
            health: settings.health.clone(),
            is_open: false,
            digest: shared::digest::of(&(
                settings.config_map_values,
                &settings.credential_names,
                &settings.dropped_annotations,
                &settings.unmasked_namespaces,
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
