//! Each transition in a table, and any cut of a log that a kubelet serves.

use super::*;

fn running(run: &str) -> LogInput<'static> {
    LogInput::Looked(Some(Container { run: Some(run.into()), is_running: true, ..Container::default() }))
}

fn ended(run: &str, exit_code: i64, is_over: bool) -> LogInput<'static> {
    let run = Some(run.into());
    LogInput::Looked(Some(Container { run, exit_code: Some(exit_code), is_over, ..Container::default() }))
}

fn restarted(run: &str, before: &str, exit_code: i64) -> LogInput<'static> {
    let before = Some(EndedRun { id: before.into(), exit_code });
    let container = Container { run: Some(run.into()), is_running: true, before, ..Container::default() };
    LogInput::Looked(Some(container))
}

/// The outputs in words, one input after the other.
fn told(inputs: Vec<LogInput<'static>>) -> Vec<String> {
    let (mut machine, outputs) = LogMachine::begin(100);
    let mut told: Vec<String> = outputs.iter().map(words).collect();
    for input in inputs {
        told.extend(machine.handle(input).iter().map(words));
    }
    told
}

fn words(output: &LogOutput) -> String {
    match output {
        LogOutput::Ask(LogQuestion { previous, since_s, tail }) => {
            let which = if *previous { "previous" } else { "log" };
            format!("{which} since {} tail {}", number(*since_s), number(*tail))
        }
        LogOutput::Look => "look".to_owned(),
        LogOutput::Wait(ms) => format!("wait {ms}"),
        LogOutput::Tell(LogEntry::Line(line)) => line.text.to_string(),
        LogOutput::Tell(LogEntry::Mark(mark)) => format!("{mark:?}"),
        LogOutput::Over => "over".to_owned(),
    }
}

