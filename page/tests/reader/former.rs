//! Objects that are gone, from the gateway's record: they are found by their name, with their last state, their timeline and
//! their Events. Events of an object that is there go on into the record as well.

use page::action::{PanelAction, PastAction, TimelineAction};
use page::detail::history::Body;
use page::location::Tab;
use page::panel::head::{PanelNote, PanelNoteKind};
use page::tab::overview::related::EventLine;
use page::tab::timeline::comparison::ComparisonAction;
use page::testing::{PageRig, START_MS};
use page::{Environment, Host};
use serde_json::Value;
use shared::frame::server::{RecordedEvent, RecordedVersion};
use shared::frame::timeline::{Entry, EntryType};
use shared::past::{Unrecorded, Why};
use shared::row::RowId;

use crate::panel::pod;

const MINUTE_MS: i64 = 60_000;

fn row() -> RowId {
    RowId::from_hash(77 << 20)
}

/// A pod that was recorded an hour ago and deleted ten minutes ago.
fn last() -> RecordedVersion {
    RecordedVersion {
        row: row(),
        time_ms: START_MS - 60 * MINUTE_MS,
        deleted_ms: Some(START_MS - 10 * MINUTE_MS),
        relisted: false,
        object: pod(),
    }
}

fn event(number: u64, minutes: i64, reason: &str) -> RecordedEvent {
    let at_ms = START_MS - minutes * MINUTE_MS;
    RecordedEvent {
        row: RowId::from_hash(number << 20),
        name: format!("web-1.{number}").into(),
        time_ms: at_ms,
        seen: Some(at_ms / 1_000),
        kind: "Warning".into(),
        reason: reason.into(),
        message: "it is so".into(),
        count: Some(3),
    }
}

/// A page whose panel names a pod that isn't there.
fn gone(at: &str, last: Option<RecordedVersion>) -> PageRig {
    let mut page = PageRig::before("", Host::Dogwatch, Environment::default());
    let now_ms = page.now_ms;
    page.gateway.put("pods", "shop/other 1/1 Running 0", now_ms);
    page.gateway.delete("pods", "shop/web-1");
    page.gateway.record("pods", START_MS - 5 * MINUTE_MS);
    let versions = [(EntryType::Deleted, 10, "9"), (EntryType::Added, 60, "5")];
    page.gateway.past.versions = versions
        .map(|(kind, minutes, version)| Entry {
            resource_version: Some(version.into()),
            row: Some(row()),
            ..Entry::of(kind, START_MS - minutes * MINUTE_MS)
        })
        .to_vec();
    page.gateway.past.page = 10;
    page.gateway.past.whole = last.into_iter().collect();
    page.gateway.past.events = vec![event(1, 12, "BackOff"), event(2, 50, "Pulled")];
    page.address = format!("/v/pods@kind/*?{at}o=shop/web-1");
    page.start();
    page.seconds(2);
    page
}

fn note(page: &PageRig) -> PanelNote {
    page.page.panel().note.clone().expect("a note")
}

fn shown_lines(page: &PageRig) -> Vec<String> {
    let line = |line: &EventLine| match line {
        EventLine::Event(event) => format!("{} {} {}", event.last_seen, event.reason, event.count),
        EventLine::Begin(text) | EventLine::Gap(text) => text.clone(),
    };
    page.page.panel().events.of_record.iter().map(line).collect()
}

#[test]
fn a_deleted_object_is_opened_by_its_name_with_its_last_state_its_timeline_and_its_events() {
    let mut page = gone("", Some(last()));
    let said = note(&page);
    assert_eq!(
        (said.strong.as_str(), said.text.as_str()),
        ("Deleted at 09:50:00.", "Last known state below.")
    );
    assert!(said.kind == PanelNoteKind::Deleted && said.has_body);
    assert!(page.page.panel().is_stale, "nothing of it is well");
    assert_eq!(
        shown_lines(&page),
        ["From the record since 09:10:00; the API server has them no more", "2m BackOff 3", "40m Pulled 3"],
        "as old as they were when it ended"
    );
    page.act(PanelAction::Tab(Tab::Yaml));
    page.seconds(1);
    let yaml = page.page.panel().yaml.clone();
    assert!(format!("{yaml:?}").contains("ownerReferences"), "{yaml:?}");
    page.act(PanelAction::Tab(Tab::Timeline));
    page.seconds(1);
    let timeline = page.page.panel().timeline.clone();
    let clocks: Vec<&str> = timeline.before.iter().map(|item| item.clock.as_str()).collect();
    assert_eq!(clocks, ["09:50:00", "09:48:00", "09:10:00", "09:00:00"], "an Event stands where it happened");
    let events = timeline.before.iter().filter(|item| matches!(item.body, Body::Event { .. }));
    assert_eq!(events.count(), 2);
    // When one of the name is made, it is shown.
    let mut again = pod();
    again["metadata"]["uid"] = Value::from("p2");
    again["metadata"]["resourceVersion"] = Value::from("20");
    page.put("pods", "shop/web-1 1/1 Running 0");
    page.put("pods", "shop/web-1 1/1 Running 0");
    page.object("pods", "shop/web-1", again);
    page.seconds(1);
    assert_ne!(page.page.panel().note.clone().map(|note| note.kind), Some(PanelNoteKind::Deleted));
    assert!(!page.page.panel().is_stale);
}

