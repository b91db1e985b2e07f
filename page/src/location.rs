//! The address of a view: `/v/{resource}[.group]@{cluster}/{namespaces}?l=&f=&q=&sort=&cols=&wide=1`, with
//! `&lq=&changed=&events=` of its changes, `&at=` of a time of the past and `&vs=` of what that is compared with, and of the panel beside it, `&o={ns}/{name}&tab=&a=&b=&log=`. Equal views have equal addresses. Links come from strangers: what
//! can be read is used, the rest is named. Never a token, a scroll place or a theme.

mod panel;
pub(crate) mod percent;
pub(crate) mod words;

use shared::frame::server::Cluster;
use shared::name::{ClusterName, NAME_BYTES_MAX, Namespace};
use shared::problem::Problem;
use shared::resource_version::ResourceVersion;
use shared::scope::Namespaces;
use shared::selector::{FieldSelector, LabelSelector};
use shared::sorted;

use crate::columns::ChosenColumns;
use crate::limits::QUERY_BYTES_MAX;
use crate::log::{LogFilter, Predicate};
use crate::messages;
use crate::past::{Against, At};
use crate::query::{Direction, Sort};
pub use crate::tab::Tab;
use crate::theme::WideColumns;
pub use panel::PanelPlace;

/// What a view shows, as its part of an address says it. A pane has one; panes, links and the palette make others from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// As typed after `kubectl get`: `pods`, `deployments.apps`. Empty: the address names none.
    pub resource: Box<str>,
    /// As the link says it, whatever it says: a link to another cluster never shows this one. `a,b` are several, `*` are
    /// all that the gateway has.
    pub cluster: Option<Box<str>>,
    pub place: Place,
    pub labels: Option<LabelSelector>,
    pub fields: Option<FieldSelector>,
    /// The text filter.
    pub query: Box<str>,
    pub sort: Option<Sort>,
    pub wide: WideColumns,
    /// The chosen columns in their order.
    pub cols: Option<ChosenColumns>,
    /// The filter of the changes, where the pane shows them.
    pub log: LogFilter,
    /// As of when; `None`: now. All panes of a page have the same.
    pub at: Option<At>,
    /// What that time is compared with. All panes of a page have the same.
    pub against: Option<Against>,
    /// The object whose panel is open.
    pub panel: Option<PanelPlace>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The address names none: the namespaces of the context.
    #[default]
    Context,
    /// `*`
    All,
    /// `-`: a cluster-scoped kind.
    Cluster,
    These(Vec<Namespace>),
}

/// A location, and a problem for each part of the address that can't be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    pub location: Location,
    pub problems: Vec<Problem>,
}

/// Clusters that a link names: as many as a gateway can have.
const CLUSTERS_MAX: usize = 100;
/// Every cluster that the gateway has.
pub const ALL_CLUSTERS: &str = "*";
/// Namespaces in one link: a link for more uses `*`.
const NAMESPACES_MAX: usize = 200;

/// `path` without the base path, `query` without its question mark.
pub fn parse(path: &str, query: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    match parts.next() {
        None => {}
        Some("v") => {
            parsed.view(parts.next().unwrap_or_default(), parts.next());
            if parts.next().is_some() {
                parsed.problem(words::location_unknown_page(path));
            }
        }
        Some(_) => parsed.problem(words::location_unknown_page(path)),
    }
    let pairs: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(key, value)| (percent::decode(key), percent::decode(value)))
        .collect();
    // The object is read first, because the panel's other parts need it.
    for (_, value) in pairs.iter().filter(|(key, value)| key == "o" && !value.is_empty()) {
        match PanelPlace::parse(value) {
            Ok(panel) => parsed.location.panel = Some(panel),
            Err(problem) => parsed.problems.push(problem),
        }
    }
    for (key, value) in pairs.iter().filter(|(key, _)| key != "o") {
        parsed.parameter(key, value);
    }
    if parsed.location.at.is_none()
        && let Some(against) = parsed.location.against.take()
    {
        parsed.unread("vs", &against.to_string(), words::AT_EXPECTED);
    }
    parsed
}

impl Parsed {
    fn problem(&mut self, message: String) {
        self.problems.push(Problem::bad_request(message));
    }

    fn unread(&mut self, part: &str, value: &str, why: &str) {
        self.problem(messages::location_unread(part, value, why));
    }

    fn view(&mut self, subject: &str, namespaces: Option<&str>) {
        let subject = percent::decode(subject);
        let (resource, cluster) = subject
            .split_once('@')
            .map_or((&*subject, None), |(resource, cluster)| (resource, Some(cluster)));
        let readable = resource.len() <= NAME_BYTES_MAX
            && resource.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
        if readable {
            self.location.resource = resource.into();
        } else {
            self.unread("resource", resource, "letters, digits, '-' and '.' are allowed");
        }
        self.location.cluster = cluster
            .filter(|cluster| !cluster.is_empty())
            .map(|cluster| cluster.chars().take(CLUSTERS_MAX * (NAME_BYTES_MAX + 1)).collect());
        match namespaces.map(percent::decode).as_deref() {
            None => {}
            Some("*") => self.location.place = Place::All,
            Some("-") => self.location.place = Place::Cluster,
            Some(names) => self.namespaces(names),
        }
    }

