//! The containers whose logs are shown: what the gateway says of each, and how it is named beside its lines.

use shared::frame::server::{ContainerKind, LogSource, SourceState};

use super::pod::Pod;
use super::words;
use crate::limits::LOGS_SOURCES_MAX;

/// The colours that tell pods apart. Their names do so as well.
pub const COLOURS: u8 = 8;
/// Characters of a name beside a line.
const LABEL_CHARACTERS_MAX: usize = 20;
/// The same with a cluster before it, and those of the cluster among them.
const LABEL_IN_CLUSTER_MAX: usize = 24;
const CLUSTER_CHARACTERS_MAX: usize = 12;

#[derive(Debug, Default)]
pub(super) struct Sources {
    all: Vec<Source>,
    labels: Vec<Label>,
    /// Pods that were read before, and aren't now.
    others: Vec<Pod>,
    other_containers: Vec<Box<str>>,
    /// The name of the object's own cluster, where several are read.
    own: Option<Box<str>>,
}

/// A container whose log is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) pod: Pod,
    pub(super) container: Box<str>,
    pub(super) kind: ContainerKind,
    pub(super) state: SourceState,
    /// Its pod is gone: one that comes under its name is another source.
    pub(super) is_gone: bool,
    /// Its cluster isn't read any more.
    is_left: bool,
}

/// How a source is named beside its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    pub text: String,
    pub colour: u8,
    /// The whole name.
    pub whole: String,
}

impl Sources {
    pub(super) fn get(&self, source: u32) -> Option<&Source> {
        self.all.get(usize::try_from(source).ok()?)
    }

    pub(super) fn get_mut(&mut self, source: u32) -> Option<&mut Source> {
        self.all.get_mut(usize::try_from(source).ok()?)
    }

    /// Those that are read.
    pub(super) fn read(&self) -> impl Iterator<Item = &Source> {
        self.all.iter().filter(|source| !source.is_left)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.read().next().is_none()
    }

    /// Whether a line has to say of which source it is.
    pub(super) fn are_named(&self) -> bool {
        self.own.is_some() || self.read().nth(1).is_some()
    }

    /// With their numbers.
    pub(super) fn of_cluster(&self, cluster: &Option<Box<str>>) -> impl Iterator<Item = (u32, &Source)> {
        (0..).zip(&self.all).filter(move |(_, source)| source.pod.cluster == *cluster)
    }

    pub(super) fn is_of(&self, source: u32, cluster: &Option<Box<str>>) -> bool {
        self.get(source).is_some_and(|source| source.pod.cluster == *cluster)
    }

    /// `own`: the name of the object's own cluster, where several are read. Returns whether the names are others now.
    pub(super) fn name_clusters(&mut self, own: Option<&str>) -> bool {
        let is_other = self.own.as_deref() != own;
        if is_other {
            self.own = own.map(Box::from);
            self.label();
        }
        is_other
    }

    /// By their numbers, those too that aren't read any more.
    pub(super) fn all(&self) -> &[Source] {
        &self.all
    }

    /// The cluster isn't read any more. Returns its sources.
    pub(super) fn leave_cluster(&mut self, cluster: &Option<Box<str>>) -> Vec<u32> {
        self.others.retain(|pod| pod.cluster != *cluster);
        let mut left = Vec::new();
        for (source, n) in self.all.iter_mut().zip(0..).filter(|(source, _)| source.pod.cluster == *cluster) {
            source.is_left = true;
            left.push(n);
        }
        left
    }

    /// Other pods or containers are asked for: these may be chosen again.
    pub(super) fn leave(&mut self) {
        for source in std::mem::take(&mut self.all).into_iter().filter(|source| !source.is_left) {
            if !source.is_gone && !self.others.contains(&source.pod) {
                self.others.push(source.pod);
            }
            if !self.other_containers.contains(&source.container) {
                self.other_containers.push(source.container);
            }
        }
        self.labels.clear();
    }

    /// `numbers`: by the number that the answer gives to a source, the source.
    pub(super) fn told(
        &mut self,
        told: &[LogSource],
        cluster: &Option<Box<str>>,
        numbers: &mut Vec<Option<u32>>,
    ) {
        for told in told {
            self.hold(told, cluster, numbers);
        }
        if !told.is_empty() {
            self.label();
        }
    }

