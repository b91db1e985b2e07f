//! The page as of a time: the way there and back, what it says, and what it doesn't do there.

use page::action::{Action, Key, PaneAction, PanelAction, PastAction, PickerAction, TimelineAction};
use page::detail::history::Body;
use page::location::Tab;
use page::model::{Notice, NoticeAction, PillState, SeenRow};
use page::past::{End, PastBar};
use page::testing::{PageRig, START_MS, cells_of};
use page::{Environment, Host};
use serde_json::json;
use shared::frame::server::ReplayedFile;
use shared::frame::timeline::{Entry, EntryType};
use shared::health::{Health, HealthClass};
use shared::past::{Removed, Unrecorded, Why};
use shared::problem::{Problem, Reason};

use crate::panel::deployment;

const MINUTE_MS: i64 = 60_000;

/// Three times were recorded: an hour ago with an older pod, half an hour ago without the newer one, and now.
fn recorded(address: &str) -> PageRig {
    let mut page = PageRig::before(address, Host::Dogwatch, Environment::default());
    let now_ms = page.now_ms;
    page.gateway.put("pods", "shop/old-1 1/1 Running 0", now_ms);
    page.gateway.delete("pods", "shop/web-1");
    page.gateway.record("pods", START_MS - 60 * MINUTE_MS);
    page.gateway.delete("pods", "shop/old-1");
    page.gateway.record("pods", START_MS - 30 * MINUTE_MS);
    page.gateway.put("pods", "shop/web-1 0/1 CrashLoopBackOff 5", now_ms);
    page.gateway.record("pods", START_MS);
    page.start();
    page.seconds(2);
    page
}

fn bar(page: &PageRig) -> PastBar {
    page.model().past.clone().expect("the bar is open")
}

/// The document's last title.
fn title(page: &mut PageRig) -> String {
    let titles = page.effects().into_iter().filter_map(|said| said.strip_prefix("title ").map(str::to_owned));
    titles.collect::<Vec<_>>().pop().unwrap_or_default()
}

/// The namespaces and names of the rows of a pane.
fn names_in(page: &PageRig, at: usize) -> String {
    let place = page.pane(at).table.columns.iter().position(|column| column.is_name).expect("NAME");
    let name = |row: &SeenRow| cells_of(row).into_iter().nth(place).unwrap_or_default();
    page.pane(at).rows.rows.iter().map(name).collect::<Vec<_>>().join(" ")
}

const AN_HOUR_AGO: &str = "/v/pods@kind/*?at=2026-01-01T09:00:00Z";

#[test]
fn a_link_with_a_time_shows_the_page_as_it_was_and_h_leads_back_to_live() {
    let mut page = recorded(AN_HOUR_AGO);
    assert_eq!(page.names(), "db-0 cart-1 old-1");
    assert_eq!(page.pill(), "Past 09:00:00 · recorded 0 s before");
    assert_eq!(page.address, AN_HOUR_AGO);
    let said = title(&mut page);
    assert!(said.starts_with("(past 09:00:00) pods"), "{said}");
    assert_eq!(page.page.model().health.text, "Past, nothing live");
    assert_eq!(page.model().status_bar.rate, None, "nothing changes");
    assert!(matches!(page.model().notice, Notice::Tally { .. }), "{:?}", page.model().notice);
    page.keys(&["h"]);
    page.seconds(1);
    assert_eq!(page.names(), "db-0 cart-1 web-1");
    assert!(page.pill().starts_with("Live"), "{}", page.pill());
    assert_eq!(page.address, "/v/pods@kind/*");
    assert!(page.model().past.is_none(), "the bar is closed");
    let said = title(&mut page);
    assert!(said.starts_with("✗ 1 · pods"), "{said}");
}

#[test]
fn a_link_to_the_future_shows_the_present() {
    let mut page = recorded("/v/pods@kind/*?at=2026-01-01T11:00:00Z");
    page.seconds(1);
    assert!(page.pill().starts_with("Live") && page.address == "/v/pods@kind/*", "{}", page.address);
}

