//! What is printed of a part of logs: lines for stdout, and for stderr what happened between them. Pure.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use page::cells;
use page::logs::stamp;
use shared::frame::client::{LogHas, LogTime};
use shared::frame::server::{LogEntry, LogMark, LogPart, LogSource, SourceState};

/// How lines are printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) has_times: bool,
    pub(super) has_prefix: bool,
    pub(super) bytes_max: Option<u64>,
    /// Stdout is a terminal, which would obey control characters.
    pub(super) is_terminal: bool,
}

/// Prints the entries of the sources as they are told. It owns how far each log was printed, over connections.
#[derive(Debug)]
pub(super) struct Printer {
    style: Style,
    /// By their numbers in this connection.
    sources: BTreeMap<u32, Name>,
    printed: HashMap<Name, Printed>,
    /// The color of each pod, by its name.
    colors: HashMap<Box<str>, usize>,
    refused: usize,
}

type Name = (Box<str>, Box<str>);

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
        Self { style, sources: BTreeMap::new(), printed: HashMap::new(), colors: HashMap::new(), refused: 0 }
    }

    /// Another connection numbers the sources anew.
    pub(super) fn begin(&mut self) {
        self.sources.clear();
    }

    /// How far each log was printed.
    pub(super) fn has(&self) -> Vec<LogHas> {
        let has = self.printed.iter().filter_map(|((pod, container), printed)| {
            let Printed { at, lines, .. } = printed;
            Some(LogHas { pod: pod.clone(), container: container.clone(), at: (*at)?, lines: *lines })
        });
        has.collect()
    }

    /// Whether it met no log yet.
    pub(super) fn is_new(&self) -> bool {
        self.printed.is_empty()
    }

    /// Whether some log can't be read.
    pub(super) fn is_incomplete(&self) -> bool {
        self.refused > 0
    }

    /// Whether of each log so much was printed as is wanted.
    pub(super) fn is_full(&self) -> bool {
        let is_full = |name: &Name| {
            self.printed.get(name).is_some_and(|of| {
                of.is_over || self.style.bytes_max.is_some_and(|bytes_max| of.bytes >= bytes_max)
            })
        };
        self.style.bytes_max.is_some() && !self.sources.is_empty() && self.sources.values().all(is_full)
    }

    pub(super) fn print(&mut self, part: &LogPart) -> Out {
        let mut out = Out::default();
        for source in &part.sources {
            self.meet(source);
        }
        for entry in &part.entries {
            let Some(name) = self.sources.get(&entry.n).cloned() else { continue };
            match (&entry.text, entry.mark) {
                (Some(text), _) => self.line(&name, entry, text, &mut out.stdout),
                (None, Some(mark)) => {
                    self.refused += usize::from(mark == LogMark::Refused);
                    out.stderr.push(format!("{}/{}: {}", name.0, name.1, in_words(mark, entry)));
                }
                (None, None) => {}
            }
        }
        out
    }

    fn meet(&mut self, source: &LogSource) {
        let name = (source.pod.clone(), source.container.clone());
        let color = self.colors.len();
        self.colors.entry(name.0.clone()).or_insert(color);
        let printed = self.printed.entry(name.clone()).or_default();
        printed.is_over = matches!(source.state, SourceState::Ended | SourceState::Refused);
        self.sources.insert(source.n, name);
    }

    fn line(&mut self, name: &Name, entry: &LogEntry, text: &str, out: &mut String) {
        let Style { has_times, has_prefix, bytes_max, is_terminal } = self.style;
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
        if has_prefix {
            let prefix = format!("[pod/{}/{}] ", name.0, name.1);
            match self.colors.get(&name.0).and_then(|at| COLORS.get(at % COLORS.len())) {
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

    use super::*;

    fn printer(style: Style) -> Printer {
        let mut printer = Printer::new(style);
        printer.print(&part(&json!({"sources": [
            {"n": 0, "pod": "cart-0", "container": "cart", "state": "read"},
            {"n": 1, "pod": "cart-1", "container": "cart", "state": "read"},
        ]})));
        printer
    }

    fn part(part: &Value) -> LogPart {
        serde_json::from_value(part.clone()).expect("a part")
    }

    const PLAIN: Style = Style { has_times: false, has_prefix: false, bytes_max: None, is_terminal: false };

    fn printed(style: Style, entries: &Value) -> Out {
        printer(style).print(&part(&json!({"entries": entries})))
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
        let out = printer.print(&part(&json!({"entries": entries})));
        assert_eq!(out.stdout, "[pod/cart-0/cart] abc\n[pod/cart-0/cart] d[pod/cart-1/cart] x\n");
        assert!(!printer.is_full());
        printer.print(&part(&json!({"entries": [{"n": 0, "text": "no more"}, {"n": 1, "text": "yyy"}]})));
        assert!(printer.is_full());
    }

    #[test]
    fn another_connection_goes_on_behind_what_was_printed() {
        let mut printer = printer(PLAIN);
        printer.print(&part(&json!({"entries": [
            {"n": 0, "at": [7, 1], "text": "a"}, {"n": 0, "at": [7, 1], "text": "b"}, {"n": 0, "at": [6, 1], "text": "late"},
        ]})));
        let has = printer.has();
        assert_eq!(
            has,
            [LogHas {
                pod: "cart-0".into(),
                container: "cart".into(),
                at: LogTime { ms: 7, ns: 1 },
                lines: 2
            }]
        );
        printer.begin();
        assert_eq!(printer.has(), has);
    }
}