    fn hold(&mut self, told: &LogSource, cluster: &Option<Box<str>>, numbers: &mut Vec<Option<u32>>) {
        let Some(n) = usize::try_from(told.n).ok().filter(|n| *n < LOGS_SOURCES_MAX) else { return };
        if numbers.len() <= n {
            numbers.resize(n + 1, None);
        }
        let held = numbers.get(n).copied().flatten().or_else(|| self.named(told, cluster, numbers));
        let is_full = self.all.len() >= LOGS_SOURCES_MAX;
        let source = match held.and_then(|held| Some((held, self.get_mut(held)?))) {
            Some((held, source)) => {
                (source.kind, source.state, source.is_left) = (told.kind, told.state, false);
                held
            }
            None if is_full => return,
            None => {
                let pod = Pod { cluster: cluster.clone(), name: told.pod.clone() };
                let (container, kind, state) = (told.container.clone(), told.kind, told.state);
                self.all.push(Source { pod, container, kind, state, is_gone: false, is_left: false });
                u32::try_from(self.all.len() - 1).unwrap_or(u32::MAX)
            }
        };
        if let Some(place) = numbers.get_mut(n) {
            *place = Some(source);
        }
    }

    /// The source of an earlier answer that this is.
    fn named(&self, told: &LogSource, cluster: &Option<Box<str>>, numbers: &[Option<u32>]) -> Option<u32> {
        let is_it = |(_, source): &(u32, &Source)| {
            source.pod.name == told.pod && source.container == told.container && !source.is_gone
        };
        let (at, _) = self.of_cluster(cluster).filter(is_it).last()?;
        // Two of one answer aren't the same.
        (!numbers.contains(&Some(at))).then_some(at)
    }

    pub(super) fn label_of(&self, source: u32) -> Option<&Label> {
        self.labels.get(usize::try_from(source).ok()?)
    }

    pub(super) fn are_of_several_clusters(&self) -> bool {
        self.own.is_some()
    }

    /// The longest name beside a line, in characters; 0: there is one source alone.
    pub(super) fn label_characters(&self) -> usize {
        if !self.are_named() {
            return 0;
        }
        let labels = self.all.iter().zip(&self.labels).filter(|(source, _)| !source.is_left);
        labels.map(|(_, label)| label.text.chars().count()).max().unwrap_or_default()
    }

    /// Each pod once, in the order in which it came, and then those that aren't read.
    pub(super) fn pods(&self) -> Vec<&Pod> {
        once(self.read().map(|source| &source.pod).chain(&self.others))
    }

    pub(super) fn containers(&self) -> Vec<&str> {
        let named = self.read().map(|source| &*source.container);
        once(named.chain(self.other_containers.iter().map(|name| &**name)))
    }

    /// The pods of the object's own cluster that are read.
    pub(super) fn own_pods(&self) -> Vec<&str> {
        once(self.read().filter(|source| source.pod.cluster.is_none()).map(|source| &*source.pod.name))
    }

    /// How many pods are read.
    pub(super) fn read_pods(&self) -> usize {
        once(self.read().map(|source| &source.pod)).len()
    }

    pub(super) fn read_containers(&self) -> Vec<&str> {
        once(self.read().map(|source| &*source.container))
    }

    /// The sources of a pod that is read.
    pub(super) fn of_pod<'a>(&'a self, pod: &'a Pod) -> impl Iterator<Item = &'a Source> {
        self.read().filter(move |source| source.pod == *pod)
    }

    /// Also where a cluster comes and goes, each pod keeps its own.
    pub(super) fn colour_of(&self, pod: &Pod) -> u8 {
        colour_among(&self.known(), pod)
    }

    /// The pods that were ever read.
    fn known(&self) -> Vec<&Pod> {
        once(self.all.iter().map(|source| &source.pod).chain(&self.others))
    }

    /// The name of a pod's cluster, where several are read.
    pub(super) fn cluster_of<'a>(&'a self, pod: &'a Pod) -> Option<&'a str> {
        let own = self.own.as_deref()?;
        Some(pod.cluster.as_deref().unwrap_or(own))
    }

    /// A pod as sentences name it: `web-1`, or `eu-2/web-1` where several clusters are read.
    pub(super) fn name_of(&self, pod: &Pod) -> String {
        match self.cluster_of(pod) {
            Some(cluster) => format!("{cluster}/{}", pod.name),
            None => pod.name.to_string(),
        }
    }