/// The same, replayed a day later.
fn replayed(address: &str) -> PageRig {
    let mut page = PageRig::before(address, Host::Dogwatch, Environment::default());
    let now_ms = page.now_ms;
    page.gateway.delete("pods", "shop/web-1");
    page.gateway.record("pods", START_MS - 24 * 60 * MINUTE_MS);
    page.gateway.put("pods", "shop/web-1 0/1 CrashLoopBackOff 5", now_ms);
    page.gateway.record("pods", START_MS - 24 * 60 * MINUTE_MS + MINUTE_MS);
    page.gateway.replay(START_MS - 24 * 60 * MINUTE_MS, START_MS - 24 * 60 * MINUTE_MS + MINUTE_MS);
    page.start();
    page.seconds(2);
    page
}

#[test]
fn a_replay_begins_at_its_end_and_nothing_of_it_is_live() {
    const END: &str = "/v/pods@kind/*?at=2025-12-31T10:01:00Z";
    for address in ["/v/pods", "/v/pods?at=2026-01-01T09:00:00Z"] {
        let mut page = replayed(address);
        assert_eq!(page.names(), "db-0 cart-1 web-1", "{address}");
        assert!(page.pill().starts_with("Past"), "{}", page.pill());
        assert_eq!(page.address, END);
        assert_eq!(bar(&page).end, End::OfReplay { is_here: true });
        page.keys(&[","]);
        page.seconds(1);
        assert_eq!(
            (page.names().as_str(), bar(&page).end),
            ("db-0 cart-1", End::OfReplay { is_here: false })
        );
        page.keys(&["h"]);
        page.seconds(1);
        assert_eq!(
            (page.names().as_str(), page.address.as_str()),
            ("db-0 cart-1 web-1", END),
            "back to its end"
        );
        assert!(page.pill().starts_with("Past"), "{}", page.pill());
        let drawn = bar(&page);
        assert!(drawn.gaps.is_empty(), "the slider is the time of the record: {:?}", drawn.gaps);
        assert_eq!(page.page.model().health.text, "Replay of a record, nothing live");
        // What is typed counts from its end, and what would be after it is none.
        page.act(PastAction::Type("30s".into()));
        page.seconds(1);
        assert_eq!((page.names().as_str(), bar(&page).error), ("db-0 cart-1", ""));
        page.act(PastAction::Compare);
        page.seconds(1);
        assert_eq!(page.address, "/v/pods@kind/*?at=2025-12-31T10:00:30Z&vs=2025-12-31T10:01:00Z");
        page.keys(&["v", "h"]);
        page.seconds(1);
        page.keys(&["v"]);
        assert_eq!(page.address, END, "the end is compared with nothing");
    }
}

#[test]
fn nothing_of_the_past_is_shown_where_the_gateway_does_not_record() {
    let mut page = PageRig::live("/v/pods");
    page.seconds(1);
    assert_eq!(page.model().clock, None);
    page.keys(&["h"]);
    page.seconds(1);
    assert!(page.page.model().hint.contains("doesn't record"), "{}", page.page.model().hint);
    assert!(page.model().past.is_none());
}

#[test]
fn steps_go_from_change_to_change() {
    let mut page = recorded("/v/pods");
    page.keys(&["h"]);
    page.seconds(1);
    assert!(page.pill().starts_with("Live") && !bar(&page).is_past);
    page.keys(&[","]);
    page.seconds(1);
    assert_eq!(
        page.pill(),
        "Past 10:00:02 · recorded 2 s before",
        "the last change is what this moment shows"
    );
    page.keys(&[","]);
    page.seconds(1);
    assert_eq!(
        (page.pill().as_str(), page.names().as_str()),
        ("Past 09:30:00 · recorded 0 s before", "db-0 cart-1")
    );
    assert!(page.model().rows.rows.iter().all(|row| row.sign.is_none()), "a step back marks nothing");
    page.keys(&[","]);
    page.keys(&[","]);
    page.seconds(1);
    assert!(page.page.model().hint.contains("No earlier"), "{}", page.page.model().hint);
    assert!(!bar(&page).has_earlier && bar(&page).has_later);
    page.keys(&[".", "."]);
    page.seconds(1);
    assert_eq!(page.names(), "db-0 cart-1 web-1");
    let signs = page.model().rows.rows.iter().filter(|row| row.sign.is_some()).count();
    assert_eq!(signs, 1, "the pod that the change brought");
    page.keys(&["."]);
    assert!(page.pill().starts_with("Past 10:00:00"));
}

