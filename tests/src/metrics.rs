//! What a gateway counts of itself, as `/metrics` says it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use anyhow::{Context, Result};

/// Where a gateway serves its counts: the value of `--metrics-listen`.
#[derive(Clone, Copy, Debug)]
pub struct Metrics(SocketAddr);

impl Metrics {
    pub fn at_free_port() -> Result<Self> {
        Ok(Self(TcpListener::bind("127.0.0.1:0")?.local_addr()?))
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

    /// All of them, with the head of the answer.
    pub fn text(&self) -> Result<String> {
        let mut stream = TcpStream::connect(self.0)?;
        stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    }
}
