//! The command line of a bench: numbers and switches by their names.

use anyhow::{Result, anyhow};

/// The number after `--name` or `--name=`.
pub fn number(name: &str, default: usize) -> Result<usize> {
    let mut arguments = std::env::args().skip(1);
    let flag = format!("--{name}");
    while let Some(argument) = arguments.next() {
        let text = match argument.strip_prefix(&flag) {
            Some("") => arguments.next().unwrap_or_default(),
            Some(rest) => rest.trim_start_matches('=').to_owned(),
            None => continue,
        };
        return text.parse().map_err(|_| anyhow!("{flag} wants a number, not {text:?}"));
    }
    Ok(default)
}

/// Whether `--name` was given.
pub fn is_given(name: &str) -> bool {
    std::env::args().any(|argument| argument.strip_prefix("--") == Some(name))
}
