//! The least that any gateway could cost: a process that reads a watch's bytes, looks at none of them
//! and writes a frame's worth to each viewer. What a gateway needs beyond it is its own doing.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command};

use anyhow::{Context, Result, bail};
use playground::Playground;
use tokio::io::AsyncReadExt;
use tokio::net::UnixListener;
use tokio::task::JoinSet;

use crate::raw::TABLE;

/// What a change of one cell is on a viewer's socket.
const FRAME: [u8; 60] = [b'x'; 60];

/// The child's side, if the arguments say that this process is it.
///
/// # Errors
/// When the upstream or a viewer isn't there; the end of either is a good end.
pub fn relay_if_asked() -> Result<bool> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [flag, upstream, version, viewers, count] = arguments.as_slice() else { return Ok(false) };
    if flag != FLAG {
        return Ok(false);
    }
    let connect = |_| UnixStream::connect(viewers).context("a viewer");
    let mut sinks: Vec<UnixStream> = (0..count.parse::<usize>()?).map(connect).collect::<Result<_>>()?;
    let mut watch = TcpStream::connect(upstream).context("the upstream")?;
    let target = format!("/api/v1/pods?watch=1&includeObject=Object&resourceVersion={version}");
    watch.write_all(
        format!("GET {target} HTTP/1.1\r\nHost: {upstream}\r\nAccept: {TABLE}\r\n\r\n").as_bytes(),
    )?;
    let mut buffer = vec![0; 64 * 1024];
    let mut last = 0;
    loop {
        let length = watch.read(&mut buffer)?;
        let Some(chunk) = buffer.get(..length).filter(|chunk| !chunk.is_empty()) else { return Ok(true) };
        for &byte in chunk {
            // A value of the stream ends with its line.
            if (last, byte) == (b'}', b'\n') {
                for sink in &mut sinks {
                    sink.write_all(&FRAME)?;
                }
            }
            last = byte;
        }
    }
}

const FLAG: &str = "--bare-relay";

/// The parent's side: the child, and viewers that read.
pub struct Relay {
    child: Child,
    reading: JoinSet<Result<()>>,
}

impl Relay {
    /// With viewers that read until each has had so many changes. The child watches when this returns.
    ///
    /// # Errors
    /// When it can't be started.
    pub async fn start(
        playground: &Playground,
        folder: &Path,
        viewers: usize,
        changes: usize,
    ) -> Result<Self> {
        let socket = folder.join(format!("relay-{viewers}"));
        let listener = UnixListener::bind(&socket)?;
        let upstream = playground.url();
        let upstream = upstream.strip_prefix("http://").context("it speaks plain HTTP")?;
        let watches = playground.open_watches("pods");
        let child = Command::new(std::env::current_exe()?)
            .args([FLAG, upstream, &playground.revision().to_string()])
            .arg(&socket)
            .arg(viewers.to_string())
            .spawn()?;
        let mut reading = JoinSet::new();
        for _ in 0..viewers {
            let (mut viewer, _) = listener.accept().await?;
            reading.spawn(async move {
                let mut frames = vec![0; FRAME.len()];
                for _ in 0..changes {
                    viewer.read_exact(&mut frames).await?;
                }
                Ok(())
            });
        }
        playground.wait_for_watches("pods", watches + 1).await;
        Ok(Self { child, reading })
    }

    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// When every viewer has had all.
    ///
    /// # Errors
    /// When the child ended before.
    pub async fn all_read(&mut self) -> Result<()> {
        while let Some(read) = self.reading.join_next().await {
            if let Err(error) = read? {
                bail!("the relay ended: {error}");
            }
        }
        Ok(())
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
