//! The tab as plain values. Never what they are made from.

use std::rc::Rc;

use super::level::Level;
use super::settings::{From, Times};
use super::sources::Label;
use super::text::Style;

/// All that the tab shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogsView {
    pub tools: LogsTools,
    /// The open choice of pods and containers.
    pub choice: Option<LogsChoice>,
    /// What can't be read of the filter, of what is looked for, or of the link.
    pub notes: Vec<String>,
    pub rows: Vec<Rc<LogsRow>>,
    /// The height of all rows, and of each.
    pub height_px: f64,
    pub row_px: f64,
    /// Where to scroll, with the number of that request.
    pub scroll: (u32, f64),
    /// Characters of the longest name beside a line.
    pub label_characters: usize,
    /// In place of the lines: bold, and why.
    pub empty: Option<(String, String)>,
    pub foot: LogsFoot,
    pub is_paused: bool,
    /// For screen readers, at most every ten seconds.
    pub announced: String,
}

/// What the tools above the lines show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogsTools {
    pub find: String,
    pub hits: String,
    /// Where not all lines are looked at: why, and what to do.
    pub hits_why: &'static str,
    pub filter: String,
    pub is_filter_unread: bool,
    /// On the button that opens the choice.
    pub chosen: String,
    /// It names clusters too, for which it has more room.
    pub has_clusters: bool,
    pub from: From,
    pub times: Times,
    pub wraps: bool,
    /// Whether there is JSON, and whether it stands as it was written.
    pub has_json: bool,
    pub is_raw: bool,
    /// Whether the Events of the pods are shown, where there are some.
    pub events: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogsChoice {
    /// Where there are several.
    pub clusters: Vec<ChosenCluster>,
    pub pods: Vec<ChosenPod>,
    pub containers: Vec<ChosenContainer>,
    /// Only some pods are read.
    pub is_some: bool,
    pub is_previous: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenCluster {
    pub name: String,
    pub is_on: bool,
    /// The object is of it, so it is always read.
    pub is_own: bool,
    /// Why it isn't read: a sentence.
    pub why: String,
}

/// A pod that can be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenPod {
    /// As the link names it.
    pub key: String,
    /// Where several clusters are read.
    pub cluster: String,
    pub name: String,
    pub colour: u8,
    pub is_on: bool,
    pub state: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenContainer {
    pub name: String,
    pub kind: &'static str,
    pub is_on: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogsFoot {
    pub strong: String,
    pub text: String,
    pub offer: Option<LogsOffer>,
    pub count: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogsOffer {
    Follow,
    Resume,
}

/// A row of the window.
#[derive(Clone, Debug, PartialEq)]
pub struct LogsRow {
    /// Among all rows.
    pub place: usize,
    /// The number of its entry, and which of the entry's rows it is.
    pub number: u64,
    pub part: usize,
    pub time: RowTime,
    pub body: RowBody,
}

/// `14:02:11` and `.123`; the whole in the tooltip, where a link says so as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowTime {
    pub clock: String,
    pub millis: String,
    pub whole: String,
    /// A click makes the address that of the line.
    pub is_link: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RowBody {
    Line {
        label: Option<Label>,
        level: Option<Level>,
        /// For JSON: whether its fields stand below it.
        fold: Option<bool>,
        pieces: Vec<RowPiece>,
        is_here: bool,
    },
    Mark {
        kind: MarkKind,
        /// The whole of it.
        sentence: String,
        /// What of it stands in this row.
        pieces: Vec<RowPiece>,
        is_here: bool,
    },
    /// Lines from before the first one aren't shown.
    Older { can_be_asked: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    Plain,
    /// Something ended badly.
    Bad,
    /// Lines may be missing here.
    Gap,
    Refused,
}

/// A part of a text that looks the same throughout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPiece {
    pub text: String,
    pub style: Style,
    pub look: PieceLook,
    pub is_hit: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PieceLook {
    #[default]
    Text,
    Key,
    Level,
    /// What the page itself says.
    Note,
}
