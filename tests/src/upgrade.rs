//! An upgrade under way: three replicas behind nginx, of which each is of this release or of a former one, on a
//! playground whose objects change. Its parts are what a former release may still have open: a page, a `tail`, a client
//! of the wire. It builds nothing.

pub mod clients;
pub mod page;
pub mod recording;
pub mod tails;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use playground::Playground;
use rustix::process::Signal;
use tokio::task::block_in_place;

use crate::dogwatch::{Dogwatch, Home};
use crate::exemplar::NAMESPACE;
use crate::load::{Size, Writing, fill};
use crate::metrics::Metrics;
use crate::nginx::Nginx;
use crate::oracle::Fresh;
use crate::ports::free_address;
use crate::teams::{self, Subject};
use crate::{api, dogwatch};

/// A gateway with its page and its `tail`.
#[derive(Clone, Debug)]
pub struct Release {
    /// As it is called in what is printed.
    pub name: String,
    pub binary: PathBuf,
}

/// From one release to the other.
#[derive(Clone, Debug)]
pub struct Upgrade {
    pub from: Release,
    pub to: Release,
}

/// How the gateways know that it is alice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By a token of the cluster, which a client brings.
    Bearer,
    /// By nginx, so that a page that is loaded anew is signed in.
    Proxy,
}

pub struct Fleet {
    pub playground: Arc<Playground>,
    kubeconfig: tempfile::TempPath,
    mode: Mode,
    addresses: Vec<String>,
    metrics: Vec<Metrics>,
    pub gateways: Vec<Dogwatch>,
    nginx: Nginx,
}

pub const REPLICAS: usize = 3;
/// All rows of them fit into a tall window.
pub const PODS: usize = 40;
const CHANGES_PER_S: usize = 50;
pub const TOKEN: &str = "token-of-alice";

impl Release {
    /// This one, and the former one that `DOGWATCH_FORMER_BIN` names.
    pub fn both() -> Result<[Self; 2]> {
        let binary = std::env::var_os("DOGWATCH_FORMER_BIN").context("run `cargo xtask upgrade`")?;
        let commit = std::env::var("DOGWATCH_FORMER_COMMIT").unwrap_or_default();
        let former = Self { name: commit, binary: binary.into() };
        Ok([Self { name: "this release".into(), binary: dogwatch::binary() }, former])
    }
}

impl Upgrade {
    pub fn back(&self) -> Self {
        Self { from: self.to.clone(), to: self.from.clone() }
    }
}

impl std::fmt::Display for Upgrade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "from {} to {}", self.from.name, self.to.name)
    }
}

impl Fleet {
    /// All replicas of this release. Alice may see everything.
    pub async fn open(release: &Release, mode: Mode) -> Result<Self> {
        let playground = teams::playground(&[("alice", &[])], &[]).await?;
        fill(&playground, PODS, Size::Small)?;
        teams::allow(&playground, "", Subject::User("alice"))?;
        let kubeconfig = tempfile::NamedTempFile::new()?.into_temp_path();
        playground.write_kubeconfig(&kubeconfig)?;
        let addresses: Vec<String> = (0..REPLICAS).map(|_| free_address().to_string()).collect();
        let metrics = (0..REPLICAS).map(|_| Metrics::at_free_port()).collect();
        let nginx = Nginx::before(&addresses, if mode == Mode::Proxy { SAYS_ALICE } else { "" })?;
        let (playground, gateways) = (Arc::new(playground), Vec::new());
        let mut fleet = Self { playground, kubeconfig, mode, addresses, metrics, gateways, nginx };
        for at in 0..REPLICAS {
            fleet.gateways.push(fleet.start(at, release)?);
        }
        Ok(fleet)
    }

    /// Returns when it is ready.
    fn start(&self, at: usize, release: &Release) -> Result<Dogwatch> {
        let (kubeconfig, origin) = (self.kubeconfig.to_string_lossy(), self.origin());
        let metrics = self.metrics[at].address();
        let mut flags = vec!["--listen", &self.addresses[at], "--kubeconfig", &kubeconfig];
        flags.extend(["--metrics-listen", &metrics, "--public-url", &origin]);
        flags.extend(match self.mode {
            Mode::Bearer => &["--auth", "bearer"][..],
            Mode::Proxy => &["--auth", "proxy", "--proxy-cidr", "127.0.0.1/32"],
        });
        block_in_place(|| Home::of_release(&release.binary)?.serve(&flags))
    }

    /// Ends a replica as Kubernetes does, and starts one of this release in its place.
    pub fn replace(&mut self, at: usize, release: &Release) -> Result<()> {
        let mut former = self.gateways.remove(at);
        former.signal(Signal::TERM)?;
        let (status, log) = block_in_place(|| former.wait())?;
        ensure!(status.success(), "a replica ended with {status}:\n{log}");
        self.gateways.insert(at, self.start(at, release)?);
        Ok(())
    }

    /// The origin of nginx, for a browser.
    pub fn origin(&self) -> String {
        format!("http://{}", self.nginx.address())
    }

    pub fn address(&self) -> String {
        self.nginx.address().to_string()
    }

    pub fn writing(&self) -> Writing {
        Writing::start(self.playground.clone(), PODS, CHANGES_PER_S)
    }

    /// The pods that are written, as the API server lists them now.
    pub async fn fresh(&self) -> Result<Fresh> {
        Fresh::list(&api::client(&self.kubeconfig).await?, PATH).await
    }

    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// How many clients the replicas that run now continued, and how many began anew.
    pub fn resumed(&self) -> Result<(u64, u64)> {
        let counted = |result: &str| -> Result<u64> {
            let label = format!("\"{result}\"");
            self.metrics.iter().map(|it| it.sum("dogwatch_resumes_total", &label)).sum()
        };
        Ok((counted("continued")?, counted("anew")?))
    }
}

/// The pods that are written.
pub const PATH: &str = "/api/v1/namespaces/bench/pods";
const _: () = assert!(NAMESPACE.len() == "bench".len());
const SAYS_ALICE: &str = "proxy_set_header X-Remote-User alice;";
