//! What containers write. A log is computed from the pod's status and the clock each time that it is read: the same run
//! has the same lines at the same times, and nothing is kept. Pure.
//!
//! A run's lines are told by whole seconds: a pod's status says only in which second a container ended, and what was told
//! of a run must still be there when it is read again. Its last lines stand in the second of its end.

mod stories;

use std::ops::Range;

use jiff::Timestamp;
use kubernetes_api::Failure;
use serde_json::Value;

use crate::json::{int, list, text, text_opt};
use crate::random::mix;
use stories::Story;

/// Numbers of lines that are still there. What is older was in a file that the kubelet has rotated away.
const KEPT_MAX: u64 = 10_000;

/// The lines of a start follow each other so, on average.
const OPENING_MS: i64 = 45;
/// Other lines come after so long.
const OPENED_MS: i64 = 1_000;
/// The last lines follow each other so, on average.
const CLOSING_MS: i64 = 25;
/// So many of a hundred lines are what happens seldom.
const SELDOM_PERCENT: u64 = 4;

const NS_PER_MS: i64 = 1_000_000;
const NS_PER_S: i64 = 1_000_000_000;

/// A run of a container, from its start to its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    /// Names the run, as long as the pod's status speaks of it.
    id: String,
    words: Words,
    started_s: i64,
    /// When it ended, and with what exit code.
    ended: Option<(i64, i64)>,
}

/// What is filled in and doesn't change.
#[derive(Clone, Debug, PartialEq)]
struct Words {
    pod: String,
    container: String,
    image: String,
}

/// One line, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) at_ns: i64,
    pub(crate) text: String,
}

/// Finds the container that is meant: the one that was asked for, or the only one.
///
/// # Errors
/// There is no such container, or there are several.
pub(crate) fn container_of(pod: &Value, asked: &str) -> Result<String, Failure> {
    let pod_name = text(pod, "/metadata/name");
    let names =
        |pointer| -> Vec<&str> { list(pod, pointer).iter().map(|found| text(found, "/name")).collect() };
    let containers = names("/spec/containers");
    let all =
        [names("/spec/initContainers"), containers.clone(), names("/spec/ephemeralContainers")].concat();
    match (asked, containers.as_slice()) {
        ("", [only]) => Ok((*only).to_owned()),
        ("", []) => {
            Err(Failure::bad_request(format!("a container name must be specified for pod {pod_name}")))
        }
        ("", _) => Err(Failure::bad_request(format!(
            "a container name must be specified for pod {pod_name}, choose one of: [{}]",
            all.join(" ")
        ))),
        (asked, _) if all.contains(&asked) => Ok(asked.to_owned()),
        (asked, _) => Err(Failure::bad_request(format!("container {asked} is not valid for pod {pod_name}"))),
    }
}

fn status_of<'a>(pod: &'a Value, container: &str) -> Option<&'a Value> {
    let lists =
        ["/status/containerStatuses", "/status/initContainerStatuses", "/status/ephemeralContainerStatuses"];
    lists.iter().find_map(|at| list(pod, at).iter().find(|found| text(found, "/name") == container))
}

impl Run {
    /// The run whose log the kubelet would give.
    ///
    /// # Errors
    /// There is none, in the kubelet's words.
    pub(crate) fn find(pod: &Value, container: &str, previous: bool) -> Result<Self, Failure> {
        let name = text(pod, "/metadata/name");
        let refused = |why: &str| Failure::bad_request(why.to_owned());
        let status = status_of(pod, container)
            .ok_or_else(|| refused(&format!("container {container:?} in pod {name:?} is not available")))?;
        let ended = |at: &str| Self::ended(pod, status, at);
        if previous {
            return ended("/lastState/terminated").ok_or_else(|| {
                refused(&format!("previous terminated container {container:?} in pod {name:?} not found"))
            });
        }
        let found = Self::running(pod, status)
            .or_else(|| ended("/state/terminated"))
            .or_else(|| ended("/lastState/terminated"));
        found.ok_or_else(|| match text_opt(status, "/state/waiting/reason") {
            Some("ErrImagePull") => refused(&format!(
                "container {container:?} in pod {name:?} is waiting to start: image can't be pulled"
            )),
            Some("ImagePullBackOff") => refused(&format!(
                "container {container:?} in pod {name:?} is waiting to start: trying and failing to pull image"
            )),
            Some(reason) => {
                refused(&format!("container {container:?} in pod {name:?} is waiting to start: {reason}"))
            }
            None => {
                refused(&format!("container {container:?} in pod {name:?} is waiting to start - no logs yet"))
            }
        })
    }

