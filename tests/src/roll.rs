//! A rolling replacement under load: replicas behind nginx, which leads each connection to the next of them, viewers who
//! signed in at a provider, and a writer that goes on. Each replica is ended by SIGTERM and another takes its place. It
//! measures, and says what was lost; the bars stand in the tests.

pub mod watcher;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use http::{HeaderMap, HeaderValue};
use kube::Client as Upstream;
use replica::client::{Client, SignIn};
use serde_json::{Value, json};
use simulation::chance::Chance;
use tokio::sync::watch;
use tokio::task::block_in_place;

use crate::api;
use crate::client::all_pods;
use crate::gateways::{PUBLIC, options};
use crate::load::{Size, Writing, fill};
use crate::oracle::Fresh;
use crate::process::allow_open_files;
use crate::provider::{Browser, Provider};
use crate::replicas::Replicas;
use crate::spread::Spread;
use crate::teams::{self, Subject};
use crate::viewer::{Viewer, by_upgrade, tcp};
use watcher::{Account, Away, Watcher};

#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub viewers: usize,
    /// The number of people who are signed in. The viewers that are pages are divided equally among them.
    pub people: usize,
    pub pods: usize,
    pub changes_per_s: usize,
}

const REPLICAS: usize = 3;
/// Viewers that aren't exact by then never will be.
const PATIENCE: Duration = Duration::from_secs(180);
/// How many viewers load their first table at once.
const AT_ONCE: usize = 50;

/// What happened to one replica.
#[derive(Clone, Copy, Debug)]
pub struct Replaced {
    /// Viewers that lost their connection.
    pub moved: usize,
    /// From SIGTERM to the end of the process.
    pub ended_s: f64,
    /// From SIGTERM to the successor's readiness.
    pub replaced_s: f64,
    /// From SIGTERM until every viewer is exact.
    pub exact_s: f64,
    pub changes: u64,
}

pub struct Report {
    pub replaced: Vec<Replaced>,
    pub accounts: Vec<Account>,
    /// Viewers whose table isn't the API server's list in the end, and how the first of them differs.
    pub different: usize,
    pub difference: Option<String>,
    /// As the last three replicas counted.
    pub continued: u64,
    pub began_anew: u64,
}

struct Scene {
    load: Load,
    provider: Provider,
    replicas: Replicas,
}

pub async fn run(load: Load) -> Result<Report> {
    // A viewer has a file here and two in nginx, which inherits the limit.
    allow_open_files();
    let mut scene = Scene::open(load).await?;
    let people = scene.sign_in().await?;
    let (say_away, mut away) = watch::channel(0);
    let mut viewers = Vec::new();
    for number in 0..load.viewers {
        viewers.push(scene.viewer(number, &people[number % people.len()], say_away.clone())?);
        if number % AT_ONCE == AT_ONCE - 1 {
            all_exact(&mut away).await?;
        }
    }
    all_exact(&mut away).await?;
    let writing = Writing::start(scene.replicas.playground.clone(), load.pods, load.changes_per_s);
    writing.until_more(2 * load.changes_per_s as u64).await?;
    let mut replaced = Vec::new();
    for at in 0..REPLICAS {
        let mut lost = accounts(&viewers).await?;
        let mut this = scene.replace(at, &writing, &mut away).await?;
        for (before, after) in lost.iter_mut().zip(accounts(&viewers).await?) {
            this.moved += usize::from(after.away.len() > before.away.len());
        }
        replaced.push(this);
        writing.until_more(2 * load.changes_per_s as u64).await?;
    }
    writing.end().await?;
    let (different, difference) = scene.differences(&viewers).await?;
    let (continued, began_anew) = scene.replicas.resumed()?;
    Ok(Report { replaced, accounts: accounts(&viewers).await?, different, difference, continued, began_anew })
}

impl Scene {
    async fn open(load: Load) -> Result<Self> {
        let playground = teams::playground(&[], &[]).await?;
        fill(&playground, load.pods, Size::Small)?;
        teams::allow(&playground, "", Subject::Group("dev"))?;
        let provider = block_in_place(|| Provider::start(&options()))?;
        let mut scene = Self { load, provider, replicas: Replicas::of(playground, REPLICAS, "")? };
        for at in 0..REPLICAS {
            scene.start(at)?;
        }
        Ok(scene)
    }

    /// Returns when it is ready.
    fn start(&mut self, at: usize) -> Result<()> {
        let most = (2 * self.load.viewers).to_string();
        self.replicas.start_with_login(at, &self.provider, &["--connections-per-identity-max", &most])
    }

    async fn sign_in(&self) -> Result<Vec<Browser>> {
        let (entrance, mut people) = (self.replicas.entrance(), Vec::new());
        for number in 0..self.load.people {
            let email = format!("person-{number}@example.org");
            let account = json!({ "sub": format!("person-{number}"), "email": email, "email_verified": true,
                "groups": ["dev"] });
            self.provider.set_account(&account).await?;
            people.push(entrance.signed_in(&self.provider).await);
        }
        Ok(people)
    }

