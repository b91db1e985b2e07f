//! Measures what a key in the search and the filter of a log of 100,000 lines costs, a step of scrolling, and to wrap them:
//! `cargo run --release -p page --example logs`. It asserts nothing.
#![expect(clippy::expect_used, reason = "a measurement that can't be taken has nothing to say")]

use std::time::{Duration, Instant};

use page::logs::{LogsAction, LogsView};
use page::testing::PageRig;
use serde_json::{Value, json};

const LINES: i64 = 100_000;
const PODS: i64 = 3;
/// 2026-01-01T10:00:00Z
const START_MS: i64 = 1_767_261_600_000;

fn main() {
    let mut page = PageRig::before("/v/pods", page::Host::Dogwatch, page::Environment::default());
    page.gateway.welcome.logs = true;
    page.start();
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1", "namespace": "shop", "uid": "u"},
        "spec": {"containers": [{"name": "app"}]}, "status": {"phase": "Running"},
    });
    page.object("pods", "shop/web-1", pod);
    page.go("/v/pods@kind/*?o=shop/web-1&tab=logs");
    page.act(LogsAction::Resized { width_px: 900.0, height_px: 800.0, row_px: 19.0, character_px: 7.0 });
    page.seconds(1);
    let sources: Vec<Value> = (0..PODS)
        .map(|n| json!({"n": n, "pod": format!("web-{n}"), "container": "app", "state": "read"}))
        .collect();
    page.logs(json!({"sources": sources, "caught_up": true}));
    let frames: Vec<Value> = (0..LINES / 1_000).map(|from| json!({"entries": lines(from * 1_000)})).collect();
    let kept = timed(|| frames.into_iter().for_each(|frame| page.logs(frame)));
    println!("{LINES} lines of {PODS} pods in frames of 1,000: {kept:?}");
    for word in ["d", "de", "dec", "decl", "declined", "DECLINED", "no such word", "/took=9\\d+ms/", "1"] {
        let found = timed(|| page.act(LogsAction::Find(word.to_owned())));
        println!("a search for {word:?}: {found:?}, {}", view(&page).tools.hits);
    }
    page.act(LogsAction::Find(String::new()));
    for word in ["d", "declined", "!declined", "/took=9\\d+ms/", ""] {
        let filtered = timed(|| page.act(LogsAction::Filter(word.to_owned())));
        println!("the filter {word:?}: {filtered:?}, {}", view(&page).foot.count);
    }
    let end_px = view(&page).scroll.1;
    let steps: u32 = 500;
    let scrolled = timed(|| {
        for step in 0..steps {
            page.act(LogsAction::Scrolled { top_px: end_px * f64::from(step) / f64::from(steps) });
        }
    });
    println!("a step of scrolling: {:?}", scrolled / steps);
    let followed = timed(|| page.logs(json!({"entries": lines(LINES)})));
    println!("1,000 lines more: {followed:?}");
    page.act(LogsAction::Resized { width_px: 480.0, height_px: 800.0, row_px: 19.0, character_px: 7.0 });
    let wrapped = timed(|| page.act(LogsAction::Wrap));
    println!("all lines wrapped at 480 px: {wrapped:?}, {} px high", view(&page).height_px);
    let followed = timed(|| page.logs(json!({"entries": lines(LINES + 1_000)})));
    println!("1,000 lines more, wrapped: {followed:?}");
}

fn view(page: &PageRig) -> LogsView {
    let head = page.page.panel().head.clone().expect("it is open");
    head.logs.read::<LogsView>().expect("it is shown").clone()
}

/// Lines as servers write them, a hundredth of them with a rare word.
fn lines(from: i64) -> Vec<Value> {
    let text = |at: i64| {
        let outcome = if at % 100 == 7 { "declined by the bank" } else { "accepted" };
        format!(
            "level=info method=POST path=/orders/{at} status=200 took={}ms msg=\"the payment was {outcome}\"",
            at % 131
        )
    };
    let line = |at: i64| json!({"n": at % PODS, "at": [START_MS + at, 7], "text": text(at)});
    (from..from + 1_000).map(line).collect()
}

fn timed(act: impl FnOnce()) -> Duration {
    let began = Instant::now();
    act();
    began.elapsed()
}