    fn namespaces(&mut self, names: &str) {
        let mut read = Vec::new();
        for name in names.split(',').filter(|name| !name.is_empty()) {
            if read.len() == NAMESPACES_MAX {
                self.problem(words::namespaces_too_many(NAMESPACES_MAX));
                break;
            }
            match Namespace::parse(name) {
                Ok(name) => read.push(name),
                Err(problem) => self.problems.push(problem),
            }
        }
        if let Ok(Namespaces::These(names)) = Namespaces::these(read) {
            self.location.place = Place::These(names);
        }
    }

    fn parameter(&mut self, key: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        match key {
            "l" => match LabelSelector::parse(value) {
                Ok(selector) => self.location.labels = Some(selector),
                Err(_) => self.unread("l", value, messages::SELECTOR_EXPECTED),
            },
            "f" => match FieldSelector::parse(value) {
                Ok(selector) => self.location.fields = Some(selector),
                Err(problem) => self.unread("f", value, &problem.message),
            },
            "q" if value.len() > QUERY_BYTES_MAX => self.unread("q", value, "it is too long"),
            "q" => self.location.query = value.trim().into(),
            "sort" => self.sort(value),
            "wide" => match WideColumns::parse(value) {
                Some(wide) => self.location.wide = wide,
                None => self.unread("wide", value, "0 or 1"),
            },
            "cols" => {
                let (cols, problems) = ChosenColumns::parse(value);
                self.location.cols = cols;
                self.problems.extend(problems);
            }
            "lq" if value.len() > QUERY_BYTES_MAX => self.unread("lq", value, "it is too long"),
            "lq" => self.location.log.text = value.into(),
            "changed" => match Predicate::ALL.into_iter().find(|predicate| predicate.word() == value) {
                Some(predicate) => self.location.log.predicate = Some(predicate),
                None => self.unread("changed", value, "spec, labels, annotations or status is expected"),
            },
            "events" => match LogFilter::hidden_but(value) {
                Some(hidden) => self.location.log.hidden = hidden,
                None => self.unread("events", value, "types such as added,deleted are expected"),
            },
            "at" => match At::parse(value) {
                Some(at) => self.location.at = Some(at),
                None => self.unread("at", value, words::TIME_EXPECTED),
            },
            "vs" => match Against::parse(value) {
                Some(against) => self.location.against = Some(against),
                None => self.unread("vs", value, words::TIME_OR_NOW_EXPECTED),
            },
            "tab" | "a" | "b" | "log" => self.panel(key, value),
            _ => self.unread(key, value, words::NO_SUCH_PART),
        }
    }

    /// Without an object the panel's other parts mean nothing.
    fn panel(&mut self, key: &str, value: &str) {
        let Some(panel) = &mut self.location.panel else { return };
        let is_read = match key {
            "tab" => Tab::parse(value).map(|tab| panel.tab = tab).is_some(),
            "log" => {
                panel.logs = Some(value.into());
                true
            }
            "a" => panel::version(value).map(|version| panel.a = Some(version)).is_some(),
            _ => panel::version(value).map(|version| panel.b = Some(version)).is_some(),
        };
        if !is_read {
            self.unread(key, value, "no such tab or version");
        }
    }

    fn sort(&mut self, value: &str) {
        let (direction, column) = match value.strip_prefix('-') {
            Some(column) => (Direction::Descending, column),
            None => (Direction::Ascending, value),
        };
        if column.is_empty() || column.len() > NAME_BYTES_MAX {
            self.unread("sort", value, "a column's name is expected");
        } else {
            self.location.sort = Some(Sort { column: column.to_lowercase().into(), direction });
        }
    }
}

impl Location {
    /// The canonical path; `/` without a resource.
    pub fn path(&self) -> String {
        if self.resource.is_empty() {
            return "/".to_owned();
        }
        self.path_under(&format!("/v/{}", percent::encode(&self.resource)))
    }

    /// The clusters and the namespaces behind a subject.
    fn path_under(&self, subject: &str) -> String {
        let mut path = subject.to_owned();
        if let Some(cluster) = &self.cluster {
            path.push('@');
            // One segment, or it would be read again as another cluster.
            path.push_str(&percent::encode(cluster).replace('/', "%2F"));
        }
        match &self.place {
            Place::Context => {}
            Place::All => path.push_str("/*"),
            Place::Cluster => path.push_str("/-"),
            Place::These(names) => {
                path.push('/');
                path.push_str(&names.iter().map(Namespace::as_str).collect::<Vec<_>>().join(","));
            }
        }
        path
    }

