//! What a reader chose in the tab, as a link says it: `from:1h$only:app$pods:cart-0$wrap`. What is left out is as it is by
//! itself, and equal settings are equal texts.

use shared::frame::server::LogTime;
use shared::sorted;

use super::pod::Pod;
use crate::limits::QUERY_BYTES_MAX;

/// What is asked for, what is looked for, and how the lines are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) from: From,
    /// The run before the present one.
    pub(super) is_previous: bool,
    /// Only these. Empty: all.
    pub(super) containers: Vec<Box<str>>,
    /// As [`Pod`] reads them. Where no pod of a cluster is named, all of its pods are read.
    pub(super) pods: Vec<Box<str>>,
    /// Other clusters than the object's own one, in alphabetical order.
    pub(super) clusters: Vec<Box<str>>,
    pub(super) times: Times,
    pub(super) wraps: bool,
    /// JSON as it was written.
    pub(super) is_raw: bool,
    /// The Events of the pods don't stand between the lines.
    pub(super) hides_events: bool,
    pub(super) find: Box<str>,
    pub(super) filter: Box<str>,
    pub(super) line: Option<LineLink>,
}

/// Where the log begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum From {
    Lines100,
    #[default]
    Lines1000,
    Lines10000,
    Minutes5,
    Minutes15,
    Hour,
    Hours6,
    Day,
    Start,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Times {
    #[default]
    Clock,
    Ago,
    Off,
}

/// One line, by its source and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineLink {
    pub(super) pod: Pod,
    pub(super) container: Box<str>,
    pub(super) at: LogTime,
}

const MINUTE_MS: i64 = 60_000;
/// Names of one link.
const NAMES_MAX: usize = 64;

impl From {
    pub const ALL: [Self; 9] = [
        Self::Lines100,
        Self::Lines1000,
        Self::Lines10000,
        Self::Minutes5,
        Self::Minutes15,
        Self::Hour,
        Self::Hours6,
        Self::Day,
        Self::Start,
    ];

    /// In a link.
    pub fn word(self) -> &'static str {
        match self {
            Self::Lines100 => "100",
            Self::Lines1000 => "1000",
            Self::Lines10000 => "10000",
            Self::Minutes5 => "5m",
            Self::Minutes15 => "15m",
            Self::Hour => "1h",
            Self::Hours6 => "6h",
            Self::Day => "24h",
            Self::Start => "start",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|from| from.word() == word)
    }

    pub(super) fn tail(self) -> Option<u32> {
        match self {
            Self::Lines100 => Some(100),
            Self::Lines1000 => Some(1_000),
            Self::Lines10000 => Some(10_000),
            _ => None,
        }
    }

    pub(super) fn since_ms(self) -> Option<i64> {
        let minutes = match self {
            Self::Minutes5 => 5,
            Self::Minutes15 => 15,
            Self::Hour => 60,
            Self::Hours6 => 6 * 60,
            Self::Day => 24 * 60,
            _ => return None,
        };
        Some(minutes * MINUTE_MS)
    }
}

impl Times {
    pub const ALL: [Self; 3] = [Self::Clock, Self::Ago, Self::Off];

    /// In a link.
    pub fn word(self) -> &'static str {
        match self {
            Self::Clock => "clock",
            Self::Ago => "ago",
            Self::Off => "off",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|times| times.word() == word)
    }
}

impl Settings {
    /// And the parts that can't be read.
    pub(super) fn read(text: &str) -> (Self, Vec<String>) {
        let (mut settings, mut unread) = (Self::default(), Vec::new());
        let end = text.floor_char_boundary(QUERY_BYTES_MAX);
        for part in text.get(..end).unwrap_or_default().split('$').filter(|part| !part.is_empty()) {
            if settings.part(part).is_none() {
                unread.push(part.to_owned());
            }
        }
        (settings, unread)
    }

    fn part(&mut self, part: &str) -> Option<()> {
        let (key, value) = part.split_once(':').unwrap_or((part, ""));
        match key {
            "from" => self.from = From::parse(value)?,
            "previous" => self.is_previous = true,
            "only" => self.containers = names(value),
            "pods" => self.pods = names(value),
            "clusters" => {
                let mut named = names(value);
                named.first()?;
                sorted::sort(&mut named);
                named.dedup();
                self.clusters = named;
            }
            "times" => self.times = Times::parse(value)?,
            "wrap" => self.wraps = true,
            "raw" => self.is_raw = true,
            "noevents" => self.hides_events = true,
            "find" => self.find = unescaped(value).into(),
            "filter" => self.filter = unescaped(value).into(),
            "line" => self.line = Some(LineLink::parse(value)?),
            _ => return None,
        }
        Some(())
    }