    /// The same run, as the pod's status says it now. None: the status speaks of it no more.
    pub(crate) fn again(&self, pod: &Value) -> Option<Self> {
        let status = status_of(pod, &self.words.container)?;
        let states = [
            Self::running(pod, status),
            Self::ended(pod, status, "/state/terminated"),
            Self::ended(pod, status, "/lastState/terminated"),
        ];
        states.into_iter().flatten().find(|run| run.id == self.id)
    }

    fn running(pod: &Value, status: &Value) -> Option<Self> {
        let started = text_opt(status, "/state/running/startedAt")?;
        Some(Self::of(pod, status, text(status, "/containerID"), started, None))
    }

    fn ended(pod: &Value, status: &Value, at: &str) -> Option<Self> {
        let state = status.pointer(at)?;
        let id = text_opt(state, "/containerID")?;
        let ended = (seconds(text(state, "/finishedAt")), int(state, "/exitCode"));
        Some(Self::of(pod, status, id, text(state, "/startedAt"), Some(ended)))
    }

    fn of(pod: &Value, status: &Value, id: &str, started: &str, ended: Option<(i64, i64)>) -> Self {
        let words = Words {
            pod: text(pod, "/metadata/name").to_owned(),
            container: text(status, "/name").to_owned(),
            image: text(status, "/image").to_owned(),
        };
        Self { id: id.to_owned(), words, started_s: seconds(started), ended }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// The numbers of the lines that are there at a time.
    pub(crate) fn there(&self, now_s: i64) -> Range<u64> {
        let Some(story) = stories::of_image(&self.words.image) else { return 0..0 };
        let until_s = self.ended.map_or(now_s, |(ended_s, _)| ended_s);
        let before = self.before(story, until_s);
        let closing = self.closing(story).map_or(0, |lines| count(lines.len()));
        let end = before + closing;
        end.saturating_sub(KEPT_MAX)..end
    }

    fn closing<'a>(&self, story: &'a Story) -> Option<&'a [String]> {
        self.ended.map(|(_, code)| if code == 0 { story.done.as_slice() } else { story.failed.as_slice() })
    }

    /// How many lines there are before a second, those of its end aside.
    fn before(&self, story: &Story, until_s: i64) -> u64 {
        let until_ms = until_s.saturating_sub(self.started_s).saturating_mul(1_000);
        let opening = count(story.opening.len());
        let of_opening = (0..opening).take_while(|number| self.offset_ms(story, *number) < until_ms);
        let mut all = count(of_opening.count());
        if all == opening && until_ms > OPENED_MS {
            let whole = (until_ms - OPENED_MS) / story.period_ms.max(1);
            all += u64::try_from(whole).unwrap_or_default();
            while self.offset_ms(story, all) < until_ms {
                all += 1;
            }
        }
        all
    }

    /// When a line is written, after the start. It grows with the number.
    fn offset_ms(&self, story: &Story, number: u64) -> i64 {
        let opening = count(story.opening.len());
        let chance = i64::try_from(self.hash(number) >> 34).unwrap_or_default();
        match number.checked_sub(opening) {
            None => signed(number) * OPENING_MS + chance % OPENING_MS,
            Some(later) => {
                let period = story.period_ms.max(1);
                OPENED_MS + signed(later).saturating_mul(period) + chance % period
            }
        }
    }

    fn hash(&self, number: u64) -> u64 {
        let seed = self.id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        mix(seed ^ mix(number))
    }

    /// The lines of one number: several where the text has line breaks. All have the same time.
    pub(crate) fn lines(&self, number: u64) -> Vec<Line> {
        let Some(story) = stories::of_image(&self.words.image) else { return Vec::new() };
        let hash = self.hash(number);
        let chance = i64::try_from(hash >> 34).unwrap_or_default();
        let of_closing = self.ended.zip(self.closing(story)).and_then(|((ended_s, _), closing)| {
            let at = number.checked_sub(self.before(story, ended_s))?;
            let offset_ms = signed(at) * CLOSING_MS + chance % CLOSING_MS;
            Some((ended_s, offset_ms, closing.get(usize::try_from(at).ok()?)?.as_str()))
        });
        let (from_s, offset_ms, text) = of_closing.unwrap_or_else(|| {
            (self.started_s, self.offset_ms(story, number), self.chosen(story, number, hash))
        });
        let ns = i64::try_from(hash % 1_000_000).unwrap_or_default();
        let at_ns = from_s
            .saturating_mul(NS_PER_S)
            .saturating_add(offset_ms.saturating_mul(NS_PER_MS))
            .saturating_add(ns);
        let filled = stories::fill(text, |word| self.word(word, number, hash, at_ns));
        filled.split('\n').map(|text| Line { at_ns, text: text.to_owned() }).collect()
    }

    fn chosen<'a>(&self, story: &'a Story, number: u64, hash: u64) -> &'a str {
        if let Some(text) = usize::try_from(number).ok().and_then(|at| story.opening.get(at)) {
            return text;
        }
        let of = if hash % 100 < SELDOM_PERCENT { &story.seldom } else { &story.often };
        let at = (hash >> 8).checked_rem(count(of.len())).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| of.get(at)).map_or("", String::as_str)
    }

    fn word(&self, word: &str, number: u64, hash: u64, at_ns: i64) -> Option<String> {
        let time = |format: &str| instant(at_ns).strftime(format).to_string();
        let word = match word {
            "time" => time("%Y-%m-%dT%H:%M:%S%.3fZ"),
            "klog" => time("%m%d %H:%M:%S%.6f"),
            "n" => number.to_string(),
            "ms" => (2 + hash % 397).to_string(),
            "item" => (1_000 + hash % 9_000).to_string(),
            "id" => format!("{:08x}", hash & 0xffff_ffff),
            "ip" => format!("10.64.{}.{}", (hash >> 8) % 250, 2 + (hash >> 16) % 250),
            "pod" => self.words.pod.clone(),
            "container" => self.words.container.clone(),
            "mebibyte" => "x".repeat(1024 * 1024),
            "version" => self.words.image.rsplit_once(':').map_or("", |(_, tag)| tag).to_owned(),
            _ => return None,
        };
        Some(word)
    }
}