    /// A pod is named by what tells it from the others of its cluster, a cluster where there are several, and so is a
    /// container.
    fn label(&mut self) {
        let (pods, known) = (self.pods(), self.known());
        let has_containers = self.read_containers().len() > 1;
        let clusters = once(known.iter().filter_map(|pod| self.cluster_of(pod)));
        let label = |source: &Source| {
            let beside = pods.iter().filter(|pod| pod.cluster == source.pod.cluster);
            let beside: Vec<&str> = beside.map(|pod| &*pod.name).collect();
            let name = &source.pod.name;
            let pod = name.get(shared_start(&beside)..).filter(|rest| !rest.is_empty()).unwrap_or(name);
            let cluster = self.cluster_of(&source.pod).map(|name| short_cluster(name, &clusters));
            let text = match (beside.len() > 1, has_containers) {
                (true, true) => format!("{pod}/{}", source.container),
                (false, true) => source.container.to_string(),
                (false, false) if cluster.is_some() => String::new(),
                _ => pod.to_owned(),
            };
            Label {
                text: beside_line(cluster, text),
                colour: colour_among(&known, &source.pod),
                whole: format!("{}/{}", self.name_of(&source.pod), source.container),
            }
        };
        self.labels = self.all.iter().map(label).collect();
    }
}

/// `x2lqp`, and with a cluster `eu-2 x2lqp`.
fn beside_line(cluster: Option<String>, text: String) -> String {
    let Some(cluster) = cluster else { return words::cut_start(text, LABEL_CHARACTERS_MAX) };
    if text.is_empty() {
        return cluster;
    }
    let room = LABEL_IN_CLUSTER_MAX - 1 - cluster.chars().count();
    format!("{cluster} {}", words::cut_start(text, room))
}

/// A long name of a cluster by what tells it from the others.
fn short_cluster(name: &str, all: &[&str]) -> String {
    if name.chars().count() <= CLUSTER_CHARACTERS_MAX {
        return name.to_owned();
    }
    let rest = name.get(shared_start(all)..).unwrap_or(name);
    let count = rest.chars().count();
    if count <= CLUSTER_CHARACTERS_MAX {
        return rest.to_owned();
    }
    // Names may begin alike or end alike.
    let (start, end) = (CLUSTER_CHARACTERS_MAX / 2 - 1, CLUSTER_CHARACTERS_MAX / 2);
    rest.chars().take(start).chain(['…']).chain(rest.chars().skip(count - end)).collect()
}

fn colour_among(known: &[&Pod], pod: &Pod) -> u8 {
    let place = known.iter().position(|held| *held == pod).unwrap_or_default();
    u8::try_from(place % usize::from(COLOURS)).unwrap_or_default()
}

