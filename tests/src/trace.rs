//! What the main thread of the page did, from Chromium's own trace: its tasks, the frames between
//! them, and what they were spent on. Over Chromium's own socket, for chromedriver hands on no events.

use std::cmp::Reverse;
use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::browser::Browser;

/// A trace that is being taken; it slows what it sees a little.
pub struct Tracing(WebSocketStream<TcpStream>);

/// The work of one thread: the busiest among the main threads of pages.
#[derive(Debug, Default)]
pub struct Trace {
    /// Milliseconds of work of the tasks that began in a frame.
    pub frames: Vec<f64>,
    /// Milliseconds that each task took.
    pub tasks: Vec<f64>,
    /// Milliseconds by Chromium's own names, without what is named inside; most first.
    pub parts: Vec<(String, f64)>,
    /// From the first task to the end of the last.
    pub length_ms: f64,
}

const CATEGORIES: [&str; 2] = ["devtools.timeline", "disabled-by-default-devtools.timeline"];

impl Tracing {
    pub async fn start(browser: &Browser) -> Result<Self> {
        // Two lines: the port, and the path of the browser's own target.
        let active = std::fs::read_to_string(browser.profile().join("DevToolsActivePort"))?;
        let (port, path) = active.trim().split_once('\n').context("a port and a path")?;
        let stream = TcpStream::connect(("127.0.0.1", port.parse::<u16>()?)).await?;
        let url = format!("ws://127.0.0.1:{port}{path}");
        let (socket, _) = tokio_tungstenite::client_async(url, stream).await?;
        let mut tracing = Self(socket);
        let config = json!({ "includedCategories": CATEGORIES, "excludedCategories": ["*"] });
        let parameters = json!({ "transferMode": "ReportEvents", "traceConfig": config });
        tracing.say("Tracing.start", parameters).await?;
        let answer = tracing.next().await?;
        if let Some(error) = answer.get("error") {
            bail!("Chromium doesn't trace: {error}");
        }
        Ok(tracing)
    }

    pub async fn end(mut self) -> Result<Trace> {
        self.say("Tracing.end", json!({})).await?;
        let mut events = Vec::new();
        loop {
            let mut message = self.next().await?;
            match message["method"].as_str() {
                Some("Tracing.dataCollected") => {
                    if let Value::Array(some) = message["params"]["value"].take() {
                        events.extend(some);
                    }
                }
                Some("Tracing.tracingComplete") => return Ok(Trace::of(&events)),
                _ => {}
            }
        }
    }

    async fn say(&mut self, method: &str, parameters: Value) -> Result<()> {
        let text = json!({ "id": 1, "method": method, "params": parameters }).to_string();
        Ok(self.0.send(Message::text(text)).await?)
    }

    async fn next(&mut self) -> Result<Value> {
        loop {
            match self.0.next().await.context("Chromium closed its socket")?? {
                Message::Text(text) => return Ok(serde_json::from_str(&text)?),
                Message::Close(why) => bail!("Chromium closed its socket: {why:?}"),
                _ => {}
            }
        }
    }
}

type Thread = (u64, u64);

/// Something that began and ended, in microseconds.
#[derive(Clone, Copy)]
struct Span<'a> {
    name: &'a str,
    from: f64,
    to: f64,
}

impl Trace {
    fn of(events: &[Value]) -> Self {
        let Some(thread) = busiest_page(events) else { return Self::default() };
        let own = || events.iter().filter(move |event| thread_of(event) == Some(thread));
        let mut spans: Vec<Span<'_>> = own().filter_map(span).collect();
        // What contains another begins before it, or ends after it.
        spans.sort_by(|a, b| a.from.total_cmp(&b.from).then(b.to.total_cmp(&a.to)));
        let tasks: Vec<Span<'_>> = spans.iter().filter(|span| span.name == "RunTask").copied().collect();
        let mut begins: Vec<f64> = own().filter(|event| is_frame(event)).filter_map(time).collect();
        begins.sort_by(f64::total_cmp);
        // The task that a frame begins in belongs to it as a whole.
        let mut firsts: Vec<usize> = begins
            .iter()
            .map(|at| tasks.partition_point(|task| task.from <= *at).saturating_sub(1))
            .collect();
        firsts.dedup();
        let ms = |task: &Span<'_>| (task.to - task.from) / 1_000.0;
        let frames = firsts
            .windows(2)
            .filter_map(|pair| match pair {
                [from, to] => Some(tasks.get(*from..*to)?.iter().map(ms).sum()),
                _ => None,
            })
            .collect();
        let length = tasks.first().zip(tasks.last()).map(|(first, last)| last.to - first.from);
        Self {
            frames,
            tasks: tasks.iter().map(ms).collect(),
            parts: parts(&spans),
            length_ms: length.unwrap_or_default() / 1_000.0,
        }
    }
}

