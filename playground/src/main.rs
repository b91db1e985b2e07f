//! `playground`: serves the in-memory cluster until it is interrupted.
//! It never listens anywhere but on loopback.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use playground::{Options, Playground};

/// A small Kubernetes API server in memory, with a fleet that lives.
#[derive(Debug, Parser)]
#[command(version)]
struct Flags {
    /// Port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The same seed tells the same story.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// At least so many objects; 0 starts an empty cluster.
    #[arg(long, default_value_t = 100)]
    objects: usize,
    /// Changes per second.
    #[arg(long, default_value_t = 3.0)]
    changes: f64,
    /// Bytes of a pod as JSON (0: as they come); 15400 is the benches' exemplar.
    #[arg(long, default_value_t = 0)]
    object_bytes: usize,
    /// Seconds between bookmarks.
    #[arg(long, default_value_t = 45)]
    bookmarks: u64,
    /// Require this bearer token.
    #[arg(long, env = "PLAYGROUND_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Write a kubeconfig to this file.
    #[arg(long)]
    kubeconfig: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let playground = Playground::start(Options {
        port: flags.port,
        seed: flags.seed,
        objects: flags.objects,
        changes_per_second: flags.changes,
        object_bytes: flags.object_bytes,
        bookmark_interval: Duration::from_secs(flags.bookmarks.max(1)),
        token: flags.token,
        ..Options::default()
    })
    .await?;
    if let Some(path) = &flags.kubeconfig {
        playground
            .write_kubeconfig(path)
            .with_context(|| format!("writing the kubeconfig to {}", path.display()))?;
    }
    println!("{}", playground.url());
    tokio::signal::ctrl_c().await.context("waiting for the interrupt")?;
    playground.stop().await;
    Ok(())
}