#[test]
fn what_is_not_known_of_an_end_is_not_said() {
    let relisted = RecordedVersion { relisted: true, ..last() };
    let said = note(&gone("", Some(relisted)));
    assert_eq!(
        (said.strong.as_str(), said.text.as_str()),
        ("Deleted before 09:50:00.", "Below is its state of 09:00:00.")
    );
    let open_end = RecordedVersion { deleted_ms: None, ..last() };
    let said = note(&gone("", Some(open_end)));
    assert_eq!((said.strong.as_str(), said.text.as_str()), ("Not found.", "Below is its state of 09:00:00."));
    let said = note(&gone("", None));
    assert!(said.kind == PanelNoteKind::NotThere && !said.has_body, "{said:?}");
}

#[test]
fn in_the_past_a_panel_says_when_its_object_was_deleted() {
    let mut page = gone("at=2026-01-01T09:56:00Z&", Some(last()));
    let said = note(&page);
    assert_eq!((said.strong.as_str(), said.has_body), ("Deleted at 09:50:00.", true));
    let asked = page.gateway.take_asked();
    assert!(asked.iter().any(|asked| asked.starts_with("recorded events")), "{asked:?}");
    assert_eq!(
        shown_lines(&page),
        ["As they were then, from the record since 09:10:00", "2m BackOff 3", "40m Pulled 3"]
    );
    assert_eq!(page.page.panel().events.note, "");
    // It was made after that time, so it isn't what was there then.
    page.gateway.record("pods", START_MS - 30 * MINUTE_MS);
    page.act(PastAction::GoTo(START_MS - 20 * MINUTE_MS));
    page.seconds(2);
    let said = note(&page);
    assert_eq!((said.strong.as_str(), said.has_body), ("There was no such object at 09:40:00.", false));
    assert!(!page.page.panel().is_stale, "nothing of it is over");
    page.act(PastAction::Live);
    page.seconds(1);
    assert_eq!(note(&page).strong, "Deleted at 09:50:00.");
}

#[test]
fn what_a_past_panel_shows_is_said_to_be_deleted_when_the_page_is_live_again() {
    let mut page = gone("", Some(last()));
    page.gateway.past.record_object("pods", "shop/web-1", pod(), START_MS - 60 * MINUTE_MS);
    let now_ms = page.now_ms;
    page.gateway.put("pods", "shop/web-1 1/1 Running 0", now_ms);
    page.gateway.record("pods", START_MS - 60 * MINUTE_MS);
    page.gateway.past.whole =
        vec![RecordedVersion { row: page.gateway.row("pods", "shop/web-1").id, ..last() }];
    page.gateway.delete("pods", "shop/web-1");
    page.act(PastAction::GoTo(START_MS - 30 * MINUTE_MS));
    page.seconds(2);
    let said = note(&page);
    assert_eq!(
        (said.strong.as_str(), said.text.as_str()),
        ("Deleted at 09:50:00.", "Below is its state of 09:30:00.")
    );
    page.act(PastAction::Live);
    page.seconds(2);
    let said = note(&page);
    assert_eq!(
        (said.strong.as_str(), said.text.as_str()),
        ("Deleted at 09:50:00.", "Last known state below.")
    );
}

#[test]
fn events_of_an_object_go_on_into_the_record_with_its_gaps() {
    let mut page = gone("", Some(last()));
    let now_ms = page.now_ms;
    page.gateway.put("pods", "shop/web-1 1/1 Running 0", now_ms);
    page.gateway.object("pods", "shop/web-1", pod());
    page.gateway.past.unrecorded = vec![Unrecorded {
        from_ms: START_MS - 40 * MINUTE_MS,
        to_ms: START_MS - 30 * MINUTE_MS,
        why: Why::Down,
    }];
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.seconds(2);
    assert!(page.gateway.take_asked().iter().any(|asked| asked == "recorded events before None"));
    assert_eq!(
        shown_lines(&page),
        [
            "From the record since 09:10:00; the API server has them no more",
            "12m BackOff 3",
            "Nothing was recorded from 09:20:00 to 09:30:00: the recorder was down.",
            "50m Pulled 3"
        ]
    );
    assert_eq!(page.page.panel().events.note, "", "the line above them says it");
}

