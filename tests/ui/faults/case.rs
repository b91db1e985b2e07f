//! Shows one fault of docs/BREAK-IT.md. The test starts a playground, a gateway and a page. Then it makes the fault and
//! takes it away again; after each of the two steps it checks what the page says.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use kube::Client;
use playground::{Options, Playground};
use serde_json::{Value, json};
use testkit::api;
use testkit::browser::WAIT;
use testkit::dogwatch::Dogwatch;
use testkit::kubectl_table::Table;
use testkit::load::refused;
use testkit::recorder::Seen;

use super::document::{Case, Rows};
use super::screen::Screen;

/// How much happens in the cluster before the fault, and again while it stands.
const CHANGES: usize = 12;

/// Breaks it, sees what the case says, mends it, and sees the server's table again.
pub async fn show(case: &Case, is_in_browser: bool) -> Result<()> {
    let options = Options { bookmark_interval: Duration::from_secs(1), ..Options::quiet() };
    let playground = Playground::start(options).await?;
    let client = admin_api(&playground).await?;
    let is_before = case.rows == Rows::Come;
    if is_before {
        post(&client, case).await?;
    }
    let dogwatch = Dogwatch::of_playground(&playground)?;
    let mut screen = Screen::open(&dogwatch, is_in_browser).await?;
    playground.step_fleet(CHANGES);
    // The page has seen the newest change when it has this pod. A watch that is behind may lose some to a fault.
    playground.create(last_pod()).map_err(refused)?;
    until_whole(&mut screen, &playground).await?;

    if !is_before {
        screen.see_anew().await?;
        post(&client, case).await?;
    }
    until(&mut screen, "what the case says", |seen, _| case.is_said(seen)).await?;
    screen.picture(&case.title).await?;
    expect_rows(case, &screen.seen().await?)?;
    if !is_before {
        says_the_same(&dogwatch, &mut screen).await?;
        if case.is_of_whole_server() {
            another_kind_says_the_same(&dogwatch, &mut screen).await?;
        }
    }

    // What happens meanwhile is what the page must know afterwards.
    playground.step_fleet(CHANGES);
    screen.see_anew().await?;
    playground.clear_faults();
    if is_before {
        // What a watch is like is decided when it is opened.
        playground.cut_watches(None);
    }
    until_whole(&mut screen, &playground).await?;
    until_exact(&mut screen, &client).await?;
    expect_what_was_lost(case, &screen.seen().await?)?;
    screen.close().await
}

/// A page that opens within the fault says of it what one says that was open before, with the same time. The two are
/// compared as they are at one moment: the gateway may list the rows anew meanwhile, and both tell that.
async fn says_the_same(dogwatch: &Dogwatch, screen: &mut Screen) -> Result<()> {
    let first = screen.seen().await?;
    let mut opened = Screen::open_in_an_outage(dogwatch, "pods").await?;
    let started = Instant::now();
    let (before, seen) = loop {
        let (before, seen) = (opened.live_during(screen.seen()).await?, opened.seen().await?);
        if seen.pills.last() == before.pills.last() && rows_as_of(&seen) == rows_as_of(&before) {
            break (before, seen);
        }
        ensure!(started.elapsed() < WAIT, "never what {before:#?} says, which was open before: {seen:#?}");
        opened.live_during(screen.until_changed()).await?;
    };
    let is_false = |text: &String| text.contains("No response from the gateway");
    ensure!(!seen.words.iter().any(is_false), "the gateway answers: {seen:#?}");
    let may_be_live = is_live(&before) || rows_as_of(&before) != rows_as_of(&first);
    ensure!(may_be_live || !seen.pills.iter().any(|pill| pill == "Live"), "it was never live: {seen:#?}");
    opened.close().await
}

/// A kind that the gateway hasn't had before isn't loaded, since the cluster last answered. That is the time of which
/// the pods are, or that of another feed of the page, whose watch got its last bookmark within the second after.
async fn another_kind_says_the_same(dogwatch: &Dogwatch, screen: &mut Screen) -> Result<()> {
    let mut opened = Screen::open_in_an_outage(dogwatch, "services").await?;
    let started = Instant::now();
    loop {
        let (pods, services) = (opened.live_during(screen.seen()).await?, opened.seen().await?);
        let times = not_loaded_since(&services).and_then(second).zip(rows_as_of(&pods).and_then(second));
        if times.is_some_and(|(since, as_of)| (as_of..=as_of + 1).contains(&since)) {
            return opened.close().await;
        }
        ensure!(started.elapsed() < WAIT, "never not loaded since the time of {pods:#?}: {services:#?}");
        opened.live_during(screen.until_changed()).await?;
    }
}

