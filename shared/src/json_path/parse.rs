//! From a text to a path. Never an evaluation.

use serde_json::Value;

use super::{Comparison, Condition, JsonPath, PathError, Right, STEPS_MAX, Slice, Step};

impl JsonPath {
    /// As definitions write it: `.spec.x`, `$.spec.x`, `{.spec.x}`.
    /// Fails with what can't be read, and where.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let (start, end) = inside(text);
        Parser { text, at: start, end, in_filter: false }
            .path()
            .map_err(|(message, at)| place(text, message, at))
    }

    /// As `kubectl -o custom-columns` takes it: the first dot may be missing as well.
    /// Fails as [`JsonPath::parse`] does.
    pub fn parse_relaxed(text: &str) -> Result<Self, PathError> {
        let (start, end) = inside(text);
        let mut parser = Parser { text, at: start, end, in_filter: false };
        let steps = match parser.peek() {
            Some('.' | '[' | '$') => parser.path(),
            None => Err(("a path is expected, such as .metadata.name".to_owned(), start)),
            // The first field stands without its dot.
            Some(_) => parser.field().and_then(|first| {
                let mut path = parser.path()?;
                path.0.insert(0, first);
                Ok(path)
            }),
        };
        steps.map_err(|(message, at)| place(text, message, at))
    }
}

fn place(text: &str, message: String, at: usize) -> PathError {
    let character = text.get(..at).map_or(0, |before| before.chars().count()) + 1;
    PathError { message, at, character }
}

/// Between the braces, where there are some.
fn inside(text: &str) -> (usize, usize) {
    let end = text.trim_end().len();
    let start = text.len() - text.trim_start().len();
    match text.get(start..end).and_then(|trimmed| trimmed.strip_prefix('{')?.strip_suffix('}')) {
        Some(inner) => (start + 1, start + 1 + inner.len()),
        None => (start.min(end), end),
    }
}

type Refused = (String, usize);

