//! The demo measured: from the start of `dogwatch serve --demo` to the first rows on a socket and in
//! Chromium, and the memory of the process. Prints a table for people, or JSON with `--json`. Never
//! asserts: it measures.

use std::time::{Duration, Instant};

use anyhow::Result;
use playground::{Options, Playground};
use serde_json::{Value, json};
use shared::frame::server::ServerFrame;
use tests::browser::{Browser, Look};
use tests::dogwatch::Home;
use tests::page;
use tests::process::resident_mib;
use tests::viewer::{Viewer, all_pods, socket_of};

const RUNS: usize = 5;
const MANY: usize = 100_000;

#[tokio::main]
async fn main() -> Result<()> {
    let as_json = std::env::args().any(|argument| argument == "--json");
    let (mut url, mut socket, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let run = to_the_socket().await?;
        url.push(run.url);
        socket.push(run.rows);
        memory.push(run.memory_mib);
    }
    // Chromium runs already: the page is what is measured, not the browser's own start.
    let browser = Browser::start(Look::default()).await?;
    let mut dom = Vec::new();
    for _ in 0..RUNS {
        dom.push(to_the_dom(&browser).await?);
    }
    browser.close().await?;
    let many = many().await?;
    let report = json!({
        "url_ms": median(url), "socket_ms": median(socket), "dom_ms": median(dom),
        "memory_mib": median_of(memory), "many": many,
    });
    if as_json {
        println!("{report}")
    } else {
        print_table(&report)
    }
    Ok(())
}

struct Run {
    url: Duration,
    rows: Duration,
    memory_mib: f64,
}

async fn to_the_socket() -> Result<Run> {
    let start = Instant::now();
    let (home, dogwatch) = Home::demo()?;
    let url = start.elapsed();
    let mut viewer = Viewer::connect(&socket_of(home.path(), dogwatch.port())?).await?;
    viewer.subscribe(1, all_pods()?).await?;
    viewer.until(|frame| matches!(frame, ServerFrame::Rows(rows) if !rows.put.is_empty())).await?;
    let rows = start.elapsed();
    viewer.until(|frame| matches!(frame, ServerFrame::Sync(_))).await?;
    Ok(Run { url, rows, memory_mib: resident_mib(dogwatch.pid())? })
}

async fn to_the_dom(browser: &Browser) -> Result<Duration> {
    let start = Instant::now();
    let (_home, dogwatch) = Home::demo()?;
    browser.open(dogwatch.url()).await?;
    browser.until("the first row", "rows().length > 0").await?;
    let elapsed = start.elapsed();
    page::until_pill(browser, "Live").await?;
    Ok(elapsed)
}

/// A large playground in this process, and a gateway with one viewer of all its pods.
async fn many() -> Result<Value> {
    let own = std::process::id();
    let empty = resident_mib(own)?;
    let start = Instant::now();
    let options = Options { objects: MANY, ..Options::quiet() };
    let playground = Playground::start(options).await?;
    let started = start.elapsed();
    let grown = resident_mib(own)? - empty;
    let home = Home::new()?;
    let dogwatch = home.serve_playground(&playground)?;
    let mut viewer = Viewer::connect(&socket_of(home.path(), dogwatch.port())?).await?;
    let start = Instant::now();
    viewer.subscribe(1, all_pods()?).await?;
    viewer.until(|frame| matches!(frame, ServerFrame::Sync(_))).await?;
    let exact = start.elapsed();
    Ok(json!({
        "objects": MANY, "pods": playground.list("pods").len(),
        "start_ms": started.as_millis() as u64, "exact_ms": exact.as_millis() as u64,
        "playground_mib": grown, "gateway_mib": resident_mib(dogwatch.pid())?,
    }))
}

fn median(times: Vec<Duration>) -> f64 {
    median_of(times.iter().map(|time| time.as_secs_f64() * 1_000.0).collect())
}

fn median_of(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn print_table(report: &Value) {
    let number = |path: &str| report.pointer(path).and_then(Value::as_f64).unwrap_or_default();
    println!("dogwatch serve --demo, median of {RUNS} runs");
    println!("{:<44} {:>8.0} ms", "start to its URL", number("/url_ms"));
    println!("{:<44} {:>8.0} ms", "start to the first rows on a socket", number("/socket_ms"));
    println!("{:<44} {:>8.0} ms", "start to the first row in Chromium", number("/dom_ms"));
    println!("{:<44} {:>8.1} MiB", "memory of the process, one viewer", number("/memory_mib"));
    println!("{} objects, {} of them pods", number("/many/objects"), number("/many/pods"));
    println!("{:<44} {:>8.0} ms", "the playground's start", number("/many/start_ms"));
    println!("{:<44} {:>8.1} MiB", "the playground's memory", number("/many/playground_mib"));
    println!("{:<44} {:>8.0} ms", "subscription to the exact table", number("/many/exact_ms"));
    println!("{:<44} {:>8.1} MiB", "the gateway's memory, every pod kept", number("/many/gateway_mib"));
}
