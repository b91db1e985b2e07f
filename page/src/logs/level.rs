//! How bad a line says that it is: in JSON, in logfmt, as klog writes it, in brackets, or as a word in capitals. Nothing is
//! guessed from other words.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
    Fatal,
}

const NAMES: [(&str, Level); 19] = [
    ("trace", Level::Trace),
    ("trc", Level::Trace),
    ("verbose", Level::Trace),
    ("debug", Level::Debug),
    ("dbg", Level::Debug),
    ("info", Level::Info),
    ("inf", Level::Info),
    ("notice", Level::Info),
    ("information", Level::Info),
    ("warn", Level::Warn),
    ("wrn", Level::Warn),
    ("warning", Level::Warn),
    ("error", Level::Error),
    ("err", Level::Error),
    ("severe", Level::Error),
    ("fatal", Level::Fatal),
    ("critical", Level::Fatal),
    ("panic", Level::Fatal),
    ("emergency", Level::Fatal),
];

/// Keys of a level in JSON and logfmt.
pub(super) const KEYS: [&str; 6] = ["level", "severity", "lvl", "loglevel", "log.level", "@level"];

/// How lines begin that a runtime writes as it gives up.
const ENDS: [&str; 4] =
    ["panic: ", "fatal error: ", "Traceback (most recent call last)", "Exception in thread "];

/// Words of a line's beginning that may be its level: a date, a time, a thread and a logger stand before it.
const WORDS_MAX: usize = 6;

impl Level {
    /// `None`: the line doesn't say.
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.starts_with('{') {
            return KEYS.iter().find_map(|key| Self::of_value(after_json_key(text, key)?));
        }
        if ENDS.iter().any(|end| text.starts_with(end)) {
            return Some(Self::Fatal);
        }
        Self::of_klog(text).or_else(|| Self::of_logfmt(text)).or_else(|| Self::of_word(text))
    }

    /// A line that begins with a space or closes what was opened is part of the one before it, whose level is `held`.
    pub(super) fn of_line(text: &str, held: Option<Self>) -> Option<Self> {
        Self::of(text).or_else(|| held.filter(|_| text.starts_with([' ', '}', ')'])))
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        NAMES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, level)| *level)
    }

    /// A JSON value: a name, or a number as pino and bunyan have it.
    fn of_value(value: &str) -> Option<Self> {
        if let Some(name) = value.strip_prefix('"') {
            return Self::parse(name.split('"').next()?);
        }
        let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
        match digits.parse::<u16>().ok()? {
            10 => Some(Self::Trace),
            20 => Some(Self::Debug),
            30 => Some(Self::Info),
            40 => Some(Self::Warn),
            50 => Some(Self::Error),
            60 => Some(Self::Fatal),
            _ => None,
        }
    }

    /// `I1129 14:02:00.119874       1 leader.go:214] …`
    fn of_klog(text: &str) -> Option<Self> {
        let (head, rest) = text.split_at_checked(1)?;
        let day = rest.get(..4)?;
        if !day.bytes().all(|byte| byte.is_ascii_digit()) || rest.as_bytes().get(4) != Some(&b' ') {
            return None;
        }
        match head {
            "I" => Some(Self::Info),
            "W" => Some(Self::Warn),
            "E" => Some(Self::Error),
            "F" => Some(Self::Fatal),
            _ => None,
        }
    }

    fn of_logfmt(text: &str) -> Option<Self> {
        if !text.contains('=') {
            return None;
        }
        let value = |word: &str| {
            let (key, value) = word.split_once('=')?;
            let is_level = KEYS.iter().any(|known| key.eq_ignore_ascii_case(known));
            if is_level { Self::parse(value.trim_matches('"')) } else { None }
        };
        text.split(' ').take(WORDS_MAX * 2).find_map(value)
    }

    /// `[warn]`, `<Error>`, `ERROR:`, `| INFO |`
    fn of_word(text: &str) -> Option<Self> {
        let is_edge = |c: char| matches!(c, '[' | ']' | '<' | '>' | '(' | ')' | ':' | '|' | ',');
        let level = |word: &str| {
            let bare = word.trim_matches(is_edge);
            let is_bracketed = bare.len() < word.len() && !word.ends_with([':', ',']);
            let is_loud = bare.bytes().all(|byte| byte.is_ascii_uppercase());
            if is_bracketed || is_loud { Self::parse(bare) } else { None }
        };
        text.split_whitespace().take(WORDS_MAX).find_map(level)
    }
}

/// What stands behind a key of a JSON object. A cheap look, because each line is read so; a key of an inner object is taken
/// as well.
fn after_json_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = text;
    loop {
        let (_, behind) = rest.split_once(key)?;
        let is_key = text.len() - behind.len() > key.len()
            && text.as_bytes().get(text.len() - behind.len() - key.len() - 1) == Some(&b'"');
        let value = behind.strip_prefix('"').filter(|_| is_key);
        if let Some(value) = value.and_then(|value| value.trim_start().strip_prefix(':')) {
            return Some(value.trim_start());
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_bad_it_is() {
        for (text, level) in [
            (r#"{"ts":1,"level":"warn","msg":"x"}"#, Some(Level::Warn)),
            (r#"{"severity": "ERROR", "message": "level"}"#, Some(Level::Error)),
            (r#"{"msg":"level","level":50}"#, Some(Level::Error)),
            (r#"{"msg":"error"}"#, None),
            ("level=info ts=2026 caller=x", Some(Level::Info)),
            (r#"time="2026-11-29" level=warning msg="y""#, Some(Level::Warn)),
            ("E1129 14:02:00.119874       1 leader.go:214] lost", Some(Level::Error)),
            ("E112 x", None),
            ("2026-11-29 14:02:00,123 ERROR [main] org.Shop: no", Some(Level::Error)),
            ("[warn] slow", Some(Level::Warn)),
            ("2026/11/29 14:02:08 [error] 7#7: *1 open() failed", Some(Level::Error)),
            ("INFO:     Uvicorn running", Some(Level::Info)),
            ("an error that is only told of", None),
            ("warn: no", None),
            ("panic: runtime error", Some(Level::Fatal)),
            ("GET /error 200", None),
            ("", None),
        ] {
            assert_eq!(Level::of(text), level, "{text}");
        }
    }
}
