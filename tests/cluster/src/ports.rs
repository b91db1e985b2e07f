//! Free loopback ports that stay ours while a server is down between two starts.
//!
//! They are taken below Linux's ephemeral range (32768 and up), so that no outgoing connection
//! sits on one when a killed server comes back, and each is locked between our own processes.

use std::env;
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context, Result, bail};

/// A port that nobody listens on and no other test has taken.
#[derive(Debug)]
pub(crate) struct Port {
    pub(crate) number: u16,
    _lock: File,
}

impl Port {
    pub(crate) fn free() -> Result<Port> {
        let user = rustix::process::getuid().as_raw();
        let folder = env::temp_dir().join(format!("dogwatch-ports-{user}"));
        fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        for number in FIRST..=LAST {
            let Ok(lock) = File::create(folder.join(number.to_string())) else {
                continue;
            };
            if lock.try_lock().is_ok() && TcpListener::bind((Ipv4Addr::LOCALHOST, number)).is_ok() {
                return Ok(Port { number, _lock: lock });
            }
        }
        bail!("no port of 127.0.0.1 between {FIRST} and {LAST} is free");
    }
}

const FIRST: u16 = 21_000;
const LAST: u16 = 24_999;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_given_once() {
        let first = Port::free().unwrap();
        let second = Port::free().unwrap();
        assert_ne!(first.number, second.number);
    }
}
