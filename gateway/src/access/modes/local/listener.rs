//! The gateway's Unix socket: every peer is the same user, because the folder is closed to other users and the kernel
//! names the uid of each peer.

use std::io;
use std::path::Path;

use futures_util::future::BoxFuture;
use shared::problem::{Problem, Reason};
use tokio::net::UnixStream;

use super::{folders, hidden, sockets};
use crate::access::auth_mode::Entrance;
use crate::access::identity::Peer;
use crate::access::socket::Socket;

/// Dropping it removes the socket from the folder.
pub struct LocalListener(Socket);

impl LocalListener {
    /// Fails with one sentence that names the path, if it can't be made or another gateway uses it.
    pub fn bind(folder: &Path, port: u16) -> Result<Self, Problem> {
        folders::make_private(folder)?;
        let path = sockets::path(folder, port);
        let broken = |why: &str| {
            Problem::new(Reason::Configuration, format!("the socket {} can't be made: {why}", path.display()))
        };
        let draft = folder.join(format!(".{port}.{}", hidden::random_text()?.get(..6).unwrap_or_default()));
        if !Socket::fits(&draft) {
            return Err(broken("its path is too long for a socket; set XDG_RUNTIME_DIR to a shorter one"));
        }
        if sockets::answers(&path) {
            return Err(broken(
                "another gateway listens on this port of another address; choose another with --listen",
            ));
        }
        Socket::bind(&draft, &path, 0o600, None).map(Self).map_err(|error| broken(&error.to_string()))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Entrance for LocalListener {
    fn name(&self) -> &'static str {
        "the socket"
    }

    fn peer(&self) -> Peer {
        Peer::SameUser
    }

    /// The next connection of the same user; connections of other users are closed.
    fn accept(&self) -> BoxFuture<'_, io::Result<UnixStream>> {
        Box::pin(async {
            loop {
                let stream = self.0.accept().await?;
                let uid = stream.peer_cred()?.uid();
                if uid == crate::same_user::own_uid() {
                    return Ok(stream);
                }
                tracing::warn!(uid, "another user reached the local socket and was refused");
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_same_user_comes_in_and_the_socket_goes_with_its_gateway() {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = LocalListener::bind(folder.path(), 8484).expect("bound");
        let path = listener.path().to_owned();
        let (accepted, connected) = tokio::join!(listener.accept(), UnixStream::connect(&path));
        assert!(accepted.is_ok() && connected.is_ok());
        drop(listener);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_dead_gateways_socket_is_replaced_and_a_living_ones_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(std::os::unix::net::UnixListener::bind(sockets::path(folder.path(), 8484)).expect("bound"));
        let living = LocalListener::bind(folder.path(), 8484).expect("the dead one is replaced");
        let problem = LocalListener::bind(folder.path(), 8484).map(drop).expect_err("in use");
        assert!(problem.message.contains("--listen"), "{problem}");
        assert!(living.path().exists());
    }

    #[tokio::test]
    async fn a_path_that_is_too_long_says_what_to_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("x".repeat(120));
        let problem = LocalListener::bind(&deep, 8484).map(drop).expect_err("too long");
        assert!(problem.message.contains("XDG_RUNTIME_DIR"), "{problem}");
    }
}