#[test]
fn a_past_panel_without_events_says_until_when_and_never_asks_for_those_of_now() {
    let mut page = gone("at=2026-01-01T09:56:00Z&", Some(last()));
    page.gateway.past.events.clear();
    page.act(PastAction::GoTo(START_MS - 6 * MINUTE_MS));
    page.seconds(2);
    assert_eq!(page.page.panel().events.note, "Events aren't recorded by this gateway.");
    page.gateway.past.events = vec![event(1, 59, "BackOff")];
    page.gateway.past.is_quiet = true;
    page.act(PastAction::GoTo(START_MS - 7 * MINUTE_MS));
    page.seconds(2);
    assert_eq!(
        page.page.panel().events.note,
        "No events until 09:53:00. The record of events begins at 09:01:00."
    );
    assert!(
        page.gateway.subscriptions().iter().all(|held| !held.contains("events")),
        "the server isn't asked"
    );
}

/// A pod of three recorded versions, of which the last is there now. The record tells only half of the first change.
fn with_versions(query: &str) -> PageRig {
    let mut page = PageRig::before("", Host::Dogwatch, Environment::default());
    let now_ms = page.now_ms;
    let version = |number: usize, image: &str| {
        let mut pod = pod();
        pod["metadata"]["resourceVersion"] = Value::from(number.to_string());
        pod["spec"]["containers"][0]["image"] = Value::from(image);
        pod
    };
    page.gateway.put("pods", "shop/web-1 1/1 Running 0", now_ms);
    page.gateway.record("pods", START_MS);
    page.gateway.object("pods", "shop/web-1", version(7, "web:3"));
    let minutes = [(7, 5), (6, 20), (5, 60)];
    page.gateway.past.versions = minutes
        .map(|(number, minutes): (u32, i64)| Entry {
            resource_version: Some(number.to_string().as_str().into()),
            row: Some(row()),
            fields_more: 3,
            ..Entry::of(EntryType::Modified, START_MS - minutes * MINUTE_MS)
        })
        .to_vec();
    page.gateway.past.page = 10;
    let whole = |number: usize, image: &str, minutes: i64| RecordedVersion {
        deleted_ms: None,
        time_ms: START_MS - minutes * MINUTE_MS,
        object: version(number, image),
        ..last()
    };
    page.gateway.past.whole = vec![whole(5, "web:1", 60), whole(6, "web:2", 20), whole(7, "web:3", 5)];
    page.address = format!("/v/pods@kind/*?o=shop/web-1&tab=timeline{query}");
    page.start();
    page.seconds(2);
    page
}

fn comparison(page: &PageRig) -> (String, String, String, String) {
    let made = page.page.panel().tabs.timeline.comparison.clone().expect("a comparison");
    (made.a.clone(), made.b.clone(), made.summary.clone(), format!("{:?}", made.lines))
}

#[test]
fn two_recorded_versions_and_a_recorded_and_the_present_one_are_compared() {
    let mut page = with_versions("");
    page.act(TimelineAction::Words);
    page.seconds(1);
    let timeline = page.page.panel().timeline.clone();
    let versions: Vec<&str> = timeline
        .before
        .iter()
        .filter_map(|item| item.resource_version.as_ref().map(|it| it.as_str()))
        .collect();
    assert_eq!(versions, ["7", "6", "5"], "each can be picked");
    // The later one is picked first.
    for version in ["6", "5"] {
        page.act(TimelineAction::Compare(ComparisonAction::Pick(version.into())));
    }
    page.seconds(1);
    let (a, b, summary, lines) = comparison(&page);
    assert_eq!((a.as_str(), b.as_str(), summary.as_str()), ("09:00:00", "09:40:00", "1 change, 1 field"));
    assert!(lines.contains("web:1") && lines.contains("web:2"), "{lines}");
    assert!(page.address.ends_with("&a=5&b=6"), "{}", page.address);
    // The present one is here already.
    page.gateway.take_asked();
    page.act(TimelineAction::Compare(ComparisonAction::Close));
    for version in ["5", "7"] {
        page.act(TimelineAction::Compare(ComparisonAction::Pick(version.into())));
    }
    page.seconds(1);
    let (_, _, summary, lines) = comparison(&page);
    assert!(
        summary == "2 changes, 1 field" && lines.contains("web:1") && lines.contains("web:3"),
        "{summary} {lines}"
    );
    assert!(page.gateway.take_asked().iter().all(|asked| asked != "version 7"));
}

