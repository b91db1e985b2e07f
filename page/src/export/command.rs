//! The `kubectl` command that shows the same as a view, with a note for each thing that kubectl can't do. Every
//! word is quoted for a shell, because links come from strangers.

mod columns;

use shared::resource::Kind;
use shared::scope::Namespaces;

use super::words;
use crate::address::Look;
use crate::kubectl::shell::quoted;
use crate::location::Location;
use crate::log::LogFilter;
pub(crate) use columns::ViewColumns;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// Each with whether it is a flag.
    pub(super) words: Vec<(String, bool)>,
    /// What the command leaves out or prints otherwise.
    pub(super) notes: Vec<String>,
}

/// The view that the command has to show.
#[derive(Clone, Debug)]
pub(super) struct Subject<'a> {
    pub(super) location: &'a Location,
    pub(super) look: Look,
    pub(super) kind: &'a Kind,
    /// A record is shown, which kubectl is served as well.
    pub(super) is_replay: bool,
    pub(super) context: Option<&'a str>,
    /// The other clusters of the view, by the same.
    pub(super) other_contexts: Vec<&'a str>,
    /// Those whose context isn't known, by name.
    pub(super) other_clusters: Vec<&'a str>,
    /// The order of the rows, if it isn't the server's: a column's title, or `trouble`.
    pub(super) order: Option<&'a str>,
    pub(super) columns: ViewColumns<'a>,
}

impl Command {
    pub(super) fn of(subject: Subject<'_>) -> Self {
        let Subject { location, look, kind, context, other_contexts, other_clusters, .. } = subject;
        let Subject { is_replay, order, columns, .. } = subject;
        let mut command = Self::default();
        command.argument("kubectl");
        match context {
            Some(context) => command.flag("--context", context),
            None => command.notes.push(words::CURRENT_CONTEXT.to_owned()),
        }
        if !other_contexts.is_empty() {
            command.notes.push(words::one_context(&other_contexts));
        }
        if !other_clusters.is_empty() {
            command.notes.push(words::one_cluster(&other_clusters));
        }
        command.argument("get");
        command.argument(&kind.resource.to_string());
        if kind.namespaced {
            command.namespaces(&location.namespaces(&[]));
        }
        if is_replay {
            command.notes.push(words::ONLY_THE_END.to_owned());
        } else if location.at.is_some() {
            command.notes.push(words::ONLY_NOW.to_owned());
        }
        if let Some(labels) = &location.labels {
            command.flag("--selector", &labels.to_string());
        }
        if let Some(fields) = &location.fields {
            command.flag("--field-selector", fields.as_str());
        }
        match look {
            Look::Table => command.table(location, kind, (order, columns)),
            Look::Log => command.changes(location, kind),
            // It is of no kind, and opens no menu.
            Look::Wrong => {}
        }
        command
    }

    fn table(&mut self, location: &Location, kind: &Kind, (order, columns): (Option<&str>, ViewColumns<'_>)) {
        let (output, notes) = columns.output(&kind.resource);
        if let Some(output) = output {
            self.flag("--output", &output);
        }
        self.notes.extend(notes);
        if kind.watch {
            self.switch("--watch");
        }
        if !location.query.is_empty() {
            self.notes.push(words::no_filter(&location.query));
        }
        self.notes.extend(order.map(words::no_sort));
    }

    fn changes(&mut self, location: &Location, kind: &Kind) {
        if kind.watch {
            self.switch("--watch");
            self.switch("--output-watch-events");
        }
        if location.log != LogFilter::default() {
            self.notes.push(words::NO_LOG_FILTER.to_owned());
        }
        self.notes.push(words::NO_FIELDS.to_owned());
    }

    fn namespaces(&mut self, namespaces: &Namespaces) {
        match namespaces {
            Namespaces::All => self.switch("--all-namespaces"),
            Namespaces::These(names) => {
                if let Some(first) = names.first() {
                    self.flag("--namespace", first.as_str());
                }
                if names.len() > 1 {
                    self.notes.push(words::one_namespace(names.len()));
                }
            }
        }
    }

    fn argument(&mut self, word: &str) {
        self.words.push((quoted(word), false));
    }

    fn switch(&mut self, name: &str) {
        self.words.push((name.to_owned(), true));
    }

    fn flag(&mut self, name: &str, value: &str) {
        self.switch(name);
        self.argument(value);
    }

    /// The whole command by this kubeconfig, for a shell.
    pub(super) fn line_with(&self, kubeconfig: &str) -> String {
        let line = self.line();
        let rest = line.strip_prefix("kubectl").unwrap_or(&line);
        format!("kubectl --kubeconfig {kubeconfig}{rest}")
    }

    /// The whole command, for a shell.
    pub(super) fn line(&self) -> String {
        self.words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")
    }
}
