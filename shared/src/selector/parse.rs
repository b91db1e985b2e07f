//! A lexer and parser for the syntax of label selectors, `a=b,c!=d,e in (f,g),h,!i,j>5`. Its errors are in the API
//! server's words.

use super::name::{check_key, check_value};
use super::{Operator, Requirement};
use crate::sorted;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Mark(&'static str),
    End,
}

/// Fails with the API server's message.
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>, String> {
    Parser { tokens: lex(text), at: 0 }.selector()
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
                other => return unexpected(&other, "!, identifier, or 'end of string'"),
            }
            match self.next() {
                Token::End => return Ok(requirements),
                Token::Mark(",") => {
                    let next = self.peek();
                    if !matches!(next, Token::Word(_) | Token::Mark("!")) {
                        return unexpected(&next, "identifier after ','");
                    }
                }
                other => return unexpected(&other, "',' or 'end of string'"),
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
            other => return unexpected(&other, "identifier"),
        };
        check_key(&key)?;
        if absent {
            return Ok(Requirement { key: key.into(), operator: Operator::DoesNotExist });
        }
        if matches!(self.peek(), Token::End | Token::Mark(",")) {
            return Ok(Requirement { key: key.into(), operator: Operator::Exists });
        }
        let operator = self.operator()?;
        if let Operator::In(values) | Operator::NotIn(values) = &operator {
            values.iter().enumerate().try_for_each(|(at, value)| check_value(&key, at, value))?;
        }
        Ok(Requirement { key: key.into(), operator })
    }

    fn operator(&mut self) -> Result<Operator, String> {
        match self.next() {
            Token::Word(word) if word == "in" => Ok(Operator::In(self.values()?)),
            Token::Word(word) if word == "notin" => Ok(Operator::NotIn(self.values()?)),
            Token::Mark("=" | "==") => Ok(Operator::In(vec![self.exact()?.into()])),
            Token::Mark("!=") => Ok(Operator::NotIn(vec![self.exact()?.into()])),
            Token::Mark(">") => Ok(Operator::GreaterThan(self.number()?)),
            Token::Mark("<") => Ok(Operator::LessThan(self.number()?)),
            other => unexpected(&other, "in, notin, =, ==, !=, gt, lt"),
        }
    }

    fn exact(&mut self) -> Result<String, String> {
        match self.peek() {
            Token::End | Token::Mark(",") => Ok(String::new()),
            Token::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            other => unexpected(&other, "identifier"),
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

    /// A set of values, sorted.
    fn values(&mut self) -> Result<Vec<Box<str>>, String> {
        let open = self.next();
        if open != Token::Mark("(") {
            return Err(format!("found '{}' expected: '('", shown(&open)));
        }
        let mut values = Vec::new();
        loop {
            match self.next() {
                Token::Word(word) => {
                    values.push(word.into());
                    match self.next() {
                        Token::Mark(",") => {}
                        Token::Mark(")") => break,
                        other => return unexpected(&other, "',' or ')'"),
                    }
                }
                Token::Mark(",") => values.push(Box::default()),
                Token::Mark(")") => {
                    values.push(Box::default());
                    break;
                }
                other => return unexpected(&other, "',', ')' or identifier"),
            }
        }
        sorted::sort(&mut values);
        values.dedup();
        Ok(values)
    }
}

fn unexpected<T>(token: &Token, expected: &str) -> Result<T, String> {
    Err(format!("found '{}', expected: {expected}", shown(token)))
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
