//! What is printed of a part of logs: lines for stdout, and for stderr what happened between them. Pure.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use page::cells;
use page::logs::stamp;
use shared::frame::client::{LogHas, LogTime};
use shared::frame::server::{LogEntry, LogMark, LogSource, SourceState};

/// How lines are printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) has_times: bool,
    pub(super) has_prefix: bool,
    /// The same where several clusters are read.
    pub(super) has_prefix_of_several: bool,
    pub(super) bytes_max: Option<u64>,
    /// Stdout is a terminal, which would obey control characters.
    pub(super) is_terminal: bool,
}

/// Prints the entries of the sources as they are told. It owns how far each log was printed, over connections. There is an
/// answer for each cluster, which is known by its number.
#[derive(Debug)]
pub(super) struct Printer {
    style: Style,
    /// The clusters of the answers.
    clusters: Vec<Box<str>>,
    /// By their answers and their numbers in this connection.
    sources: BTreeMap<(usize, u32), Name>,
    printed: HashMap<Name, Printed>,
    /// The color of each pod, by its answer and its name.
    colors: HashMap<(usize, Box<str>), usize>,
    refused: usize,
}

/// A container.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Name {
    answer: usize,
    pod: Box<str>,
    container: Box<str>,
}

/// How far one log was printed.
#[derive(Debug, Default)]
struct Printed {
    at: Option<LogTime>,
    /// How many lines have that time.
    lines: u32,
    bytes: u64,
    is_over: bool,
}

/// What one part has for the two streams.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Out {
    pub(super) stdout: String,
    pub(super) stderr: Vec<String>,
}

const COLORS: [&str; 6] = ["36", "33", "35", "32", "34", "31"];

impl Printer {
    pub(super) fn new(style: Style) -> Self {
        Self {
            style,
            clusters: Vec::new(),
            sources: BTreeMap::new(),
            printed: HashMap::new(),
            colors: HashMap::new(),
            refused: 0,
        }
    }

    /// Adds an answer, of this cluster. Its number is how many answers there were before.
    pub(super) fn add(&mut self, cluster: &str) {
        self.clusters.push(cluster.into());
    }

    /// Another connection numbers the sources anew.
    pub(super) fn begin(&mut self, answer: usize) {
        self.sources.retain(|(of, _), _| *of != answer);
    }

    /// How far each log was printed.
    pub(super) fn has(&self, answer: usize) -> Vec<LogHas> {
        let has =
            self.printed.iter().filter(|(name, _)| name.answer == answer).filter_map(|(name, printed)| {
                let (pod, container) = (name.pod.clone(), name.container.clone());
                Some(LogHas { pod, container, at: printed.at?, lines: printed.lines })
            });
        has.collect()
    }

    /// Whether it met no log of it yet.
    pub(super) fn is_new(&self, answer: usize) -> bool {
        self.printed.keys().all(|name| name.answer != answer)
    }

    /// Whether some log can't be read.
    pub(super) fn is_incomplete(&self) -> bool {
        self.refused > 0
    }

    /// Whether of each log so much was printed as is wanted.
    pub(super) fn is_full(&self, answer: usize) -> bool {
        let is_full = |name: &Name| {
            self.printed.get(name).is_some_and(|of| {
                of.is_over || self.style.bytes_max.is_some_and(|bytes_max| of.bytes >= bytes_max)
            })
        };
        let mut names = self.sources.values().filter(|name| name.answer == answer).peekable();
        self.style.bytes_max.is_some() && names.peek().is_some() && names.all(is_full)
    }

    /// `eu-1: ` before a sentence, where several clusters are read.
    pub(super) fn before_sentence(&self, answer: usize) -> String {
        self.cluster(answer).map(|cluster| format!("{cluster}: ")).unwrap_or_default()
    }

    fn cluster(&self, answer: usize) -> Option<&str> {
        self.clusters.get(answer).filter(|_| self.clusters.len() > 1).map(|name| &**name)
    }

