//! How long each part took.

use std::time::{Duration, Instant};

use anyhow::Result;

#[derive(Default)]
pub(crate) struct Seconds {
    parts: Vec<(String, Duration)>,
}

impl Seconds {
    /// Does the part; a failed one counts as well.
    pub(crate) fn of<T>(&mut self, part: &str, act: impl FnOnce() -> Result<T>) -> Result<T> {
        let began = Instant::now();
        let done = act();
        self.add(part.to_owned(), began.elapsed());
        done
    }

    pub(crate) fn add(&mut self, part: String, took: Duration) {
        self.parts.push((part, took));
    }

    /// On stdout, so that two runs can be compared.
    pub(crate) fn print(&self) {
        println!("\n{:>8}  part", "seconds");
        for (part, took) in &self.parts {
            println!("{:>8.1}  {part}", took.as_secs_f64());
        }
    }
}