fn number<N: ToString>(number: Option<N>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

const FIRST: &[u8] = b"1970-01-01T00:00:05.100000000Z a\n1970-01-01T00:00:05.200000000Z b\n";
const SECOND: &[u8] = b"1970-01-01T00:00:05.200000000Z b\n1970-01-01T00:00:06.000000000Z c\n";
const LATER: &[u8] = b"1970-01-01T00:00:06.500000000Z d\n";

#[test]
fn a_log_is_opened_anew_while_its_container_runs_and_what_was_told_is_dropped() {
    use LogInput::{Broken, Bytes, Due, Ended};
    let inputs =
        vec![running("1"), Bytes(FIRST), Ended, running("1"), Bytes(SECOND), Broken, Due, running("1")];
    assert_eq!(
        told(inputs),
        [
            "look",
            "log since - tail 100",
            "a",
            "b",
            "look",
            "log since 5 tail -",
            "c",
            "wait 250",
            "look",
            "log since 6 tail -"
        ]
    );
    let cut = vec![
        running("1"),
        Bytes(FIRST),
        Bytes(b"1970-01-01T00:00:06.0"),
        Broken,
        Due,
        running("1"),
        Bytes(SECOND),
    ];
    assert_eq!(told(cut)[4..], ["wait 250", "look", "log since 5 tail -", "c"], "half a line isn't told");
}

#[test]
fn answers_that_end_without_a_line_are_asked_for_ever_more_seldom() {
    use LogInput::{Bytes, Due, Ended};
    let mut inputs = vec![running("1"), Bytes(FIRST)];
    for _ in 0..8 {
        inputs.extend([Ended, running("1"), Due, running("1")]);
    }
    let waits: Vec<String> = told(inputs).into_iter().filter(|words| words.starts_with("wait")).collect();
    let expected = [500, 1_000, 2_000, 4_000, 8_000, PAUSE_MS_MAX, PAUSE_MS_MAX];
    assert_eq!(waits, expected.map(|ms| format!("wait {ms}")));
}

#[test]
fn lines_that_are_not_there_any_more_are_said_to_be_missing_perhaps() {
    use LogInput::{Bytes, Ended};
    let inputs = vec![running("1"), Bytes(FIRST), Ended, running("1"), Bytes(LATER)];
    assert_eq!(told(inputs)[5..], ["log since 5 tail -", "MayMiss", "d"]);
}

#[test]
fn a_restart_is_a_mark_after_the_last_line_of_the_run_before() {
    use LogInput::{Broken, Bytes, Due, Ended, Refused};
    // The answer ended with its run.
    let seen = vec![
        running("1"),
        Bytes(FIRST),
        Ended,
        restarted("2", "1", 137),
        Bytes(SECOND),
        Ended,
        restarted("2", "1", 137),
    ];
    assert_eq!(
        told(seen)[4..],
        [
            "look",
            "previous since 5 tail -",
            "c",
            "look",
            "Restarted { exit_code: Some(137), at_s: None }",
            "log since - tail -"
        ]
    );
    // It broke off before, and the kubelet has removed the file.
    let removed = vec![
        running("1"),
        Bytes(FIRST),
        Broken,
        Due,
        restarted("2", "1", 1),
        Refused,
        Due,
        restarted("2", "1", 1),
    ];
    assert_eq!(
        told(removed)[6..],
        [
            "previous since 5 tail -",
            "MayMiss",
            "wait 500",
            "look",
            "Restarted { exit_code: Some(1), at_s: None }",
            "log since - tail -"
        ]
    );
    // Two restarts since the last look.
    let two = vec![running("1"), Bytes(FIRST), Broken, Due, restarted("3", "2", 1)];
    assert_eq!(
        told(two)[6..],
        ["MayMiss", "Restarted { exit_code: None, at_s: None }", "log since - tail -"]
    );
}

#[test]
fn a_log_is_over_with_its_container_or_its_pod() {
    use LogInput::{Bytes, Due, Ended, Looked};
    let done = vec![
        running("1"),
        Bytes(FIRST),
        Ended,
        ended("1", 3, true),
        Bytes(SECOND),
        Ended,
        ended("1", 3, true),
        Due,
    ];
    assert_eq!(
        told(done)[4..],
        ["look", "log since 5 tail -", "c", "look", "Ended { exit_code: Some(3), at_s: None }", "over"]
    );
    let waits = vec![ended("1", 1, false), Bytes(FIRST), Ended, ended("1", 1, false)];
    assert_eq!(told(waits)[2..], ["a", "b", "look", "wait 250"], "another run may come");
    assert_eq!(told(vec![running("1"), Ended, Looked(None)])[2..], ["look", "Deleted", "over"]);
    let not_yet = vec![Looked(Some(Container::default())), Due, running("1")];
    assert_eq!(told(not_yet), ["look", "wait 250", "look", "log since - tail 100"]);
}

/// A kubelet with a log that grows, and is rotated now and then.
struct Kubelet {
    lines: Vec<(i64, String)>,
    first: usize,
    /// How many lines were written by now.
    written: usize,
}

impl Kubelet {
    fn served(&self, question: &LogQuestion) -> Vec<u8> {
        let lines = self.lines.get(self.first..self.written).expect("there");
        let skipped =
            question.tail.map_or(0, |tail| lines.len().saturating_sub(usize::try_from(tail).expect("few")));
        let since_ms = question.since_s.unwrap_or_default() * 1_000;
        let lines = lines.iter().skip(skipped).filter(|(at_ms, _)| *at_ms >= since_ms);
        lines
            .flat_map(|(at_ms, text)| {
                let time = jiff::Timestamp::from_millisecond(*at_ms).expect("a time");
                format!("{} {text}\n", time.strftime("%Y-%m-%dT%H:%M:%S%.9fZ")).into_bytes()
            })
            .collect()
    }
}

/// Reads such a log over cuts at any byte, and returns what was told: numbers of lines, and -1 for a mark.
fn read_over_cuts(seed: u64, rotates: bool) -> (usize, Vec<i64>) {
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut at_ms = 1_000_000;
    let lines = (0..300).map(|number| {
        // Several lines of one time, of one second, and pauses.
        at_ms += *chance.choice(&[0, 0, 1, 40, 400, 3_000]).expect("one");
        (at_ms, number.to_string())
    });
    let mut kubelet = Kubelet { lines: lines.collect(), first: 0, written: 20 };
    let (mut machine, mut outputs) = LogMachine::begin(u64::MAX);
    let mut told = Vec::new();
    while let Some(output) = outputs.pop() {
        let more = match output {
            LogOutput::Look => machine.handle(running("1")),
            LogOutput::Wait(_) => {
                if kubelet.written == kubelet.lines.len() && chance.u8(..4) == 0 {
                    break;
                }
                machine.handle(LogInput::Due)
            }
            LogOutput::Tell(LogEntry::Line(line)) => {
                told.push(line.text.parse().expect("a number"));
                Vec::new()
            }
            LogOutput::Tell(LogEntry::Mark(mark)) => {
                assert_eq!(mark, LogMark::MayMiss);
                told.push(-1);
                Vec::new()
            }
            LogOutput::Ask(question) => {
                let grown = kubelet.written + chance.usize(..30);
                kubelet.written = grown.min(kubelet.lines.len());
                if rotates && chance.u8(..6) == 0 {
                    kubelet.first = chance.usize(kubelet.first..kubelet.written);
                }
                let bytes = kubelet.served(&question);
                let is_last = kubelet.written == kubelet.lines.len() && chance.u8(..3) == 0;
                let cut = if is_last { bytes.len() } else { chance.usize(..=bytes.len()) };
                let piece = chance.usize(1..200);
                let mut more = Vec::new();
                for bytes in bytes.get(..cut).expect("there").chunks(piece) {
                    more.extend(machine.handle(LogInput::Bytes(bytes)));
                }
                // An API server ends an answer behind a line.
                let before = cut.checked_sub(1).and_then(|at| bytes.get(at));
                let is_clean = cut == bytes.len() || before == Some(&b'\n');
                let end = if is_clean && chance.bool() { LogInput::Ended } else { LogInput::Broken };
                more.extend(machine.handle(end));
                more
            }
            LogOutput::Over => break,
        };
        // The next output is the last of the list.
        outputs.splice(0..0, more.into_iter().rev());
    }
    (kubelet.lines.len(), told)
}

#[test]
fn any_cut_of_a_log_loses_no_line_and_doubles_none() {
    for seed in 0..400 {
        let (count, told) = read_over_cuts(seed, false);
        let expected: Vec<i64> = (0..i64::try_from(count).expect("few")).collect();
        assert!(expected.starts_with(&told), "seed {seed}: {told:?}");
    }
    let whole = (0..400).filter(|seed| read_over_cuts(*seed, false).1.len() == 300).count();
    assert!(whole > 200, "{whole} were read to the end");
}

#[test]
fn lines_of_files_that_were_rotated_away_are_never_missing_without_a_mark() {
    let mut gaps = 0;
    for seed in 0..400 {
        let (_, told) = read_over_cuts(seed, true);
        let mut last = None;
        let mut is_marked = false;
        for number in told {
            if number < 0 {
                is_marked = true;
                continue;
            }
            if let Some(last) = last {
                assert!(number > last, "seed {seed}: {number} after {last}");
                assert!(number == last + 1 || is_marked, "seed {seed}: {number} after {last} without a mark");
                gaps += usize::from(number > last + 1);
            }
            (last, is_marked) = (Some(number), false);
        }
    }
    assert!(gaps > 50, "{gaps} rotations took lines");
}
