//! `playground`: serves the in-memory cluster until it is interrupted.
//! It never listens anywhere but on loopback.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use playground::limits::HISTORY_BYTES_MAX;
use playground::{Options, Playground, User};

/// A small Kubernetes API server in memory, with a fleet that lives.
#[derive(Debug, Parser)]
#[command(version)]
struct Flags {
    /// Port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The same seed gives the same fleet and scenario.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// At least so many objects; 0 starts an empty cluster.
    #[arg(long, default_value_t = 300)]
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
    /// Require this bearer token, and answer by TLS.
    #[arg(long, env = "PLAYGROUND_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Tell users apart: a file with lines of `token,user,uid,"group1,group2"`, as kube-apiserver's
    /// --token-auth-file; roles and bindings then give them their rights.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Write a kubeconfig to this file, with a context for every user.
    #[arg(long)]
    kubeconfig: Option<PathBuf>,
}

fn users(file: Option<&Path>) -> anyhow::Result<Vec<User>> {
    let Some(path) = file else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    User::read_file(&text).with_context(|| format!("reading {}", path.display()))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    // kubectl sends a token only over TLS.
    let tls = flags.token.is_some() || flags.token_file.is_some();
    let playground = Playground::start(Options {
        port: flags.port,
        seed: flags.seed,
        objects: flags.objects,
        changes_per_second: flags.changes,
        object_bytes: flags.object_bytes,
        bookmark_interval: Duration::from_secs(flags.bookmarks.max(1)),
        token: flags.token,
        users: users(flags.token_file.as_deref())?,
        tls,
        // A large fleet makes in seconds what the demo makes in minutes.
        history_bytes: HISTORY_BYTES_MAX,
        metrics: flags.objects > 0,
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