#[test]
fn a_link_to_two_recorded_versions_compares_them_and_says_what_is_not_kept() {
    let page = with_versions("&a=5&b=6");
    assert_eq!(comparison(&page).2, "1 change, 1 field");
    let page = with_versions("&a=4&b=6");
    let (_, _, _, lines) = comparison(&page);
    assert!(lines.contains("no longer kept"), "{lines}");
    // What wasn't recorded between the two is said.
    let mut page = with_versions("");
    page.gateway.past.unrecorded = vec![Unrecorded {
        from_ms: START_MS - 50 * MINUTE_MS,
        to_ms: START_MS - 40 * MINUTE_MS,
        why: Why::Down,
    }];
    page.go("/v/pods@kind/*?o=shop/web-1&tab=timeline&a=5&b=6");
    page.act(PanelAction::Close);
    page.go("/v/pods@kind/*?o=shop/web-1&tab=timeline&a=5&b=6");
    page.seconds(2);
    assert_eq!(comparison(&page).2, "1 change seen, with a gap between; 1 field");
}

#[test]
fn the_key_of_the_last_change_compares_the_newest_two_of_the_record() {
    let mut page = with_versions("");
    page.panel_keys(&["d"]);
    page.seconds(1);
    assert!(page.address.ends_with("&a=6&b=7"), "{}", page.address);
    assert_eq!(comparison(&page).2, "1 change, 1 field");
}

#[test]
fn an_event_that_the_api_server_has_is_not_told_again_from_the_record() {
    let mut page = gone("", Some(last()));
    let now_ms = page.now_ms;
    page.gateway.put("pods", "shop/web-1 1/1 Running 0", now_ms);
    page.gateway.object("pods", "shop/web-1", pod());
    page.gateway.put("events", "shop/e1 Warning BackOff pod/web-1 it-is-so", now_ms);
    page.gateway.past.events[0].row = page.gateway.row("events", "shop/e1").id;
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.seconds(2);
    let events = page.page.panel().events.clone();
    assert_eq!(events.events.iter().map(|event| event.reason.as_str()).collect::<Vec<_>>(), ["BackOff"]);
    let said = shown_lines(&page);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[1].contains("Pulled"), "{said:?}");
}

#[test]
fn an_element_is_as_of_the_time_of_its_link_and_live_without_one() {
    let mut page = PageRig::before("", Host::Portal, Environment::default());
    let now_ms = page.now_ms;
    let version = |number: &str| {
        let mut pod = pod();
        pod["metadata"]["resourceVersion"] = Value::from(number);
        pod
    };
    page.gateway.put("pods", "shop/web-1 0/1 Pending 0", now_ms);
    page.gateway.record("pods", START_MS - 30 * MINUTE_MS);
    page.gateway.past.record_object("pods", "shop/web-1", version("5"), START_MS - 30 * MINUTE_MS);
    page.gateway.put("pods", "shop/web-1 1/1 Running 0", now_ms);
    page.gateway.put("pods", "shop/web-2 1/1 Running 0", now_ms);
    page.gateway.record("pods", START_MS);
    page.gateway.object("pods", "shop/web-1", version("7"));
    const AT: &str = "at=2026-01-01T09:40:00Z";
    let table = page.page.embed(&format!("/v/pods/shop?{AT}"), page.now());
    let object = page.page.embed_object(&format!("/v/pods/shop?{AT}&o=shop/web-1"), page.now());
    page.start();
    page.seconds(2);
    assert!(page.pill().starts_with("Past 09:40:00"), "{}", page.pill());
    assert!(page.names().contains("web-1") && !page.names().contains("web-2"), "{}", page.names());
    let pill = |page: &PageRig| {
        let (_, _, panel) = page.page.objects().next().expect("the element");
        panel.pill.word.clone()
    };
    assert_eq!(pill(&page), "Past 09:40:00");
    // The reader of an element doesn't choose its time.
    page.keys(&["h"]);
    page.seconds(1);
    assert!(page.pill().starts_with("Past 09:40:00"), "{}", page.pill());
    page.page.lead(table, "/v/pods/shop", page.now());
    page.page.lead(object, "/v/pods/shop?at=2026-01-01T11:00:00Z&o=shop/web-1", page.now());
    page.seconds(2);
    assert!(page.pill().starts_with("Live") && page.names().contains("web-2"), "{}", page.pill());
    assert_eq!(pill(&page), "Live", "what isn't yet is now");
}
