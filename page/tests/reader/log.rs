//! The changes of a view.

use page::action::{Action, Key, LogAction, PaneAction, PanelAction};
use page::detail::history::{FieldLine, Headline};
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
    page.act(LogAction::Resized { width_px: 1_200.0, height_px: 240.0 });
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
    assert_eq!(said(&page, 1)[0], "Scaled 1 → 3");
    assert_eq!(line.writers, "kubectl");
    assert_eq!(line.resource_version, "8");
    assert_eq!(page.model().log.count, ("3".to_owned(), " entries".to_owned()));
    assert!(page.notice().contains("3 entries since"), "{}", page.notice());
    assert!(page.gateway.subscriptions().contains(&"log of pods".to_owned()));
}

#[test]
fn a_log_is_filtered_by_text_by_type_and_by_what_changed() {
    let mut page = three();
    for (action, shown) in [
        (LogAction::Filter("web-1 replicas".to_owned()), 1),
        (LogAction::Filter("STATUS.PHASE".to_owned()), 1),
        (LogAction::Filter("shop/ Kubectl".to_owned()), 1),
        (LogAction::Filter("replicas 3".to_owned()), 1),
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
    assert_eq!((lines(&page), page.pill()), (before, "Paused · 1 entry pending".to_owned()));
    assert_eq!(page.notice(), "Paused 1 entry pending.");
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
fn the_changes_of_events_say_what_they_say_of_which_object() {
    let mut page = PageRig::live("/log/events");
    page.act(LogAction::Resized { width_px: 1_200.0, height_px: 240.0 });
    page.put("events", "shop/web-1.18a Warning BackOff pod/web-1 Back-off");
    let entry = |kind: &str, count: u32| {
        let fields = json!([{"path": "/count", "old": count - 1, "new": count}]);
        let fields = if kind == "MODIFIED" { fields } else { json!([]) };
        json!({"type": kind, "resource_version": "7", "fields": fields, "context": {"/type": "Warning", "/reason": "BackOff",
            "/message": "Back-off restarting", "/count": count, "/involvedObject/kind": "Pod", "/involvedObject/name": "web-1"}})
    };
    for (kind, count) in [("ADDED", 1), ("MODIFIED", 2), ("DELETED", 2)] {
        page.log("events", "shop/web-1.18a", entry(kind, count));
    }
    let expected = [
        "BackOff pod/web-1: Back-off restarting",
        "BackOff pod/web-1: Back-off restarting, 2 times; +1 field",
        "BackOff pod/web-1: Back-off restarting, 2 times (the Event is gone)",
    ];
    let first: Vec<String> = (0..3).map(|at| said(&page, at)[0].clone()).collect();
    assert_eq!(first, expected);
    page.act(LogAction::Filter("pod/web-1 restarting".to_owned()));
    assert_eq!(page.model().log.row_count, 3, "a text finds what an Event says");
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
fn the_first_and_the_newest_entry_are_a_key_away_and_the_focus_goes_along() {
    let mut page = three();
    for number in 0..40 {
        page.log("pods", "shop/web-1", change("/spec/replicas", "spec", &format!("{}", 20 + number)));
    }
    let focused = |page: &PageRig| {
        let line = page.model().log.lines.iter().find(|line| line.has_focus);
        line.map(|line| line.number)
    };
    page.act(LogAction::First);
    assert_eq!((focused(&page), page.model().log.follows), (Some(0), false));
    page.act(LogAction::Page(1));
    assert_eq!(focused(&page), Some(8), "so many are seen at once");
    page.act(LogAction::Step(1));
    assert_eq!(focused(&page), Some(9));
    page.act(LogAction::Page(-2));
    assert_eq!(focused(&page), Some(0));
    page.act(LogAction::Follow);
    assert_eq!((focused(&page), page.model().log.follows), (Some(42), true));
}

#[test]
fn a_log_and_its_rows_are_paused_together_and_go_on_together() {
    let mut page = three();
    page.key(Key::Pause);
    page.put("pods", "shop/web-1 1/1 Running 5");
    page.act(Action::ToggleLog);
    assert!(page.notice().starts_with("Paused at "), "{}", page.notice());
    assert!(page.notice().contains("1 pending: ~1"), "{}", page.notice());
    page.key(Key::Pause);
    assert!(!page.model().is_paused && page.pill().starts_with("Live"), "{}", page.pill());
    page.act(Action::ToggleLog);
    assert!(!page.model().is_paused && page.pill().starts_with("Live"), "{}", page.pill());
}

#[test]
fn a_log_that_is_opened_over_paused_rows_runs_and_says_nothing_of_their_pause() {
    let mut page = PageRig::live("/v/pods");
    page.key(Key::Pause);
    page.act(Action::ToggleLog);
    assert!(!page.model().is_paused && page.pill().starts_with("Live"), "{}", page.pill());
    page.key(Key::Pause);
    assert!(page.pill().starts_with("Paused · "), "{}", page.pill());
    page.act(Action::ToggleLog);
    assert!(page.model().is_paused, "the rows never went on");
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
    assert_eq!(page.gateway.subscriptions(), ["pods", "log of pods"], "a look at the table ends nothing");
    assert_ne!(page.model().focus, before, "the row is asked to take the focus again");
    assert_eq!(page.focused(), "db-0");
    let linked = PageRig::live("/log/pods");
    assert!(linked.model().log.is_shown && !linked.model().log.takes_focus, "a link takes no focus");
    page.act(PaneAction::Log(LogAction::Clear));
}

#[test]
fn a_look_at_the_table_loses_no_event_and_another_view_ends_the_recording() {
    let mut page = three();
    page.keys(&["l"]);
    page.log("pods", "shop/web-1", change("/spec/replicas", "spec", "10"));
    page.keys(&["l"]);
    assert_eq!(lines(&page).len(), 4);
    assert!(page.notice().starts_with("4 entries since 10:00:00 (last 10,000 kept)."), "{}", page.notice());
    page.go("/v/services");
    assert_eq!(page.gateway.subscriptions(), ["services"]);
}

#[test]
fn the_filter_of_the_changes_is_in_the_link() {
    let mut page = three();
    page.act(LogAction::Filter("web-1 re".to_owned()));
    page.act(LogAction::Predicate(Some(Predicate::SpecChanged)));
    page.act(LogAction::Toggle(EntryType::Bookmark));
    page.act(LogAction::Toggle(EntryType::Added));
    let link = "/log/pods@kind/*?lq=web-1%20re&changed=spec&events=modified,deleted,error";
    assert_eq!(page.address, link);
    page.keys(&["l"]);
    assert_eq!(page.address, "/v/pods@kind/*", "the table's link has nothing of it");
    page.keys(&["l"]);
    assert_eq!(page.address, link);

    let linked = PageRig::live(link);
    let log = &linked.model().log;
    assert_eq!((&*log.text, log.predicate), ("web-1 re", Some(Predicate::SpecChanged)));
    assert_eq!(
        log.toggles.iter().map(|toggle| toggle.is_on).collect::<Vec<_>>(),
        [false, true, true, false, true]
    );
    let strange = PageRig::live("/log/pods?changed=all&events=moved");
    assert!(
        strange.bar().contains("changed=all (") && strange.bar().contains("events=moved ("),
        "{}",
        strange.bar()
    );
}

#[test]
fn data_of_a_kind_without_a_spec_is_its_spec() {
    let mut page = three();
    page.log("pods", "shop/web-1", change("/data/key", "other", "10"));
    page.act(LogAction::Predicate(Some(Predicate::SpecChanged)));
    assert_eq!(page.model().log.row_count, 3);
}

/// What the lines say from this one on.
fn said(page: &PageRig, from: usize) -> Vec<String> {
    let said = page.model().log.lines.iter().skip(from).map(|line| match &line.body {
        LogBody::Change { headline, field, more, .. } => {
            let headline = headline.as_ref().map(Headline::text);
            let parts = [headline, field.as_ref().map(FieldLine::text), more.clone()];
            parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
        }
        LogBody::Field(field) => field.text(),
        LogBody::Routine(words) | LogBody::Words(words) => words.clone(),
        body => panic!("{body:?}"),
    });
    said.collect()
}

#[test]
fn a_change_begins_with_what_it_is_about() {
    let mut page = three();
    let state = |part: &str| format!("/status/containerStatuses/0/{part}");
    let crash = json!({"type": "MODIFIED", "changed": ["status"], "fields": [
        {"path": "/status/conditions/1/lastTransitionTime", "old": "a", "new": "b"},
        {"path": state("state/running"), "old": {"startedAt": "a"}},
        {"path": state("state/waiting"), "new": {"reason": "CrashLoopBackOff"}}],
        "context": {(state("name")): "app", (state("restartCount")): 40, (state("lastState/terminated/exitCode")): 1}});
    page.log("pods", "shop/web-1", crash);
    page.log("pods", "shop/web-1", change("/spec/replicas", "spec", "10"));
    page.log("pods", "shop/web-1", change("/data/key", "other", "11"));
    page.log("pods", "shop/web-1", change("/metadata/generation", "metadata", "12"));
    assert_eq!(
        said(&page, 3),
        [
            "CrashLoopBackOff, restart 40, exit code 1; \
             status.containerStatuses[app].state running → waiting: CrashLoopBackOff; +2 fields",
            "Scaled 1 → 3",
            "data.key 1 → 3",
            "Times and counters; +1 field",
        ]
    );
}

#[test]
fn a_narrow_log_has_two_lines_for_an_event() {
    let mut page = three();
    assert!(!page.model().log.is_narrow);
    let wide_px = page.model().log.extent.height_px;
    page.act(LogAction::Resized { width_px: 390.0, height_px: 240.0 });
    assert!(page.model().log.is_narrow && page.model().log.extent.height_px > wide_px);
}

/// Events have their fields below them once they are unfolded.
#[test]
fn an_event_is_unfolded_and_opens_its_object() {
    let mut page = three();
    let fields =
        ["/status/observedGeneration", "/status/message", "/status/phase", "/status/conditions/0/status"];
    let fields: Vec<Value> = fields.iter().map(|path| json!({"path": path, "old": 1, "new": 2})).collect();
    let entry = json!({"type": "MODIFIED", "resource_version": "10", "changed": ["status"], "fields": fields,
        "context": {"/status/conditions/0/type": "Ready"}, "fields_more": 4});
    page.log("pods", "shop/cart-1", entry);
    let first = "1 → 2; status.message 1 → 2; +7 fields";
    let below = ["status.message 1 → 2", "status.conditions[Ready].status 1 → 2"];
    assert_eq!(said(&page, 3), [first]);
    page.act(LogAction::Step(0));
    page.act(LogAction::Unfold);
    assert_eq!(said(&page, 3), [first, below[0], below[1], "1 more field", "4 more fields not sent."]);
    page.act(LogAction::Unfold);
    assert_eq!(said(&page, 3)[3..], ["status.observedGeneration 1 → 2", "4 more fields not sent."]);
    assert_eq!(page.model().log.row_count, 8);
    page.act(LogAction::Step(-1));
    page.act(LogAction::Step(1));
    assert!(page.model().log.lines[3].has_focus);
    page.act(LogAction::Fold);
    assert_eq!(page.model().log.row_count, 4);

    page.act(LogAction::Focus(2));
    page.act(PanelAction::Open { row: None, key: None });
    assert_eq!(page.address, "/log/pods@kind/*?o=ledger/db-0");
    page.delete("pods", "ledger/db-0");
    page.act(PanelAction::Close);
    page.act(PanelAction::Open { row: None, key: None });
    assert_eq!(page.address, "/log/pods@kind/*?o=ledger/db-0", "also of what was deleted");
}

#[test]
fn what_the_gateway_still_had_is_marked_as_from_before() {
    let mut page = PageRig::live("/log/pods");
    page.act(LogAction::Resized { width_px: 1_200.0, height_px: 240.0 });
    page.log("pods", "shop/web-1", json!({"type": "MODIFIED", "resource_version": "5", "earlier": true}));
    page.now_ms += 1_000;
    page.log("pods", "shop/web-1", change("/spec/replicas", "spec", "8"));
    let before: Vec<bool> = page.model().log.lines.iter().map(|line| line.is_before).collect();
    assert_eq!(before, [true, false]);
    assert!(
        matches!(&page.model().log.lines[0].body, LogBody::Words(words) if words.contains("last change"))
    );
    assert!(page.notice().starts_with("1 entry since 10:00:00, 1 from before"), "{}", page.notice());
}

#[test]
fn lines_of_another_height_keep_their_place() {
    let mut page = PageRig::live("/log/pods");
    page.act(LogAction::Resized { width_px: 1_200.0, height_px: 240.0 });
    for version in 1..60 {
        page.log("pods", "shop/web-1", json!({"type": "MODIFIED", "resource_version": version.to_string()}));
    }
    page.act(LogAction::Scrolled { top_px: 480.0, height_px: 240.0 });
    let first = |page: &PageRig| page.model().log.extent.first;
    let before = first(&page);
    page.act(LogAction::Resized { width_px: 600.0, height_px: 240.0 });
    assert_eq!((first(&page), page.model().log.extent.scroll_to_px), (before, Some(880.0)));
}

#[test]
fn lines_that_are_mounted_anew_stand_where_they_were() {
    let mut page = PageRig::live("/log/pods");
    page.act(LogAction::Resized { width_px: 1_200.0, height_px: 240.0 });
    for version in 1..60 {
        page.log("pods", "shop/web-1", json!({"type": "MODIFIED", "resource_version": version.to_string()}));
    }
    page.act(LogAction::Scrolled { top_px: 480.0, height_px: 240.0 });
    page.act(Action::ToggleLog);
    page.act(Action::ToggleLog);
    page.act(LogAction::Resized { width_px: 1_200.0, height_px: 240.0 });
    assert_eq!(page.model().log.extent.scroll_to_px, Some(480.0), "the browser began at the first line");
}
