//! The logs in the panel: what is asked for, what is seen, found, chosen and copied.

use page::action::PanelAction;
use page::limits::PIECE_IDLE_MS;
use page::location::Tab;
use page::logs::{From, LogsAction, LogsShown, LogsView, RowBody, Times};
use page::piece::{NotBrought, PieceShown};
use page::tab::logs::LogsMissing;
use page::testing::PageRig;
use serde_json::{Value, json};
use shared::frame::client::LogAsked;
use shared::frame::server::LogTime;
use shared::problem::{Problem, Reason};

use super::panel::pod;

/// 2026-01-01T10:00:00Z
pub(super) const START_MS: i64 = 1_767_261_600_000;

fn opened(query: &str) -> PageRig {
    let mut page = PageRig::before("/v/pods", page::Host::Dogwatch, page::Environment::default());
    page.gateway.welcome.logs = true;
    page.start();
    open_tab(&mut page, &format!("/v/pods@kind/*?o=shop/web-1&tab=logs{query}"));
    page
}

/// The tab of the pod `shop/web-1`, with room for ten rows.
pub(super) fn open_tab(page: &mut PageRig, link: &str) {
    page.object("pods", "shop/web-1", pod());
    page.go(link);
    page.act(LogsAction::Resized { width_px: 600.0, height_px: 190.0, row_px: 19.0, character_px: 7.0 });
    page.seconds(1);
}

pub(super) fn source(n: u32, pod: &str) -> Value {
    json!({"n": n, "pod": pod, "container": "app", "state": "read"})
}

pub(super) fn line(n: u32, ms: i64, text: &str) -> Value {
    json!({"n": n, "at": [START_MS + ms, 7], "text": text})
}

fn two_pods(query: &str) -> PageRig {
    let mut page = opened(query);
    page.logs(json!({
        "sources": [source(0, "web-a"), source(1, "web-b")],
        "entries": [line(0, 10, "GET /a 200"), line(1, 20, "[error] no"), line(0, 30, "GET /b 200")],
        "caught_up": true,
    }));
    page
}

fn has_logs(page: &PageRig) -> bool {
    page.page.panel().head.as_ref().is_some_and(|head| head.has_logs)
}

fn question(page: &PageRig) -> LogAsked {
    page.gateway.logs.last().expect("asked").asked.clone()
}

fn shown(page: &PageRig) -> LogsShown {
    page.page.panel().head.clone().expect("open").logs
}

pub(super) fn view(page: &PageRig) -> LogsView {
    shown(page).read::<LogsView>().expect("shown").clone()
}

pub(super) fn rows(page: &PageRig) -> Vec<String> {
    let said = |row: &std::rc::Rc<page::logs::LogsRow>| match &row.body {
        RowBody::Mark { sentence, .. } => format!("<{sentence}>"),
        RowBody::Older { can_be_asked } => format!("<older, {can_be_asked}>"),
        RowBody::Line { label, pieces, .. } => {
            let text: String = pieces.iter().map(|piece| &*piece.text).collect();
            let label = label.as_ref().map_or("", |label| &label.text);
            let clock = if row.part == 0 { &*row.time.clock } else { "" };
            format!("{clock} {label} {text}").trim().to_owned()
        }
    };
    view(page).rows.iter().map(said).collect()
}

#[test]
fn the_tab_is_offered_where_there_are_logs_and_says_elsewhere_why_there_are_none() {
    let mut page = PageRig::live("/v/pods");
    page.object("pods", "shop/web-1", pod());
    page.go("/v/pods@kind/*?o=shop/web-1&tab=logs");
    page.seconds(1);
    assert!(!has_logs(&page));
    let missing = shown(&page).read::<LogsMissing>().cloned();
    assert!(matches!(missing, Some(LogsMissing::Refused(_, why)) if why.contains("--logs")), "{missing:?}");
    assert!(page.gateway.logs.is_empty());
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.effects();
    page.panel_keys(&["i"]);
    assert_eq!(page.page.panel().tab, Tab::Overview, "a key opens nothing that isn't offered");
    let page = opened("");
    assert!(has_logs(&page));
    let mut page = PageRig::before("/v/nodes", page::Host::Dogwatch, page::Environment::default());
    page.gateway.welcome.logs = true;
    page.start();
    page.go("/v/nodes@kind/-?o=node-1&tab=logs");
    page.seconds(1);
    assert!(!has_logs(&page) && page.gateway.logs.is_empty());
}

