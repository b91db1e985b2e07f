//! What a gateway counts of itself, as `/metrics` says it.

use std::io::{Read, Write};
use std::iter::Sum;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::str::FromStr;

use anyhow::{Context, Result};

use crate::ports::free_address;

/// Where a gateway serves its counts: the value of `--metrics-listen`.
#[derive(Clone, Copy, Debug)]
pub struct Metrics(SocketAddr);

impl Metrics {
    pub fn at_free_port() -> Self {
        Self(free_address())
    }

    pub fn address(&self) -> String {
        self.0.to_string()
    }

    /// A count without labels, by its whole name.
    pub fn count(&self, name: &str) -> Result<u64> {
        let text = self.text()?;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(value.with_context(|| format!("no {name} in {text}"))?.trim().parse()?)
    }

    /// The sum of the counts of this name that have this label, as it is written: `verb="list"`.
    pub fn sum(&self, name: &str, label: &str) -> Result<u64> {
        self.labelled(name, label)
    }

    /// The same of a count of seconds.
    pub fn seconds(&self, name: &str, label: &str) -> Result<f64> {
        self.labelled(name, label)
    }

    fn labelled<N: FromStr + Sum>(&self, name: &str, label: &str) -> Result<N> {
        let text = self.text()?;
        let labelled = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{'));
        let counts = labelled.filter(|rest| rest.contains(label)).filter_map(|rest| rest.rsplit(' ').next());
        Ok(counts.filter_map(|count| count.parse::<N>().ok()).sum())
    }

    /// All of them, with the head of the answer.
    pub fn text(&self) -> Result<String> {
        get(self.0, "/metrics")
    }
}

/// The answer to a GET, head and all.
pub fn get(address: impl ToSocketAddrs, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}