#[test]
fn the_past_stands_still_and_is_not_stale_when_the_gateway_is_gone() {
    let mut page = recorded(AN_HOUR_AGO);
    page.key(Key::Pause);
    page.seconds(1);
    assert!(!page.model().is_paused && page.page.model().hint.contains("stands still"));
    page.act(Action::ToggleLog);
    page.seconds(1);
    assert!(!page.model().log.is_shown);
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.seconds(1);
    assert_eq!(page.names(), "db-0 cart-1 old-1");
    page.disconnect();
    page.seconds(30);
    assert_eq!(page.pill(), "Past 09:00:00 · recorded 0 s before");
    let said = title(&mut page);
    assert!(!page.model().is_stale && !said.contains("stale"), "{said}");
}

#[test]
fn the_slider_is_dragged_to_a_time_and_to_the_end_which_is_now() {
    let mut page = recorded("/v/pods@kind/*");
    page.keys(&["h"]);
    page.seconds(1);
    let asked = page.gateway.take_asked();
    let asked = asked.iter().filter(|asked| asked.starts_with("record of")).count();
    assert_eq!(asked, 2, "once for six hours, and for three once it is known how young the record is");
    // This is three quarters of an hour ago.
    page.act(PastAction::Drag(1.0 - 0.75 / 3.0));
    page.seconds(1);
    assert_eq!((page.names().as_str(), bar(&page).is_past), ("db-0 cart-1 old-1", true));
    let thumb = bar(&page).thumb.expect("a thumb");
    assert!((thumb.at - 75.0).abs() < 0.1, "{thumb:?}");
    page.act(PastAction::Drag(1.0 - 0.25 / 3.0));
    page.act(PastAction::Drop);
    page.seconds(1);
    assert_eq!(page.names(), "db-0 cart-1");
    assert!(
        page.address.contains("&at=2026-01-01T09:4") || page.address.contains("?at=2026-01-01T09:4"),
        "{}",
        page.address
    );
    page.act(PastAction::Drag(1.0));
    page.act(PastAction::Drop);
    page.seconds(1);
    assert!(page.pill().starts_with("Live") && page.address == "/v/pods@kind/*", "{}", page.address);
}

#[test]
fn a_typed_time_is_gone_to_and_what_is_none_is_said() {
    let mut page = recorded("/v/pods@kind/*");
    page.keys(&["h"]);
    page.seconds(1);
    page.act(PastAction::Type("noon".into()));
    page.seconds(1);
    assert!(bar(&page).error.contains("yesterday 14:02"));
    page.act(PastAction::Type("09:21".into()));
    page.seconds(1);
    assert_eq!(page.address, "/v/pods@kind/*?at=2026-01-01T09:21:00Z", "the whole minute");
    assert_eq!(bar(&page).typed, "09:21:00");
    page.act(PastAction::Type("20m".into()));
    page.seconds(1);
    assert_eq!(page.names(), "db-0 cart-1");
    page.act(PastAction::Type("45 min ago".into()));
    page.seconds(1);
    assert_eq!((page.names().as_str(), bar(&page).error), ("db-0 cart-1 old-1", ""));
    page.act(PastAction::Type("now".into()));
    page.seconds(1);
    assert!(page.pill().starts_with("Live"));
}

#[test]
fn a_link_to_an_object_of_the_past_stands_at_its_row() {
    let page = recorded(&format!("{AN_HOUR_AGO}&o=shop/cart-1"));
    assert_eq!((page.names().as_str(), page.focused().as_str()), ("db-0 cart-1 old-1", "cart-1"));
    let page = recorded("/v/pods@kind/*?o=shop/cart-1");
    assert_eq!(page.focused(), "cart-1", "a link to the present does, too");
}

