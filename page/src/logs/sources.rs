//! The containers whose logs are shown: what the gateway says of each, and how it is named beside its lines.

use shared::frame::server::{ContainerKind, LogSource, SourceState};

use super::words;
use crate::limits::LOGS_SOURCES_MAX;

/// The colours that tell pods apart. Their names do so as well.
pub const COLOURS: u8 = 8;
/// Characters of a name beside a line.
const LABEL_CHARACTERS_MAX: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Sources {
    all: Vec<Source>,
    /// By the number of an answer, the source.
    of_answer: Vec<Option<u32>>,
    labels: Vec<Label>,
    /// Names of pods that were read before, and aren't now.
    others: Vec<Box<str>>,
    other_containers: Vec<Box<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) pod: Box<str>,
    pub(super) container: Box<str>,
    pub(super) kind: ContainerKind,
    pub(super) state: SourceState,
    /// Its pod is gone: one that comes under its name is another source.
    pub(super) is_gone: bool,
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
    pub(super) fn all(&self) -> &[Source] {
        &self.all
    }

    pub(super) fn get(&self, source: u32) -> Option<&Source> {
        self.all.get(usize::try_from(source).ok()?)
    }

    pub(super) fn get_mut(&mut self, source: u32) -> Option<&mut Source> {
        self.all.get_mut(usize::try_from(source).ok()?)
    }

    /// Another answer numbers them anew.
    pub(super) fn begin_answer(&mut self) {
        self.of_answer.clear();
    }

    /// Other pods or containers are asked for: these may be chosen again.
    pub(super) fn leave(&mut self) {
        for source in std::mem::take(&mut self.all) {
            if !source.is_gone && !self.others.contains(&source.pod) {
                self.others.push(source.pod);
            }
            if !self.other_containers.contains(&source.container) {
                self.other_containers.push(source.container);
            }
        }
        self.of_answer.clear();
        self.labels.clear();
    }

    pub(super) fn told(&mut self, told: &[LogSource]) {
        for told in told {
            let Ok(n) = usize::try_from(told.n) else { continue };
            if n >= LOGS_SOURCES_MAX {
                continue;
            }
            if self.of_answer.len() <= n {
                self.of_answer.resize(n + 1, None);
            }
            let held = self.of_answer.get(n).copied().flatten().or_else(|| self.named(told));
            let source = match held.and_then(|held| Some((held, self.get_mut(held)?))) {
                Some((held, source)) => {
                    (source.kind, source.state) = (told.kind, told.state);
                    held
                }
                None => {
                    let (pod, container) = (told.pod.clone(), told.container.clone());
                    let (kind, state) = (told.kind, told.state);
                    self.all.push(Source { pod, container, kind, state, is_gone: false });
                    u32::try_from(self.all.len() - 1).unwrap_or(u32::MAX)
                }
            };
            if let Some(place) = self.of_answer.get_mut(n) {
                *place = Some(source);
            }
        }
        if !told.is_empty() {
            self.label();
        }
    }

    /// The source of an earlier answer that this is.
    fn named(&self, told: &LogSource) -> Option<u32> {
        let is_it =
            |source: &Source| source.pod == told.pod && source.container == told.container && !source.is_gone;
        let at = self.all.iter().rposition(is_it)?;
        let at = u32::try_from(at).ok()?;
        // Two of one answer aren't the same.
        (!self.of_answer.contains(&Some(at))).then_some(at)
    }

    /// The source that an entry of this answer names.
    pub(super) fn of_answer(&self, n: u32) -> Option<u32> {
        self.of_answer.get(usize::try_from(n).ok()?).copied().flatten()
    }

    pub(super) fn label_of(&self, source: u32) -> Option<&Label> {
        self.labels.get(usize::try_from(source).ok()?)
    }

    /// The longest name beside a line, in characters; 0: there is one source alone.
    pub(super) fn label_characters(&self) -> usize {
        if self.all.len() < 2 {
            return 0;
        }
        self.labels.iter().map(|label| label.text.chars().count()).max().unwrap_or_default()
    }

    /// Each pod once, in the order in which it came, and then those that aren't read.
    pub(super) fn pods(&self) -> Vec<&str> {
        once(self.all.iter().map(|source| &*source.pod).chain(self.others.iter().map(|pod| &**pod)))
    }

    pub(super) fn containers(&self) -> Vec<&str> {
        let named = self.all.iter().map(|source| &*source.container);
        once(named.chain(self.other_containers.iter().map(|name| &**name)))
    }

    /// The pods that are read.
    pub(super) fn named_pods(&self) -> Vec<&str> {
        once(self.all.iter().map(|source| &*source.pod))
    }

    /// How many pods are read.
    pub(super) fn read_pods(&self) -> usize {
        self.named_pods().len()
    }

    pub(super) fn read_containers(&self) -> Vec<&str> {
        once(self.all.iter().map(|source| &*source.container))
    }

    /// The sources of a pod that is read.
    pub(super) fn of_pod<'a>(&'a self, pod: &'a str) -> impl Iterator<Item = &'a Source> {
        self.all.iter().filter(move |source| &*source.pod == pod)
    }

    pub(super) fn colour_of(&self, pod: &str) -> u8 {
        let place = self.pods().iter().position(|held| *held == pod).unwrap_or_default();
        u8::try_from(place % usize::from(COLOURS)).unwrap_or_default()
    }

    /// A pod is named by what tells it from the others, and a container where there are several.
    fn label(&mut self) {
        let pods = self.pods();
        let shared = shared_start(&pods);
        let has_containers = self
            .all
            .iter()
            .any(|source| self.all.first().is_some_and(|first| first.container != source.container));
        let label = |source: &Source| {
            let pod = source.pod.get(shared..).filter(|rest| !rest.is_empty()).unwrap_or(&source.pod);
            let text = match (pods.len() > 1, has_containers) {
                (true, true) => format!("{pod}/{}", source.container),
                (false, true) => source.container.to_string(),
                _ => pod.to_owned(),
            };
            let (text, whole) = (
                words::cut_start(text, LABEL_CHARACTERS_MAX),
                format!("{}/{}", source.pod, source.container),
            );
            Label { text, colour: self.colour_of(&source.pod), whole }
        };
        self.labels = self.all.iter().map(label).collect();
    }
}

