//! Connects to Unix sockets of this user alone. The kernel names the user who listens; a folder or a file may lie.

use std::io;
use std::path::Path;

use tokio::net::UnixStream;

pub fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// # Errors
/// No process listens, or a process of another user does. It is sent nothing, and nothing is read from it.
pub async fn connect(path: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(path).await?;
    check(stream.peer_cred()?.uid(), own_uid())?;
    Ok(stream)
}

fn check(listening: u32, own: u32) -> io::Result<()> {
    if listening == own {
        return Ok(());
    }
    let why = format!("it belongs to another user (uid {listening})");
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_socket_of_another_user_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("8484.sock");
        let _listening = tokio::net::UnixListener::bind(&path).expect("bound");
        assert!(connect(&path).await.is_ok());
        let refused = check(7, 8).expect_err("a stranger");
        assert!(refused.to_string().contains("another user (uid 7)"), "{refused}");
    }
}