#[test]
fn a_gap_says_what_is_not_known_and_leads_to_its_edges() {
    let mut page = PageRig::before("", Host::Dogwatch, Environment::default());
    page.address = "/v/pods@kind/*?at=2026-01-01T09:10:00Z".into();
    page.gateway.record("pods", START_MS - 60 * MINUTE_MS);
    page.gateway.past.unrecorded = vec![Unrecorded {
        from_ms: START_MS - 55 * MINUTE_MS,
        to_ms: START_MS - 40 * MINUTE_MS,
        why: Why::Down,
    }];
    page.start();
    page.seconds(2);
    assert_eq!(page.model().pill.state, PillState::Unrecorded);
    assert_eq!(page.pill(), "Past 09:10:00 · not recorded");
    let body = page.model().empty_state.clone().expect("a sentence");
    assert_eq!(body.title, "Nothing was recorded from 09:05:00 to 09:20:00: the recorder was down");
    assert!(body.text.starts_with("What pods did in these 15m is unknown."), "{}", body.text);
    assert!(!bar(&page).gaps.is_empty());
    let edges: Vec<_> = body.edges.iter().map(|edge| (edge.clock.as_str(), edge.action)).collect();
    let to_ms = START_MS - 40 * MINUTE_MS;
    let from_ms = START_MS - 55 * MINUTE_MS;
    assert_eq!(edges, [("09:05:00", NoticeAction::GoTo(from_ms)), ("09:20:00", NoticeAction::GoTo(to_ms))]);
    page.act(Action::from(NoticeAction::GoTo(to_ms)));
    page.seconds(1);
    assert_eq!(page.names(), "db-0 cart-1 web-1");
}

#[test]
fn what_was_removed_of_a_time_is_said_above_its_rows_and_in_the_timeline() {
    let (from_ms, to_ms) = (START_MS - 55 * MINUTE_MS, START_MS - 40 * MINUTE_MS);
    let (removed_ms, path) = (START_MS - 5 * MINUTE_MS, Some(".spec.badge".into()));
    let removed = Removed { from_ms, to_ms, removed_ms, namespace: None, path, masked: false };
    let mut page = PageRig::before("", Host::Dogwatch, Environment::default());
    page.address = "/v/pods@kind/*?at=2026-01-01T09:10:00Z".into();
    page.gateway.record("pods", START_MS - 60 * MINUTE_MS);
    page.gateway.past.removed = vec![removed.clone()];
    page.start();
    page.seconds(2);
    let said = "was removed from what was recorded of pods from 09:05:00 to 09:20:00.";
    let when = "Removed at 09:55:00 with dogwatch history purge.";
    assert_eq!(page.notice(), format!(".spec.badge {said} {when}"));
    assert!(!page.names().is_empty(), "the rows are there");
    let slider = bar(&page);
    assert!(slider.hint.ends_with(&format!("arrow keys\n.spec.badge {said}")), "{}", slider.hint);
    assert!(slider.said.ends_with(&format!(", .spec.badge {said}")), "{}", slider.said);
    let [stretch] = slider.removed[..] else { panic!("{slider:?}") };
    assert!(slider.gaps.iter().all(|gap| gap.to <= stretch.from) && stretch.to > stretch.from, "{slider:?}");
    page.go("/v/pods@kind/*?at=2026-01-01T09:30:00Z");
    page.seconds(2);
    assert!(!page.notice().contains("removed"), "{}", page.notice());
    assert!(!bar(&page).said.contains("removed"), "{}", bar(&page).said);
    let mut page = scaled("");
    let within = Removed { path: None, namespace: Some("shop".into()), ..removed };
    page.gateway.past.removed = vec![within];
    page.act(TimelineAction::Older);
    page.seconds(1);
    let timeline = page.page.panel().timeline.clone();
    let items = timeline.items.iter().chain(&timeline.before);
    let gaps: Vec<_> = items.filter(|item| matches!(item.body, Body::Gap { .. })).collect();
    let [gap] = gaps[..] else { panic!("{timeline:?}") };
    let Body::Gap { bold, .. } = &gap.body else { panic!("a gap") };
    let said = "recorded of deployments in shop from 09:05:00 to 09:20:00.";
    assert_eq!(
        (gap.clock.as_str(), bold.as_str()),
        ("09:20:00", &*format!("Versions were removed from what was {said}"))
    );
}