/// `10:00:01`, where the notice says since when there is no list.
fn not_loaded_since(seen: &Seen) -> Option<&str> {
    let said = seen.words.last().filter(|said| said.contains("Not loaded."))?;
    said.split_once("services since ")?.1.get(.."10:00:01".len())
}

/// `10:00:01`, where the notice says of when the rows are.
fn rows_as_of(seen: &Seen) -> Option<&str> {
    let (_, after) = seen.words.last()?.split_once("Rows as of ")?;
    after.split(". ").next().map(|time| time.trim_end_matches('.'))
}

/// The second of the day that a clock shows.
fn second(clock: &str) -> Option<u32> {
    clock.split(':').try_fold(0, |seconds, part| Some(seconds * 60 + part.parse::<u32>().ok()?))
}

fn last_pod() -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "last", "namespace": "default" },
        "spec": { "containers": [{ "name": "one", "image": "example.com/one:1" }] } })
}

/// Live, with every object that there is.
async fn until_whole(screen: &mut Screen, playground: &Playground) -> Result<()> {
    let pods = playground.list("pods");
    let names: Vec<&str> = pods.iter().filter_map(|pod| pod["metadata"]["name"].as_str()).collect();
    until(screen, "live, with all rows", |seen, table| {
        let has = |name: &&str| table.rows.iter().any(|row| row.iter().any(|cell| cell == name));
        is_live(seen) && table.rows.len() == names.len() && names.iter().all(has)
    })
    .await
}

/// Live, and cell for cell what the server prints; an age follows the cluster's clock.
async fn until_exact(screen: &mut Screen, client: &Client) -> Result<()> {
    let started = Instant::now();
    loop {
        let theirs = api::table(client, "/api/v1/pods").await?;
        let (seen, ours) = (screen.seen().await?, screen.table().await?);
        match ours.compare(&theirs) {
            Ok(()) if is_live(&seen) => return Ok(()),
            differences => ensure!(started.elapsed() < WAIT, "{differences:?}, {seen:#?}"),
        }
        screen.until_changed().await?;
    }
}

async fn until(screen: &mut Screen, what: &str, wanted: impl Fn(&Seen, &Table) -> bool) -> Result<()> {
    let started = Instant::now();
    loop {
        let (seen, table) = (screen.seen().await?, screen.table().await?);
        if wanted(&seen, &table) {
            return Ok(());
        }
        ensure!(started.elapsed() < WAIT, "never {what}: {seen:#?}\n{table:?}");
        screen.until_changed().await?;
    }
}

fn is_live(seen: &Seen) -> bool {
    seen.pills.last().is_some_and(|pill| pill == "Live")
}

fn expect_rows(case: &Case, seen: &Seen) -> Result<()> {
    let expected = match case.rows {
        Rows::Stay => seen.rows_least > 0,
        Rows::Leave => seen.rows_least == 0,
        // They were awaited when the page was opened.
        Rows::Come => true,
    };
    ensure!(expected, "the least rows were {}", seen.rows_least);
    Ok(())
}

fn expect_what_was_lost(case: &Case, seen: &Seen) -> Result<()> {
    for part in &case.then {
        ensure!(seen.words.iter().any(|text| text.contains(part)), "never {part:?}: {seen:#?}");
    }
    let was_lost = seen.words.iter().any(|text| text.contains("Gap,"));
    ensure!(was_lost != case.then.is_empty(), "{seen:#?}");
    Ok(())
}

async fn post(client: &Client, case: &Case) -> Result<()> {
    for post in &case.posts {
        api::post(client, &post.path, &post.body).await.with_context(|| post.path.clone())?;
    }
    Ok(())
}

/// A client of the playground that the gateway's faults don't concern.
pub async fn admin_api(playground: &Playground) -> Result<Client> {
    let file = tempfile::NamedTempFile::new()?;
    playground.write_kubeconfig(file.path())?;
    api::client(file.path()).await
}
