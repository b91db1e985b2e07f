//! Every example of `element/examples` in Chromium and in Firefox, and two of them on a real API server. With names as
//! arguments, those alone; with `--chromium` or `--firefox`, in that browser alone; with `--playground` or `--real`, on
//! that cluster alone.

use std::time::Instant;

use anyhow::{Result, ensure};
use testkit::browser::Engine;
use testkit::examples::{ALL, Cluster, Example, PortalRig, REAL, accept, of_playground, of_real_cluster};

#[tokio::main]
async fn main() -> Result<()> {
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_wanted = |example: &&Example| names.is_empty() || names.iter().any(|name| name == example.name);
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let engines = [(Engine::Chromium, "--firefox"), (Engine::Firefox, "--chromium")];
    let mut failed = Vec::new();
    for (engine, _) in engines.into_iter().filter(|(_, other)| !has(other)) {
        for example in ALL.iter().filter(|example| !has("--real") && is_wanted(example)) {
            failed.extend(run(example, engine, "the playground", of_playground(example)).await.err());
        }
        for example in REAL.iter().filter(|example| !has("--playground") && is_wanted(example)) {
            failed.extend(run(example, engine, "a real API server", of_real_cluster(example)).await.err());
        }
    }
    failed.iter().for_each(|error| eprintln!("{error:#}\n"));
    ensure!(failed.is_empty(), "{} failed", failed.len());
    Ok(())
}

async fn run<C: Cluster>(
    example: &Example,
    engine: Engine,
    cluster: &str,
    rig: impl Future<Output = Result<PortalRig<C>>>,
) -> Result<()> {
    let started = Instant::now();
    let ended = async { accept(example, engine, &rig.await?).await }.await;
    let word = if ended.is_ok() { "ok" } else { "FAILED" };
    let seconds = started.elapsed().as_secs_f64();
    println!("{seconds:>8.1} s  {word:6}  {} in {engine:?} on {cluster}", example.name);
    ended
}
