//! Clients of the wire, as this release's own page and `tail` have one in them: each holds a table, and comes back with
//! its token and its digest.

use anyhow::{Result, ensure};
use replica::client::{Client, SignIn};
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use simulation::chance::Chance;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

use super::{Fleet, Mode, REPLICAS, TOKEN, Upgrade};
use crate::exemplar::NAMESPACE;
use crate::roll::watcher::Watcher;
use crate::viewer::{Viewer, by_address};

/// What came of it.
pub struct Resumed {
    /// By the replicas of each way: continued and begun anew.
    pub there: (u64, u64),
    pub back: (u64, u64),
}

const CLIENTS: usize = 24;
/// Clients that aren't exact by then never will be.
const PATIENCE: Duration = Duration::from_secs(120);

/// Upgrades and goes back again, while objects are written. Fails if a change was lost, a guarantee of the wire
/// broken, or a table begun anew.
pub async fn run(upgrade: &Upgrade) -> Result<Resumed> {
    let mut fleet = Fleet::open(&upgrade.from, Mode::Bearer).await?;
    let (say_away, mut away) = watch::channel(0);
    let viewers: Vec<Watcher> =
        (0..CLIENTS).map(|number| viewer(&fleet, number, say_away.clone())).collect::<Result<_>>()?;
    all_exact(&mut away).await?;
    let writing = fleet.writing();
    writing.until_more(100).await?;
    let mut counted = Vec::new();
    for release in [&upgrade.to, &upgrade.from] {
        for at in 0..REPLICAS {
            fleet.replace(at, release)?;
            all_exact(&mut away).await?;
            writing.until_more(50).await?;
        }
        counted.push(fleet.resumed()?);
    }
    writing.end().await?;
    let fresh = Arc::new(fleet.fresh().await?);
    let mut looks = tokio::time::interval(Duration::from_millis(250));
    let began = Instant::now();
    for (number, viewer) in viewers.iter().enumerate() {
        while let Some(difference) = viewer.difference(fresh.clone()).await? {
            ensure!(began.elapsed() < PATIENCE, "client {number}: {difference}");
            looks.tick().await;
        }
        let account = viewer.account().await?;
        ensure!(account.broken.is_empty(), "client {number}: {:?}", account.broken);
        ensure!(account.resets == 0, "client {number} began anew {} times", account.resets);
    }
    let [there, back] = counted[..] else { anyhow::bail!("two ways") };
    ensure!(there.0 > 0 && back.0 > 0, "nobody was continued: {there:?} and {back:?}");
    ensure!(there.1 + back.1 == 0, "begun anew: {} there, {} back", there.1, back.1);
    Ok(Resumed { there, back })
}

pub fn pods() -> Result<Scope> {
    let resource = Resource::parse("", "v1", "pods")?;
    let namespaces = Namespaces::these(vec![Namespace::parse(NAMESPACE)?])?;
    Ok(Scope { cluster: None, resource, namespaces, name: None, labels: None, fields: None })
}

fn viewer(fleet: &Fleet, number: usize, away: watch::Sender<usize>) -> Result<Watcher> {
    let mut chance = Chance::new(number as u64, 1);
    let client = Client::new("upgrade", SignIn::Bearer(TOKEN.into()));
    let connect = by_address(&fleet.address());
    let mut viewer = Viewer::with_chance(client, connect, move || chance.part());
    viewer.keep(pods()?);
    Ok(Watcher::start(viewer, away))
}

async fn all_exact(away: &mut watch::Receiver<usize>) -> Result<()> {
    let waited = tokio::time::timeout(PATIENCE, away.wait_for(|away| *away == 0)).await.is_ok();
    ensure!(waited, "{} clients aren't exact", *away.borrow());
    Ok(())
}
