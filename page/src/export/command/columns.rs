//! Which columns kubectl has to print so that they are those of a view: the API server's, or custom ones with a
//! JSONPath each. Each difference that stays is a sentence. Never the rest of the command.

use shared::column::Column;
use shared::resource::Resource;

use super::super::words;
use crate::query::Source;
use crate::query::sort::column_key;
use crate::usage::is_usage;

/// The columns of a view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewColumns<'a> {
    pub(crate) table: &'a [Column],
    pub(crate) shown: &'a [Source],
    /// By the reader or by the link. Otherwise they are the API server's.
    pub(crate) is_chosen: bool,
    /// The rows are of several namespaces.
    pub(crate) has_namespace: bool,
}

/// A column, and how `-o custom-columns` writes it if it can.
struct Printed {
    source: Source,
    title: String,
    custom: Option<String>,
    is_own: bool,
    is_wide: bool,
    is_usage: bool,
    is_age: bool,
}

impl ViewColumns<'_> {
    /// The value of `--output`, if it needs one, and the differences.
    pub(super) fn output(self, resource: &Resource) -> (Option<String>, Vec<String>) {
        let (usage, shown): (Vec<Printed>, Vec<Printed>) = self
            .shown
            .iter()
            .filter_map(|source| self.printed(*source, resource))
            .partition(|column| column.is_usage);
        let (output, mut notes) = match self.is_chosen {
            true => self.of_chosen(&shown, resource),
            false => (served(&shown), Vec::new()),
        };
        if !usage.is_empty() {
            notes.push(words::no_usage(&titles(&usage), resource.resource.as_str()));
        }
        (output, notes)
    }

    /// Where the reader only left some of the server's columns out, more columns are better than fewer.
    fn of_chosen(self, shown: &[Printed], resource: &Resource) -> (Option<String>, Vec<String>) {
        let without = shown.iter().filter(|column| column.custom.is_none());
        let without: Vec<&str> = without.map(|column| &*column.title).collect();
        if !without.is_empty() && !shown.iter().any(|column| column.is_own) {
            return (served(shown), self.unlike_served(shown, resource));
        }
        let columns: Vec<&str> = shown.iter().filter_map(|column| column.custom.as_deref()).collect();
        let without = (!without.is_empty()).then(|| words::no_columns(&without.join(", ")));
        let age = shown.iter().any(|column| column.is_age).then(|| words::AGE.to_owned());
        (Some(format!("custom-columns={}", columns.join(","))), without.into_iter().chain(age).collect())
    }

    fn unlike_served(self, shown: &[Printed], resource: &Resource) -> Vec<String> {
        let with_wide = served(shown).is_some();
        let cells = (0..self.table.len()).map(Source::Cell);
        let all = self.has_namespace.then_some(Source::Namespace).into_iter().chain(cells);
        let printed = all
            .filter_map(|source| self.printed(source, resource))
            .filter(|column| !column.is_own && !column.is_usage && (with_wide || !column.is_wide));
        let is_shown = |column: &Printed| shown.iter().any(|shown| shown.source == column.source);
        let (kept, more): (Vec<Printed>, Vec<Printed>) = printed.partition(is_shown);
        let is_reordered = kept.iter().zip(shown).any(|(kept, shown)| kept.source != shown.source);
        let more = (!more.is_empty()).then(|| words::more_columns(&titles(&more)));
        more.into_iter().chain(is_reordered.then(|| words::COLUMN_ORDER.to_owned())).collect()
    }

    fn printed(self, source: Source, resource: &Resource) -> Option<Printed> {
        let Source::Cell(at) = source else {
            let title = "NAMESPACE".to_owned();
            let custom = Some(format!("{title}:.metadata.namespace"));
            let (is_own, is_wide, is_usage, is_age) = (false, false, false, false);
            return Some(Printed { source, title, custom, is_own, is_wide, is_usage, is_age });
        };
        let column = self.table.get(at)?;
        let (title, key) = (column.title(), column_key(&column.name));
        let path = match column {
            own if own.is_custom() => custom_path(&own.path),
            name if &*name.format == "name" => Some(".metadata.name".to_owned()),
            _ => served_path(resource, &key).map(str::to_owned),
        };
        let custom = path.filter(|_| !title.contains([',', ':'])).map(|path| format!("{title}:{path}"));
        Some(Printed {
            source,
            title,
            custom,
            is_own: column.is_custom(),
            is_wide: column.is_wide(),
            is_usage: is_usage(column),
            is_age: !column.is_custom() && key == AGE,
        })
    }
}

