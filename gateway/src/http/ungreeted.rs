//! Sockets that have not said who they are: few of one address at a time, and a short queue behind
//! them. A page says `hello` within milliseconds, so only who says nothing ever fills the places.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use shared::problem::{Problem, Reason};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::{UNGREETED_PER_ADDRESS_MAX, UNGREETED_WAIT_MS, UNGREETED_WAITING_MAX};

#[derive(Default)]
pub struct Ungreeted {
    addresses: Mutex<HashMap<IpAddr, Weak<Address>>>,
}

struct Address {
    places: Arc<Semaphore>,
    queue: Semaphore,
}

/// Of one socket, until it has said who it is. Its address is counted as long as anybody holds one.
pub struct Place {
    _place: OwnedSemaphorePermit,
    _address: Arc<Address>,
}

impl Ungreeted {
    /// Waits a moment for one of this address's places.
    ///
    /// # Errors
    /// `Limit`: they are all taken by sockets that say nothing.
    pub(super) async fn place(&self, address: IpAddr) -> Result<Place, Problem> {
        let address = self.of(address);
        let queued = address.queue.try_acquire().map_err(|_| crowded())?;
        let patience = Duration::from_millis(UNGREETED_WAIT_MS);
        let place = tokio::time::timeout(patience, address.places.clone().acquire_owned()).await;
        drop(queued);
        let place = place.map_err(|_| crowded())?.map_err(|_| crowded())?;
        Ok(Place { _place: place, _address: address })
    }

    /// As long as somebody holds it or waits, it is the same.
    fn of(&self, address: IpAddr) -> Arc<Address> {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = addresses.get(&address).and_then(Weak::upgrade) {
            return known;
        }
        addresses.retain(|_, known| known.strong_count() > 0);
        let fresh = Arc::new(Address {
            places: Arc::new(Semaphore::new(UNGREETED_PER_ADDRESS_MAX)),
            queue: Semaphore::new(UNGREETED_WAITING_MAX),
        });
        addresses.insert(address, Arc::downgrade(&fresh));
        fresh
    }
}

fn crowded() -> Problem {
    Problem::new(
        Reason::Limit,
        "too many sockets of this address have not said who they are; try again later",
    )
}
