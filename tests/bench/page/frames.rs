//! The main thread's work while objects change: the reader at rest, then scrolling as a wheel does.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};
use testkit::browser::Browser;
use testkit::load::Writer;
use testkit::page::DEEP;
use testkit::spread::Spread;
use testkit::trace::{Trace, Tracing};

use super::CHANGES_PER_S;
use super::rig::PageBenchRig;

const SECONDS: usize = 10;
/// Two hundred rows a second: too fast to read, but people scroll like this when they look for something.
const SCROLL_PX_PER_S: usize = 5_600;
/// Chromium's names of where the time went that are worth a line.
const PARTS: usize = 8;

pub async fn frames(rig: &PageBenchRig, browser: &Browser, writer: &mut Writer) -> Result<Value> {
    let at_rest = rest(rig, browser, writer).await?;
    let scrolling = scroll(rig, browser, writer).await?;
    Ok(json!({ "at_rest": report(&at_rest), "scrolling": report(&scrolling) }))
}

pub async fn rest(rig: &PageBenchRig, browser: &Browser, writer: &mut Writer) -> Result<Trace> {
    while_written(rig, browser, writer, None).await
}

/// As a wheel does.
pub async fn scroll(rig: &PageBenchRig, browser: &Browser, writer: &mut Writer) -> Result<Trace> {
    let scroll = downwards(browser, ".tbody").await?;
    while_written(rig, browser, writer, Some(scroll)).await
}

/// The gesture over the first element that is found.
async fn downwards(browser: &Browser, selector: &str) -> Result<Value> {
    let (x, y) = middle_of(browser, selector).await?;
    Ok(json!({
        "x": x, "y": y, "gestureSourceType": "mouse",
        "yDistance": -i64::try_from(SCROLL_PX_PER_S * SECONDS)?, "speed": SCROLL_PX_PER_S,
    }))
}

/// The same over an element, while nothing changes.
pub async fn scroll_over(browser: &Browser, selector: &str) -> Result<Value> {
    let gesture = downwards(browser, selector).await?;
    let tracing = Tracing::start(browser).await?;
    browser.devtools("Input.synthesizeScrollGesture", gesture).await?;
    Ok(report(&tracing.end().await?))
}

/// Traces for so many seconds or as long as the gesture takes, with changes since a second before.
async fn while_written(
    rig: &PageBenchRig,
    browser: &Browser,
    writer: &mut Writer,
    gesture: Option<Value>,
) -> Result<Trace> {
    writer.write(&rig.playground, CHANGES_PER_S).await?;
    let traced = async {
        let tracing = Tracing::start(browser).await?;
        match gesture {
            Some(gesture) => drop(browser.devtools("Input.synthesizeScrollGesture", gesture).await?),
            None => {
                // The first tick is at once, the second ends what is measured.
                let mut ends = tokio::time::interval(Duration::from_secs(SECONDS as u64));
                ends.tick().await;
                ends.tick().await;
            }
        }
        tracing.end().await
    };
    tokio::select! {
        trace = traced => trace,
        written = writer.write(&rig.playground, usize::MAX) => {
            written?;
            anyhow::bail!("there are no more changes")
        }
    }
}

async fn middle_of(browser: &Browser, selector: &str) -> Result<(f64, f64)> {
    let script = format!(
        "{DEEP} const box = deep({selector:?})[0].getBoundingClientRect();
         return [box.x + box.width / 2, box.y + box.height / 2];"
    );
    Ok(serde_json::from_value(browser.run(&script, Vec::new()).await?)?)
}

fn report(trace: &Trace) -> Value {
    let parts = trace.parts.iter().take(PARTS);
    json!({
        "ms": trace.length_ms,
        "frame_ms": Spread::of(trace.frames.clone()).json(),
        "task_ms": Spread::of(trace.tasks.clone()).json(),
        "tasks_over_50_ms": trace.tasks.iter().filter(|ms| **ms > 50.0).count(),
        "busy_ms": trace.tasks.iter().sum::<f64>(),
        "parts_ms": parts.map(|(name, ms)| json!([name, ms])).collect::<Vec<_>>(),
    })
}