    pub(super) fn meet(&mut self, answer: usize, source: &LogSource) {
        let name = Name { answer, pod: source.pod.clone(), container: source.container.clone() };
        let color = self.colors.len();
        self.colors.entry((answer, name.pod.clone())).or_insert(color);
        let printed = self.printed.entry(name.clone()).or_default();
        printed.is_over = matches!(source.state, SourceState::Ended | SourceState::Refused);
        self.sources.insert((answer, source.n), name);
    }

    pub(super) fn print(&mut self, answer: usize, entry: &LogEntry, out: &mut Out) {
        let Some(name) = self.sources.get(&(answer, entry.n)).cloned() else { return };
        match (&entry.text, entry.mark) {
            (Some(text), _) => self.line(&name, entry, text, &mut out.stdout),
            (None, Some(mark)) => {
                self.refused += usize::from(mark == LogMark::Refused);
                let cluster = self.cluster(answer).map(|cluster| format!("{cluster}/")).unwrap_or_default();
                let said = in_words(mark, entry);
                out.stderr.push(format!("{cluster}{}/{}: {said}", name.pod, name.container));
            }
            (None, None) => {}
        }
    }

    fn line(&mut self, name: &Name, entry: &LogEntry, text: &str, out: &mut String) {
        let Style { has_times, has_prefix, has_prefix_of_several, bytes_max, is_terminal } = self.style;
        let printed = self.printed.entry(name.clone()).or_default();
        if let Some(at) = entry.at {
            match printed.at {
                Some(before) if before == at => printed.lines += 1,
                Some(before) if before > at => {}
                _ => (printed.at, printed.lines) = (Some(at), 1),
            }
        }
        let time = entry.at.filter(|_| has_times).map(|at| format!("{} ", stamp(at))).unwrap_or_default();
        let cut = match entry.cut {
            0 => String::new(),
            bytes => format!(" … ({bytes} bytes more)"),
        };
        let line = format!("{time}{text}{cut}\n");
        let room = bytes_max.map_or(usize::MAX, |most| {
            usize::try_from(most.saturating_sub(printed.bytes)).unwrap_or(usize::MAX)
        });
        if room == 0 {
            return;
        }
        printed.bytes += u64::try_from(line.len()).unwrap_or(u64::MAX);
        let cluster = self.cluster(name.answer);
        if if cluster.is_some() { has_prefix_of_several } else { has_prefix } {
            let cluster = cluster.map(|cluster| format!("{cluster}/")).unwrap_or_default();
            let prefix = format!("[{cluster}pod/{}/{}] ", name.pod, name.container);
            let color = self.colors.get(&(name.answer, name.pod.clone()));
            match color.and_then(|at| COLORS.get(at % COLORS.len())) {
                Some(color) if is_terminal => out.push_str(&format!("\x1b[{color}m{prefix}\x1b[0m")),
                _ => out.push_str(&prefix),
            }
        }
        let whole = line.get(..room.min(line.len())).unwrap_or_else(|| {
            let end = line.floor_char_boundary(room);
            line.get(..end).unwrap_or_default()
        });
        match (is_terminal, whole.strip_suffix('\n')) {
            (true, Some(text)) => {
                out.push_str(&shown(text));
                out.push('\n');
            }
            (true, None) => out.push_str(&shown(whole)),
            (false, _) => out.push_str(whole),
        }
    }
}

/// Colours are obeyed until the end of the line, tabs as well, and all else is shown.
fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(|character: char| character.is_control() || !character.is_ascii()) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    let (mut rest, mut has_color) = (text, false);
    while let Some(begin) = rest.find('\x1b') {
        let (before, escape) = rest.split_at(begin);
        shown.push_str(&cells::shown_with_tabs(before));
        let length = color_length(escape);
        let (color, after) = escape.split_at(length.unwrap_or(1));
        match length {
            Some(_) => shown.push_str(color),
            None => shown.push_str(&cells::shown(color)),
        }
        has_color |= length.is_some();
        rest = after;
    }
    shown.push_str(&cells::shown_with_tabs(rest));
    if has_color {
        shown.push_str("\x1b[0m");
    }
    Cow::Owned(shown)
}

