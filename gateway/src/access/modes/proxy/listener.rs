//! The Unix socket that a reverse proxy on the same machine connects to. A process that can open it can claim any
//! identity, so its folder limits access: to the gateway's own user, and to the folder's group if the group may enter.
//! Never to others.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::path::Path;

use futures_util::future::BoxFuture;
use shared::problem::{Problem, Reason};
use tokio::net::UnixStream;

use crate::access::auth_mode::Entrance;
use crate::access::identity::Peer;
use crate::access::socket::Socket;
use crate::same_user::own_uid;

/// Dropping it removes the socket from its folder.
pub struct ProxyListener(Socket);

impl ProxyListener {
    /// Fails with one sentence that names the path.
    pub fn bind(path: &Path) -> Result<Self, Problem> {
        let broken = |why: &str| {
            Problem::new(
                Reason::Configuration,
                format!("--proxy-socket {} can't be used: {why}", path.display()),
            )
        };
        let folder = path.parent().filter(|folder| folder.is_absolute());
        let folder = folder.ok_or_else(|| broken("it must begin with a /"))?;
        let draft = path.with_extension("new");
        if !Socket::fits(&draft) {
            return Err(broken("it is too long for a socket"));
        }
        let found = folder_of(folder).map_err(|error| broken(&error.to_string()))?;
        if let Some(why) = unsafe_folder(&found, own_uid()) {
            return Err(broken(&format!("its folder {why}, so another user could stand in for the proxy")));
        }
        if let Some(why) = taken(path) {
            return Err(broken(why));
        }
        // An error means that there is none.
        let _ = fs::remove_file(&draft);
        let is_group_let_in = found.mode() & 0o010 != 0;
        let mode = if is_group_let_in { 0o660 } else { 0o600 };
        let bound = Socket::bind(&draft, path, mode, is_group_let_in.then_some(found.gid()));
        bound.map(Self).map_err(|error| broken(&error.to_string()))
    }
}

impl Entrance for ProxyListener {
    fn name(&self) -> &'static str {
        "the proxy's socket"
    }

    fn peer(&self) -> Peer {
        Peer::Proxy
    }

    fn accept(&self) -> BoxFuture<'_, io::Result<UnixStream>> {
        Box::pin(self.0.accept())
    }
}

/// Makes the folder, closed to others, if there is none.
fn folder_of(folder: &Path) -> io::Result<Metadata> {
    if !folder.exists() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    fs::metadata(folder)
}

fn unsafe_folder(folder: &Metadata, own: u32) -> Option<&'static str> {
    if !folder.is_dir() {
        Some("is none")
    } else if folder.uid() != own && folder.uid() != 0 {
        Some("belongs to another user")
    } else if folder.mode() & 0o022 != 0 {
        Some("may be written by its group or by everybody")
    } else {
        None
    }
}

/// A gateway that was killed leaves its socket behind. Nothing else is replaced.
fn taken(path: &Path) -> Option<&'static str> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.file_type().is_socket() {
        return Some("there is a file that is no socket");
    }
    let answers = std::os::unix::net::UnixStream::connect(path);
    answers.is_ok().then_some("something listens there already")
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn folder(mode: u32) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::set_permissions(folder.path(), Permissions::from_mode(mode)).expect("changed");
        folder
    }

    fn refused(path: &Path) -> String {
        ProxyListener::bind(path).map(drop).expect_err("refused").message.to_string()
    }

    #[tokio::test]
    async fn the_socket_is_for_those_whom_its_folder_lets_in_and_goes_with_its_gateway() {
        for (mode, expected) in [(0o700, 0o600), (0o750, 0o660), (0o755, 0o660), (0o701, 0o600)] {
            let folder = folder(mode);
            let path = folder.path().join("proxy.sock");
            let listener = ProxyListener::bind(&path).expect("bound");
            assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, expected, "{mode:o}");
            let (accepted, connected) = tokio::join!(listener.accept(), UnixStream::connect(&path));
            assert!(accepted.is_ok() && connected.is_ok());
            assert!(refused(&path).contains("something listens there"));
            drop(listener);
            assert!(!path.exists());
        }
    }

    #[tokio::test]
    async fn r_authn_6_a_socket_that_others_could_replace_is_refused() {
        for mode in [0o777, 0o770, 0o702, 0o1777] {
            let folder = folder(mode);
            let said = refused(&folder.path().join("proxy.sock"));
            assert!(
                said.contains("--proxy-socket") && said.contains("stand in for the proxy"),
                "{mode:o}: {said}"
            );
        }
        let metadata = fs::metadata(folder(0o700).path()).expect("there");
        assert_eq!(unsafe_folder(&metadata, metadata.uid()), None);
        if metadata.uid() != 0 {
            assert!(unsafe_folder(&metadata, metadata.uid() + 1).is_some(), "another user's");
        }
    }

    #[tokio::test]
    async fn a_dead_socket_is_replaced_a_file_is_not_and_a_folder_is_made() {
        let folder = folder(0o700);
        let path = folder.path().join("deep/proxy.sock");
        let listener = ProxyListener::bind(&path).expect("bound");
        assert_eq!(fs::metadata(folder.path().join("deep")).expect("made").mode() & 0o777, 0o700);
        drop(listener);
        drop(std::os::unix::net::UnixListener::bind(&path).expect("bound"));
        drop(ProxyListener::bind(&path).expect("the dead one is replaced"));
        fs::write(&path, "notes").expect("written");
        assert!(refused(&path).contains("no socket"));
        assert!(refused(Path::new("proxy.sock")).contains("begin with a /"));
        assert!(refused(&folder.path().join("x".repeat(120))).contains("too long"));
    }
}
