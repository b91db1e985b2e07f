//! Every example of `element/examples` in Chromium and in Firefox. With names as arguments, those alone; with
//! `--chromium` or `--firefox`, in that browser alone.

use std::time::Instant;

use anyhow::{Result, ensure};
use testkit::browser::Engine;
use testkit::examples::{ALL, Example, accept, of_playground};

#[tokio::main]
async fn main() -> Result<()> {
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let mut failed = Vec::new();
    for example in ALL.iter().filter(|example| is_wanted(example.name)) {
        for engine in [Engine::Chromium, Engine::Firefox] {
            if !flags.is_empty() && !flags.contains(&format!("--{engine:?}").to_lowercase()) {
                continue;
            }
            failed.extend(run(example, engine).await.err());
        }
    }
    failed.iter().for_each(|error| eprintln!("{error:#}\n"));
    ensure!(failed.is_empty(), "{} failed", failed.len());
    Ok(())
}

async fn run(example: &Example, engine: Engine) -> Result<()> {
    let started = Instant::now();
    let ended = accept(example, engine, &of_playground(example).await?).await;
    let word = if ended.is_ok() { "ok" } else { "FAILED" };
    println!("{:>8.1} s  {word:6}  {} in {engine:?}", started.elapsed().as_secs_f64(), example.name);
    ended
}
