//! A line that is a JSON object: in one line with what matters first, or unfolded. Keys stay in their order and numbers as they
//! were written, so nothing is read into values.

use super::level::KEYS;

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Key,
    Value,
    Level,
    /// Signs and spaces.
    Sign,
}

/// Keys of what a line says, and of its time, which stands before it.
const MESSAGES: [&str; 3] = ["msg", "message", "event"];
const TIMES: [&str; 5] = ["ts", "time", "timestamp", "@timestamp", "t"];

const DEPTH_MAX: usize = 64;

/// Whether a line looks like an object. What it is shows when it is drawn.
pub(super) fn looks_so(text: &str) -> bool {
    text.len() > 2 && text.starts_with('{') && text.ends_with('}')
}

/// `info listening addr=0.0.0.0:8080`. `None`: it isn't an object.
pub(super) fn in_a_line(text: &str) -> Option<Vec<Token>> {
    let pairs = pairs(text)?;
    let of = |keys: &[&str]| keys.iter().find_map(|key| pairs.iter().find(|(name, _)| name == key));
    let (level, said) = (of(&KEYS), of(&MESSAGES));
    let mut tokens = Vec::new();
    let token = |kind, text: &str| Token { kind, text: text.to_owned() };
    for (pair, kind) in [(level, Kind::Level), (said, Kind::Value)] {
        if let Some((_, value)) = pair {
            tokens.extend([Token { kind, text: inner(value) }, token(Kind::Sign, " ")]);
        }
    }
    let is_said = |key: &String| {
        [level, said].into_iter().flatten().any(|(name, _)| name == key) || TIMES.contains(&&**key)
    };
    for (key, value) in pairs.iter().filter(|(key, _)| !is_said(key)) {
        tokens.extend([
            Token { kind: Kind::Key, text: format!("{key}=") },
            Token { kind: Kind::Value, text: inner(value) },
            token(Kind::Sign, " "),
        ]);
    }
    Some(tokens)
}

/// Each field in a line of its own. The line breaks of a text, as a stack trace has them, are breaks here too.
pub(super) fn unfolded(text: &str) -> Vec<Vec<Token>> {
    let mut lines = Lines::default();
    let mut rest = text;
    let mut is_key = false;
    let mut inside = Vec::new();
    while let Some(first) = rest.chars().next() {
        match first {
            '{' | '[' => {
                inside.push(first);
                lines.sign(first);
                let closing = if first == '{' { '}' } else { ']' };
                let behind = rest.get(1..).unwrap_or_default().trim_start();
                if let Some(behind) = behind.strip_prefix(closing) {
                    inside.pop();
                    lines.sign(closing);
                    rest = behind;
                    continue;
                }
                lines.end(inside.len());
                is_key = first == '{';
            }
            '}' | ']' => {
                inside.pop();
                lines.end(inside.len());
                lines.sign(first);
            }
            ',' => {
                lines.sign(first);
                lines.end(inside.len());
                is_key = inside.last() == Some(&'{');
            }
            ':' => {
                lines.push(Kind::Sign, ": ");
                is_key = false;
            }
            ' ' | '\t' => {}
            _ => {
                let (value, behind) = scalar(rest);
                lines.value(if is_key { Kind::Key } else { Kind::Value }, value, inside.len());
                rest = behind;
                continue;
            }
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    lines.done.push(lines.line);
    lines.done
}

#[derive(Default)]
struct Lines {
    done: Vec<Vec<Token>>,
    line: Vec<Token>,
}

impl Lines {
    fn push(&mut self, kind: Kind, text: &str) {
        self.line.push(Token { kind, text: text.to_owned() });
    }

    fn sign(&mut self, sign: char) {
        self.push(Kind::Sign, sign.encode_utf8(&mut [0; 4]));
    }

    fn end(&mut self, depth: usize) {
        self.done.push(std::mem::take(&mut self.line));
        self.push(Kind::Sign, &"  ".repeat(depth.min(DEPTH_MAX)));
    }

    fn value(&mut self, kind: Kind, value: &str, depth: usize) {
        if kind == Kind::Key || !value.contains("\\n") {
            return self.push(kind, value);
        }
        for (at, part) in value.replace("\\t", "    ").split("\\n").enumerate() {
            if at > 0 {
                self.end(depth + 1);
            }
            self.push(kind, part);
        }
    }
}

/// The fields of an object, with each value as it is written. `None`: it isn't one.
fn pairs(text: &str) -> Option<Vec<(String, &str)>> {
    let mut rest = text.strip_prefix('{')?.trim_start();
    let mut pairs = Vec::new();
    while !rest.starts_with('}') {
        if !rest.starts_with('"') {
            return None;
        }
        let (key, behind) = scalar(rest);
        let value = behind.trim_start().strip_prefix(':')?.trim_start();
        let length = value_length(value)?;
        let (value, behind) = value.split_at_checked(length)?;
        pairs.push((inner(key), value.trim_end()));
        rest = behind.trim_start();
        rest = rest.strip_prefix(',').map_or(rest, str::trim_start);
    }
    rest.strip_prefix('}')?.trim().is_empty().then_some(pairs)
}

/// Until a comma or the end of what is around it.
fn value_length(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let rest = text.get(at..)?;
        match rest.chars().next()? {
            '{' | '[' => depth += 1,
            '}' | ']' if depth == 0 => return Some(at),
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => return Some(at),
            '"' => {
                at += scalar(rest).0.len();
                continue;
            }
            _ => {}
        }
        at += rest.chars().next().map_or(1, char::len_utf8);
    }
}

/// A text with its quotes, or a word or a number; and what stands behind it.
fn scalar(text: &str) -> (&str, &str) {
    let end = if text.starts_with('"') {
        let mut is_escaped = false;
        let close = text.char_indices().skip(1).find(|(_, character)| {
            let closes = *character == '"' && !is_escaped;
            is_escaped = *character == '\\' && !is_escaped;
            closes
        });
        close.map(|(at, _)| at + 1)
    } else {
        text.char_indices().skip(1).map(|(at, _)| at).find(|at| {
            text.get(*at..).is_some_and(|rest| rest.starts_with(['{', '}', '[', ']', ',', ':', '"', ' ']))
        })
    };
    text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""))
}