#[test]
fn a_search_says_that_it_counts_what_is_shown_where_older_lines_may_exist() {
    let mut page = opened("&log=from:100$find:a");
    let lines = |count: i64| (0..count).map(|ms| line(0, ms, "a line")).collect::<Vec<_>>();
    page.logs(json!({"sources": [source(0, "web-a")], "entries": lines(99), "caught_up": true}));
    page.logs(json!({"entries": [line(0, 99, "a new one")]}));
    let tools = view(&page).tools;
    assert_eq!((tools.hits.as_str(), tools.hits_why), ("100 hits", ""), "fewer lines than asked for");
    page.act(LogsAction::First);
    assert!(!rows(&page)[0].contains("older"), "{:?}", rows(&page));

    let mut page = opened("&log=from:100$find:a");
    page.logs(json!({"sources": [source(0, "web-a")], "entries": lines(100), "caught_up": true}));
    page.act(LogsAction::NextHit { is_forward: true });
    let tools = view(&page).tools;
    assert!(tools.hits.ends_with(" of 100 shown"), "{}", tools.hits);
    assert!(tools.hits_why.contains("all lines"), "{}", tools.hits_why);
    page.act(LogsAction::First);
    assert_eq!(rows(&page)[..2], ["<older, true>", "10:00:00  a line"]);
    page.act(LogsAction::Find("b".into()));
    assert_eq!(view(&page).tools.hits, "no hit shown");
    page.act(LogsAction::Filter("b".into()));
    assert!(
        view(&page).empty.is_some_and(|(_, why)| why.contains("Older lines")),
        "no line at all isn't said"
    );
    assert!(rows(&page).is_empty());
    page.act(LogsAction::Filter(String::new()));
    page.act(LogsAction::From(From::Start));
    assert_eq!((question(&page).tail, question(&page).since), (None, None));
    page.logs(json!({"sources": [source(0, "web-a")], "entries": lines(300), "caught_up": true}));
    page.act(LogsAction::First);
    assert_eq!((view(&page).tools.hits.as_str(), rows(&page)[0].as_str()), ("no hit", "10:00:00  a line"));
}

#[test]
fn a_log_that_began_at_the_line_of_a_link_is_asked_for_as_a_whole() {
    let mut page = opened("&log=from:start$line:web-a/app@1767261600020.000007");
    assert!(question(&page).since.is_some());
    page.logs(json!({"sources": [source(0, "web-a")], "entries": [line(0, 20, "it")], "caught_up": true}));
    assert_eq!(rows(&page), ["<older, true>", "10:00:00  it"]);
    page.act(LogsAction::From(From::Start));
    assert_eq!(question(&page).since, None);
}

#[test]
fn what_is_asked_for_is_what_the_link_says_and_ends_with_the_tab() {
    let mut page = opened("&log=from:5m$only:app$pods:web-a,web-b$previous");
    let asked = page.gateway.logs.last().expect("asked").clone();
    let told = asked.asked.clone();
    assert_eq!(asked.scope.name.as_ref().map(|name| name.as_str()), Some("web-1"));
    assert!(told.previous && told.tail.is_none(), "{told:?}");
    assert_eq!(told.pods.len(), 2);
    let since = told.since.expect("since");
    assert!((START_MS - since.ms - 300_000).abs() < 5_000, "{since:?}");
    page.act(PanelAction::Tab(Tab::Yaml));
    assert!(page.gateway.logs.is_empty(), "given back");
    page.act(PanelAction::Tab(Tab::Logs));
    assert_eq!(page.gateway.logs.len(), 1);
    page.act(PanelAction::Close);
    assert!(page.gateway.logs.is_empty(), "given back");
    let page = opened("");
    assert_eq!(question(&page).tail, Some(1_000));
}

#[test]
fn lines_of_two_pods_stand_in_the_order_of_their_times_and_marks_between_them() {
    let mut page = two_pods("");
    assert_eq!(rows(&page), ["10:00:00 a GET /a 200", "10:00:00 b [error] no", "10:00:00 a GET /b 200"]);
    page.logs(json!({"entries": [
        {"n": 0, "at": [START_MS + 9_000, 0], "mark": "restarted", "exit_code": 137},
        line(0, 40, "again"), line(1, 25, "late")]}));
    let shown = rows(&page);
    assert_eq!(shown[2], "10:00:00 b late");
    assert_eq!(shown[4..], ["<a restarted (exit 137).>", "10:00:00 a again"]);
    assert_eq!(view(&page).foot.count, "5 lines · 2 pods");
    assert_eq!(view(&page).foot.strong, "Following");
}

