//! The lines as they leave the page: on the clipboard, and in a file.

use super::super::buffer::{Entry, What};
use super::super::draw::stamp;
use super::super::settings::Times;
use super::LogsPane;
use crate::effect::File;
use crate::limits::LOGS_COPIED_BYTES_MAX;

impl LogsPane {
    /// The newest lines that are shown.
    pub(super) fn copied(&self) -> String {
        let mut lines = Vec::new();
        let mut left = LOGS_COPIED_BYTES_MAX;
        for entry in self.shown_lines().rev() {
            let line = self.written_line(entry);
            let Some(rest) = left.checked_sub(line.len()) else { break };
            left = rest;
            lines.push(line);
        }
        lines.reverse();
        lines.concat()
    }

    pub(super) fn file(&self) -> File {
        let named = self
            .scope
            .as_ref()
            .and_then(|scope| Some(format!("{}-{}", scope.resource.resource, scope.name.as_ref()?)));
        File {
            name: format!("{}.log", named.unwrap_or_else(|| "logs".to_owned())),
            media_type: "text/plain",
            text: self.shown_lines().map(|entry| self.written_line(entry)).collect(),
        }
    }

    pub(super) fn shown_lines(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.buffer.entries().iter().filter(|entry| entry.is_shown && entry.is_line())
    }

    /// With its exact time, unless the reader has switched times off, and with its source where there are several.
    fn written_line(&self, entry: &Entry) -> String {
        let What::Line { text, .. } = &entry.what else { return String::new() };
        let time = entry.at.filter(|_| self.settings.times != Times::Off);
        let time = time.map(|at| format!("{} ", stamp(at))).unwrap_or_default();
        let is_only = self.reading.sources.all().len() < 2;
        let label = self.reading.sources.label_of(entry.source).filter(|_| !is_only);
        let label = label.map(|label| format!("[{}] ", label.whole)).unwrap_or_default();
        format!("{label}{time}{}\n", text.text)
    }
}