/// The length of a sequence that sets colours. `None`: it does something else.
fn color_length(escape: &str) -> Option<usize> {
    let rest = escape.strip_prefix("\x1b[")?;
    let end = rest.find(|character: char| !matches!(character, '0'..='9' | ';' | ':'))?;
    rest.get(end..)?.starts_with('m').then_some(2 + end + 1)
}

fn in_words(mark: LogMark, entry: &LogEntry) -> String {
    let code = entry.exit_code.map_or(String::new(), |code| format!(" (exit {code})"));
    match mark {
        LogMark::Restarted => format!("the container was restarted{code}"),
        LogMark::MayMiss => "lines may be missing here".to_owned(),
        LogMark::Ended => format!("the container has ended{code}"),
        LogMark::Deleted => "the pod is gone".to_owned(),
        LogMark::Skipped => format!("{} lines were skipped", entry.lines),
        LogMark::Refused => {
            entry.problem.as_ref().map_or("it can't be read", |problem| &problem.message).to_owned()
        }
        LogMark::Unknown => "something happened that this version doesn't know; update it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::frame::server::LogPart;

    use super::*;

    fn printer(style: Style) -> Printer {
        let mut printer = Printer::new(style);
        add(&mut printer, "eu-1");
        printer
    }

    /// An answer of two pods.
    fn add(printer: &mut Printer, cluster: &str) {
        let answer = printer.clusters.len();
        printer.add(cluster);
        let part = part(&json!({"sources": [
            {"n": 0, "pod": "cart-0", "container": "cart", "state": "read"},
            {"n": 1, "pod": "cart-1", "container": "cart", "state": "read"},
        ]}));
        part.sources.iter().for_each(|source| printer.meet(answer, source));
    }

    fn print(printer: &mut Printer, answer: usize, entries: &Value) -> Out {
        let mut out = Out::default();
        for entry in &part(&json!({"entries": entries})).entries {
            printer.print(answer, entry, &mut out);
        }
        out
    }

    fn part(part: &Value) -> LogPart {
        serde_json::from_value(part.clone()).expect("a part")
    }

    const PLAIN: Style = Style {
        has_times: false,
        has_prefix: false,
        has_prefix_of_several: true,
        bytes_max: None,
        is_terminal: false,
    };

    fn printed(style: Style, entries: &Value) -> Out {
        print(&mut printer(style), 0, entries)
    }

    #[test]
    fn lines_go_to_stdout_as_they_are_and_marks_to_stderr() {
        let entries = json!([
            {"n": 0, "at": [1_772_359_200_000_i64, 5], "text": "\u{1b}]0;x\u{7}a\tb"},
            {"n": 0, "mark": "restarted", "exit_code": 137},
            {"n": 1, "mark": "skipped", "lines": 3},
            {"n": 1, "text": "c", "cut": 9},
            {"n": 9, "text": "of nothing"},
        ]);
        let out = printed(PLAIN, &entries);
        assert_eq!(out.stdout, "\u{1b}]0;x\u{7}a\tb\nc … (9 bytes more)\n");
        assert_eq!(
            out.stderr,
            ["cart-0/cart: the container was restarted (exit 137)", "cart-1/cart: 3 lines were skipped"]
        );
        let out = printed(Style { has_times: true, has_prefix: true, ..PLAIN }, &entries);
        let first = out.stdout.lines().next().expect("a line");
        assert_eq!(first, "[pod/cart-0/cart] 2026-03-01T10:00:00.000000005Z \u{1b}]0;x\u{7}a\tb");
    }

    #[test]
    fn r_log_2_a_terminal_obeys_colours_and_nothing_else() {
        let style = Style { is_terminal: true, ..PLAIN };
        for (text, expected) in [
            ("plain", "plain"),
            ("a\tb", "a\tb"),
            ("\u{1b}[31mred", "\u{1b}[31mred\u{1b}[0m"),
            ("\u{1b}[1;38:5:9mx\u{1b}[0m", "\u{1b}[1;38:5:9mx\u{1b}[0m\u{1b}[0m"),
            ("\u{1b}[2Jx", "␛[2Jx"),
            ("\u{1b}]0;t\u{7}", "␛]0;t␇"),
            ("a\r\u{8}b\u{202e}", "a␍␈b⟨202E⟩"),
            ("\u{1b}", "␛"),
        ] {
            let out = printed(style, &json!([{"n": 0, "text": text}]));
            assert_eq!(out.stdout, format!("{expected}\n"));
        }
    }

    #[test]
    fn a_limit_of_bytes_is_of_each_container_and_cuts_a_line() {
        let mut printer = printer(Style { bytes_max: Some(5), has_prefix: true, ..PLAIN });
        let entries = json!([{"n": 0, "text": "abc"}, {"n": 0, "text": "def"}, {"n": 1, "text": "x"}]);
        let out = print(&mut printer, 0, &entries);
        assert_eq!(out.stdout, "[pod/cart-0/cart] abc\n[pod/cart-0/cart] d[pod/cart-1/cart] x\n");
        assert!(!printer.is_full(0));
        print(&mut printer, 0, &json!([{"n": 0, "text": "no more"}, {"n": 1, "text": "yyy"}]));
        assert!(printer.is_full(0));
    }

    #[test]
    fn another_connection_goes_on_behind_what_was_printed() {
        let mut printer = printer(PLAIN);
        let entries = json!([
            {"n": 0, "at": [7, 1], "text": "a"}, {"n": 0, "at": [7, 1], "text": "b"}, {"n": 0, "at": [6, 1], "text": "late"},
        ]);
        print(&mut printer, 0, &entries);
        let has = printer.has(0);
        assert_eq!(
            has,
            [LogHas {
                pod: "cart-0".into(),
                container: "cart".into(),
                at: LogTime { ms: 7, ns: 1 },
                lines: 2
            }]
        );
        printer.begin(0);
        assert_eq!(printer.has(0), has);
    }

    #[test]
    fn equal_pods_of_several_clusters_are_apart_and_each_line_names_its_own() {
        let mut printer = printer(PLAIN);
        add(&mut printer, "eu-2");
        let out = print(&mut printer, 0, &json!([{"n": 0, "at": [7, 0], "text": "a"}]));
        assert_eq!(out.stdout, "[eu-1/pod/cart-0/cart] a\n");
        let out = print(
            &mut printer,
            1,
            &json!([{"n": 0, "at": [9, 0], "text": "b"}, {"n": 1, "mark": "deleted"}]),
        );
        assert_eq!(out.stdout, "[eu-2/pod/cart-0/cart] b\n");
        assert_eq!(out.stderr, ["eu-2/cart-1/cart: the pod is gone"]);
        let at = |answer: usize| printer.has(answer).iter().map(|has| has.at.ms).collect::<Vec<_>>();
        assert_eq!((at(0), at(1)), (vec![7], vec![9]));
        printer.begin(1);
        let out = print(&mut printer, 1, &json!([{"n": 0, "text": "of nothing"}]));
        assert_eq!((out, printer.is_new(1), printer.is_new(2)), (Out::default(), false, true));
        let mut of_one = Printer::new(Style { has_prefix: true, has_prefix_of_several: false, ..PLAIN });
        add(&mut of_one, "eu-1");
        let line = json!([{"n": 0, "text": "a"}]);
        assert_eq!(print(&mut of_one, 0, &line).stdout, "[pod/cart-0/cart] a\n");
        add(&mut of_one, "eu-2");
        assert_eq!(print(&mut of_one, 0, &line).stdout, "a\n");
    }
}