#[test]
fn a_broken_connection_goes_on_behind_the_last_line() {
    let mut page = two_pods("");
    page.disconnect();
    page.gateway.logs.clear();
    page.reconnect();
    page.seconds(2);
    let has = question(&page).has;
    let told: Vec<(&str, LogTime, u32)> = has.iter().map(|has| (&*has.pod, has.at, has.lines)).collect();
    let at = |ms: i64| LogTime { ms: START_MS + ms, ns: 7 };
    assert_eq!(told, [("web-a", at(30), 1), ("web-b", at(20), 1)]);
    page.logs(json!({"sources": [source(0, "web-b"), source(1, "web-a")], "entries": [line(0, 50, "on")]}));
    assert_eq!(rows(&page).last().map(String::as_str), Some("10:00:00 b on"));
    assert_eq!(rows(&page).len(), 4);
}

#[test]
fn a_search_steps_through_its_hits_and_a_filter_hides_the_others() {
    let mut page = two_pods("");
    page.act(LogsAction::Find("get".into()));
    assert_eq!(view(&page).tools.hits, "1 of 2");
    assert!(page.address.contains("&tab=logs&log=find:get"), "{}", page.address);
    page.act(LogsAction::NextHit { is_forward: true });
    assert_eq!(view(&page).tools.hits, "2 of 2");
    assert_eq!(view(&page).foot.strong, "Not following");
    page.act(LogsAction::NextHit { is_forward: true });
    assert_eq!(view(&page).tools.hits, "1 of 2");
    page.act(LogsAction::Filter("!/get/ level>=warn".into()));
    assert_eq!(rows(&page), ["10:00:00 b [error] no"]);
    assert_eq!(
        (view(&page).tools.hits.as_str(), view(&page).foot.count.as_str()),
        ("no hit", "1 of 3 lines · 2 pods")
    );
    page.act(LogsAction::Filter("/(/".into()));
    assert!(view(&page).tools.is_filter_unread && view(&page).notes[0].contains("isn't applied"));
    assert_eq!(rows(&page).len(), 3);
    page.act(LogsAction::Filter("nothing".into()));
    assert_eq!(view(&page).empty.expect("empty").0, "No line matches");
}

#[test]
fn a_pause_holds_what_comes_and_says_how_much() {
    let mut page = two_pods("");
    page.act(LogsAction::Pause);
    page.logs(json!({"entries": [line(0, 50, "x"), line(0, 60, "y")]}));
    assert_eq!(rows(&page).len(), 3);
    let foot = view(&page).foot;
    assert_eq!((&*foot.strong, &*foot.text), ("Paused", "2 lines pending"));
    page.act(LogsAction::Pause);
    assert_eq!(rows(&page).len(), 5);
}

#[test]
fn r_log_2_control_characters_are_shown_and_nothing_else() {
    let mut page = opened("");
    page.logs(json!({"sources": [source(0, "web-1")], "caught_up": true,
        "entries": [line(0, 1, "a\u{1b}[2J\rb\u{202e}c\u{1b}[31mred")]}));
    assert_eq!(rows(&page), ["10:00:00  a\u{241b}[2J\u{240d}b\u{27e8}202E\u{27e9}cred"]);
    page.act(LogsAction::Copy);
    let copied = page.effects().into_iter().find(|said| said.starts_with("copy")).expect("copied");
    assert!(!copied.trim_end().contains(|c: char| c.is_control()), "{copied:?}");
}

#[test]
fn a_refused_source_is_a_mark_and_the_others_go_on() {
    let mut page = two_pods("");
    page.logs(json!({"sources": [{"n": 1, "pod": "web-b", "container": "app", "state": "refused"}],
        "entries": [{"n": 1, "mark": "refused", "problem": {"reason": "Forbidden", "message": "you may not read logs in shop"}},
            line(0, 70, "goes on")]}));
    let shown = rows(&page);
    assert!(shown.contains(&"<b isn't read: You may not read logs in shop.>".to_owned()), "{shown:?}");
    assert_eq!(shown.last().map(String::as_str), Some("10:00:00 a goes on"));
}