/// The API server's columns, its wide ones too if the view shows one.
fn served(shown: &[Printed]) -> Option<String> {
    shown.iter().any(|column| column.is_wide).then(|| "wide".to_owned())
}

fn titles(columns: &[Printed]) -> String {
    columns.iter().map(|column| &*column.title).collect::<Vec<_>>().join(", ")
}

const AGE: &str = "age";

/// Where the API server prints a field as it is. STATUS, READY and others are computed, so they have no path.
const SERVED_PATHS: &[(&str, &str, &str)] = &[
    ("pods", "ip", ".status.podIP"),
    ("pods", "node", ".spec.nodeName"),
    ("pods", "nominated-node", ".status.nominatedNodeName"),
    ("services", "type", ".spec.type"),
    ("services", "cluster-ip", ".spec.clusterIP"),
    ("nodes", "version", ".status.nodeInfo.kubeletVersion"),
    ("nodes", "os-image", ".status.nodeInfo.osImage"),
    ("nodes", "kernel-version", ".status.nodeInfo.kernelVersion"),
    ("nodes", "container-runtime", ".status.nodeInfo.containerRuntimeVersion"),
    ("namespaces", "status", ".status.phase"),
    ("events", "type", ".type"),
    ("events", "reason", ".reason"),
    ("secrets", "type", ".type"),
    ("persistentvolumeclaims", "volume", ".spec.volumeName"),
    ("replicasets.apps", "desired", ".spec.replicas"),
    ("replicasets.apps", "current", ".status.replicas"),
    ("daemonsets.apps", "desired", ".status.desiredNumberScheduled"),
    ("daemonsets.apps", "current", ".status.currentNumberScheduled"),
    ("cronjobs.batch", "schedule", ".spec.schedule"),
    ("ingresses.networking.k8s.io", "class", ".spec.ingressClassName"),
    ("storageclasses.storage.k8s.io", "provisioner", ".provisioner"),
];

fn served_path(resource: &Resource, key: &str) -> Option<&'static str> {
    if key == AGE {
        return Some(".metadata.creationTimestamp");
    }
    let resource = resource.to_string();
    let found = SERVED_PATHS.iter().find(|(of, column, _)| *of == resource && *column == key);
    found.map(|(_, _, path)| *path)
}

/// A path as `-o custom-columns` reads it. kubectl splits the list at each comma, knows no braces in it, and takes a
/// dot in a quoted key for the end of that key unless a backslash stands before it.
fn custom_path(path: &str) -> Option<String> {
    if path.contains([',', '{', '}']) {
        return None;
    }
    let (mut written, mut quote, mut is_escaped) = (String::with_capacity(path.len()), None, false);
    for character in path.chars() {
        match character {
            '\'' | '"' if !is_escaped && quote.is_none() => quote = Some(character),
            _ if !is_escaped && quote == Some(character) => quote = None,
            '.' if !is_escaped && quote == Some('\'') && !path.contains('?') => written.push('\\'),
            _ => {}
        }
        is_escaped = character == '\\' && !is_escaped;
        written.push(character);
    }
    Some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_kubectl_reads_it() {
        for (path, expected) in [
            (".spec.containers[*].image", Some(".spec.containers[*].image")),
            (
                ".metadata.labels['app.kubernetes.io/name']",
                Some(r".metadata.labels['app\.kubernetes\.io/name']"),
            ),
            (r".metadata.labels['app\.name']", Some(r".metadata.labels['app\.name']")),
            (r".metadata.labels.app\.name", Some(r".metadata.labels.app\.name")),
            (
                r#".status.conditions[?(@.type=="a.b")].status"#,
                Some(r#".status.conditions[?(@.type=="a.b")].status"#),
            ),
            (
                ".status.conditions[?(@.type=='a.b')].status",
                Some(".status.conditions[?(@.type=='a.b')].status"),
            ),
            (".metadata['name','uid']", None),
        ] {
            assert_eq!(custom_path(path).as_deref(), expected);
        }
    }
}
