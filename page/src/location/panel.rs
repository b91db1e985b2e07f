//! The object whose panel is open, as the address names it: `o={ns}/{name}&tab=&a=&b=`, or `o={name}` for a
//! cluster-scoped kind. Without an object the other parts mean nothing.

use shared::name::{Namespace, ObjectName};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelPlace {
    /// `None`: cluster-scoped.
    pub namespace: Option<Namespace>,
    pub name: ObjectName,
    pub tab: Tab,
    /// The versions that are compared in the timeline.
    pub a: Option<ResourceVersion>,
    pub b: Option<ResourceVersion>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    #[default]
    Overview,
    Timeline,
    Yaml,
}

/// A longer text is no resourceVersion.
const VERSION_BYTES_MAX: usize = 64;

impl PanelPlace {
    /// # Errors
    /// `BadRequest`: one of the two isn't a name.
    pub(super) fn parse(object: &str) -> Result<Self, Problem> {
        let (namespace, name) = match object.split_once('/') {
            Some((namespace, name)) => (Some(Namespace::parse(namespace)?), name),
            None => (None, object),
        };
        Ok(Self::of(namespace, ObjectName::parse(name)?))
    }

    pub fn of(namespace: Option<Namespace>, name: ObjectName) -> Self {
        Self { namespace, name, tab: Tab::Overview, a: None, b: None }
    }

    /// `None`: one of the two isn't a valid name, as a row may have.
    pub fn named(namespace: Option<&str>, name: &str) -> Option<Self> {
        let namespace = namespace.map(Namespace::parse).transpose().ok()?;
        Some(Self::of(namespace, ObjectName::parse(name).ok()?))
    }

    pub(super) fn object(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name),
            None => self.name.to_string(),
        }
    }
}

impl Tab {
    pub const ALL: [Self; 3] = [Self::Overview, Self::Timeline, Self::Yaml];

    /// The word of the address, the title, and the key where it has one.
    fn names(self) -> (&'static str, &'static str, Option<&'static str>) {
        match self {
            Self::Overview => ("overview", "Overview", None),
            Self::Timeline => ("timeline", "Timeline", Some("t")),
            Self::Yaml => ("yaml", "YAML", Some("y")),
        }
    }

    /// As the address writes it.
    pub fn word(self) -> &'static str {
        self.names().0
    }

    pub fn title(self) -> &'static str {
        self.names().1
    }

    pub(crate) fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.names().2 == Some(key))
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.word() == word)
    }
}

pub(super) fn version(text: &str) -> Option<ResourceVersion> {
    let is_one = text.len() <= VERSION_BYTES_MAX && text.bytes().all(|b| b.is_ascii_alphanumeric());
    is_one.then(|| ResourceVersion::new(text))
}
