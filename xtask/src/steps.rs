//! Steps of a build that take minutes: each says what it does, and how long it took when there was last something to do.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::commands::{say, target};

/// Does it, after saying so.
pub(crate) fn step(what: &str, act: impl FnOnce() -> Result<()>) -> Result<()> {
    let file = remembered(what);
    let last = fs::read_to_string(&file).ok().and_then(|seconds| seconds.trim().parse().ok());
    say(&announcement(what, last));
    let began = Instant::now();
    act()?;
    let took = began.elapsed();
    if took >= WORTH_TELLING {
        // It only foretells: where it can't be kept, the next run foretells nothing.
        let _ = fs::create_dir_all(folder()).and_then(|()| fs::write(&file, took.as_secs().to_string()));
    }
    Ok(())
}

/// A step that had nothing to do is shorter.
const WORTH_TELLING: Duration = Duration::from_secs(5);

fn announcement(what: &str, last: Option<u64>) -> String {
    match last {
        None => what.to_owned(),
        Some(seconds @ ..60) => format!("{what} (last time {seconds} s)"),
        Some(seconds) => format!("{what} (last time {} min {} s)", seconds / 60, seconds % 60),
    }
}

fn folder() -> PathBuf {
    target().join("steps")
}

fn remembered(what: &str) -> PathBuf {
    let letters = what.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
    folder().join(letters.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_says_how_long_it_took_last_time() {
        assert_eq!(announcement("the page", None), "the page");
        assert_eq!(announcement("the page", Some(59)), "the page (last time 59 s)");
        assert_eq!(announcement("the page", Some(135)), "the page (last time 2 min 15 s)");
    }
}