    /// A page of this person with a table of all pods.
    fn viewer(&self, number: usize, person: &Browser, away: watch::Sender<usize>) -> Result<Watcher> {
        let mut headers = HeaderMap::new();
        headers.insert("origin", HeaderValue::from_static(PUBLIC));
        headers.insert("cookie", person.cookies_of(PUBLIC).parse()?);
        let address = self.replicas.entrance().address;
        let connect = by_upgrade("ws://dogwatch.test/api/ws", headers, move || tcp(&address));
        let mut chance = Chance::new(number as u64, 1);
        let client = Client::new("roll", SignIn::Connection);
        let mut viewer = Viewer::with_chance(client, connect, move || chance.part());
        viewer.keep(all_pods()?);
        Ok(Watcher::start(viewer, away))
    }

    async fn replace(
        &mut self,
        at: usize,
        writing: &Writing,
        away: &mut watch::Receiver<usize>,
    ) -> Result<Replaced> {
        let (began, before) = (Instant::now(), writing.written());
        self.replicas.end(at)?;
        let ended_s = began.elapsed().as_secs_f64();
        self.start(at)?;
        let replaced_s = began.elapsed().as_secs_f64();
        all_exact(away).await?;
        let exact_s = began.elapsed().as_secs_f64();
        Ok(Replaced { moved: 0, ended_s, replaced_s, exact_s, changes: writing.written() - before })
    }

    /// Nothing is written any more. How many tables differ from the list, and how the first of them does.
    async fn differences(&self, viewers: &[Watcher]) -> Result<(usize, Option<String>)> {
        let client: Upstream = api::client(self.replicas.kubeconfig()).await?;
        let fresh = Arc::new(Fresh::list(&client, "/api/v1/pods").await?);
        let mut looks = tokio::time::interval(Duration::from_millis(250));
        let until = Instant::now() + PATIENCE;
        loop {
            looks.tick().await;
            let mut different = Vec::new();
            for viewer in viewers {
                different.extend(viewer.difference(fresh.clone()).await?);
            }
            if different.is_empty() || Instant::now() > until {
                return Ok((different.len(), different.pop()));
            }
        }
    }
}

async fn accounts(viewers: &[Watcher]) -> Result<Vec<Account>> {
    let mut accounts = Vec::new();
    for viewer in viewers {
        accounts.push(viewer.account().await?);
    }
    Ok(accounts)
}

async fn all_exact(away: &mut watch::Receiver<usize>) -> Result<()> {
    let waited = tokio::time::timeout(PATIENCE, away.wait_for(|away| *away == 0)).await;
    waited
        .map(|found| found.map(drop))
        .with_context(|| format!("{} viewers aren't exact", *away.borrow()))??;
    Ok(())
}

impl Report {
    /// What was broken, lost or begun anew, as sentences.
    pub fn failures(&self) -> Vec<String> {
        let mut failures: Vec<String> = Vec::new();
        if let Some(difference) = &self.difference {
            failures.push(format!("{} tables differ: {difference}", self.different));
        }
        for (number, account) in self.accounts.iter().enumerate() {
            failures.extend(account.broken.iter().map(|what| format!("viewer {number}: {what}")));
        }
        let anew = self.accounts.iter().filter(|account| account.resets > 0).count();
        if anew > 0 || self.began_anew > 0 {
            failures.push(format!("{anew} viewers began anew, {} by the replicas", self.began_anew));
        }
        failures
    }

    pub fn json(&self) -> Value {
        let away = || self.accounts.iter().flat_map(|account| &account.away);
        let spread =
            |of: fn(&Away) -> f64, each: Vec<&Away>| Spread::of(each.into_iter().map(of).collect()).json();
        let first: Vec<&Away> = self.accounts.iter().filter_map(|account| account.first.as_ref()).collect();
        let mut closes: BTreeMap<u16, usize> = BTreeMap::new();
        for (code, count) in self.accounts.iter().flat_map(|account| &account.closes) {
            *closes.entry(*code).or_default() += count;
        }
        let replaced = self.replaced.iter().map(|it| {
            json!({ "moved": it.moved, "ended_s": it.ended_s, "replaced_s": it.replaced_s, "exact_s": it.exact_s,
                "changes": it.changes })
        });
        json!({
            "replaced": replaced.collect::<Vec<_>>(),
            "first_bytes": spread(|it| it.bytes as f64, first),
            "away_s": spread(|it| it.seconds, away().collect()),
            "back_bytes": spread(|it| it.bytes as f64, away().collect()),
            "closes": closes,
            "began_anew": self.accounts.iter().filter(|account| account.resets > 0).count(),
            "resumes": { "continued": self.continued, "anew": self.began_anew },
            "different_tables": self.different,
            "failures": self.failures(),
        })
    }
}