impl Line {
    /// As the kubelet writes it, with its time before it if that is asked for.
    pub(crate) fn written(&self, with_time: bool) -> String {
        match with_time {
            true => format!("{} {}\n", instant(self.at_ns).strftime("%Y-%m-%dT%H:%M:%S%.9fZ"), self.text),
            false => format!("{}\n", self.text),
        }
    }
}

fn instant(at_ns: i64) -> Timestamp {
    Timestamp::from_nanosecond(i128::from(at_ns)).unwrap_or_default()
}

fn seconds(time: &str) -> i64 {
    time.parse::<Timestamp>().map(Timestamp::as_second).unwrap_or_default()
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const START: &str = "2026-03-01T10:00:00Z";
    const START_S: i64 = 1_772_359_200;

    fn pod(state: Value, last: Value) -> Value {
        json!({
            "metadata": {"name": "web-1", "uid": "u"},
            "spec": {"containers": [{"name": "web"}]},
            "status": {"containerStatuses": [{
                "name": "web", "image": "registry.example.com/shop/cart:v1.9.0", "containerID": "containerd://b",
                "state": state, "lastState": last,
            }]},
        })
    }

    fn running() -> Run {
        Run::find(&pod(json!({"running": {"startedAt": START}}), json!({})), "web", false).expect("it runs")
    }

    fn all(run: &Run, now_s: i64) -> Vec<Line> {
        run.there(now_s).flat_map(|number| run.lines(number)).collect()
    }

    #[test]
    fn a_log_only_grows_and_its_times_never_go_back() {
        let run = running();
        let mut before = Vec::new();
        for second in 0..120 {
            let now = all(&run, START_S + second);
            assert!(now.starts_with(&before), "after {second} s");
            assert!(now.is_sorted_by_key(|line| line.at_ns));
            assert!(now.iter().all(|line| line.at_ns < (START_S + second) * NS_PER_S));
            before = now;
        }
        assert!(before.len() > 200, "{}", before.len());
    }

    #[test]
    fn what_was_told_of_a_run_is_there_after_its_end_with_its_last_lines() {
        let told = all(&running(), START_S + 20);
        let ended = json!({"terminated": {
            "exitCode": 1, "startedAt": START, "finishedAt": "2026-03-01T10:00:20Z", "containerID": "containerd://b",
        }});
        let run = running().again(&pod(json!({"running": {"startedAt": START}}), ended.clone()));
        assert_eq!(run, Some(running()), "a running container is itself");
        let over = running().again(&pod(ended.clone(), json!({}))).expect("it is known");
        let after = all(&over, START_S + 500);
        assert!(over.is_over() && after.starts_with(&told));
        assert!(after.last().expect("a line").text.contains("exiting with 1"), "{after:?}");
        let waiting = json!({"waiting": {"reason": "CrashLoopBackOff"}});
        assert_eq!(running().again(&pod(waiting, ended)), Some(over));
    }

    #[test]
    fn old_lines_go_and_their_numbers_stay() {
        let run = running();
        let (early, late) = (run.there(START_S + 60), run.there(START_S + 86_400));
        assert_eq!(early.start, 0);
        assert_eq!(late.end - late.start, KEPT_MAX);
        assert!(late.start > early.end);
    }
}
