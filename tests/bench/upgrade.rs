//! `cargo xtask upgrade [FORMER]`: a former release and this one, while one takes the other's place: pages, tails and
//! clients of the wire, there and back. Prints what came of each, and ends with an error if one isn't as promised. With
//! `--clients`, `--tails`, `--page` or `--loads`, those alone; `--record` writes what the former release's page and `tail` and its
//! gateway said to each other, for the tests of this release.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use testkit::arguments::is_given;
use testkit::upgrade::page::{self, Pieces};
use testkit::upgrade::{Release, Upgrade, clients, recording, tails};

const PARTS: [&str; 4] = ["clients", "tails", "page", "loads"];
/// Browsers after each replica.
const LOADS: usize = 2;

#[tokio::main]
async fn main() -> Result<()> {
    let [this, former] = Release::both()?;
    if is_given("record") {
        return record(&former).await;
    }
    let there = Upgrade { from: former, to: this };
    let is_wanted = |part: &str| is_given(part) || !PARTS.iter().any(|part| is_given(part));
    let mut failed = 0;
    let mut report = |what: String, began: Instant, ended: Result<String>| {
        let (word, said) = match ended {
            Ok(said) => ("ok", said),
            Err(error) => ("FAILED", format!("{error:#}")),
        };
        failed += usize::from(word != "ok");
        println!("{:>8.1} s  {word:6}  {what}: {said}", began.elapsed().as_secs_f64());
    };
    for upgrade in [there.clone(), there.back()] {
        if is_wanted("clients") {
            let began = Instant::now();
            let ended = clients::run(&upgrade).await;
            let said = |it: clients::Resumed| {
                format!(
                    "continued {} and, back again, {}; begun anew {}",
                    it.there.0,
                    it.back.0,
                    it.there.1 + it.back.1
                )
            };
            report(format!("clients of this release, {upgrade} and back"), began, ended.map(said));
        }
        if is_wanted("tails") {
            let began = Instant::now();
            let ended = tails::run(&upgrade).await.map(|()| "equal to a fresh list".to_owned());
            report(format!("tails of both, {upgrade} and back"), began, ended);
        }
        if is_wanted("page") {
            for pieces in [Pieces::All, Pieces::NoPanel] {
                let began = Instant::now();
                let ended = page::run(&upgrade, pieces).await;
                let said = |panel| format!("live and equal to a fresh list; a panel afterwards: {panel:?}");
                report(format!("a page with {pieces:?}, {upgrade}"), began, ended.map(said));
            }
        }
        if is_wanted("loads") {
            let began = Instant::now();
            let ended = page::loaded_meanwhile(&upgrade, LOADS).await;
            let said = |it: page::Loaded| {
                format!("{} live by themselves in the end, {} of a release that can't", it.live, it.stuck)
            };
            report(format!("pages that are loaded meanwhile, {upgrade}"), began, ended.map(said));
        }
    }
    ensure!(failed == 0, "{failed} failed");
    Ok(())
}

async fn record(former: &Release) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join("former");
    std::fs::create_dir_all(&folder)?;
    for (name, recording) in
        [("tail", recording::of_tail(former).await?), ("page", recording::of_page(former).await?)]
    {
        let file = folder.join(format!("{name}.jsonl"));
        std::fs::write(&file, recording.print())?;
        println!("{} messages of {}: {}", recording.0.len(), former.name, file.display());
    }
    Ok(())
}
