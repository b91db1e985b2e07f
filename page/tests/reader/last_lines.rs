//! The overview of a pod that fails begins with the last lines of its container, and the log has the Events of its pods.

use page::action::PanelAction;
use page::location::Tab;
use page::logs::{LastView, LogsAction, LogsView, RowBody};
use page::testing::PageRig;
use serde_json::{Value, json};
use shared::frame::server::{ProblemFrame, ServerFrame};
use shared::problem::{Problem, Reason};

use super::panel::pod;

/// 2026-01-01T10:00:00Z
const START_MS: i64 = 1_767_261_600_000;

/// Its run of this number ended, and it waits for the next one.
fn crashed(run: u32) -> Value {
    let mut pod = pod();
    pod["status"] = json!({"phase": "Running", "containerStatuses": [{"name": "app", "ready": false, "restartCount": run,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "containerID": format!("c{run}")}}}]});
    pod
}

fn opened(object: Value, has_logs: bool, query: &str) -> PageRig {
    let mut page = PageRig::before("/v/pods", page::Host::Dogwatch, page::Environment::default());
    page.gateway.welcome.logs = has_logs;
    page.start();
    page.object("pods", "shop/web-1", object);
    page.go(&format!("/v/pods@kind/*?o=shop/web-1{query}"));
    page.act(LogsAction::Resized { width_px: 600.0, height_px: 190.0, row_px: 19.0, character_px: 7.0 });
    page.seconds(1);
    page
}

/// The answer to the question that was asked last.
fn told(texts: &[&str]) -> Value {
    let line = |text: &&str| json!({"n": 0, "at": [START_MS, 7], "text": text});
    let entries: Vec<Value> = texts.iter().map(line).collect();
    json!({"sources": [{"n": 0, "pod": "web-1", "container": "app", "state": "ended"}],
        "entries": entries, "caught_up": true, "over": true})
}

fn last(page: &PageRig) -> Option<LastView> {
    page.page.panel().head.clone().expect("open").logs.read::<LastView>().cloned()
}

fn texts(page: &PageRig) -> Vec<String> {
    let lines = last(page).expect("shown").lines;
    lines.iter().map(|line| line.pieces.iter().map(|piece| &*piece.text).collect()).collect()
}

#[test]
fn the_overview_of_a_pod_that_fails_begins_with_the_last_lines_of_the_run_that_ended() {
    let mut page = opened(crashed(1), true, "");
    let asked = page.gateway.logs.last().expect("asked").clone();
    assert_eq!(asked.scope.name.as_ref().map(|name| name.as_str()), Some("web-1"));
    let asked = asked.asked;
    assert!(asked.once && asked.previous, "{asked:?}");
    assert_eq!((asked.tail, asked.containers.len(), &*asked.containers[0]), (Some(8), 1, "app"));
    assert_eq!(last(&page), None, "nothing until it is here");
    page.logs(told(&["ERROR no column", "  at line 1", "\u{1b}[2Jbye"]));
    assert_eq!(texts(&page), ["ERROR no column", "  at line 1", "\u{241b}[2Jbye"]);
    let shown = last(&page).expect("shown");
    assert_eq!((&*shown.container, shown.run), ("app", "previous run"));
    assert_eq!(shown.lines[0].level, shown.lines[1].level, "part of the line before");
    page.gateway.logs.clear();
    page.seconds(5);
    assert!(page.gateway.logs.is_empty(), "asked for once");

    page.object("pods", "shop/web-1", crashed(2));
    page.seconds(1);
    assert_eq!(texts(&page).len(), 3, "the former lines stay until the new ones are here");
    page.logs(told(&["ERROR again"]));
    assert_eq!(texts(&page), ["ERROR again"]);

    page.act(LogsAction::OpenLast);
    page.seconds(1);
    assert_eq!(page.page.panel().tab, Tab::Logs);
    assert!(!page.gateway.logs.last().expect("asked").asked.once);
    page.act(PanelAction::Tab(Tab::Overview));
    page.seconds(1);
    assert_eq!(texts(&page), ["ERROR again"], "kept");

    page.object("pods", "shop/web-1", pod());
    page.seconds(1);
    assert_eq!(last(&page), None, "nothing fails");
}

