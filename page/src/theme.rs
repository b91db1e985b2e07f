//! What a reader chooses of the display: light or dark, how close rows stand, which wide columns are shown. Never
//! a color or a size.

use serde::Serialize;
use shared::json;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Auto,
    Light,
    Dark,
}

impl Theme {
    /// The value of `data-theme`; `None` follows the system.
    pub fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Auto => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    pub fn word(self) -> &'static str {
        self.attribute().unwrap_or("auto")
    }

    pub fn parse(word: &str) -> Self {
        match word {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::Auto,
        }
    }

    pub fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }
}

/// How close rows stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Density {
    #[default]
    Default,
    Compact,
}

json::words! { Density: "default" => Default, "compact" => Compact }

impl Density {
    pub const ALL: [Self; 2] = [Self::Default, Self::Compact];

    pub fn word(self) -> &'static str {
        self.attribute().unwrap_or("default")
    }

    /// The value of `data-density`.
    pub fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Default => None,
            Self::Compact => Some("compact"),
        }
    }
}

/// Which of the server's wide columns are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WideColumns {
    /// Those that say something, while there is room for them.
    #[default]
    Auto,
    Narrow,
    Wide,
}

json::words! { WideColumns: "auto" => Auto, "narrow" => Narrow, "wide" => Wide }

impl WideColumns {
    pub const ALL: [Self; 3] = [Self::Auto, Self::Narrow, Self::Wide];

    /// `None`: no link says so.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wide| *wide != Self::Auto && wide.word() == word)
    }

    /// In a link.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "",
            Self::Narrow => "0",
            Self::Wide => "1",
        }
    }

    /// What the key `w` switches to: auto, wide, narrow, auto.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Auto => Self::Wide,
            Self::Wide => Self::Narrow,
            Self::Narrow => Self::Auto,
        }
    }
}