#[test]
fn a_time_before_the_record_and_a_kind_that_is_not_recorded_say_so() {
    let mut page = recorded("/v/pods@kind/*?at=2026-01-01T08:00:00Z");
    let body = page.model().empty_state.clone().expect("a sentence");
    assert_eq!(body.title, "Nothing of pods is recorded at 08:00:00");
    assert_eq!(body.action, Some(NoticeAction::BackToLive));
    page.act(Action::from(NoticeAction::BackToLive));
    page.seconds(1);
    assert!(page.pill().starts_with("Live") && page.names() == "db-0 cart-1 web-1", "{}", page.names());
    page.gateway.past.problem = Some(Problem::new(Reason::Forbidden, "the disk is full"));
    page.seconds(130);
    assert_eq!(bar(&page).note, "Not recorded since 10:00:00: the disk is full");
    page.act(Action::OpenKind(shared::resource::Resource::parse("", "v1", "nodes").expect("a resource")));
    page.gateway.past.problem = None;
    page.seconds(10);
    assert_eq!(bar(&page).note, "Nothing recorded yet");
}

#[test]
fn a_board_has_one_time_and_other_kinds_are_opened_as_of_it() {
    let mut page = recorded("/b?at=2026-01-01T09:00:00Z&v=pods@kind/*&v=pods@kind/shop");
    assert_eq!(names_in(&page, 0), "db-0 cart-1 old-1");
    assert_eq!(names_in(&page, 1), "cart-1 old-1");
    assert!(page.page.model().past.is_some() && page.model().past.is_none(), "over the board");
    page.keys(&["."]);
    page.seconds(1);
    assert_eq!(names_in(&page, 1), "cart-1 old-1", "a deleted row is marked");
    assert!(page.address.starts_with("/b?at=2026-01-01T09:30:00Z&v="), "{}", page.address);
    page.act(PastAction::Live);
    page.seconds(1);
    assert_eq!(names_in(&page, 1), "cart-1 web-1");
    assert!(page.address.starts_with("/b?v="), "{}", page.address);
}

#[test]
fn a_filter_and_an_order_hold_in_the_past_as_well() {
    let mut page = recorded(AN_HOUR_AGO);
    page.act(PaneAction::Filter("old".into()));
    page.seconds(1);
    assert_eq!(page.names(), "old-1");
    page.act(PaneAction::Filter("web".into()));
    page.seconds(1);
    let body = page.model().empty_state.clone().expect("a sentence");
    assert_eq!(body.text, "3 rows were there at that time.");
}

/// A deployment that was recorded with one replica an hour ago and has three now.
fn scaled(query: &str) -> PageRig {
    let mut page = PageRig::before("", Host::Dogwatch, Environment::default());
    let now_ms = page.now_ms;
    for (minutes, replicas, row) in [(60, 1, "shop/web 1/1"), (0, 3, "shop/web 0/3")] {
        let at_ms = START_MS - minutes * MINUTE_MS;
        page.gateway.put("deployments.apps", row, now_ms);
        page.gateway.record("deployments.apps", at_ms);
        let version = deployment(&format!("{replicas}"), replicas);
        page.gateway.past.record_object("deployments.apps", "shop/web", version.clone(), at_ms);
        page.gateway.object("deployments.apps", "shop/web", version);
    }
    let entry = |version: &str, minutes: i64, skipped: u32| Entry {
        resource_version: Some(version.into()),
        skipped,
        ..Entry::of(EntryType::Modified, START_MS - minutes * MINUTE_MS)
    };
    page.gateway.past.versions = vec![entry("3", 1, 0), entry("2", 20, 12), entry("1", 60, 0)];
    page.gateway.past.page = 2;
    page.address = format!("/v/deployments.apps@kind/*?{query}o=shop/web&tab=timeline");
    page.start();
    page.seconds(2);
    page
}

