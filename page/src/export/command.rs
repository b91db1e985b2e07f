//! The `kubectl` command that shows the same as a view, with a note for each thing that kubectl can't do. Every
//! word is quoted for a shell, because links come from strangers.

mod columns;
pub(crate) mod shell;

use shared::name::ClusterName;
use shared::resource::Kind;
use shared::scope::Namespaces;

use crate::address::Look;
use crate::location::Location;
use crate::log::LogFilter;
use crate::messages;
use crate::table_view::Client;
pub use columns::ViewColumns;
use shell::quoted;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Each with whether it is a flag.
    pub words: Vec<(String, bool)>,
    /// What the command leaves out or prints otherwise.
    pub notes: Vec<String>,
}

/// The view that the command has to show.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    pub location: &'a Location,
    pub look: Look,
    pub kind: &'a Kind,
    pub context: Option<&'a str>,
    /// The other clusters of the view, by the same.
    pub other_contexts: Vec<&'a str>,
    /// The order of the rows, if it isn't the server's: a column's title, or `trouble`.
    pub order: Option<&'a str>,
    pub columns: ViewColumns<'a>,
}

impl Command {
    pub fn of(subject: Subject<'_>) -> Self {
        let Subject { location, look, kind, context, other_contexts, order, columns } = subject;
        let mut command = Self::default();
        command.argument("kubectl");
        match context {
            Some(context) => command.flag("--context", context),
            None => command.notes.push(messages::KUBECTL_CURRENT_CONTEXT.to_owned()),
        }
        if !other_contexts.is_empty() {
            command.notes.push(messages::kubectl_one_context(&other_contexts));
        }
        command.argument("get");
        command.argument(&kind.resource.to_string());
        if kind.namespaced {
            command.namespaces(&location.namespaces(&[]));
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
            self.notes.push(messages::kubectl_no_filter(&location.query));
        }
        self.notes.extend(order.map(messages::kubectl_no_sort));
    }

    fn changes(&mut self, location: &Location, kind: &Kind) {
        if kind.watch {
            self.switch("--watch");
            self.switch("--output-watch-events");
        }
        if location.log != LogFilter::default() {
            self.notes.push(messages::KUBECTL_NO_LOG_FILTER.to_owned());
        }
        self.notes.push(messages::KUBECTL_NO_FIELDS.to_owned());
    }

    fn namespaces(&mut self, namespaces: &Namespaces) {
        match namespaces {
            Namespaces::All => self.switch("--all-namespaces"),
            Namespaces::These(names) => {
                if let Some(first) = names.first() {
                    self.flag("--namespace", first.as_str());
                }
                if names.len() > 1 {
                    self.notes.push(messages::kubectl_one_namespace(names.len()));
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

    /// The whole command, for a shell.
    pub fn line(&self) -> String {
        self.words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// What `kubectl --context` takes for a cluster. `None`: the gateway runs in a pod.
pub(crate) fn context<'a>(client: &'a Client, cluster: Option<&ClusterName>) -> Option<&'a str> {
    client.cluster_named(cluster)?.context.as_deref()
}

/// The command for that cluster. The context follows `kubectl`, because a command may end with `--` and a name.
pub(crate) fn in_context(command: &str, client: &Client, cluster: Option<&ClusterName>) -> String {
    match (command.strip_prefix("kubectl"), context(client, cluster)) {
        (Some(rest), Some(context)) => format!("kubectl --context {}{rest}", quoted(context)),
        _ => command.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_and_no_name_puts_a_second_command_into_the_shell() {
        for (word, expected) in [
            ("system:node", "system:node"),
            ("a; rm -rf ~", "'a; rm -rf ~'"),
            ("it's", r"'it'\''s'"),
            ("$(x)`y`", "'$(x)`y`'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
        let get = crate::messages::kubectl_get("clusterroles", None, "x; echo $HOME");
        assert_eq!(get, "kubectl get clusterroles 'x; echo $HOME' -o yaml");
        let get = crate::messages::kubectl_get("clusterroles", None, "--server=evil.example");
        assert_eq!(get, "kubectl get clusterroles -o yaml -- --server=evil.example");
    }
}
