//! Which entries of a log its reader wants, as a link says it. Never the entries.

use shared::frame::timeline::{Area, Entry, EntryType};

/// The types, in the order in which they are named.
pub const TYPES: [EntryType; 5] =
    [EntryType::Added, EntryType::Modified, EntryType::Deleted, EntryType::Bookmark, EntryType::Error];

/// Which entries its reader wants, as a link says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFilter {
    pub text: Box<str>,
    pub predicate: Option<Predicate>,
    /// In the order of [`TYPES`].
    pub hidden: Vec<EntryType>,
}

/// The predicates of controller-runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicate {
    SpecChanged,
    LabelsChanged,
    AnnotationsChanged,
    /// Only the status changed.
    StatusOnly,
}

impl Predicate {
    pub const ALL: [Self; 4] =
        [Self::SpecChanged, Self::LabelsChanged, Self::AnnotationsChanged, Self::StatusOnly];

    /// In the list of choices.
    pub fn label(self) -> &'static str {
        match self {
            Self::SpecChanged => "Spec or data changed",
            Self::LabelsChanged => "Labels changed",
            Self::AnnotationsChanged => "Annotations changed",
            Self::StatusOnly => "Status only",
        }
    }

    /// In a link.
    pub fn word(self) -> &'static str {
        match self {
            Self::SpecChanged => "spec",
            Self::LabelsChanged => "labels",
            Self::AnnotationsChanged => "annotations",
            Self::StatusOnly => "status",
        }
    }

    /// Additions, deletions and gaps always pass.
    pub fn passes(self, entry: &Entry) -> bool {
        if entry.kind != EntryType::Modified {
            return true;
        }
        match self {
            // A ConfigMap has its data in place of a spec.
            Self::SpecChanged => entry.changed.iter().any(|area| matches!(area, Area::Spec | Area::Other)),
            Self::LabelsChanged => entry.changed.contains(&Area::Labels),
            Self::AnnotationsChanged => entry.changed.contains(&Area::Annotations),
            Self::StatusOnly => entry.changed == [Area::Status],
        }
    }
}

impl LogFilter {
    /// The types that are shown, as a link names them; empty while all are.
    pub fn types(&self) -> String {
        let shown = TYPES.iter().filter(|kind| !self.hidden.contains(kind));
        let words: Vec<String> = shown.map(|kind| word(*kind)).collect();
        if self.hidden.is_empty() { String::new() } else { words.join(",") }
    }

    /// `None`: one of them is no type.
    pub fn hidden_but(types: &str) -> Option<Vec<EntryType>> {
        let is_type = |text: &str| TYPES.iter().any(|kind| word(*kind) == text);
        let shown: Vec<&str> = types.split(',').filter(|text| !text.is_empty()).collect();
        let hidden = TYPES.into_iter().filter(|kind| !shown.contains(&&*word(*kind)));
        shown.iter().all(|text| is_type(text)).then(|| hidden.collect())
    }
}

fn word(kind: EntryType) -> String {
    format!("{kind:?}").to_lowercase()
}