#[test]
fn a_timeline_goes_on_into_the_record_a_page_at_a_time_without_an_entry_twice() {
    let mut page = scaled("");
    let told = |page: &PageRig| -> Vec<String> {
        let timeline = page.page.panel().timeline.clone();
        timeline.items.iter().chain(&timeline.before).map(|item| item.clock.clone()).collect()
    };
    page.act(TimelineAction::Words);
    page.seconds(1);
    let timeline = page.page.panel().timeline.clone();
    assert_eq!(told(&page), ["09:59:00", "09:40:00"]);
    assert!(timeline.opened.ends_with("All below is from the record."), "{}", timeline.opened);
    let Body::Change { more: Some(more), .. } = &timeline.before[1].body else { panic!("{timeline:?}") };
    assert_eq!(more, "12 versions before it were counted, not kept.");
    assert!(timeline.has_recorded);
    page.gateway.past.unrecorded = vec![Unrecorded {
        from_ms: START_MS - 50 * MINUTE_MS,
        to_ms: START_MS - 40 * MINUTE_MS,
        why: Why::Down,
    }];
    page.act(TimelineAction::Older);
    page.seconds(1);
    assert_eq!(told(&page), ["09:59:00", "09:40:00", "09:20:00", "09:00:00"], "with the gap");
    assert!(!page.page.panel().timeline.has_recorded);
    let live = json!({"type": "MODIFIED", "resource_version": "3"});
    page.log("deployments.apps", "shop/web", live);
    page.seconds(1);
    assert_eq!(told(&page).len(), 4, "the log has the newest one, too: {:?}", told(&page));
    page.act(TimelineAction::Words);
    page.seconds(1);
    let timeline = page.page.panel().timeline.clone();
    assert!(timeline.items.len() + timeline.before.len() > 0, "in words as well");
}

#[test]
fn the_panel_beside_a_view_of_the_past_shows_the_object_as_it_was_then() {
    let mut page = scaled("at=2026-01-01T09:10:00Z&");
    let replicas = |page: &PageRig| {
        let facts = &page.page.panel().tabs.overview.facts.facts;
        facts.iter().map(|fact| format!("{fact:?}")).find(|fact| fact.contains("eplicas")).unwrap_or_default()
    };
    page.act(PanelAction::Tab(Tab::Overview));
    page.seconds(1);
    let panel = page.page.panel();
    assert_eq!(panel.pill.word, "Past 09:10:00");
    assert!(!panel.is_stale);
    page.act(PanelAction::Tab(Tab::Timeline));
    page.seconds(1);
    let timeline = page.page.panel().timeline.clone();
    assert_eq!((timeline.as_of.as_str(), timeline.later, timeline.before_later), ("09:10:00", 0, 2));
    page.act(PanelAction::Tab(Tab::Overview));
    page.seconds(1);
    let then = replicas(&page);
    page.act(PastAction::Live);
    page.seconds(1);
    let panel = page.page.panel();
    assert!(panel.pill.word == "Live" && panel.note.is_none(), "{:?} {:?}", panel.pill, panel.note);
    let now = replicas(&page);
    assert!(then != now && !then.is_empty(), "{then} and {now}");
    let asked = page.gateway.subscriptions().len();
    page.act(PastAction::GoTo(START_MS - 90 * MINUTE_MS));
    page.seconds(1);
    let note = page.page.panel().note.clone().expect("it wasn't there");
    assert_eq!((note.strong.as_str(), note.has_body), ("There was no such object at 08:30:00.", false));
    page.act(PastAction::Live);
    page.seconds(1);
    assert!(page.page.panel().note.is_none());
    assert_eq!(page.gateway.subscriptions().len(), asked, "no view is left open");
}

#[test]
fn a_record_that_has_stopped_says_since_when_and_why_beside_the_rows() {
    let mut page = recorded(AN_HOUR_AGO);
    let beside = |page: &PageRig| match &page.model().notice {
        Notice::Tally { beside, .. } => beside.clone().map(|said| format!("{} {}", said.strong, said.text)),
        other => panic!("{other:?}"),
    };
    assert_eq!(beside(&page), None);
    page.gateway.past.problem = Some(Problem::new(Reason::ServiceUnavailable, "the disk is full"));
    page.keys(&["h"]);
    page.seconds(1);
    assert_eq!(beside(&page), None, "the bar is closed");
    page.keys(&["h"]);
    page.seconds(600);
    let stopped = "Not recorded since 10:00:00: the disk is full.";
    let stays = format!("{stopped} What was recorded before stays; the live view isn't affected.");
    assert_eq!(beside(&page), Some(stays.clone()));
    page.act(PastAction::GoTo(START_MS + 5 * MINUTE_MS));
    page.seconds(1);
    assert_eq!(beside(&page), Some(format!("{stopped} These are the rows of 10:00:00.")));
    page.act(PastAction::GoTo(START_MS - 30 * MINUTE_MS));
    page.seconds(1);
    assert_eq!(beside(&page), Some(stays));
}