/// Spare renderers have a main thread as well, with nothing to do.
fn busiest_page(events: &[Value]) -> Option<Thread> {
    let is_page =
        |event: &&Value| event["name"] == "thread_name" && event["args"]["name"] == "CrRendererMain";
    let mut work: HashMap<Thread, f64> =
        events.iter().filter(is_page).filter_map(|event| Some((thread_of(event)?, 0.0))).collect();
    for event in events.iter().filter(|event| event["name"] == "RunTask") {
        if let Some(work) = thread_of(event).and_then(|thread| work.get_mut(&thread)) {
            *work += event["dur"].as_f64().unwrap_or_default();
        }
    }
    work.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(thread, _)| thread)
}

fn thread_of(event: &Value) -> Option<Thread> {
    Some((event["pid"].as_u64()?, event["tid"].as_u64()?))
}

fn time(event: &Value) -> Option<f64> {
    event["ts"].as_f64()
}

fn is_frame(event: &Value) -> bool {
    event["name"] == "AnimationFrame" && event["ph"] == "b"
}

fn span(event: &Value) -> Option<Span<'_>> {
    if event["ph"] != "X" {
        return None;
    }
    let from = time(event)?;
    Some(Span { name: event["name"].as_str()?, from, to: from + event["dur"].as_f64()? })
}

/// The milliseconds of each name, without the spans inside. `spans` are in the order of their beginnings.
fn parts(spans: &[Span<'_>]) -> Vec<(String, f64)> {
    let mut own: HashMap<&str, f64> = HashMap::new();
    let mut open: Vec<Span<'_>> = Vec::new();
    for span in spans {
        while open.pop_if(|outer| outer.to <= span.from).is_some() {}
        if let Some(outer) = open.last() {
            *own.entry(outer.name).or_default() -= span.to - span.from;
        }
        *own.entry(span.name).or_default() += span.to - span.from;
        open.push(*span);
    }
    let mut parts: Vec<(String, f64)> =
        own.into_iter().map(|(name, us)| (name.to_owned(), us / 1_000.0)).collect();
    parts.sort_by_key(|(_, ms)| Reverse((ms * 1_000.0) as i64));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(tid: u64, name: &str) -> Value {
        json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "args": { "name": name } })
    }

    fn done(tid: u64, name: &str, from: u64, us: u64) -> Value {
        json!({ "name": name, "ph": "X", "pid": 1, "tid": tid, "ts": from, "dur": us })
    }

    fn frame(at: u64) -> Value {
        json!({ "name": "AnimationFrame", "ph": "b", "pid": 1, "tid": 7, "ts": at })
    }

    #[test]
    fn a_frame_is_all_tasks_from_the_one_that_it_began_in_to_the_next() {
        let trace = Trace::of(&[
            named(7, "CrRendererMain"),
            named(8, "CrRendererMain"),
            named(9, "Compositor"),
            done(8, "RunTask", 0, 10),
            done(9, "RunTask", 0, 90_000),
            frame(1_100),
            done(7, "RunTask", 1_000, 5_000),
            done(7, "FunctionCall", 1_200, 2_000),
            done(7, "Layout", 1_300, 500),
            done(7, "RunTask", 7_000, 3_000),
            frame(17_010),
            done(7, "RunTask", 17_000, 4_000),
            frame(33_500),
            done(7, "RunTask", 33_000, 1_000),
        ]);
        assert_eq!(trace.frames, [8.0, 4.0]);
        assert_eq!(trace.tasks, [5.0, 3.0, 4.0, 1.0]);
        let expected = [("RunTask", 11.0), ("FunctionCall", 1.5), ("Layout", 0.5)];
        assert_eq!(trace.parts, expected.map(|(name, ms)| (name.to_owned(), ms)));
        assert!((trace.length_ms - 33.0).abs() < 1e-9);
    }
}
