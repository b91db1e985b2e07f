//! A control plane that belongs to one owner: a test, a bench.

mod credential;
mod store;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use rustix::process::Signal;

use crate::binaries::Binaries;
use crate::fleet::{self, Fleet};
use crate::kubectl::Kubectl;
use crate::layout::{Layout, Ports};
use crate::ports::Port;
use crate::process::{Folder, Supervised};
use crate::program::Version;
use crate::ready;
use crate::users::User;

pub use credential::Credential;
pub use store::EtcdSnapshot;

/// How a control plane differs from the usual one.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub version: Version,
    /// Users beside `admin`, who may do everything. They have no rights until a test binds some.
    pub users: Vec<User>,
    /// Flags added to the apiserver's; a repeated flag replaces the usual one.
    pub apiserver_flags: Vec<String>,
    /// Controller manager, scheduler, nodes and workloads that live.
    pub fleet: Option<Fleet>,
    /// The controller manager alone: it makes what objects ask for, and nothing runs.
    pub has_controllers: bool,
    /// Records every request, for [`ControlPlane::requests`].
    pub records_requests: bool,
}

/// etcd and kube-apiserver (and, with a fleet, what makes it live) on ports and in a folder of their own.
/// Dropping it ends all and removes the folder; so does the end of this process, whatever ended it.
#[derive(Debug)]
pub struct ControlPlane {
    // In the order in which they end.
    fleet: Vec<Supervised>,
    apiserver: Option<Supervised>,
    etcd: Option<Supervised>,
    layout: Layout,
    binaries: Binaries,
    _folder: Folder,
    _ports: [Port; 3],
}

impl ControlPlane {
    pub fn start(options: Options) -> Result<ControlPlane> {
        let binaries = Binaries::ensure_version(&options.version)?;
        let folder = Folder::new()?;
        let ports = [Port::free()?, Port::free()?, Port::free()?];
        let [apiserver, etcd_client, etcd_peer] = ports.each_ref().map(|port| port.number);
        let mut users = vec![User::admin()];
        users.extend(options.users);
        let layout = Layout {
            folder: folder.path().to_owned(),
            ports: Ports { apiserver, etcd_client, etcd_peer },
            users,
            apiserver_flags: options.apiserver_flags,
            records_requests: options.records_requests,
            fleet: options.fleet,
            has_controllers: options.has_controllers,
        };
        layout.prepare()?;
        let mut plane = ControlPlane {
            fleet: Vec::new(),
            apiserver: None,
            etcd: None,
            layout,
            binaries,
            _folder: folder,
            _ports: ports,
        };
        plane.start_etcd()?;
        plane.start_apiserver()?;
        plane.start_fleet()?;
        Ok(plane)
    }

    /// The admin's kubeconfig; it has a context for every user, with the user's name.
    pub fn kubeconfig(&self) -> PathBuf {
        self.layout.kubeconfig()
    }

    /// The same file with that user's context chosen.
    pub fn kubeconfig_of(&self, user: &str) -> PathBuf {
        self.layout.kubeconfig_of(user)
    }

    /// `https://127.0.0.1:PORT`, the same after a restart.
    pub fn server(&self) -> String {
        self.layout.server()
    }

    /// The certificate (PEM) that the apiserver made for itself and a client must trust.
    pub fn certificate(&self) -> PathBuf {
        self.layout.certificate()
    }

    /// kubectl as admin, to be given its arguments.
    pub fn kubectl(&self) -> Command {
        self.tool().command()
    }

    /// What `kubectl ARGUMENTS` prints; what it complains of becomes the error.
    pub fn kubectl_output(&self, arguments: &[&str]) -> Result<String> {
        self.kubectl_with_input(arguments, "")
    }

    /// Applies manifests, YAML or JSON.
    pub fn apply(&self, manifests: &str) -> Result<String> {
        self.kubectl_with_input(&["apply", "-f", "-"], manifests)
    }

    pub fn kubectl_with_input(&self, arguments: &[&str], input: &str) -> Result<String> {
        self.tool().with_input(arguments, input)
    }

