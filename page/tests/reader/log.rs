//! The event log of a view.

use page::action::{Action, Key, LogAction, PaneAction};
use page::log::Predicate;
use page::model::LogBody;
use page::testing::PageRig;
use serde_json::{Value, json};
use shared::frame::timeline::EntryType;

fn change(path: &str, area: &str, version: &str) -> Value {
    json!({"type": "MODIFIED", "resource_version": version, "changed": [area],
        "fields": [{"path": path, "old": 1, "new": 3, "by": 0}],
        "writers": [{"manager": "kubectl", "operation": "Update"}]})
}

/// An addition, a change of spec and one of status.
fn three() -> PageRig {
    let mut page = PageRig::live("/log/pods");
    page.act(LogAction::Resized { height_px: 240.0 });
    page.log("pods", "shop/web-1", json!({"type": "ADDED", "resource_version": "7"}));
    page.log("pods", "shop/web-1", change("/spec/replicas", "spec", "8"));
    page.log("pods", "ledger/db-0", change("/status/phase", "status", "9"));
    page
}

fn lines(page: &PageRig) -> Vec<String> {
    let lines = page.model().log.lines.iter();
    lines.map(|line| format!("{:?} {}{}", line.kind, line.namespace, line.name)).collect()
}

#[test]
fn every_event_is_a_line_with_its_field_and_its_writer() {
    let page = three();
    assert_eq!(lines(&page), ["Added shop/web-1", "Modified shop/web-1", "Modified ledger/db-0"]);
    let line = &page.model().log.lines[1];
    let LogBody::Change { field: Some(field), .. } = &line.body else { panic!("{:?}", line.body) };
    assert_eq!(field.path, "spec.replicas");
    assert_eq!(line.writers, "kubectl");
    assert_eq!(line.resource_version, "8");
    assert_eq!(page.model().log.count, ("3".to_owned(), " events".to_owned()));
    assert!(page.notice().contains("3 events since"), "{}", page.notice());
    assert!(page.gateway.subscriptions().contains(&"log of pods".to_owned()));
}

#[test]
fn a_log_is_filtered_by_text_by_type_and_by_what_changed() {
    let mut page = three();
    for (action, shown) in [
        (LogAction::Filter("web-1 replicas".to_owned()), 1),
        (LogAction::Filter("STATUS.PHASE".to_owned()), 1),
        (LogAction::Filter("shop/ Kubectl".to_owned()), 1),
        (LogAction::Filter("no-field-is-called-so".to_owned()), 0),
        (LogAction::Filter(String::new()), 3),
        (LogAction::Toggle(EntryType::Modified), 1),
        (LogAction::Toggle(EntryType::Modified), 3),
        (LogAction::Predicate(Some(Predicate::SpecChanged)), 2),
        (LogAction::Predicate(Some(Predicate::StatusOnly)), 2),
        (LogAction::Predicate(Some(Predicate::LabelsChanged)), 1),
        (LogAction::Predicate(None), 3),
    ] {
        page.act(action.clone());
        assert_eq!(page.model().log.row_count, shown, "{action:?}");
        let counts: Vec<&str> = page.model().log.toggles.iter().map(|toggle| &*toggle.count).collect();
        assert_eq!(counts[..3], ["1", "2", "0"], "counts stay");
    }
}

#[test]
fn a_paused_log_stands_still_and_a_cleared_one_begins_anew() {
    let mut page = three();
    page.key(Key::Pause);
    let before = lines(&page);
    page.log("pods", "shop/web-1", json!({"type": "DELETED", "resource_version": "10"}));
    assert_eq!((lines(&page), page.pill()), (before, "Paused · 1 event waiting".to_owned()));
    assert_eq!(page.notice(), "Paused 1 event waits.");
    page.key(Key::Pause);
    assert!(page.pill().starts_with("Live") && lines(&page).len() == 4);
    page.act(LogAction::Clear);
    assert_eq!(lines(&page).len(), 0);
    page.log("pods", "shop/cart-1", change("/spec/a", "spec", "11"));
    assert_eq!(lines(&page), ["Modified shop/cart-1"]);
    page.act(LogAction::Save);
    assert_eq!(page.file().lines().count(), 1);
    assert!(page.file().contains("\"/spec/a\""), "{}", page.file());
}

#[test]
fn gaps_errors_and_bookmarks_have_lines_of_their_own_and_a_gap_is_never_filtered_away() {
    let mut page = three();
    let gap = json!({"type": "GAP", "gap": {"from_ms": page.now_ms - 9_000, "to_ms": page.now_ms, "reason": "Expired"}});
    page.log("pods", "shop/web-1", gap);
    page.log(
        "pods",
        "shop/web-1",
        json!({"type": "ERROR", "problem": {"reason": "Expired", "message": "too old"}}),
    );
    page.log("pods", "shop/web-1", json!({"type": "BOOKMARK", "resource_version": "12"}));
    let bodies: Vec<&LogBody> = page.model().log.lines.iter().skip(3).map(|line| &line.body).collect();
    let [LogBody::Gap { .. }, LogBody::Problem { .. }, LogBody::Words(_)] = bodies[..] else {
        panic!("{bodies:?}");
    };
    page.act(LogAction::Filter("no-field-is-called-so".to_owned()));
    assert_eq!(lines(&page), ["Gap shop/web-1"]);
}

#[test]
fn a_log_follows_the_newest_until_its_reader_scrolls_away() {
    let mut page = three();
    for number in 0..40 {
        page.log("pods", "shop/web-1", change("/spec/replicas", "spec", &format!("{}", 20 + number)));
    }
    let is_at_end = |page: &PageRig| page.model().log.lines.last().is_some_and(|line| line.number == 42);
    assert!(is_at_end(&page) && page.model().log.lines.len() < 43 && page.model().log.follows);
    page.act(LogAction::Scrolled { top_px: 0.0, height_px: 240.0 });
    assert!(!page.model().log.follows && !is_at_end(&page));
    page.act(LogAction::Follow);
    assert!(page.model().log.follows && is_at_end(&page));
}

#[test]
fn the_log_and_its_table_change_places_and_the_focus_goes_along() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&["j"]);
    let before = page.model().focus.clone();
    page.act(Action::ToggleLog);
    assert_eq!(page.address, "/log/pods@kind/*");
    assert!(page.model().log.is_shown && page.model().log.takes_focus);
    page.keys(&["l"]);
    assert_eq!(page.effects(), ["push /log/pods@kind/*", "push /v/pods@kind/*"]);
    assert_eq!(page.gateway.subscriptions(), ["pods"], "the log is given back");
    assert_ne!(page.model().focus, before, "the row is asked to take the focus again");
    assert_eq!(page.focused(), "db-0");
    let linked = PageRig::live("/log/pods");
    assert!(linked.model().log.is_shown && !linked.model().log.takes_focus, "a link takes no focus");
    page.act(PaneAction::Log(LogAction::Clear));
}
