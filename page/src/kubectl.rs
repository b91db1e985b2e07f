//! The `kubectl` command that shows the same as a view, with a note for each thing that kubectl can't do. Every
//! word is quoted for a shell, because links come from strangers.

use shared::resource::Kind;
use shared::scope::Namespaces;

use crate::address::Look;
use crate::location::Location;
use crate::messages;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Each with whether it is a flag.
    pub words: Vec<(String, bool)>,
    pub notes: Vec<String>,
}

impl Command {
    pub fn of(location: &Location, look: Look, kind: &Kind) -> Self {
        let mut command = Self::default();
        command.argument("kubectl");
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
        if location.wide {
            command.flag("--output", "wide");
        }
        if kind.watch {
            command.switch("--watch");
            if look == Look::Log {
                command.switch("--output-watch-events");
            }
        }
        if !location.query.is_empty() {
            command.notes.push(messages::kubectl_no_filter(&location.query));
        }
        if let Some(sort) = &location.sort {
            command.notes.push(messages::kubectl_no_sort(&sort.column));
        }
        command
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

/// The command with the name of an object. One that begins with a dash follows `--`, or kubectl would read it as a
/// flag.
pub(crate) fn with_name(command: &str, name: &str, flags: &str) -> String {
    let quoted = quoted(name);
    if name.starts_with('-') {
        format!("{command}{flags} -- {quoted}")
    } else {
        format!("{command} {quoted}{flags}")
    }
}

/// For a POSIX shell: in single quotes, unless all characters are plain there.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b'=' | b',' | b':');
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
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