    /// SIGKILL: connections break, nothing is said.
    pub fn kill_apiserver(&mut self) -> Result<()> {
        running(self.apiserver.take(), "kube-apiserver")?.kill()?;
        Ok(())
    }

    /// The next start of the apiserver makes another certificate, which those who trust the former one don't know.
    pub fn forget_certificate(&self) -> Result<()> {
        ensure!(self.apiserver.is_none(), "kube-apiserver runs, with its certificate");
        let key = self.certificate().with_extension("key");
        [self.certificate(), key].iter().try_for_each(fs::remove_file).context("remove the certificate")
    }

    /// On the same port, with the same certificate; returns when it is ready.
    pub fn start_apiserver(&mut self) -> Result<()> {
        ensure!(self.apiserver.is_none(), "kube-apiserver runs already");
        let invocation = self.layout.kube_apiserver(&self.binaries);
        let mut server = Supervised::start(&invocation, &self._folder)?;
        ready::serves(&self.layout, &self.tool(), || server.check())
            .with_context(|| format!("kube-apiserver {} did not start", self.binaries.version))?;
        self.apiserver = Some(server);
        Ok(())
    }

    /// SIGSTOP: connections stay open and say nothing.
    pub fn pause_apiserver(&self) -> Result<()> {
        self.signal_apiserver(Signal::STOP)
    }

    pub fn resume_apiserver(&self) -> Result<()> {
        self.signal_apiserver(Signal::CONT)
    }

    pub fn kill_etcd(&mut self) -> Result<()> {
        running(self.etcd.take(), "etcd")?.kill()?;
        Ok(())
    }

    /// On the same port, with the same data; returns when it listens.
    pub fn start_etcd(&mut self) -> Result<()> {
        ensure!(self.etcd.is_none(), "etcd runs already");
        let invocation = self.layout.etcd(&self.binaries);
        let mut server = Supervised::start(&invocation, &self._folder)?;
        ready::listens(self.layout.ports.etcd_client, || server.check()).context("etcd did not start")?;
        self.etcd = Some(server);
        Ok(())
    }

    /// The events of the audit log (`audit.k8s.io/v1`) so far, one a line: each request as it arrives, as its answer
    /// begins where that is a stream, and at its end.
    pub fn requests(&self) -> Result<String> {
        let log = self.layout.audit_log().context("the requests aren't recorded")?;
        std::fs::read_to_string(&log).with_context(|| format!("read {}", log.display()))
    }

    /// The processes of the servers that run, for a test that measures them.
    pub fn pids(&self) -> Vec<u32> {
        let servers = [&self.etcd, &self.apiserver];
        servers.into_iter().flatten().chain(&self.fleet).map(Supervised::pid).collect()
    }

    pub fn folder(&self) -> &Path {
        &self.layout.folder
    }

    fn tool(&self) -> Kubectl {
        Kubectl::new(&self.binaries, &self.layout)
    }

    /// Sends SIGKILL to the fleet's controllers. From then on only the tests write, and the apiserver renews its own
    /// lease.
    pub fn kill_fleet(&mut self) {
        self.fleet.clear();
    }

    fn start_fleet(&mut self) -> Result<()> {
        let ControlPlane { layout, binaries, fleet, _folder: folder, .. } = self;
        if layout.has_controllers && layout.fleet.is_none() {
            fleet.push(Supervised::start(&fleet::controllers(layout, binaries)?, folder)?);
        }
        fleet::bring_up(layout, binaries, |_, invocation| {
            fleet.push(Supervised::start(invocation, folder)?);
            Ok(())
        })
    }

    fn signal_apiserver(&self, signal: Signal) -> Result<()> {
        match &self.apiserver {
            Some(server) => server.signal(signal),
            None => bail!("kube-apiserver doesn't run"),
        }
    }
}

fn running(server: Option<Supervised>, name: &str) -> Result<Supervised> {
    server.with_context(|| format!("{name} doesn't run"))
}
