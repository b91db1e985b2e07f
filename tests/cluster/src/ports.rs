//! Free loopback ports that stay ours while a server is down between two starts.
//!
//! They are taken below Linux's ephemeral range (32768 and up), so that no outgoing connection
//! sits on one when a killed server comes back, and each is locked between our own processes.

use std::env;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// A port that no process listens on and no other test has taken; it is ours until this is dropped.
#[derive(Debug)]
pub struct Port {
    pub(crate) number: u16,
    _lock: File,
}

impl Port {
    /// For a server of a test: the first that is free.
    ///
    /// # Errors
    /// Every port of the range is taken, or the folder of their locks can't be written.
    pub fn free() -> Result<Port> {
        Port::first_free(OF_TESTS, 0)
    }

    /// For one that stands: where no test looks, and where another folder hardly begins to look, so
    /// that the port is still there when the folder is started again.
    pub(crate) fn of_folder(folder: &Path) -> Result<Port> {
        let mut hasher = DefaultHasher::new();
        folder.hash(&mut hasher);
        let offset = hasher.finish() % u64::from(PORTS);
        Port::first_free(OF_FOLDERS, u16::try_from(offset).unwrap_or_default())
    }

    /// On the loopback interface.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.number).into()
    }

    fn first_free(start: u16, offset: u16) -> Result<Port> {
        let user = rustix::process::getuid().as_raw();
        let folder = env::temp_dir().join(format!("dogwatch-ports-{user}"));
        fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        for step in 0..PORTS {
            let number = start + (offset + step) % PORTS;
            let Ok(lock) = File::create(folder.join(number.to_string())) else {
                continue;
            };
            if lock.try_lock().is_ok() && TcpListener::bind((Ipv4Addr::LOCALHOST, number)).is_ok() {
                return Ok(Port { number, _lock: lock });
            }
        }
        bail!("none of {PORTS} ports of 127.0.0.1 from {start} on is free");
    }
}

const OF_TESTS: u16 = 21_000;
const OF_FOLDERS: u16 = 25_000;
const PORTS: u16 = 4_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_given_once() {
        let first = Port::free().unwrap();
        let second = Port::free().unwrap();
        assert_ne!(first.number, second.number);
    }

    #[test]
    fn a_folder_never_gets_a_port_of_the_tests() {
        let number = Port::of_folder(Path::new("/somewhere")).unwrap().number;
        assert!((OF_FOLDERS..OF_FOLDERS + PORTS).contains(&number));
    }
}
