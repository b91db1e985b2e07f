//! Waiting until a server answers: asked again and again, with a deadline, never a blind sleep.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::kubectl::Kubectl;
use crate::layout::Layout;

/// Waits until something listens on the port; `check` tells whether the server still runs.
pub(crate) fn listens(port: u16, check: impl FnMut() -> Result<()>) -> Result<()> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let connects = || TcpStream::connect_timeout(&address, ASK_TIMEOUT).is_ok();
    until(&format!("listen on port {port}"), check, connects)
}

/// Waits until the apiserver calls itself ready and has made its own namespaces.
pub(crate) fn serves(
    layout: &Layout,
    kubectl: &Kubectl,
    mut check: impl FnMut() -> Result<()>,
) -> Result<()> {
    listens(layout.ports.apiserver, &mut check)?;
    layout.write_kubeconfigs()?;
    for path in ["/readyz", "/api/v1/namespaces/kube-system", "/api/v1/namespaces/default"] {
        let answers = || kubectl.succeeds(&["get", "--request-timeout=5s", "--raw", path]);
        until(&format!("answer {path}"), &mut check, answers)?;
    }
    Ok(())
}

/// Waits until no process listens on the port. The kernel closes a killed server's sockets only after its entry in
/// the table of processes is gone.
pub(crate) fn unused(port: u16) -> Result<()> {
    let unused = || TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
    within(CLOSE_DEADLINE, "become free", || Ok(()), unused)
        .with_context(|| format!("port {port} of 127.0.0.1 is taken"))
}

/// Waits until `holds`, as long as `check` finds nothing wrong.
pub(crate) fn until(
    what: &str,
    check: impl FnMut() -> Result<()>,
    holds: impl FnMut() -> bool,
) -> Result<()> {
    within(START_DEADLINE, what, check, holds)
}

pub(crate) fn within(
    deadline: Duration,
    what: &str,
    mut check: impl FnMut() -> Result<()>,
    mut holds: impl FnMut() -> bool,
) -> Result<()> {
    let start = Instant::now();
    loop {
        check().with_context(|| format!("it should {what}"))?;
        if holds() {
            return Ok(());
        }
        if start.elapsed() > deadline {
            bail!("it did not {what} within {} s", deadline.as_secs());
        }
        thread::sleep(ASK_AGAIN);
    }
}

/// An idle machine needs 3 s; a test machine of 2 cores that builds at the same time far more.
const START_DEADLINE: Duration = Duration::from_secs(120);
const CLOSE_DEADLINE: Duration = Duration::from_secs(5);
const ASK_AGAIN: Duration = Duration::from_millis(50);
const ASK_TIMEOUT: Duration = Duration::from_secs(1);