#[test]
fn last_lines_are_asked_for_only_where_there_are_logs_and_not_again_where_they_are_refused() {
    let page = opened(crashed(1), false, "");
    assert!(page.gateway.logs.is_empty());
    let page = opened(pod(), true, "");
    assert!(page.gateway.logs.is_empty(), "nothing fails");
    let page = opened(crashed(1), true, "&tab=yaml");
    assert!(page.gateway.logs.is_empty(), "another tab is open");

    let mut page = opened(crashed(1), true, "");
    let id = Some(page.gateway.logs.last().expect("asked").id);
    let problem = Problem::new(Reason::Forbidden, "you may not get pods/log in shop");
    page.gateway.logs.clear();
    page.receive(vec![ServerFrame::Problem(ProblemFrame { id, problem })]);
    page.seconds(90);
    page.object("pods", "shop/web-1", crashed(2));
    page.seconds(90);
    assert!(page.gateway.logs.is_empty(), "not again");
    assert_eq!(last(&page), None);
}

#[test]
fn a_run_whose_log_is_gone_is_nothing_and_a_broken_connection_asks_again() {
    let mut page = opened(crashed(1), true, "");
    page.disconnect();
    page.gateway.logs.clear();
    page.reconnect();
    page.seconds(2);
    assert_eq!(page.gateway.logs.len(), 1);
    page.logs(told(&[]));
    assert_eq!(last(&page), None);
}

#[test]
fn events_of_the_pods_stand_in_the_log_at_their_times_and_can_be_hidden() {
    let mut page = opened(pod(), true, "&tab=logs");
    let now_ms = page.now_ms;
    // An Event of the rig was a day ago.
    let day_ms = 86_400_000;
    let line = |ms: i64, text: &str| json!({"n": 0, "at": [now_ms - day_ms + ms, 0], "text": text});
    page.logs(json!({"sources": [{"n": 0, "pod": "web-1", "container": "app", "state": "read"}],
        "entries": [line(-5_000, "before"), line(5_000, "after")], "caught_up": true}));
    page.put("events", "shop/web-1.1 Warning BackOff pod/web-1 Back-off_restarting_failed_container");
    page.put("events", "shop/other.1 Warning BackOff pod/other Back-off");
    page.seconds(1);
    let rows = |page: &PageRig| -> Vec<String> {
        let logs = page.page.panel().head.clone().expect("open").logs;
        let view = logs.read::<LogsView>().expect("shown").clone();
        let said = |row: &std::rc::Rc<page::logs::LogsRow>| match &row.body {
            RowBody::Older { .. } => String::new(),
            RowBody::Mark { kind, sentence, .. } => format!("{kind:?}: {sentence}"),
            RowBody::Line { pieces, .. } => pieces.iter().map(|piece| &*piece.text).collect(),
        };
        view.rows.iter().map(said).collect()
    };
    let event = "Bad: Event BackOff: Back-off restarting failed container";
    assert_eq!(rows(&page), ["before", event, "after"]);
    page.act(LogsAction::Events);
    page.seconds(1);
    assert_eq!(rows(&page), ["before", "after"]);
    assert!(page.address.contains("log=noevents"), "{}", page.address);
    page.act(LogsAction::Events);
    page.act(LogsAction::Pause);
    page.put("events", "shop/web-1.2 Warning Unhealthy pod/web-1 Readiness_probe_failed");
    page.seconds(1);
    assert_eq!(rows(&page).len(), 3, "a pause holds them too");
    page.act(LogsAction::Events);
    assert_eq!(rows(&page), ["before", "after"], "and they can be hidden meanwhile");
    page.act(LogsAction::Events);
    page.act(LogsAction::Pause);
    page.seconds(1);
    assert_eq!(rows(&page).len(), 4);
}
