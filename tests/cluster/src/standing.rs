//! A control plane that stays up after the command that started it: `cargo xtask kube up`.
//!
//! Files of its folder hold its ports, version and process ids, so that a later command finds it, starts what isn't
//! running, or takes it down. No process supervises it.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::binaries::Binaries;
use crate::fleet::{self, Fleet};
use crate::kubectl::Kubectl;
use crate::layout::Layout;
use crate::process::{Invocation, last_lines};
use crate::program::Version;
use crate::ready;
use crate::record::Record;
use crate::users::User;

/// A control plane found in, or started in, a folder.
#[derive(Debug)]
pub struct Standing {
    layout: Layout,
    kubectl: Kubectl,
}

impl Standing {
    /// Starts what isn't running in `folder`, with the data that is there. A `version` or `port`
    /// that isn't named is the one of the last time, and so is a `fleet`.
    pub fn up(
        folder: &Path,
        version: Option<Version>,
        port: Option<u16>,
        fleet: Option<Fleet>,
    ) -> Result<Standing> {
        fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        let folder = folder.canonicalize()?;
        let before = Record::read(&folder)?;
        let record = Record::decide(&folder, before.as_ref(), version, port, fleet)?;
        let binaries = Binaries::ensure_version(&record.version)?;
        let layout = Layout {
            folder: folder.clone(),
            ports: record.ports,
            users: vec![User::admin(), User::new("nobody", &[])],
            apiserver_flags: Vec::new(),
            records_requests: false,
            fleet: record.fleet,
            has_controllers: false,
        };
        if before.is_some_and(|before| !before.same(&record)) {
            // Another version, port or fleet: the servers come back with it, the data stays.
            stop(&folder)?;
        }
        layout.prepare()?;
        record.write(&folder)?;
        let kubectl = Kubectl::new(&binaries, &layout);
        let ports = layout.ports;
        start(&folder, ETCD, Some(ports.etcd_client), &layout.etcd(&binaries), |check| {
            ready::listens(ports.etcd_client, check)
        })?;
        let apiserver = layout.kube_apiserver(&binaries);
        start(&folder, APISERVER, Some(ports.apiserver), &apiserver, |check| {
            ready::serves(&layout, &kubectl, check)
        })?;
        fleet::bring_up(&layout, &binaries, |name, invocation| {
            start(&folder, name, None, invocation, |check| check())
        })?;
        Ok(Standing { layout, kubectl })
    }

    /// Ends what runs in `folder`; its data stays. Returns what was ended.
    pub fn down(folder: &Path) -> Result<Vec<&'static str>> {
        let folder = folder
            .canonicalize()
            .with_context(|| format!("there is no control plane in {}", folder.display()))?;
        stop(&folder)
    }

    pub fn kubeconfig(&self) -> PathBuf {
        self.layout.kubeconfig()
    }

    pub fn server(&self) -> String {
        self.layout.server()
    }

    /// What `kubectl ARGUMENTS` prints as admin; what it complains of becomes the error.
    pub fn kubectl(&self, arguments: &[&str], input: &str) -> Result<String> {
        self.kubectl.with_input(arguments, input)
    }

    /// The one that was asked for, or the one that the folder has from before.
    pub fn fleet(&self) -> Option<Fleet> {
        self.layout.fleet
    }
}

fn start(
    folder: &Path,
    name: &'static str,
    port: Option<u16>,
    invocation: &Invocation,
    ready: impl FnOnce(&mut dyn FnMut() -> Result<()>) -> Result<()>,
) -> Result<()> {
    if running(folder, name).is_some() {
        return ready(&mut || Ok(()));
    }
    if let Some(port) = port {
        // Another program that listens on the port would be taken for our server.
        ready::unused(port).with_context(|| format!("{name} can't start"))?;
    }
    let mut server = detach(invocation)?;
    fs::write(pid_file(folder, name), server.id().to_string())?;
    let mut check = || match server.try_wait()? {
        None => Ok(()),
        Some(status) => bail!("it ended by itself ({status})\n{}", last_lines(&invocation.log)),
    };
    ready(&mut check).with_context(|| format!("{name} did not start"))
}

/// A process that neither the end of ours nor a closed terminal takes along.
fn detach(invocation: &Invocation) -> Result<Child> {
    let log = File::options()
        .create(true)
        .append(true)
        .open(&invocation.log)
        .with_context(|| format!("write {}", invocation.log.display()))?;
    Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh"])
        .arg(&invocation.program)
        .args(&invocation.arguments)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .process_group(0)
        .spawn()
        .with_context(|| format!("start {}", invocation.program.display()))
}

fn stop(folder: &Path) -> Result<Vec<&'static str>> {
    let mut stopped = Vec::new();
    for name in [fleet::KWOK, fleet::SCHEDULER, fleet::MANAGER, APISERVER, ETCD] {
        if let Some(pid) = running(folder, name) {
            let gone = || running(folder, name).is_none();
            kill_process(pid, Signal::TERM).with_context(|| format!("stop {name}"))?;
            if ready::within(TERM_DEADLINE, "end", || Ok(()), gone).is_err() {
                // An apiserver whose etcd is dead waits for it.
                kill_process(pid, Signal::KILL).with_context(|| format!("kill {name}"))?;
                ready::until("end", || Ok(()), gone).with_context(|| format!("kill {name}"))?;
            }
            stopped.push(name);
        }
        let _ = fs::remove_file(pid_file(folder, name));
    }
    Ok(stopped)
}

/// The process of the pid file, if it still is that server: numbers are used again.
fn running(folder: &Path, name: &str) -> Option<Pid> {
    let pid = fs::read_to_string(pid_file(folder, name)).ok()?;
    let pid = Pid::from_raw(pid.trim().parse().ok()?)?;
    let number = pid.as_raw_nonzero().to_string();
    let command = match fs::read(format!("/proc/{number}/cmdline")) {
        Ok(command) => command,
        Err(_) if Path::new("/proc/self").exists() => return None,
        Err(_) => {
            let ps = Command::new("ps").args(["-ww", "-o", "command=", "-p", &number]).output();
            ps.ok()?.stdout
        }
    };
    let command = String::from_utf8_lossy(&command);
    let ours = format!("={}/", folder.display());
    command.contains(&ours).then_some(pid)
}

fn pid_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.pid"))
}

const APISERVER: &str = "kube-apiserver";
const ETCD: &str = "etcd";
const TERM_DEADLINE: Duration = Duration::from_secs(15);
