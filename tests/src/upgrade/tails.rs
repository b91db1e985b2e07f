//! `dogwatch tail` of both releases through an upgrade and back: each meets gateways of its own release and of the other.

use std::ops::Deref;

use anyhow::{Context, Result};
use tokio::task::block_in_place;

use super::{Fleet, Mode, REPLICAS, Release, TOKEN, Upgrade};
use crate::dogwatch::Home;
use crate::exemplar::NAMESPACE;
use crate::tail::Tail;

/// Fails if what one of them printed isn't a fresh list in the end, or an object's resourceVersion went back.
pub async fn run(upgrade: &Upgrade) -> Result<()> {
    let mut fleet = Fleet::open(&upgrade.from, Mode::Bearer).await?;
    let origin = fleet.origin();
    let mut tails = [OfRelease::start(&upgrade.from, &origin)?, OfRelease::start(&upgrade.to, &origin)?];
    for tail in &mut tails {
        block_in_place(|| tail.until(|tail| tail.is_live()))?;
    }
    let writing = fleet.writing();
    for release in [&upgrade.to, &upgrade.from] {
        for at in 0..REPLICAS {
            fleet.replace(at, release)?;
            writing.until_more(50).await?;
        }
        // What comes from now on comes from gateways of this release alone.
        for tail in &mut tails {
            let known = tail.newest();
            let heard = block_in_place(|| tail.until(|tail| tail.is_live() && tail.newest() > known));
            heard.with_context(|| format!("all gateways are of {}", release.name))?;
        }
    }
    writing.end().await?;
    let fresh = fleet.fresh().await?;
    for tail in &mut tails {
        let difference = |tail: &OfRelease| fresh.difference_of_printed(&tail.rows);
        let ended = block_in_place(|| tail.until(|tail| tail.is_live() && difference(tail).is_none()));
        ended.with_context(|| format!("it isn't a fresh list: {:?}", difference(tail)))?;
    }
    Ok(())
}

/// The token's file is in a home of its own, which is kept as long as the `tail`.
pub struct OfRelease {
    tail: Tail,
    name: String,
    _home: Home,
}

impl OfRelease {
    /// Starts a `tail` of the pods that are written, through the server at `origin`.
    pub fn start(release: &Release, origin: &str) -> Result<Self> {
        let home = Home::of_release(&release.binary)?;
        let file = home.path().join("token");
        std::fs::write(&file, TOKEN)?;
        let mut command = home.command();
        command.args(["tail", "pods", "-n", NAMESPACE, "--server", origin, "--token-file"]).arg(&file);
        Ok(Self { tail: Tail::start(command)?, name: release.name.clone(), _home: home })
    }

    /// Waits in this thread until what it printed is as expected.
    pub fn until(&mut self, expected: impl Fn(&Self) -> bool) -> Result<()> {
        while !expected(self) {
            let read = self.tail.read();
            read.with_context(|| format!("the tail of {}, which said {:?}", self.name, self.tail.states))?;
        }
        Ok(())
    }

    /// The newest resourceVersion that it printed.
    pub fn newest(&self) -> Option<u64> {
        self.tail.rows.values().map(|(version, _)| *version).max()
    }
}

impl Deref for OfRelease {
    type Target = Tail;

    fn deref(&self) -> &Tail {
        &self.tail
    }
}