    /// `None`: all is as it is by itself.
    pub(super) fn write(&self) -> Option<Box<str>> {
        let mut parts = Vec::new();
        let mut add = |key: &str, value: &str| {
            if !value.is_empty() {
                parts.push(format!("{key}:{value}"));
            }
        };
        add("from", if self.from == From::default() { "" } else { self.from.word() });
        add("only", &self.containers.join(","));
        add("pods", &self.pods.join(","));
        add("clusters", &self.clusters.join(","));
        add("times", if self.times == Times::default() { "" } else { self.times.word() });
        add("find", &escaped(&self.find));
        add("filter", &escaped(&self.filter));
        add("line", &self.line.as_ref().map(LineLink::write).unwrap_or_default());
        for (word, is_on) in [
            ("previous", self.is_previous),
            ("wrap", self.wraps),
            ("raw", self.is_raw),
            ("noevents", self.hides_events),
        ] {
            if is_on {
                parts.push(word.to_owned());
            }
        }
        (!parts.is_empty()).then(|| parts.join("$").into())
    }

    /// The pods that are named of a cluster.
    pub(super) fn pods_of(&self, cluster: &Option<Box<str>>) -> impl Iterator<Item = Pod> {
        self.pods.iter().map(|key| Pod::read(key)).filter(move |pod| pod.cluster == *cluster)
    }

    pub(super) fn is_read(&self, pod: &Pod) -> bool {
        let mut of_cluster = self.pods_of(&pod.cluster).peekable();
        of_cluster.peek().is_none() || of_cluster.any(|named| named == *pod)
    }

    /// Reads the log of another cluster too, or no longer.
    pub(super) fn toggle_cluster(&mut self, name: &str) {
        match self.clusters.iter().position(|held| **held == *name) {
            Some(at) => {
                self.clusters.remove(at);
                self.pods.retain(|key| Pod::read(key).cluster.as_deref() != Some(name));
            }
            None => {
                self.clusters.push(name.into());
                sorted::sort(&mut self.clusters);
            }
        }
    }

    /// Whether the other ones ask the gateway for the same, of each cluster.
    pub(super) fn asks_same(&self, other: &Self) -> bool {
        (self.from, self.is_previous, &self.containers, &self.pods)
            == (other.from, other.is_previous, &other.containers, &other.pods)
    }
}

impl LineLink {
    /// `cart-0/app@1763690000123.456789`, and `eu-2/cart-0/app@…` in another cluster than the object's own.
    fn parse(text: &str) -> Option<Self> {
        let (source, at) = text.rsplit_once('@')?;
        let (pod, container) = source.rsplit_once('/')?;
        let (ms, ns) = at.split_once('.')?;
        let at = LogTime { ms: ms.parse().ok()?, ns: ns.parse().ok().filter(|ns| *ns < 1_000_000)? };
        Some(Self { pod: Pod::read(pod), container: container.into(), at })
    }

    fn write(&self) -> String {
        format!("{}/{}@{}.{:06}", self.pod, self.container, self.at.ms, self.at.ns)
    }
}

fn names(value: &str) -> Vec<Box<str>> {
    value.split(',').filter(|name| !name.is_empty()).take(NAMES_MAX).map(Into::into).collect()
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('$', "%24")
}

fn unescaped(text: &str) -> String {
    text.replace("%24", "$").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_says_what_was_chosen_and_nothing_else() {
        assert_eq!(Settings::default().write(), None);
        let settings = Settings {
            from: From::Hour,
            is_previous: true,
            containers: vec!["app".into(), "proxy".into()],
            pods: vec!["cart-0".into(), "eu-2/cart-0".into()],
            clusters: vec!["eu-1".into(), "eu-2".into()],
            times: Times::Ago,
            wraps: true,
            is_raw: true,
            hides_events: true,
            find: "a$b 100%".into(),
            filter: "level>=warn !/x$/".into(),
            line: Some(LineLink {
                pod: Pod::read("eu-2/cart-0"),
                container: "app".into(),
                at: LogTime { ms: 1_763_690_000_123, ns: 456 },
            }),
        };
        let written = settings.write().expect("some");
        assert_eq!(Settings::read(&written), (settings, Vec::new()));
        assert!(
            written.starts_with("from:1h$only:app,proxy$pods:cart-0,eu-2/cart-0$clusters:eu-1,eu-2$times"),
            "{written}"
        );
    }

    #[test]
    fn what_cannot_be_read_of_a_link_is_named_and_the_rest_is_used() {
        let (settings, unread) = Settings::read("from:1y$wrap$line:x$$what$times:off$clusters:,");
        assert_eq!(unread, ["from:1y", "line:x", "what", "clusters:,"]);
        assert_eq!(settings, Settings { wraps: true, times: Times::Off, ..Settings::default() });
    }
}