fn once<T: PartialEq>(names: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The bytes that all names begin with, until after a dash.
fn shared_start(names: &[&str]) -> usize {
    let Some((first, rest)) = names.split_first() else { return 0 };
    let mut length = first.len();
    for name in rest {
        let same = first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        length = length.min(same);
    }
    if rest.is_empty() {
        return 0;
    }
    first.get(..length).and_then(|start| start.rfind('-')).map_or(0, |dash| dash + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(n: u32, pod: &str, container: &str) -> LogSource {
        let (kind, state) = (ContainerKind::Regular, SourceState::Read);
        LogSource { n, pod: pod.into(), container: container.into(), kind, state }
    }

    fn labels(sources: &Sources) -> Vec<&str> {
        sources.labels.iter().map(|label| &*label.text).collect()
    }

    /// Two answers of the object's own cluster, and of another one.
    fn both(sources: &mut Sources, own: &[LogSource], other: &[LogSource]) -> [Vec<Option<u32>>; 2] {
        let mut numbers = [Vec::new(), Vec::new()];
        let [of_own, of_other] = &mut numbers;
        sources.told(own, &None, of_own);
        sources.told(other, &Some("eu-2".into()), of_other);
        numbers
    }

    #[test]
    fn a_pod_is_named_by_what_tells_it_from_the_others() {
        let mut sources = Sources::default();
        let tell = |sources: &mut Sources, told: LogSource| sources.told(&[told], &None, &mut Vec::new());
        tell(&mut sources, told(0, "cart-7c9d-x2lqp", "app"));
        assert_eq!(sources.label_characters(), 0);
        tell(&mut sources, told(1, "cart-7c9d-tm4xz", "app"));
        assert_eq!(labels(&sources), ["x2lqp", "tm4xz"]);
        tell(&mut sources, told(2, "cart-5b11-9kf7c", "app"));
        assert_eq!(labels(&sources), ["7c9d-x2lqp", "7c9d-tm4xz", "5b11-9kf7c"]);
        tell(&mut sources, told(3, "cart-5b11-9kf7c", "proxy"));
        assert_eq!(labels(&sources).last(), Some(&"5b11-9kf7c/proxy"));
        assert_eq!(
            sources.label_of(3).expect("labelled").colour,
            sources.label_of(2).expect("labelled").colour
        );
        let mut of_one = Sources::default();
        of_one.told(&[told(0, "cart-0", "app"), told(1, "cart-0", "proxy")], &None, &mut Vec::new());
        assert_eq!(labels(&of_one), ["app", "proxy"]);
    }

    #[test]
    fn a_cluster_stands_before_the_pod_where_several_are_read() {
        let mut sources = Sources::default();
        sources.name_clusters(Some("eu-1"));
        let pods = ["cart-7c9d-x2lqp", "cart-7c9d-tm4xz"].map(|pod| told(0, pod, "app"));
        both(&mut sources, &[pods[0].clone()], &[pods[0].clone()]);
        assert_eq!(labels(&sources), ["eu-1", "eu-2"], "the only pod of its cluster");
        both(&mut sources, &[], &[pods[1].clone()]);
        assert_eq!(labels(&sources), ["eu-1", "eu-2 x2lqp", "eu-2 tm4xz"]);
        let colours: Vec<u8> = sources.labels.iter().map(|label| label.colour).collect();
        assert_eq!(colours, [0, 1, 2], "equal names are two pods");
        assert_eq!(sources.label_of(1).expect("labelled").whole, "eu-2/cart-7c9d-x2lqp/app");
        both(&mut sources, &[], &[told(7, "cart-7c9d-tm4xz", "proxy-of-all")]);
        assert_eq!(labels(&sources).last(), Some(&"eu-2 tm4xz/proxy-of-all"));
        let short = |all: [&str; 2]| all.map(|name| short_cluster(name, &all));
        assert_eq!(short(["production-eu-west-1", "production-us-west-1"]), ["eu-west-1", "us-west-1"]);
        assert_eq!(short(["eu-production", "us-production"]), ["eu-pr…uction", "us-pr…uction"]);
        assert_eq!(short(["playground", "playground-2"]), ["playground", "playground-2"]);
        let long = beside_line(Some("eu-pr…uction".to_owned()), "7c9d-tm4xz/proxy".to_owned());
        assert_eq!((&*long, long.chars().count()), ("eu-pr…uction …m4xz/proxy", 24));
    }

    #[test]
    fn a_cluster_that_is_left_and_comes_again_has_its_sources_as_they_were() {
        let mut sources = Sources::default();
        sources.name_clusters(Some("eu-1"));
        both(&mut sources, &[told(0, "cart-0", "app")], &[told(0, "cart-0", "app")]);
        assert_eq!(sources.leave_cluster(&Some("eu-2".into())), [1]);
        sources.name_clusters(None);
        assert_eq!((sources.pods(), sources.are_named()), (vec![&Pod::of_own("cart-0")], false));
        let [_, again] = both(&mut sources, &[], &[told(3, "cart-0", "app")]);
        assert_eq!((again[3], sources.read_pods(), sources.own_pods()), (Some(1), 2, vec!["cart-0"]));
    }

    #[test]
    fn no_more_sources_are_held_than_the_page_has_room_for_whichever_clusters_they_are_of() {
        let mut sources = Sources::default();
        let many: Vec<LogSource> = (0..3_000).map(|n| told(n, &format!("cart-{n}"), "app")).collect();
        let mut numbers = [Vec::new(), Vec::new()];
        // Naming 4,096 sources takes a while, so that they are named once.
        for (numbers, cluster) in numbers.iter_mut().zip([None, Some("eu-2".into())]) {
            for told in &many {
                sources.hold(told, &cluster, numbers);
            }
        }
        assert_eq!(sources.all.len(), LOGS_SOURCES_MAX);
        assert_eq!(numbers[1].iter().flatten().count(), LOGS_SOURCES_MAX - 3_000);
    }

    #[test]
    fn a_source_goes_on_in_another_answer_and_a_pod_made_anew_is_another_one() {
        let mut sources = Sources::default();
        let mut numbers = Vec::new();
        sources.told(&[told(0, "cart-0", "app"), told(1, "cart-1", "app")], &None, &mut numbers);
        numbers.clear();
        sources.told(&[told(0, "cart-1", "app")], &None, &mut numbers);
        assert_eq!(numbers, [Some(1)]);
        sources.get_mut(1).expect("there").is_gone = true;
        sources.told(&[told(1, "cart-1", "app")], &None, &mut numbers);
        assert_eq!((numbers[1], sources.all.len()), (Some(2), 3));
        sources.leave();
        assert_eq!(sources.pods(), [&Pod::of_own("cart-0"), &Pod::of_own("cart-1")]);
    }
}
