//! Replicas of a gateway behind one nginx, which leads each connection to the next of them, on one playground. A test
//! says how each is started; each is ended as Kubernetes ends it, and its successor takes its place.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use playground::Playground;
use rustix::process::Signal;
use tokio::task::block_in_place;

use crate::dogwatch::Dogwatch;
use crate::gateways::{Entrance, OLD_KEY, options, start_at};
use crate::metrics::Metrics;
use crate::nginx::Nginx;
use crate::ports::free_address;
use crate::provider::Provider;

/// The rig of every test with replicas: a roll, an upgrade, and logins that meet one replica and then another. It owns
/// the cluster, nginx and the replicas, which end with it.
pub struct Replicas {
    pub playground: Arc<Playground>,
    kubeconfig: tempfile::TempPath,
    places: Vec<Place>,
    nginx: Nginx,
}

struct Place {
    address: String,
    metrics: Metrics,
    /// `None`: none was started yet.
    gateway: Option<Dogwatch>,
}

impl Replicas {
    /// So many, of which none runs yet. `more` stands with what nginx says of each request.
    pub fn of(playground: Playground, count: usize, more: &str) -> Result<Self> {
        let kubeconfig = tempfile::NamedTempFile::new()?.into_temp_path();
        playground.write_kubeconfig(&kubeconfig)?;
        let place = |_| {
            let (address, metrics) = (free_address().to_string(), Metrics::at_free_port());
            Place { address, metrics, gateway: None }
        };
        let places: Vec<Place> = (0..count).map(place).collect();
        let addresses: Vec<String> = places.iter().map(|place| place.address.clone()).collect();
        let nginx = Nginx::before(&addresses, more)?;
        Ok(Self { playground: Arc::new(playground), kubeconfig, places, nginx })
    }

    fn len(&self) -> usize {
        self.places.len()
    }

    /// Where the replicas listen.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| place.address.as_str())
    }

    /// Where browsers and clients come in.
    pub fn entrance(&self) -> Entrance {
        Entrance { address: self.nginx.address().to_string() }
    }

    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// The gateway at this place, which was started before.
    pub fn gateway(&mut self, at: usize) -> Result<&mut Dogwatch> {
        self.places[at].gateway.as_mut().context("it was never started")
    }

    /// Starts a replica at its place, and returns when it is ready. `serve` gets the address to listen on, and the flags
    /// that say which cluster is shown and where it counts.
    pub fn start(&mut self, at: usize, serve: impl FnOnce(&str, &[&str]) -> Result<Dogwatch>) -> Result<()> {
        let (kubeconfig, metrics) = (self.kubeconfig.to_string_lossy(), self.places[at].metrics.address());
        let flags = ["--kubeconfig", &kubeconfig, "--metrics-listen", &metrics];
        let gateway = block_in_place(|| serve(&self.places[at].address, &flags))?;
        self.places[at].gateway = Some(gateway);
        Ok(())
    }

    /// The same where people sign in at a provider; its peer is the replica after it.
    pub fn start_with_login(&mut self, at: usize, provider: &Provider, more: &[&str]) -> Result<()> {
        let peer = self.places[(at + 1) % self.len()].address.clone();
        self.start(at, |address, flags| {
            let more = [flags, &["--peers", &peer], more].concat();
            Ok(start_at(provider, options().client_secret, address, &[OLD_KEY], &more).dogwatch)
        })
    }

    /// Ends a replica as Kubernetes does, and waits until its process is gone.
    pub fn end(&mut self, at: usize) -> Result<()> {
        let former = self.gateway(at)?;
        former.signal(Signal::TERM)?;
        let (status, log) = block_in_place(|| former.wait())?;
        ensure!(status.success(), "a replica ended with {status}:\n{log}");
        Ok(())
    }

    /// How many clients the replicas that run now continued, and how many began anew.
    pub fn resumed(&self) -> Result<(u64, u64)> {
        let counted = |result: &str| -> Result<u64> {
            let label = format!("\"{result}\"");
            self.places.iter().map(|place| place.metrics.sum("dogwatch_resumes_total", &label)).sum()
        };
        Ok((counted("continued")?, counted("anew")?))
    }
}