#[test]
fn a_right_that_ends_takes_the_lines_along_and_is_asked_for_again() {
    let mut page = two_pods("");
    let id = page.gateway.logs[0].id;
    let problem = Problem::new(Reason::Forbidden, "you may not read logs in shop");
    let frame = shared::frame::server::ProblemFrame { id: Some(id), problem };
    page.gateway.logs.clear();
    page.receive(vec![shared::frame::server::ServerFrame::Problem(frame)]);
    assert!(rows(&page).is_empty());
    let (strong, _) = view(&page).empty.expect("said at once");
    assert!(strong.contains("may not read logs"), "{strong}");
    page.seconds(1);
    let (strong, again) = view(&page).empty.expect("said");
    assert!(strong.contains("may not read logs") && again.starts_with("Asked again in"), "{strong} {again}");
    page.seconds(31);
    assert_eq!(page.gateway.logs.len(), 1);
}

/// The log of a pod with one line, of the time at which its Events were.
fn with_event() -> PageRig {
    let mut page = opened("");
    page.put("events", "shop/web-1.1 Warning BackOff pod/web-1 Back-off");
    let at_ms = page.now().now_ms - 86_400_000;
    page.logs(
        json!({"sources": [source(0, "web-1")], "entries": [{"n": 0, "at": [at_ms - 5_000, 0], "text": "a"}],
        "caught_up": true}),
    );
    page.seconds(2);
    assert_eq!(
        rows(&page).last().map(String::as_str),
        Some("<Event BackOff: Back-off>"),
        "{:?}",
        rows(&page)
    );
    page
}

#[test]
fn an_event_that_the_api_server_forgets_stays_in_the_log_until_its_right_ends() {
    let mut page = with_event();
    page.delete("events", "shop/web-1.1");
    page.seconds(3);
    assert_eq!(rows(&page).len(), 2, "{:?}", rows(&page));
    assert_eq!(view(&page).tools.events, Some(true));
    page.act(LogsAction::Events);
    assert_eq!((rows(&page).len(), view(&page).tools.events), (1, Some(false)));
    page.act(LogsAction::Events);
    assert_eq!(rows(&page).len(), 2);
    page.gateway.refused.insert("events".to_owned(), Problem::new(Reason::Hidden, "Events are hidden"));
    page.disconnect();
    assert_eq!(rows(&page).len(), 2, "a connection that breaks withdraws nothing");
    page.reconnect();
    page.seconds(1);
    assert_eq!(rows(&page).len(), 1, "{:?}", rows(&page));
    assert_eq!(view(&page).tools.events, None);
}

#[test]
fn the_events_of_another_pod_are_those_of_its_own_log() {
    let mut page = with_event();
    page.delete("events", "shop/web-1.1");
    page.go("/v/pods@kind/*?o=shop/web-2&tab=logs");
    page.seconds(1);
    let at_ms = page.now().now_ms - 86_400_000;
    page.logs(json!({"sources": [source(0, "web-2")], "entries": [{"n": 0, "at": [at_ms, 0], "text": "b"}],
        "caught_up": true}));
    page.seconds(2);
    assert!(!rows(&page).iter().any(|row| row.contains("BackOff")), "{:?}", rows(&page));
}

#[test]
fn other_pods_and_another_beginning_are_asked_for_and_stand_in_the_link() {
    let mut page = two_pods("");
    page.act(LogsAction::Choose(true));
    let pods: Vec<String> = view(&page).choice.expect("open").pods.into_iter().map(|pod| pod.name).collect();
    assert_eq!(pods, ["web-a", "web-b"]);
    page.act(LogsAction::TogglePod("web-a".into()));
    assert_eq!(page.gateway.logs.len(), 1);
    assert_eq!(question(&page).pods, ["web-b".into()]);
    assert!(question(&page).has.is_empty() && rows(&page).is_empty());
    assert!(page.address.ends_with("&log=pods:web-b"), "{}", page.address);
    let pods = view(&page).choice.expect("open").pods;
    assert_eq!(pods.iter().map(|pod| pod.is_on).collect::<Vec<_>>(), [false, true]);
    page.act(LogsAction::TogglePod("web-a".into()));
    assert!(question(&page).pods.is_empty(), "all");
    page.act(LogsAction::From(From::Start));
    assert_eq!(question(&page).tail, None);
    page.panel_keys(&["Escape"]);
    assert!(view(&page).choice.is_none() && page.page.panel().head.is_some());
}

