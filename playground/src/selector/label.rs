//! Label selectors: `a=b,c!=d,e in (f,g),h,!i,j>5`, by a small lexer and parser.
//! It never looks at anything but labels.

use std::collections::{BTreeMap, BTreeSet};

use super::name::{check_key, check_value};

/// Requirements that must all hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Exists,
    Absent,
    In(Vec<String>),
    NotIn(Vec<String>),
    Above(i64),
    Below(i64),
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Mark(&'static str),
    End,
}

impl LabelSelector {
    /// Reads a selector.
    ///
    /// # Errors
    /// The real server's message, answered with 400.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { tokens: lex(text), at: 0 };
        Ok(Self { requirements: parser.selector()? })
    }

    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.requirements.iter().all(|wanted| wanted.test.holds(labels.get(&wanted.key)))
    }
}

impl Test {
    fn holds(&self, value: Option<&String>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::In(values) => value.is_some_and(|value| values.contains(value)),
            Self::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Self::Above(bound) => number().is_some_and(|number| number > *bound),
            Self::Below(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Token {
        self.tokens.get(self.at).cloned().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn selector(&mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                Token::Word(_) | Token::Mark("!") => {
                    let found =
                        self.requirement().map_err(|why| format!("unable to parse requirement: {why}"))?;
                    requirements.push(found);
                }
                Token::End => return Ok(requirements),
                other => {
                    return Err(format!(
                        "found '{}', expected: !, identifier, or 'end of string'",
                        shown(&other)
                    ));
                }
            }
            match self.next() {
                Token::End => return Ok(requirements),
                Token::Mark(",") => {
                    let next = self.peek();
                    if !matches!(next, Token::Word(_) | Token::Mark("!")) {
                        return Err(format!("found '{}', expected: identifier after ','", shown(&next)));
                    }
                }
                other => {
                    return Err(format!("found '{}', expected: ',' or 'end of string'", shown(&other)));
                }
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let absent = self.peek() == Token::Mark("!");
        if absent {
            self.at += 1;
        }
        let key = match self.next() {
            Token::Word(key) => key,
            other => return Err(format!("found '{}', expected: identifier", shown(&other))),
        };
        check_key(&key)?;
        if absent {
            return Ok(Requirement { key, test: Test::Absent });
        }
        if matches!(self.peek(), Token::End | Token::Mark(",")) {
            return Ok(Requirement { key, test: Test::Exists });
        }
        let test = self.test()?;
        if let Test::In(values) | Test::NotIn(values) = &test {
            // They are a set, in order, before anybody looks at them.
            let sorted: BTreeSet<&String> = values.iter().collect();
            sorted.into_iter().enumerate().try_for_each(|(at, value)| check_value(&key, at, value))?;
        }
        Ok(Requirement { key, test })
    }

    fn test(&mut self) -> Result<Test, String> {
        let operator = self.next();
        match operator {
            Token::Word(word) if word == "in" => Ok(Test::In(self.values()?)),
            Token::Word(word) if word == "notin" => Ok(Test::NotIn(self.values()?)),
            Token::Mark("=" | "==") => Ok(Test::In(vec![self.exact()?])),
            Token::Mark("!=") => Ok(Test::NotIn(vec![self.exact()?])),
            Token::Mark(">") => Ok(Test::Above(self.number()?)),
            Token::Mark("<") => Ok(Test::Below(self.number()?)),
            other => Err(format!("found '{}', expected: in, notin, =, ==, !=, gt, lt", shown(&other))),
        }
    }

    fn exact(&mut self) -> Result<String, String> {
        match self.peek() {
            Token::End | Token::Mark(",") => Ok(String::new()),
            Token::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            other => Err(format!("found '{}', expected: identifier", shown(&other))),
        }
    }

    fn number(&mut self) -> Result<i64, String> {
        let text = self.exact()?;
        text.parse().map_err(|_| {
            format!(
                "values[0]: Invalid value: {text:?}: for 'Gt', 'Lt' operators, the value must be an integer"
            )
        })
    }

    fn values(&mut self) -> Result<Vec<String>, String> {
        let open = self.next();
        if open != Token::Mark("(") {
            return Err(format!("found '{}' expected: '('", shown(&open)));
        }
        let mut values = Vec::new();
        loop {
            match self.next() {
                Token::Word(word) => {
                    values.push(word);
                    match self.next() {
                        Token::Mark(",") => {}
                        Token::Mark(")") => return Ok(values),
                        other => {
                            return Err(format!("found '{}', expected: ',' or ')'", shown(&other)));
                        }
                    }
                }
                Token::Mark(",") => values.push(String::new()),
                Token::Mark(")") => {
                    values.push(String::new());
                    return Ok(values);
                }
                other => {
                    return Err(format!("found '{}', expected: ',', ')' or identifier", shown(&other)));
                }
            }
        }
    }
}

fn shown(token: &Token) -> &str {
    match token {
        Token::Word(word) => word,
        Token::Mark(mark) => mark,
        Token::End => "",
    }
}

fn lex(text: &str) -> Vec<Token> {
    const MARKS: &[&str] = &["==", "!=", "=", "!", ",", "(", ")", ">", "<"];
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            tokens.push(Token::Mark(mark));
            rest = rest.get(mark.len()..).unwrap_or_default();
        } else {
            let end = rest
                .find(|found: char| found.is_whitespace() || "=!,()<>".contains(found))
                .unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            tokens.push(Token::Word(word.to_owned()));
            rest = after;
        }
        rest = rest.trim_start();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(selector: &str, labels: &[(&str, &str)], expected: Result<bool, &str>) {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let found = LabelSelector::parse(selector).map(|read| read.matches(&labels));
        assert_eq!(found, expected.map_err(str::to_owned), "{selector}");
    }

    #[test]
    fn every_operator_matches_as_documented() {
        let labels = &[("app", "web"), ("level", "7")];
        check("", labels, Ok(true));
        check("app=web", labels, Ok(true));
        check("app==web, level", labels, Ok(true));
        check("app!=web", labels, Ok(false));
        check("other!=web", labels, Ok(true));
        check("app in (web, api)", labels, Ok(true));
        check("app notin (web)", labels, Ok(false));
        check("other notin (web)", labels, Ok(true));
        check("!other", labels, Ok(true));
        check("level>6,level<8", labels, Ok(true));
        check("app=", labels, Ok(false));
    }

    #[test]
    fn what_cannot_be_read_is_refused_in_the_servers_words() {
        check("app=web,", &[], Err("found '', expected: identifier after ','"));
        check("app in web", &[], Err("unable to parse requirement: found 'web' expected: '('"));
        check("=web", &[], Err("found '=', expected: !, identifier, or 'end of string'"));
        check(
            "app ? web",
            &[],
            Err("unable to parse requirement: found '?', expected: in, notin, =, ==, !=, gt, lt"),
        );
    }
}