#[test]
fn rows_of_the_present_are_dimmed_while_a_time_is_read_over_them() {
    let mut page = recorded("/v/pods");
    page.disconnect();
    page.act(PastAction::GoTo(START_MS - 30 * MINUTE_MS));
    page.seconds(1);
    assert!(page.pill().starts_with("Past 09:30:00") && page.pill().ends_with("reading the record"));
    assert!(page.model().is_stale && page.names().contains("web-1"), "{}", page.names());
    page.reconnect();
    page.seconds(1);
    assert!(!page.model().is_stale && page.names() == "db-0 cart-1", "{}", page.names());
}

#[test]
fn the_strip_over_a_past_timeline_covers_the_recorded_time_until_then() {
    let mut page = scaled("at=2026-01-01T09:50:00Z&");
    let entry = |minutes: i64, class: Option<HealthClass>| Entry {
        resource_version: Some(format!("{}", 100 - minutes).as_str().into()),
        health: class.map(|class| {
            let reason = "Available, 1 of 3".into();
            Box::new(Health { class, reason, since: None, then: Vec::new(), failed: None })
        }),
        ..Entry::of(
            if minutes == 55 { EntryType::Added } else { EntryType::Modified },
            START_MS - minutes * MINUTE_MS,
        )
    };
    page.gateway.past.versions = vec![
        entry(5, Some(HealthClass::Failing)),
        entry(20, None),
        entry(35, Some(HealthClass::NotReady)),
        entry(55, None),
    ];
    page.gateway.past.unrecorded = vec![Unrecorded {
        from_ms: START_MS - 50 * MINUTE_MS,
        to_ms: START_MS - 45 * MINUTE_MS,
        why: Why::Down,
    }];
    page.go("/v/pods@kind/*");
    page.seconds(1);
    page.go("/v/deployments.apps@kind/*?at=2026-01-01T09:50:00Z&o=shop/web&tab=timeline");
    page.seconds(2);
    let strip = page.page.panel().tabs.timeline.status_history.clone().expect("a strip");
    let said: Vec<&str> = strip.segments.iter().map(|segment| segment.title.as_str()).collect();
    assert_eq!(
        said,
        [
            "fine from 09:05:00 to 09:25:00",
            "not ready from 09:25:00 to 09:40:00",
            "fine from 09:40:00 to 09:50:00",
            "not recorded from 09:10:00 to 09:15:00"
        ],
        "what was later isn't there"
    );
    assert_eq!(strip.axis.last().map(|(_, label)| label.as_str()), Some("09:50:00"));
}

#[test]
fn below_the_name_of_a_replayed_cluster_stands_what_its_record_is() {
    let mut page = PageRig::before("/v/pods@kind/*", Host::Dogwatch, Environment::default());
    page.gateway.record("pods", START_MS - 30 * MINUTE_MS);
    page.gateway.replay(START_MS - 60 * MINUTE_MS, START_MS);
    page.gateway.welcome.file = Some(Box::new(ReplayedFile {
        account: "admin".into(),
        masks: "tokens".into(),
        ..Default::default()
    }));
    page.start();
    page.seconds(2);
    assert!(page.page.model().clusters.can_choose, "there is something to be said");
    page.act(Action::Clusters(PickerAction::Open));
    page.seconds(1);
    let record = page.page.model().clusters.picker.as_ref().expect("it is open").record.clone();
    assert_eq!(
        record,
        [
            "A record of kind, from 09:00:00 to 10:00:00. Nothing here is live.",
            "Recorded with the rights of admin: what that account can't list isn't in it.",
            "Masked before it was written: tokens.",
        ]
    );
}