struct Parser<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    /// A filter's path holds no other filter.
    in_filter: bool,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Refused> {
        Err((message.into(), self.at))
    }

    fn path(&mut self) -> Result<JsonPath, Refused> {
        let mut steps = Vec::new();
        self.take("$");
        while self.at < self.end {
            if steps.len() == STEPS_MAX {
                return self.refuse(format!("a path of more than {STEPS_MAX} steps"));
            }
            if self.rest().starts_with("..") {
                if steps.contains(&Step::Descend) {
                    return self.refuse("invalid multiple recursive descent");
                }
                self.at += 2;
                steps.push(Step::Descend);
                match self.peek() {
                    None => return self.refuse("a field is expected after .."),
                    Some('[') => {}
                    Some(_) => steps.push(self.field()?),
                }
            } else if self.take(".") {
                steps.push(self.field()?);
            } else if self.take("[") {
                steps.push(self.bracketed()?);
            } else {
                return self.unrecognized();
            }
        }
        Ok(JsonPath(steps))
    }

    fn unrecognized<T>(&self) -> Result<T, Refused> {
        match self.peek() {
            Some(character) => self.refuse(format!(
                "unrecognized character in action: U+{:04X} {character:?}",
                u32::from(character)
            )),
            None => self.refuse("unclosed action"),
        }
    }

    /// Up to the next `.` or `[`; `\.` is a dot within it.
    fn field(&mut self) -> Result<Step, Refused> {
        let start = self.at;
        let mut name = String::new();
        while let Some(character) = self.peek() {
            match character {
                '\\' => {
                    self.at += 1;
                    let Some(escaped) = self.peek() else { return self.refuse("unclosed action") };
                    name.push(escaped);
                    self.at += escaped.len_utf8();
                    continue;
                }
                '.' | '[' => break,
                ' ' | '\t' | '\r' | '\n' | ',' | ']' | '$' | '@' | '{' | '}' | '(' | ')' => {
                    return self.unrecognized();
                }
                other => name.push(other),
            }
            self.at += character.len_utf8();
        }
        match name.as_str() {
            "" => Err(("the name of a field is expected".to_owned(), start)),
            "*" => Ok(Step::All),
            name => Ok(Step::Field(name.into())),
        }
    }

    /// What stands between `[` and `]`.
    fn bracketed(&mut self) -> Result<Step, Refused> {
        let start = self.at - 1;
        if self.take("?(") {
            if self.in_filter {
                return Err(("a filter can't stand in another".to_owned(), start));
            }
            return self.filter(start);
        }
        let mut steps = Vec::new();
        loop {
            if steps.len() == STEPS_MAX {
                return self.refuse(format!("a union of more than {STEPS_MAX}"));
            }
            self.spaces();
            steps.push(self.element(start)?);
            self.spaces();
            if self.take("]") {
                break;
            }
            if !self.take(",") {
                return Err(("unterminated array".to_owned(), start));
            }
        }
        Ok(match (steps.pop(), steps.is_empty()) {
            (Some(step), true) => step,
            (last, _) => Step::Union(steps.into_iter().chain(last).collect()),
        })
    }

    fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches(' ').len();
    }

    /// A quoted name, `*`, an index or a slice.
    fn element(&mut self, start: usize) -> Result<Step, Refused> {
        if let Some(quote) = self.peek().filter(|first| matches!(first, '\'' | '"')) {
            let name = self.quoted(quote)?;
            // As kubectl asks for it; a dot of a key needs no escape here.
            return Ok(Step::Field(name.replace("\\.", ".").into()));
        }
        let length = self.rest().find([']', ',']);
        let Some(length) = length else { return Err(("unterminated array".to_owned(), start)) };
        let text = self.rest().get(..length).unwrap_or_default().trim();
        let step = match text {
            "*" => Some(Step::All),
            text if text.contains(':') => slice(text).map(Step::Slice),
            text => text.parse().ok().map(Step::Index),
        };
        let Some(step) = step else { return self.refuse(format!("invalid array index {text}")) };
        self.at += length;
        Ok(step)
    }

    fn quoted(&mut self, quote: char) -> Result<String, Refused> {
        let start = self.at;
        let body = self.rest().get(1..).unwrap_or_default();
        let mut escaped = false;
        for (place, character) in body.char_indices() {
            if character == quote && !escaped {
                self.at += place + 2;
                return Ok(body
                    .get(..place)
                    .unwrap_or_default()
                    .replace(&format!("\\{quote}"), &quote.to_string()));
            }
            escaped = character == '\\' && !escaped;
        }
        Err(("unterminated quoted string".to_owned(), start))
    }

    fn filter(&mut self, start: usize) -> Result<Step, Refused> {
        self.spaces();
        let left = self.path_of_item(start)?;
        self.spaces();
        let compared = match self.comparison() {
            Some(comparison) => {
                self.spaces();
                Some((comparison, self.operand(start)?))
            }
            None if self.rest().starts_with(['=', '!', '<', '>', '~']) => {
                let sign: String = self.rest().chars().take_while(|c| "=!<>~".contains(*c)).collect();
                return self.refuse(format!("unrecognized filter operator {sign}"));
            }
            None => None,
        };
        self.spaces();
        if !self.take(")") {
            return Err(("unterminated filter".to_owned(), start));
        }
        if !self.take("]") {
            return self.refuse("unclosed array expect ]");
        }
        Ok(Step::Where(Condition { left, compared }))
    }

    fn comparison(&mut self) -> Option<Comparison> {
        // The longer ones first: `<=` begins as `<` does.
        let signs = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        signs.into_iter().find(|(sign, _)| self.take(sign)).map(|(_, comparison)| comparison)
    }

    /// `@.type`: up to what can't be of a path.
    fn path_of_item(&mut self, start: usize) -> Result<JsonPath, Refused> {
        if !self.take("@") {
            return self.refuse("a filter begins with @, such as ?(@.type==\"Ready\")");
        }
        let mut brackets = 0_usize;
        let end = self.rest().char_indices().find(|(_, character)| {
            match character {
                '[' => brackets += 1,
                ']' => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            brackets == 0 && matches!(character, '=' | '!' | '<' | '>' | '~' | ')' | ' ')
        });
        let Some((length, _)) = end else { return Err(("unterminated filter".to_owned(), start)) };
        let end = self.at + length;
        let path = Parser { text: self.text, at: self.at, end, in_filter: true }.path()?;
        self.at = end;
        Ok(path)
    }

    fn operand(&mut self, start: usize) -> Result<Right, Refused> {
        if let Some(quote) = self.peek().filter(|first| matches!(first, '\'' | '"')) {
            return Ok(Right::Literal(Value::String(self.quoted(quote)?)));
        }
        if self.rest().starts_with('@') {
            return Ok(Right::Path(self.path_of_item(start)?));
        }
        let Some(length) = self.rest().find(')') else {
            return Err(("unterminated filter".to_owned(), start));
        };
        let text = self.rest().get(..length).unwrap_or_default().trim_end();
        match crate::json::read(text) {
            Ok(literal @ (Value::Bool(_) | Value::Number(_))) => {
                self.at += length;
                Ok(Right::Literal(literal))
            }
            _ => self.refuse(format!("unrecognized identifier {text}")),
        }
    }
}

fn slice(text: &str) -> Option<Slice> {
    let mut parts = text.split(':');
    let mut bound = || match parts.next().map(str::trim) {
        None | Some("") => Some(None),
        Some(number) => number.parse::<i64>().ok().map(Some),
    };
    let (start, end, step) = (bound()?, bound()?, bound()?);
    let step = usize::try_from(step.unwrap_or(1)).ok().filter(|step| *step > 0)?;
    parts.next().is_none().then_some(Slice { start, end, step })
}
