//! Addresses for servers that a test starts, ends and starts again.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use cluster::Port;

/// They are held until the process of the tests ends.
static TAKEN: Mutex<Vec<Port>> = Mutex::new(Vec::new());

/// A loopback address that no other test gets, with a port that the system gives to no outgoing connection. A server can
/// listen there at any time, also after a restart.
///
/// # Panics
/// Where no port is free.
pub fn free_address() -> SocketAddr {
    let port = Port::free().expect("a free port");
    let address = port.address();
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner).push(port);
    address
}
