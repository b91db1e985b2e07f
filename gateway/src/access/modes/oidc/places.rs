//! The places of logins that come back from the provider. A stranger can begin logins and come back with invented codes,
//! and each is a question to the provider, so one address has few places, and so have all together. A login that finds
//! no room is told to come again; no queue is without an end. What a proxy says of its client's address
//! divides the places of the proxy, and never gives it more of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::failure::Failure;
use crate::limits::{
    LOGINS_ASKED_MAX, LOGINS_ASKED_PER_CLIENT_MAX, LOGINS_ASKED_PER_PEER_MAX, LOGINS_WAITING_MAX,
    LOGINS_WAITING_PER_CLIENT_MAX, LOGINS_WAITING_PER_PEER_MAX,
};

/// Where a login comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoginClient {
    /// The other end of the connection; `None` for a Unix socket.
    pub peer: Option<IpAddr>,
    /// The last address that `X-Forwarded-For` names.
    pub forwarded: Option<Box<str>>,
}

pub(super) struct LoginPlaces {
    all: Arc<Room>,
    peers: Rooms<Option<IpAddr>>,
    clients: Rooms<LoginClient>,
}

/// The right to ask the provider about one login.
pub(super) struct Place {
    _taken: Vec<OwnedSemaphorePermit>,
    /// A room is known as long as a login is in it.
    _rooms: [Arc<Room>; 3],
}

/// Rooms that are in use, by their owner.
struct Rooms<K>(Mutex<HashMap<K, Weak<Room>>>);

/// So many ask at once, and so many more may wait for that.
struct Room {
    inside: Arc<Semaphore>,
    asking: Arc<Semaphore>,
}

impl Room {
    fn of(asking: usize, waiting: usize) -> Arc<Self> {
        let inside = Arc::new(Semaphore::new(asking + waiting));
        Arc::new(Self { inside, asking: Arc::new(Semaphore::new(asking)) })
    }

    fn enter(&self) -> Result<OwnedSemaphorePermit, Failure> {
        Arc::clone(&self.inside).try_acquire_owned().map_err(|_| Failure::Busy)
    }

    async fn ask(&self) -> Result<OwnedSemaphorePermit, Failure> {
        Arc::clone(&self.asking).acquire_owned().await.map_err(|_| Failure::Internal)
    }
}

impl<K: Clone + Eq + std::hash::Hash> Rooms<K> {
    fn of(&self, owner: &K, asking: usize, waiting: usize) -> Arc<Room> {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(room) = rooms.get(owner).and_then(Weak::upgrade) {
            return room;
        }
        rooms.retain(|_, room| room.strong_count() > 0);
        let room = Room::of(asking, waiting);
        rooms.insert(owner.clone(), Arc::downgrade(&room));
        room
    }
}

impl Default for LoginPlaces {
    fn default() -> Self {
        Self {
            all: Room::of(LOGINS_ASKED_MAX, LOGINS_WAITING_MAX),
            peers: Rooms(Mutex::default()),
            clients: Rooms(Mutex::default()),
        }
    }
}

impl LoginPlaces {
    /// Fails with [`Failure::Busy`] where there is no room to wait in.
    pub(super) async fn place(&self, client: &LoginClient) -> Result<Place, Failure> {
        let own = self.clients.of(client, LOGINS_ASKED_PER_CLIENT_MAX, LOGINS_WAITING_PER_CLIENT_MAX);
        let peer = self.peers.of(&client.peer, LOGINS_ASKED_PER_PEER_MAX, LOGINS_WAITING_PER_PEER_MAX);
        let rooms = [own, peer, Arc::clone(&self.all)];
        let mut taken = Vec::with_capacity(2 * rooms.len());
        for room in &rooms {
            taken.push(room.enter()?);
        }
        for room in &rooms {
            taken.push(room.ask().await?);
        }
        Ok(Place { _taken: taken, _rooms: rooms })
    }
}
