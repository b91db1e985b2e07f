//! Parts of an object as the rules read them. What isn't of the type that is expected is missing: a custom kind may have
//! anything under any name.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use shared::duration::UnixSeconds;
use shared::instant;

pub(super) type Text<'a> = Option<Cow<'a, str>>;

/// One entry of `status.conditions`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Condition<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) status: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) reason: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    last_transition_time: Text<'a>,
}

/// The conditions of an object.
#[derive(Debug, Default)]
pub(super) struct Conditions<'a>(pub(super) Vec<Condition<'a>>);

impl<'a> Conditions<'a> {
    pub(super) fn find(&self, kind: &str) -> Option<&Condition<'a>> {
        self.0.iter().find(|condition| condition.is(kind))
    }
}

impl Condition<'_> {
    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    pub(super) fn is_true(&self) -> bool {
        self.status.as_deref() == Some("True")
    }

    pub(super) fn is_false(&self) -> bool {
        self.status.as_deref() == Some("False")
    }

    /// False or Unknown, but not an answer that is missing.
    pub(super) fn is_not_true(&self) -> bool {
        matches!(self.status.as_deref(), Some("False" | "Unknown"))
    }

    pub(super) fn since(&self) -> Option<UnixSeconds> {
        instant::seconds(self.last_transition_time.as_deref()?)
    }

    /// Its reason, or its type where it has none: `Ready False` of a pod whose node is silent.
    pub(super) fn reason(&self) -> Box<str> {
        let kind = self.kind.as_deref().unwrap_or_default();
        match (self.reason.as_deref(), self.status.as_deref()) {
            (Some(reason), _) if !reason.is_empty() => reason.into(),
            (_, Some(status)) if status != "True" => format!("{kind} {status}").into(),
            _ => kind.into(),
        }
    }
}

/// `None`: there is none, or it can't be read.
pub(super) fn part<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Option<T> {
    serde_json::from_slice(json).ok()
}

pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Text<'de>, D::Error> {
    #[derive(Deserialize)]
    struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);
    let raw: &'de RawValue = Deserialize::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok().map(|Borrowed(text)| text))
}

/// A number or a truth value.
pub(in crate::feed) fn plain<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let raw: &'de RawValue = Deserialize::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// Also an entry of another type leaves the list empty.
pub(in crate::feed) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let raw: &'de RawValue = Deserialize::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

pub(super) fn conditions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Conditions<'de>, D::Error> {
    list(deserializer).map(Conditions)
}