#[test]
fn a_link_to_a_line_shows_it_with_what_stands_around_it() {
    let mut page = two_pods("");
    let number = view(&page).rows[1].number;
    page.act(LogsAction::Line(number));
    let address = page.address.clone();
    assert!(address.contains("line:web-b/app@1767261600020.000007"), "{address}");
    let mut other = opened("");
    other.go(&address);
    let asked = question(&other);
    assert_eq!((asked.tail, asked.since.map(|at| at.ms)), (None, Some(START_MS + 20 - 60_000)));
    let entries: Vec<Value> =
        (0..100).map(|at| line(1, at * 5, if at == 4 { "the line" } else { "another" })).collect();
    other.logs(
        json!({"sources": [source(0, "web-a"), source(1, "web-b")], "entries": entries, "caught_up": true}),
    );
    let shown = view(&other);
    let here = shown.rows.iter().find(|row| matches!(row.body, RowBody::Line { is_here: true, .. }));
    assert!(here.is_some_and(|row| row.place == 5), "{:?}", rows(&other));
    assert_eq!(shown.foot.strong, "Not following");
}

#[test]
fn json_unfolds_and_long_lines_wrap() {
    let mut page = opened("");
    page.logs(json!({"sources": [source(0, "web-1")], "caught_up": true, "entries": [
        line(0, 1, r#"{"ts":1,"level":"warn","msg":"slow","took":"3s"}"#), line(0, 2, &"x".repeat(207))]}));
    assert_eq!(rows(&page)[0], "10:00:00  warn slow took=3s");
    let number = view(&page).rows[0].number;
    page.act(LogsAction::Unfold(number));
    let shown = rows(&page);
    assert_eq!((shown[1].trim(), shown[2].trim(), shown.len()), ("{", "\"ts\": 1,", 8));
    page.act(LogsAction::Wrap);
    // The button that unfolds takes 14 px.
    let (wrapped, width) = (rows(&page), (600.0 - 22.0 - 14.0_f64) / 7.0 - 13.0);
    assert_eq!(wrapped.len(), 1 + (207.0 / width.floor()).ceil() as usize, "{wrapped:?}");
    assert!(wrapped[0].contains("\"took\":\"3s\""), "as it was written");
    page.act(LogsAction::Times(Times::Off));
    assert!(page.address.contains("log=times:off$wrap"), "{}", page.address);
}

#[test]
fn a_hundred_thousand_lines_follow_and_keep_their_place() {
    let mut page = opened("");
    let batch = |from: i64| -> Vec<Value> {
        (from..from + 1_000).map(|at| line(0, at, &format!("line {at}"))).collect()
    };
    page.logs(json!({"sources": [source(0, "web-1")], "entries": batch(0), "caught_up": true}));
    for at in 1..100 {
        page.logs(json!({"entries": batch(at * 1_000)}));
    }
    assert_eq!(view(&page).foot.count, "100,000 lines · 1 pod");
    assert!(rows(&page).last().is_some_and(|row| row.ends_with("line 99999")));
    assert!(view(&page).rows.len() < 40);
    let end_px = view(&page).scroll.1;
    page.act(LogsAction::Scrolled { top_px: end_px });
    page.act(LogsAction::Scrolled { top_px: 19_000.0 });
    let seen = rows(&page);
    page.logs(json!({"entries": batch(100_000)}));
    assert_eq!(rows(&page), seen, "what is read stays where it is");
    page.act(LogsAction::Follow);
    assert!(rows(&page).last().is_some_and(|row| row.ends_with("line 100999")));
}

#[test]
fn a_download_has_the_shown_lines_with_their_exact_times() {
    let mut page = two_pods("&log=filter:get");
    page.effects();
    page.act(LogsAction::Download);
    assert_eq!(page.effects(), ["download pods-web-1.log"]);
    assert_eq!(
        page.file(),
        "[web-a/app] 2026-01-01T10:00:00.010000007Z GET /a 200\n[web-a/app] 2026-01-01T10:00:00.030000007Z GET /b 200\n"
    );
}

#[test]
fn a_screen_reader_is_told_of_new_lines_every_ten_seconds_at_most() {
    let mut page = two_pods("");
    page.seconds(11);
    page.logs(json!({"entries": [line(0, 50, "x")]}));
    assert_eq!(view(&page).announced, "1 new line.");
    page.logs(json!({"entries": [line(0, 60, "x"), line(0, 70, "x")]}));
    page.seconds(2);
    assert_eq!(view(&page).announced, "1 new line.");
    page.seconds(10);
    assert_eq!(view(&page).announced, "2 new lines.");
}

#[test]
fn a_piece_that_does_not_come_is_said_in_the_place_of_the_logs() {
    let mut page = PageRig::before("/v/pods", page::Host::Dogwatch, page::Environment::default());
    page.gateway.welcome.logs = true;
    page.start();
    page.object("pods", "shop/web-1", pod());
    page.seconds(usize::try_from(PIECE_IDLE_MS / 1_000 + 2).expect("few"));
    page.go("/v/pods@kind/*?o=shop/web-1");
    page.seconds(1);
    page.lacks_pieces = Some(NotBrought::Gone);
    page.panel_keys(&["i"]);
    page.seconds(1);
    let missing = shown(&page).read::<LogsMissing>().cloned();
    assert_eq!(missing, Some(LogsMissing::Piece(PieceShown::Gone)));
    assert!(page.gateway.logs.is_empty());
}

#[test]
fn only_a_reader_who_scrolls_back_stops_following() {
    let mut page = opened("");
    let more = |page: &mut PageRig, from: i64| {
        let entries: Vec<Value> = (from..from + 100).map(|ms| line(0, ms, "a line")).collect();
        page.logs(json!({"sources": [source(0, "web-a")], "entries": entries, "caught_up": true}));
        page.seconds(1);
        view(page).scroll.1
    };
    let first_px = more(&mut page, 0);
    let second_px = more(&mut page, 100);
    assert!(second_px > first_px && first_px > 0.0, "{first_px} {second_px}");
    // The box says where it came with the first lines when the next ones are there already.
    page.act(LogsAction::Scrolled { top_px: first_px });
    let third_px = more(&mut page, 200);
    assert!(third_px > second_px, "it still follows");
    page.act(LogsAction::Scrolled { top_px: third_px });
    page.act(LogsAction::Scrolled { top_px: third_px - 100.0 });
    more(&mut page, 300);
    assert_eq!(view(&page).foot.strong, "Not following");
}

/// Presses keys in the log.
fn keys(page: &mut PageRig, names: &[&str]) {
    for name in names {
        page.act(page::tab::logs::key(name, &shown(page)).expect("a key"));
    }
}

#[test]
fn the_time_of_a_line_says_that_it_is_a_link_and_a_key_links_as_well() {
    let mut page = two_pods("");
    let rows = view(&page).rows;
    assert!(rows.iter().all(|row| row.time.is_link && row.time.whole.ends_with("Z\nLink to this line (a)")));
    let line = |page: &PageRig| page.address.split_once("line:").expect("a line").1.to_owned();
    keys(&mut page, &["a"]);
    let first = line(&page);
    assert!(first.starts_with("web-a/app@1767261600010"), "{first}");
    keys(&mut page, &["a"]);
    assert!(line(&page).starts_with("web-b/app@1767261600020"), "{}", line(&page));
    keys(&mut page, &["a", "a"]);
    assert!(line(&page).starts_with("web-a/app@1767261600030"), "the last one: {}", line(&page));
    keys(&mut page, &["A", "A", "A"]);
    assert_eq!(line(&page), first);
    page.act(LogsAction::Find("/b".into()));
    keys(&mut page, &["a"]);
    assert!(line(&page).starts_with("web-a/app@1767261600030"), "the hit: {}", line(&page));
    let page = with_event();
    let event = view(&page).rows.last().expect("an Event").time.clone();
    assert!(!event.is_link && event.whole.ends_with('Z'), "{event:?}");
}

#[test]
fn a_filter_by_the_names_of_pods_and_containers_takes_their_marks_along() {
    let mut page = two_pods("");
    let sidecar = json!({"n": 2, "pod": "web-b", "container": "proxy", "state": "read"});
    page.logs(json!({"sources": [sidecar], "entries": [
        {"n": 1, "at": [START_MS + 40, 0], "mark": "restarted", "exit_code": 1}, line(2, 50, "sidecar")]}));
    assert_eq!(rows(&page).len(), 5);
    page.act(LogsAction::Filter("pod:EB-A".into()));
    assert_eq!(rows(&page), ["10:00:00 a/app GET /a 200", "10:00:00 a/app GET /b 200"]);
    assert_eq!(view(&page).foot.count, "2 of 4 lines · 2 pods");
    page.act(LogsAction::Filter("!pod:web-a !container:proxy".into()));
    assert_eq!(rows(&page), ["10:00:00 b/app [error] no", "<b/app restarted (exit 1).>"]);
    page.logs(json!({"sources": [source(3, "web-c")], "entries": [line(3, 60, "c"), line(0, 70, "a")]}));
    assert_eq!(rows(&page).last().map(String::as_str), Some("10:00:00 c/app c"));
    let mut page = with_event();
    page.act(LogsAction::Filter("pod:other".into()));
    assert!(rows(&page).is_empty(), "{:?}", rows(&page));
    page.act(LogsAction::Filter("pod:web-1 container:other".into()));
    assert_eq!(rows(&page), ["<Event BackOff: Back-off>"], "it is of no container");
}

/// What is marked as a hit in a row, and whether the row is pointed out.
fn hit(page: &PageRig, row: usize) -> (String, bool) {
    let row = std::rc::Rc::clone(&view(page).rows[row]);
    let (RowBody::Mark { pieces, is_here, .. } | RowBody::Line { pieces, is_here, .. }) = &row.body else {
        panic!("{row:?}")
    };
    (pieces.iter().filter(|piece| piece.is_hit).map(|piece| &*piece.text).collect(), *is_here)
}

#[test]
fn a_search_finds_events_and_marks_between_the_lines() {
    let mut page = with_event();
    page.act(LogsAction::Find("BACK-OFF".into()));
    assert_eq!((view(&page).tools.hits.as_str(), hit(&page, 1)), ("1 of 1", ("Back-off".to_owned(), true)));
    page.act(LogsAction::Find("Event Back".into()));
    assert_eq!(view(&page).tools.hits, "1 of 1", "the sentence as it is shown");
    page.act(LogsAction::Events);
    assert_eq!(view(&page).tools.hits, "no hit");
    let mut page = two_pods("");
    page.act(LogsAction::Find("/137|get/".into()));
    page.logs(
        json!({"entries": [{"n": 0, "at": [START_MS + 40, 0], "mark": "restarted", "exit_code": 137}]}),
    );
    assert_eq!(view(&page).tools.hits, "1 of 3");
    keys(&mut page, &["n", "n"]);
    assert_eq!((view(&page).tools.hits.as_str(), hit(&page, 3)), ("3 of 3", ("137".to_owned(), true)));
    page.act(LogsAction::Find("a restarted".into()));
    assert_eq!(view(&page).tools.hits, "1 of 1");
    let sidecar = json!({"n": 2, "pod": "web-b", "container": "proxy", "state": "read"});
    page.logs(json!({"sources": [sidecar]}));
    assert_eq!(rows(&page)[3], "<a/app restarted (exit 137).>");
    assert_eq!(view(&page).tools.hits, "no hit", "it is named otherwise now");
}

#[test]
fn a_long_event_wraps_with_the_lines_and_is_one_row_without() {
    let mut page = opened("");
    let message = "Back-off restarting failed container app in pod web-1, which ended with the exit code 137";
    page.put("events", &format!("shop/web-1.1 Warning BackOff pod/web-1 {}", message.replace(' ', "_")));
    let at_ms = page.now().now_ms - 86_400_000;
    page.logs(
        json!({"sources": [source(0, "web-1")], "entries": [{"n": 0, "at": [at_ms - 5_000, 0], "text": "a"}],
        "caught_up": true}),
    );
    page.seconds(2);
    assert_eq!(view(&page).rows.len(), 2);
    page.act(LogsAction::Wrap);
    let parts: Vec<String> = view(&page).rows[1..]
        .iter()
        .map(|row| match &row.body {
            RowBody::Mark { pieces, sentence, .. } => {
                assert!(sentence.contains("137"), "the whole");
                pieces.iter().map(|piece| &*piece.text).collect()
            }
            _ => panic!("{row:?}"),
        })
        .collect();
    let expected = [
        "Event BackOff: Back-off restarting failed container app in pod ",
        "web-1, which ended with the exit code 137",
    ];
    assert_eq!(parts, expected);
    assert!((view(&page).height_px - 19.0 * 3.0).abs() < 0.5, "{}", view(&page).height_px);
}
