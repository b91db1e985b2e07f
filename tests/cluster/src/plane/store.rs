//! What can be done to etcd behind a running apiserver: compaction, a snapshot, and its restore.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{ControlPlane, running};

/// etcd's data at one moment; it lies in the folder of its control plane and goes with it.
#[derive(Debug)]
pub struct EtcdSnapshot {
    folder: PathBuf,
}

impl ControlPlane {
    /// Drops all history before now: every older resourceVersion that isn't in a cache is expired.
    /// Returns etcd's revision, which is the resourceVersion of the last change.
    pub fn compact_etcd(&self) -> Result<i64> {
        let answer = self.etcd_call("/v3/kv/range", &json!({"key": "AA=="}))?;
        // The gateway writes 64-bit numbers as strings, as protobuf's JSON does.
        let revision = answer.pointer("/header/revision").and_then(Value::as_str);
        let revision = revision.context("etcd tells no revision")?;
        self.etcd_call("/v3/kv/compaction", &json!({"revision": revision, "physical": true}))?;
        revision.parse().with_context(|| format!("etcd's revision {revision:?} is no number"))
    }

    /// etcd stands still while its files are copied, and goes on: what a crash would leave.
    pub fn snapshot_etcd(&self) -> Result<EtcdSnapshot> {
        let etcd = self.etcd.as_ref().context("etcd doesn't run")?;
        let folder = tempfile::Builder::new()
            .prefix("etcd-snapshot-")
            .tempdir_in(self.folder())
            .context("create a folder for the snapshot")?
            .keep();
        etcd.signal(Signal::STOP)?;
        let copied = copy(&self.layout.etcd_data(), &folder.join("data"));
        etcd.signal(Signal::CONT)?;
        copied.map(|()| EtcdSnapshot { folder })
    }

    /// etcd is killed and comes back as it was then: resourceVersions go back. A running apiserver
    /// still has what it cached; Kubernetes' manual asks to restart it after this.
    pub fn restore_etcd(&mut self, snapshot: &EtcdSnapshot) -> Result<()> {
        running(self.etcd.take(), "etcd")?.kill()?;
        let data = self.layout.etcd_data();
        fs::remove_dir_all(&data).with_context(|| format!("remove {}", data.display()))?;
        copy(&snapshot.folder.join("data"), &data)?;
        self.start_etcd()
    }

    /// One call of etcd's JSON gateway. In HTTP/1.0 the answer ends with the connection and comes in
    /// one piece: no client is needed for it.
    fn etcd_call(&self, path: &str, body: &Value) -> Result<Value> {
        let port = self.layout.ports.etcd_client;
        let call = || {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
            stream.set_read_timeout(Some(CALL_TIMEOUT))?;
            let body = body.to_string();
            write!(stream, "POST {path} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            anyhow::Ok(answer)
        };
        let answer = call().with_context(|| format!("ask etcd for {path}"))?;
        let (head, body) = answer.split_once("\r\n\r\n").context("etcd's answer has no body")?;
        ensure!(
            head.lines().next().is_some_and(|line| line.contains(" 200 ")),
            "etcd refused {path}: {answer}"
        );
        serde_json::from_str(body).with_context(|| format!("etcd answered {path} with {body:?}"))
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let status = Command::new("cp").arg("-R").arg(from).arg(to).status().context("run cp")?;
    ensure!(status.success(), "{} could not be copied ({status})", from.display());
    Ok(())
}

const CALL_TIMEOUT: Duration = Duration::from_secs(30);