fn once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
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

    #[test]
    fn a_pod_is_named_by_what_tells_it_from_the_others() {
        let mut sources = Sources::default();
        sources.told(&[told(0, "cart-7c9d-x2lqp", "app")]);
        assert_eq!(sources.label_characters(), 0);
        sources.told(&[told(1, "cart-7c9d-tm4xz", "app")]);
        assert_eq!(labels(&sources), ["x2lqp", "tm4xz"]);
        sources.told(&[told(2, "cart-5b11-9kf7c", "app")]);
        assert_eq!(labels(&sources), ["7c9d-x2lqp", "7c9d-tm4xz", "5b11-9kf7c"]);
        sources.told(&[told(3, "cart-5b11-9kf7c", "proxy")]);
        assert_eq!(labels(&sources).last(), Some(&"5b11-9kf7c/proxy"));
        assert_eq!(
            sources.label_of(3).expect("labelled").colour,
            sources.label_of(2).expect("labelled").colour
        );
        let mut of_one = Sources::default();
        of_one.told(&[told(0, "cart-0", "app"), told(1, "cart-0", "proxy")]);
        assert_eq!(labels(&of_one), ["app", "proxy"]);
    }

    #[test]
    fn a_source_goes_on_in_another_answer_and_a_pod_made_anew_is_another_one() {
        let mut sources = Sources::default();
        sources.told(&[told(0, "cart-0", "app"), told(1, "cart-1", "app")]);
        sources.begin_answer();
        sources.told(&[told(0, "cart-1", "app")]);
        assert_eq!((sources.of_answer(0), sources.of_answer(1)), (Some(1), None));
        sources.get_mut(1).expect("there").is_gone = true;
        sources.told(&[told(1, "cart-1", "app")]);
        assert_eq!((sources.of_answer(1), sources.all().len()), (Some(2), 3));
        sources.leave();
        assert_eq!(sources.pods(), ["cart-0", "cart-1"]);
    }
}
