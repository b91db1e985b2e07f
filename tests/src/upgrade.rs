//! An upgrade under way: three replicas behind nginx, of which each is of this release or of a former one, on a
//! playground whose objects change. Its parts are what a former release may still have open: a page, a `tail`, a client
//! of the wire. It builds nothing.

pub mod clients;
pub mod page;
pub mod recording;
pub mod tails;

use std::path::{Path, PathBuf};

use crate::dogwatch::Home;
use crate::exemplar::NAMESPACE;
use crate::load::{Size, Writing, fill};
use crate::oracle::Fresh;
use crate::replicas::Replicas;
use crate::teams::{self, Subject};
use crate::{api, dogwatch};
use anyhow::{Context, Result};

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
    replicas: Replicas,
    mode: Mode,
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
        let name = |variable: &str| std::env::var(variable).unwrap_or_default();
        let former = Self { name: name("DOGWATCH_FORMER_NAME"), binary: binary.into() };
        Ok([Self { name: name("DOGWATCH_NAME"), binary: dogwatch::binary() }, former])
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
        let more = if mode == Mode::Proxy { SAYS_ALICE } else { "" };
        let mut fleet = Self { replicas: Replicas::of(playground, REPLICAS, more)?, mode };
        for at in 0..REPLICAS {
            fleet.start(at, release)?;
        }
        Ok(fleet)
    }

    /// Returns when it is ready.
    fn start(&mut self, at: usize, release: &Release) -> Result<()> {
        let (origin, mode) = (self.origin(), self.mode);
        self.replicas.start(at, |address, flags| {
            let mode = match mode {
                Mode::Bearer => &["--auth", "bearer"][..],
                Mode::Proxy => &["--auth", "proxy", "--proxy-cidr", "127.0.0.1/32"],
            };
            let own = ["--listen", address, "--public-url", &origin];
            Home::of_release(&release.binary)?.serve(&[&own[..], flags, mode].concat())
        })
    }

    /// Ends a replica as Kubernetes does, and starts one of this release in its place.
    pub fn replace(&mut self, at: usize, release: &Release) -> Result<()> {
        self.replicas.end(at)?;
        self.start(at, release)
    }

    /// The origin of nginx, for a browser.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address())
    }

    pub fn address(&self) -> String {
        self.replicas.entrance().address
    }

    pub fn writing(&self) -> Writing {
        Writing::start(self.replicas.playground.clone(), PODS, CHANGES_PER_S)
    }

    /// The pods that are written, as the API server lists them now.
    pub async fn fresh(&self) -> Result<Fresh> {
        Fresh::list(&api::client(self.kubeconfig()).await?, PATH).await
    }

    pub fn kubeconfig(&self) -> &Path {
        self.replicas.kubeconfig()
    }

    /// How many clients the replicas that run now continued, and how many began anew.
    pub fn resumed(&self) -> Result<(u64, u64)> {
        self.replicas.resumed()
    }
}

/// The pods that are written.
pub const PATH: &str = "/api/v1/namespaces/bench/pods";
const _: () = assert!(NAMESPACE.len() == "bench".len());
const SAYS_ALICE: &str = "proxy_set_header X-Remote-User alice;";
