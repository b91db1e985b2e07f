//! The command line of a bench: numbers and switches by their names.

use anyhow::{Result, anyhow};

/// The number after `--name` or `--name=`.
pub fn number(name: &str, default: usize) -> Result<usize> {
    let Some(text) = text(name) else { return Ok(default) };
    text.parse().map_err(|_| anyhow!("--{name} wants a number, not {text:?}"))
}

/// The text after `--name` or `--name=`.
pub fn text(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip(1);
    let flag = format!("--{name}");
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix(&flag) {
            Some("") => return Some(arguments.next().unwrap_or_default()),
            Some(rest) => return Some(rest.trim_start_matches('=').to_owned()),
            None => {}
        }
    }
    None
}

/// Whether `--name` was given.
pub fn is_given(name: &str) -> bool {
    std::env::args().any(|argument| argument.strip_prefix("--") == Some(name))
}
