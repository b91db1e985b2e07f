//! Limits the sockets that have not authenticated: few of one address at a time, and a short queue behind
//! them. A page sends `hello` within milliseconds, so only clients that send nothing fill the limit.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use shared::problem::{Problem, Reason};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::{PRE_AUTH_PER_ADDRESS_MAX, PRE_AUTH_WAIT_MS, PRE_AUTH_WAITING_MAX};

#[derive(Default)]
pub struct PreAuthLimit {
    addresses: Mutex<HashMap<IpAddr, Weak<Address>>>,
}

struct Address {
    permits: Arc<Semaphore>,
    queue: Semaphore,
}

/// Held by one socket until it has authenticated. Its address is counted as long as a permit of it lives.
pub struct PreAuthPermit {
    _permit: OwnedSemaphorePermit,
    _address: Arc<Address>,
}

impl PreAuthLimit {
    /// Waits a moment for a permit; refuses with `Limit` if sockets that send nothing hold them all.
    pub(super) async fn permit(&self, address: IpAddr) -> Result<PreAuthPermit, Problem> {
        let address = self.address(address);
        let queued = address.queue.try_acquire().map_err(|_| too_many())?;
        let patience = Duration::from_millis(PRE_AUTH_WAIT_MS);
        let permit = tokio::time::timeout(patience, address.permits.clone().acquire_owned()).await;
        drop(queued);
        let permit = permit.map_err(|_| too_many())?.map_err(|_| too_many())?;
        Ok(PreAuthPermit { _permit: permit, _address: address })
    }

    /// The same entry as long as a socket of the address holds or awaits a permit.
    fn address(&self, address: IpAddr) -> Arc<Address> {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = addresses.get(&address).and_then(Weak::upgrade) {
            return known;
        }
        addresses.retain(|_, known| known.strong_count() > 0);
        let fresh = Arc::new(Address {
            permits: Arc::new(Semaphore::new(PRE_AUTH_PER_ADDRESS_MAX)),
            queue: Semaphore::new(PRE_AUTH_WAITING_MAX),
        });
        addresses.insert(address, Arc::downgrade(&fresh));
        fresh
    }
}

fn too_many() -> Problem {
    let message = "too many sockets of this address have not said who they are; try again later";
    Problem::new(Reason::Limit, message)
}