/// A text without its quotes; what is escaped in it stays so, but for quotes and slashes.
fn inner(value: &str) -> String {
    match value.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) if text.contains('\\') => text.replace("\\\"", "\"").replace("\\/", "/"),
        Some(text) => text.to_owned(),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(tokens: &[Token]) -> String {
        tokens.iter().map(|token| &*token.text).collect::<String>().trim_end().to_owned()
    }

    #[test]
    fn what_matters_stands_first_and_the_rest_in_its_order() {
        for (text, line) in [
            (
                r#"{"ts":1.5,"b":2.50,"level":"warn","a":{"x":[1,"}"]},"msg":"slow \"query\""}"#,
                Some(r#"warn slow "query" b=2.50 a={"x":[1,"}"]}"#),
            ),
            (r#"{ "message" : "ä, ö" , "n" : null }"#, Some("ä, ö n=null")),
            ("{}", Some("")),
            ("{a}", None),
            (r#"{"a":1"#, None),
            (r#"{"a":1}}"#, None),
            (r#"{"a"}"#, None),
        ] {
            assert_eq!(in_a_line(text).as_deref().map(plain).as_deref(), line, "{text}");
        }
    }

    #[test]
    fn an_object_unfolds_field_by_field() {
        let text = r#"{"a":1,"b":{"c":[true,"x, y"],"d":{}},"stack":"main\n\tat x"}"#;
        let lines: Vec<String> = unfolded(text).iter().map(|line| plain(line)).collect();
        assert_eq!(
            lines,
            [
                "{",
                r#"  "a": 1,"#,
                r#"  "b": {"#,
                r#"    "c": ["#,
                "      true,",
                r#"      "x, y""#,
                "    ],",
                r#"    "d": {}"#,
                "  },",
                r#"  "stack": "main"#,
                r#"        at x""#,
                "}",
            ]
        );
    }

    #[test]
    fn no_text_is_lost_and_none_is_endless() {
        let pieces = ["{", "}", "[", "]", "\"", ",", ":", "a", "\\", "ä", " ", "\\n"];
        let mut seed = 3_usize;
        for _ in 0..50_000 {
            let mut text = String::from("{");
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(seed >> 33) % pieces.len()]);
            }
            let _ = in_a_line(&text);
            let kept = |text: &str| text.replace(' ', "").replace("\\n", "");
            let shown: String = unfolded(&text).iter().flatten().map(|token| &*token.text).collect();
            assert_eq!(kept(&shown), kept(&text), "{text}");
        }
    }
}