    /// The canonical query without its question mark; empty if all is at its default.
    pub fn query_string(&self) -> String {
        let mut parts = Vec::new();
        let mut add = |key: &str, value: &str| {
            if !value.is_empty() {
                parts.push(format!("{key}={}", percent::encode(value)));
            }
        };
        if let Some(labels) = &self.labels {
            add("l", &labels.to_string());
        }
        if let Some(fields) = &self.fields {
            add("f", fields.as_str());
        }
        // Equal views have equal links.
        add("q", self.query.trim());
        if let Some(sort) = &self.sort {
            let sign = if sort.direction == Direction::Descending { "-" } else { "" };
            add("sort", &format!("{sign}{}", sort.column));
        }
        if let Some(cols) = &self.cols {
            add("cols", &cols.to_string());
        }
        add("wide", self.wide.word());
        add("lq", &self.log.text);
        add("changed", self.log.predicate.map_or("", Predicate::word));
        add("events", &self.log.types());
        add("at", &self.at.map(|at| at.to_string()).unwrap_or_default());
        add("vs", &self.against.map(|against| against.to_string()).unwrap_or_default());
        if let Some(panel) = &self.panel {
            add("o", &panel.object());
            add("tab", if panel.tab == Tab::default() { "" } else { panel.tab.word() });
            for (key, version) in [("a", &panel.a), ("b", &panel.b)] {
                add(key, version.as_ref().map_or("", ResourceVersion::as_str));
            }
            add("log", panel.logs.as_deref().unwrap_or_default());
        }
        parts.join("&")
    }

    /// Whether it names all clusters, whichever they are.
    pub fn is_of_all_clusters(&self) -> bool {
        self.cluster.as_deref() == Some(ALL_CLUSTERS)
    }

    /// The clusters that it names: those that the gateway has in its order, then the others. Without a
    /// name it is the gateway's own one.
    pub fn clusters(&self, served: &[Cluster]) -> Vec<ClusterName> {
        let names = served.iter().map(|cluster| cluster.name.clone());
        let named: Vec<ClusterName> = match self.cluster.as_deref() {
            None => return names.take(1).collect(),
            Some(ALL_CLUSTERS) => return names.collect(),
            Some(named) => named.split(',').filter_map(|name| ClusterName::parse(name).ok()).collect(),
        };
        let known: Vec<ClusterName> = names.filter(|name| named.contains(name)).collect();
        let mut unknown: Vec<ClusterName> = named.into_iter().filter(|name| !known.contains(name)).collect();
        sorted::sort(&mut unknown);
        unknown.dedup();
        known.into_iter().chain(unknown).take(CLUSTERS_MAX).collect()
    }

    /// Path and query.
    pub fn href(&self) -> String {
        with_query(self.path(), &self.query_string())
    }

    /// `/wrong/@prod/shop`: of all kinds, under this path.
    pub fn path_of_all_kinds(&self, under: &str) -> String {
        match (&self.cluster, &self.place) {
            (None, Place::Context) => under.to_owned(),
            (cluster, _) => {
                let begin = if cluster.is_none() { "/@" } else { "/" };
                self.path_under(&[under, begin].concat())
            }
        }
    }

    /// The same with its query.
    pub fn href_of_all_kinds(&self, under: &str) -> String {
        with_query(self.path_of_all_kinds(under), &self.query_string())
    }

    /// As the link says it.
    pub fn is_namespaced(&self) -> bool {
        self.place != Place::Cluster
    }

    /// The namespaces to list; `of_context` if the address names none.
    pub fn namespaces(&self, of_context: &[Namespace]) -> Namespaces {
        match &self.place {
            Place::All | Place::Cluster => Namespaces::All,
            Place::These(names) => Namespaces::these(names.clone()).unwrap_or_default(),
            Place::Context => Namespaces::these(of_context.to_vec()).unwrap_or_default(),
        }
    }
}

impl Place {
    /// This is the place of a link to an object, and `held` is what the reader has chosen. Returns the choice with
    /// which the link is opened, and the object's namespace if it had to be added to that choice.
    pub(crate) fn within(&self, held: &Self, of_context: &[Namespace]) -> (Self, Option<Namespace>) {
        let Self::These(of_object) = self else { return (self.clone(), None) };
        let mut names = match held {
            Self::These(names) => names.clone(),
            // A cluster-scoped kind has no namespaces to keep.
            Self::Cluster | Self::Context => of_context.to_vec(),
            Self::All => Vec::new(),
        };
        if names.is_empty() {
            return (Self::All, None);
        }
        let added = of_object.first().filter(|name| !names.contains(name)).cloned();
        if names.len() >= NAMESPACES_MAX {
            names.clear();
        }
        names.extend(added.clone());
        if names.is_empty() { (self.clone(), added) } else { (Self::These(names), added) }
    }
}

fn with_query(path: String, query: &str) -> String {
    if query.is_empty() { path } else { format!("{path}?{query}") }
}

#[cfg(test)]
mod tests;
