//! The lines as they leave the page: on the clipboard, and in a file.

use shared::scope::Scope;

use super::buffer::{Entry, What};
use super::draw::stamp;
use super::lines::Lines;
use super::settings::Times;
use super::sources::Sources;
use crate::effect::file::File;
use crate::limits::LOGS_COPIED_BYTES_MAX;

pub(super) struct Written<'a> {
    pub(super) lines: &'a Lines,
    pub(super) sources: &'a Sources,
    pub(super) times: Times,
}

impl Written<'_> {
    /// The newest lines that are shown.
    pub(super) fn copied(&self) -> String {
        let mut lines = Vec::new();
        let mut left = LOGS_COPIED_BYTES_MAX;
        for entry in self.lines.shown().rev() {
            let line = self.line(entry);
            let Some(rest) = left.checked_sub(line.len()) else { break };
            left = rest;
            lines.push(line);
        }
        lines.reverse();
        lines.concat()
    }

    pub(super) fn file(&self, scope: Option<&Scope>) -> File {
        let name =
            scope.and_then(|scope| Some(format!("{}-{}", scope.resource.resource, scope.name.as_ref()?)));
        File {
            name: format!("{}.log", name.as_deref().unwrap_or("containers")),
            media_type: "text/plain",
            text: self.lines.shown().map(|entry| self.line(entry)).collect(),
        }
    }

    /// With its exact time, unless the reader has switched times off, and with its source where there are several.
    fn line(&self, entry: &Entry) -> String {
        let What::Line { text, .. } = &entry.what else { return String::new() };
        let time = entry.at.filter(|_| self.times != Times::Off);
        let time = time.map(|at| format!("{} ", stamp(at))).unwrap_or_default();
        let label = self.sources.label_of(entry.source).filter(|_| self.sources.are_named());
        let label = label.map(|label| format!("[{}] ", label.whole)).unwrap_or_default();
        format!("{label}{time}{}\n", text.text)
    }
}
