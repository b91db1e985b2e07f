//! Settings as the browser keeps them for each kind, in three lines: the columns that are shown, hidden custom
//! ones, and widths. A text of another version is read as far as possible; the rest is dropped silently.

use super::super::chosen::{ChosenColumn, ChosenColumns, escaped, unescaped};
use super::ColumnSettings;
use crate::limits::{COLUMN_PX_MAX, COLUMN_PX_MIN, COLUMNS_CHOSEN_MAX};

impl ColumnSettings {
    pub(super) fn read(kept: &str) -> Self {
        let mut lines = kept.lines();
        let mut line = || lines.next().unwrap_or_default();
        let (cols, _) = ChosenColumns::parse(line());
        let (hidden, _) = ChosenColumns::parse(line());
        let hidden = hidden.iter().flat_map(ChosenColumns::own).cloned().collect();
        let width = |part: &str| {
            let (key, px) = part.rsplit_once('=')?;
            let px: u16 = px.parse().ok()?;
            Some((unescaped(key).into(), px.clamp(COLUMN_PX_MIN, COLUMN_PX_MAX)))
        };
        let widths = shared::custom_column::split(line()).take(COLUMNS_CHOSEN_MAX).filter_map(width);
        Self { cols, hidden, widths: widths.collect() }
    }

    /// Empty without settings.
    pub fn to_keep(&self) -> String {
        let written = |cols: Option<&ChosenColumns>| cols.map_or_else(String::new, ToString::to_string);
        let hidden = ChosenColumns::of(self.hidden.iter().cloned().map(ChosenColumn::Own).collect());
        let widths: Vec<String> =
            self.widths.iter().map(|(key, px)| format!("{}={px}", escaped(key))).collect();
        let text =
            format!("{}\n{}\n{}", written(self.cols.as_ref()), written(hidden.as_ref()), widths.join(","));
        text.trim_end().to_owned()
    }
}
