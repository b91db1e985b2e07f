//! Limits the sockets that have not authenticated: few of one address at a time, and a short queue behind
//! them. A page says `hello` within milliseconds, so the oldest that has said nothing makes room for the next
//! that waits. On loopback, strangers on the machine have the page's own address.

use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use shared::problem::{Problem, Reason};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::limits::{
    PRE_AUTH_PER_ADDRESS_MAX, PRE_AUTH_SILENT_MS, PRE_AUTH_SILENT_MS_MIN, PRE_AUTH_WAIT_MS,
    PRE_AUTH_WAITING_MAX,
};
use crate::session::PreAuth;

#[derive(Default)]
pub struct PreAuthLimit {
    addresses: Mutex<HashMap<IpAddr, Weak<Address>>>,
}

struct Address {
    sockets: Mutex<Sockets>,
    /// Held by the first in the queue.
    first: Semaphore,
}

#[derive(Default)]
struct Sockets {
    /// The oldest first.
    silent: VecDeque<Silent>,
    /// In the order of their coming.
    waiting: VecDeque<oneshot::Sender<Grant>>,
    last_number: u64,
}

#[derive(Clone)]
struct Grant {
    number: u64,
    displaced: CancellationToken,
}

/// A socket that has not authenticated.
struct Silent {
    since: Instant,
    grant: Grant,
}

/// Held by one socket until it has authenticated. Its address is counted as long as a permit of it lives.
pub struct PreAuthPermit {
    address: Arc<Address>,
    grant: Grant,
}

impl Drop for PreAuthPermit {
    fn drop(&mut self) {
        let mut sockets = self.address.sockets();
        sockets.silent.retain(|silent| silent.grant.number != self.grant.number);
        sockets.grant();
    }
}

impl PreAuthLimit {
    /// Waits a moment for a permit; refuses with `Limit` if none becomes free, or if too many wait.
    pub(super) async fn permit(&self, address: IpAddr) -> Result<PreAuthPermit, Problem> {
        let address = self.address(network(address));
        let mut granted = address.ask().ok_or_else(too_many)?;
        let waits = async {
            tokio::select! {
                biased;
                grant = &mut granted => grant.ok(),
                // Only the first in the queue watches the timers, for the whole queue.
                _first = address.first.acquire() => loop {
                    if let Ok(grant) = timeout_at(address.displace(), &mut granted).await {
                        break grant.ok();
                    }
                },
            }
        };
        let grant = timeout(Duration::from_millis(PRE_AUTH_WAIT_MS), waits).await;
        let grant = grant.ok().flatten().ok_or_else(too_many)?;
        Ok(PreAuthPermit { address, grant })
    }

    /// The same entry as long as a socket of the address holds or awaits a permit.
    fn address(&self, address: IpAddr) -> Arc<Address> {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = addresses.get(&address).and_then(Weak::upgrade) {
            return known;
        }
        addresses.retain(|_, known| known.strong_count() > 0);
        let fresh = Arc::new(Address { sockets: Mutex::default(), first: Semaphore::new(1) });
        addresses.insert(address, Arc::downgrade(&fresh));
        fresh
    }
}

impl Address {
    /// Stands in the queue. `None`: it is full.
    fn ask(&self) -> Option<oneshot::Receiver<Grant>> {
        let (permit, granted) = oneshot::channel();
        let mut sockets = self.sockets();
        if sockets.waiting.len() >= PRE_AUTH_WAITING_MAX {
            sockets.waiting.retain(|permit| !permit.is_closed());
        }
        if sockets.waiting.len() >= PRE_AUTH_WAITING_MAX {
            return None;
        }
        sockets.waiting.push_back(permit);
        sockets.grant();
        Some(granted)
    }

    /// Ends the sockets that were silent for long enough, if others wait. Returns when to call it again.
    fn displace(&self) -> Instant {
        let mut sockets = self.sockets();
        let now = Instant::now();
        loop {
            let time = own_time(sockets.waiting.len());
            let due = sockets.silent.front().map_or(now, |oldest| oldest.since) + time;
            if due > now || sockets.waiting.is_empty() {
                return due;
            }
            if let Some(oldest) = sockets.silent.pop_front() {
                oldest.grant.displaced.cancel();
            }
            sockets.grant();
        }
    }

    fn sockets(&self) -> MutexGuard<'_, Sockets> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The network whose addresses count as one: a host with IPv6 has a network of 64 bits, and may use any address of
/// it.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let host = u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !host))
        }
    }
}

/// The time that a socket has to itself: less if many wait, so that all of them have their turn while they wait.
fn own_time(waiting: usize) -> Duration {
    let all_ms = PRE_AUTH_PER_ADDRESS_MAX as u64 * PRE_AUTH_WAIT_MS / 2;
    let each_ms = all_ms / u64::try_from(waiting).unwrap_or(u64::MAX).max(1);
    Duration::from_millis(each_ms.clamp(PRE_AUTH_SILENT_MS_MIN, PRE_AUTH_SILENT_MS))
}

impl Sockets {
    /// Gives the permits that are free to those that wait, in their order.
    fn grant(&mut self) {
        while self.silent.len() < PRE_AUTH_PER_ADDRESS_MAX
            && let Some(permit) = self.waiting.pop_front()
        {
            self.last_number += 1;
            let grant = Grant { number: self.last_number, displaced: CancellationToken::new() };
            if permit.send(grant.clone()).is_ok() {
                self.silent.push_back(Silent { since: Instant::now(), grant });
            }
        }
    }
}

impl PreAuth for PreAuthPermit {
    async fn displaced(&self) {
        self.grant.displaced.cancelled().await;
    }
}

fn too_many() -> Problem {
    let message = "too many sockets of this address have not said who they are; try again later";
    Problem::new(Reason::Limit, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R-AUTHN-8
    #[tokio::test(start_paused = true)]
    async fn r_authn_8_the_addresses_of_one_network_have_ten_places_together() {
        let limit = PreAuthLimit::default();
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        let mut held = Vec::new();
        for n in 1..=PRE_AUTH_PER_ADDRESS_MAX {
            held.push(limit.permit(address(&format!("2001:db8::{n:x}:1"))).await.expect("a place"));
        }
        let oldest = held.first().expect("one").grant.displaced.clone();
        for other in ["2001:db8:0:1::1", "192.0.2.1", "::1"] {
            held.push(limit.permit(address(other)).await.expect("another network"));
        }
        assert!(!oldest.is_cancelled());
        held.push(limit.permit(address("2001:db8::ffff")).await.expect("a place that was another's"));
        assert!(oldest.is_cancelled());
        assert_eq!(network(address("::ffff:192.0.2.1")), address("192.0.2.1"));
    }
}
