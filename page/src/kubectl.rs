//! The `kubectl` command that shows what a view shows, and what kubectl has no word for. Every word
//! is quoted for a shell: links come from strangers.

use shared::resource::Kind;
use shared::scope::Namespaces;

use crate::address::Look;
use crate::location::Location;
use crate::messages;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    pub words: Vec<Word>,
    /// What it doesn't say.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub is_flag: bool,
}

impl Command {
    #[must_use]
    pub fn of(location: &Location, look: Look, kind: &Kind) -> Self {
        let mut command = Self::default();
        command.say("kubectl");
        command.say("get");
        // The group is said where the name alone could mean another group's.
        command.say(&kind.resource.to_string());
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

    fn say(&mut self, word: &str) {
        self.words.push(Word { text: quoted(word), is_flag: false });
    }

    fn switch(&mut self, name: &str) {
        self.words.push(Word { text: name.to_owned(), is_flag: true });
    }

    fn flag(&mut self, name: &str, value: &str) {
        self.switch(name);
        self.say(value);
    }

    /// As it is pasted into a shell.
    #[must_use]
    pub fn line(&self) -> String {
        self.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// For a POSIX shell: in single quotes unless nothing in it means anything there.
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
    use shared::resource::Resource;

    use super::*;

    fn command(address: &str, namespaced: bool) -> Command {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let location = crate::location::parse(path, query).location;
        let resource = Resource::parse("apps", "v1", "deployments").expect("a resource");
        let kind = Kind::new(resource, "Deployment", namespaced);
        Command::of(&location, Look::Table, &kind)
    }

    #[test]
    fn a_name_is_one_word_of_the_command_whatever_it_holds() {
        let get = |name: &str| crate::messages::kubectl_get("clusterroles", None, name);
        assert_eq!(get("system:node"), "kubectl get clusterroles system:node -o yaml");
        assert_eq!(get("x; echo $HOME"), "kubectl get clusterroles 'x; echo $HOME' -o yaml");
    }

    #[test]
    fn a_view_is_the_command_that_prints_it() {
        let said = command("/v/deployments.apps@dev/shop?l=tier+in+(api,web)&f=metadata.name=x&wide=1", true);
        assert_eq!(
            said.line(),
            "kubectl get deployments.apps --namespace shop --selector 'tier in (api,web)' \
             --field-selector metadata.name=x --output wide --watch"
        );
        assert!(said.notes.is_empty());
    }

    #[test]
    fn what_kubectl_has_no_word_for_is_said() {
        let said = command("/v/deployments.apps@dev/shop,pay?q=age<6h&sort=-age", true);
        assert!(said.line().contains("--namespace pay") || said.line().contains("--namespace shop"));
        assert_eq!(said.notes.len(), 3);
    }

    #[test]
    fn a_cluster_scoped_kind_has_no_namespace() {
        assert_eq!(command("/v/nodes@dev/-", false).line(), "kubectl get deployments.apps --watch");
        assert!(command("/v/pods@dev/*", true).line().contains("--all-namespaces"));
    }

    #[test]
    fn no_link_puts_a_second_command_into_the_shell() {
        assert_eq!(quoted("a; rm -rf ~"), "'a; rm -rf ~'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(x)`y`"), "'$(x)`y`'");
        assert_eq!(quoted(""), "''");
    }
}
