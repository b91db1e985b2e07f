//! A Unix socket and its file, which is removed with its gateway.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

/// `sun_path` of Linux has 108 bytes, of macOS 104, a closing NUL among them.
const PATH_BYTES_MAX: usize = 103;

/// Dropping it removes the socket from its folder.
pub(super) struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    /// Whether a socket can have this path.
    pub(super) fn fits(path: &Path) -> bool {
        path.as_os_str().as_bytes().len() <= PATH_BYTES_MAX
    }

    /// Bound as `draft` and renamed, so that no client finds the socket before it listens and has its mode. `group`:
    /// the socket's group, if another than the process's.
    pub(super) fn bind(draft: &Path, path: &Path, mode: u32, group: Option<u32>) -> io::Result<Self> {
        let listener = UnixListener::bind(draft)?;
        if group.is_some() {
            chown(draft, None, group)?;
        }
        fs::set_permissions(draft, Permissions::from_mode(mode))?;
        fs::rename(draft, path)?;
        Ok(Self { listener, path: path.to_owned() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Fails as `accept(2)` does; the caller may call again.
    pub(super) async fn accept(&self) -> io::Result<UnixStream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // An error means that the file is gone already.
        let _ = fs::remove_file(&self.path);
    }
}
