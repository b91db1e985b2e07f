//! Each state with its pill and its line, as the page's table of states has them.

use shared::frame::server::{Kinds, ProblemFrame, ServerFrame, Subscribed, Welcome};
use shared::resource::Kind;
use shared::scope::Scope;
use shared::state::{StateReport, ViewState};

use replica::client::Input;
use replica::freshness::of;
use replica::testing::{GATEWAY_AHEAD_MS, at, row, scope, subscribed, welcome};

use super::*;
use crate::limits::PARTS_MAX;
use crate::notice;
use crate::pill::{Pill, pill};
use crate::table_view::TableState;
use shared::problem::Problem;
use shared::state::Whom;

type ClientRig = replica::testing::ClientRig<TableState>;

fn shown<'a>(rig: &'a ClientRig, freshness: &'a Freshness, now_ms: i64) -> ReaderView<'a> {
    let (client, view, reader) = (&rig.client, rig.view(), ReaderId::FIRST);
    ReaderView { client, view, reader, freshness, now_ms, zone: Zone::default() }
}

/// Pill, and notice line or body.
fn says(rig: &ClientRig, now_ms: i64) -> [String; 2] {
    let freshness = of(&rig.client, rig.view(), now_ms);
    let shown = shown(rig, &freshness, now_ms);
    let said = shown.body().or_else(|| shown.line());
    let said = said.map(|said| format!("{} {}", said.bold, said.sentence).trim().to_owned());
    [text(pill(&freshness, "pods", now_ms, Zone::default())), said.unwrap_or_else(|| "counts".to_owned())]
}

fn text(pill: Pill) -> String {
    pill.word + &pill.detail
}

fn broken(since_ms: i64) -> StateReport {
    let mut report = StateReport::of(ViewState::Stale { since_ms: since_ms + GATEWAY_AHEAD_MS })
        .because(Problem::new(Reason::ConnectionReset, "reset"));
    report.tries = 2;
    report.next_try_ms = Some(9_000 + GATEWAY_AHEAD_MS);
    report
}

#[test]
fn a_live_view_says_when_it_was_confirmed_and_counts() {
    let rig = ClientRig::live();
    assert_eq!(says(&rig, 3_000), ["Live · confirmed 2 s ago", "counts"]);
    let ring = |now_ms| pill(&of(&rig.client, rig.view(), now_ms), "pods", now_ms, Zone::default()).ring;
    assert_eq!([ring(1_000), ring(8_500)], [100, 50]);
}

#[test]
fn twelve_seconds_without_sync_are_stale_whatever_the_gateway_last_said() {
    let rig = ClientRig::live();
    assert_eq!(says(&rig, 12_999)[0], "Live · confirmed 11 s ago");
    let [pill, line] = says(&rig, 13_000);
    assert_eq!(pill, "Stale · since 00:00:01");
    assert_eq!(
        line,
        "Stale since 00:00:01. No response from the gateway about this view. Rows as of 00:00:01."
    );
}

#[test]
fn the_first_load_says_what_was_asked_and_how_much_is_here() {
    let mut rig = ClientRig::new();
    assert_eq!(says(&rig, 400), ["Syncing · asking for the list", "First load. Asked for pods 0.4 s ago."]);
    rig.connect(500);
    rig.answer(1, "e");
    rig.state(StateReport::of(ViewState::Syncing { n: 4_200, of: Some(12_000) }), 900);
    let [pill, line] = says(&rig, 1_000);
    assert_eq!(pill, "Syncing · 4,200 of 12,000");
    assert_eq!(line, "First load. 4,200 of 12,000 pods. Rows are in order of arrival until all are here.");
}

#[test]
fn a_broken_watch_says_why_and_when_the_next_try_is() {
    let mut rig = ClientRig::live();
    rig.state(broken(4_000), 5_000);
    assert_eq!(
        says(&rig, 5_000),
        [
            "Stale · since 00:00:04",
            "Stale since 00:00:04. The gateway's watch on pods broke: connection reset by peer. Rows as of 00:00:04. Third try in 4 s."
        ]
    );
}

#[test]
fn a_view_that_opens_within_an_outage_is_not_loaded_since_the_last_answer() {
    let mut rig = ClientRig::new();
    rig.connect(500);
    rig.answer(1, "e");
    rig.state(broken(400), 5_000);
    assert_eq!(
        says(&rig, 5_000),
        [
            "Stale · since 00:00:00",
            "Not loaded. The API server has given no list of pods since 00:00:00: connection reset by peer. Third try in 4 s."
        ]
    );
    let unproven = StateReport::of(ViewState::Stale { since_ms: GATEWAY_AHEAD_MS + 400 });
    rig.state(unproven.because(Problem::new(Reason::Unproven, "not confirmed")), 6_000);
    assert_eq!(says(&rig, 6_000)[1], "Not loaded. The API server has given no list of pods since 00:00:00.");
}

#[test]
fn a_lost_gateway_is_resuming_first_and_stale_after_twelve_seconds_and_the_bar_says_so() {
    let mut rig = ClientRig::live();
    rig.client.handle(Input::Closed { code: None }, at(2_000));
    assert_eq!(says(&rig, 3_000)[0], "Resuming · from 00:00:01");
    let zone = Zone::default();
    assert_eq!(notice::bar(&rig.client, 3_000, zone), None);
    assert_eq!(
        says(&rig, 13_000),
        ["Stale · since 00:00:01", "Stale since 00:00:01. The gateway can't be reached."]
    );
    let bar = notice::bar(&rig.client, 14_000, zone).expect("a bar");
    assert_eq!(bar.bold, "No response from the gateway since 00:00:01.");
    assert_eq!((bar.sentence.as_str(), bar.action), ("The view is stale. Trying now.", Some(Action::TryNow)));
}

#[test]
fn a_view_that_is_connected_again_resumes_until_it_is_proven() {
    let mut rig = ClientRig::live();
    rig.client.handle(Input::Closed { code: None }, at(2_000));
    rig.client.handle(Input::Timer, at(3_000));
    rig.connect(6_000);
    rig.answer_at(2, "e", 1);
    let [pill, line] = says(&rig, 6_100);
    assert_eq!(pill, "Resuming · from 00:00:01");
    assert_eq!(
        line,
        "Resuming. The connection was gone for 4 s. Continuing from 00:00:01. If changes in between are lost, a gap is shown."
    );
    rig.sync(1, None, 6_200);
    assert_eq!(says(&rig, 6_200)[0], "Live · confirmed 0 s ago");
}

#[test]
fn what_cannot_be_shown_says_whose_limit_it_is() {
    let mut rig = ClientRig::live();
    let forbidden = Problem::new(Reason::Forbidden, "m has neither list nor watch on pods there");
    rig.state(StateReport::of(ViewState::Forbidden { to: Whom::You }).because(forbidden.clone()), 2_000);
    assert_eq!(
        says(&rig, 2_000),
        [
            "Forbidden · list pods",
            "You may not list pods. Forbidden: m has neither list nor watch on pods there. Ask an administrator for list and watch on pods. It opens by itself then."
        ]
    );
    rig.state(StateReport::of(ViewState::Forbidden { to: Whom::Gateway }), 2_000);
    assert_eq!(
        says(&rig, 2_000),
        ["Forbidden · for the gateway", "The gateway may not read pods. Your own rights are not the reason."]
    );
    rig.state(StateReport::of(ViewState::Gone { since_ms: 1_500 }), 2_000);
    assert_eq!(says(&rig, 2_000), ["Gone · since 00:00:01", "This cluster no longer serves pods."]);
    let problem = Problem::new(Reason::TooLarge, "the answer is too large");
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(1), problem }), 3_000);
    let [pill, line] = says(&rig, 3_000);
    assert!(pill.starts_with("Failed"), "{pill}");
    assert_eq!(line, "pods can't be shown. The answer is too large.");
}

#[test]
fn a_live_view_that_leaves_something_out_names_it() {
    let mut rig = ClientRig::live();
    let problem = Problem::new(Reason::TooLarge, "left out: shop/catalog-snapshot: it is over 16 MiB");
    rig.state(StateReport::of(ViewState::Live).because(problem), 2_000);
    assert_eq!(
        says(&rig, 3_000),
        [
            "Live · confirmed 2 s ago",
            "Not everything is shown. Left out: shop/catalog-snapshot: it is over 16 MiB."
        ]
    );
}

#[test]
fn a_link_to_what_was_never_served_says_so_and_its_clock_stands() {
    let mut rig = ClientRig::live();
    let problem = Problem::new(Reason::NotFound, "the cluster serves no resource \"podz\"");
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(1), problem }), 3_000);
    assert_eq!(says(&rig, 9_000), ["Gone · since 00:00:03", "The cluster serves no resource \"podz\"."]);
}

#[test]
fn a_polled_view_says_how_often() {
    let mut rig = ClientRig::live();
    rig.state(StateReport::of(ViewState::Polled { every_s: 10 }), 2_000);
    assert_eq!(says(&rig, 5_000)[0], "Polled 4 s ago · every 10 s");
    assert!(says(&rig, 5_000)[1].starts_with("Polled. This resource can't be watched. Polled every 10 s;"));
}

#[test]
fn an_empty_table_and_an_empty_match_are_told_apart() {
    let mut rig = ClientRig::live();
    let key = rig.key;
    rig.client.view_mut(key).expect("open").set_filter(ReaderId::FIRST, "zzz");
    assert_eq!(says(&rig, 2_000)[1], r#"No pods match "zzz". 1 row is live; matches will appear here."#);
    rig.client.view_mut(key).expect("open").set_filter(ReaderId::FIRST, "a/");
    assert_eq!(says(&rig, 2_000)[1], "counts", "the tally stays under a filter");
    let empty = shared::frame::server::Rows {
        view: 7,
        from: 1,
        to: 2,
        delete: vec![row(1, "a/1", &[]).id],
        ..shared::frame::server::Rows::default()
    };
    rig.frame(ServerFrame::Rows(empty), 2_500);
    assert_eq!(says(&rig, 2_600)[1], "counts", "the sign of the last row stands for a while");
    rig.client.view_mut(key).expect("open").expire(&[], 20_000);
    assert_eq!(says(&rig, 2_600)[1], "No pods. New ones will appear here.");
}

#[test]
fn a_gap_is_told_until_it_is_waved_away() {
    let mut rig = ClientRig::live();
    let gap = shared::frame::server::Gap { from_ms: 1_500, to_ms: 4_500, reason: Reason::Expired };
    let frame = shared::frame::server::Rows { view: 7, from: 1, to: 2, gap: Some(gap), ..Default::default() };
    rig.frame(ServerFrame::Rows(frame), 2_000);
    assert_eq!(
        says(&rig, 2_000)[1],
        "Gap, 00:00:01 to 00:00:04. Relisted after Expired; rows are exact, changes in between are unknown."
    );
    for (now_ms, is_told) in [(603_000, true), (605_000, false)] {
        rig.sync(2, None, now_ms);
        assert_eq!(says(&rig, now_ms)[1].starts_with("Gap"), is_told, "{now_ms}");
    }
    rig.sync(2, None, 2_000);
    let key = rig.key;
    rig.client.view_mut(key).expect("open").dismiss_gap();
    assert_eq!(says(&rig, 2_000)[1], "counts");
}

#[test]
fn a_kind_that_the_gateway_hides_is_nobodys_missing_right() {
    let mut rig = ClientRig::live();
    let problem = Problem::new(Reason::Hidden, "pods are hidden by this gateway");
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(1), problem }), 2_000);
    assert_eq!(says(&rig, 2_000), ["Forbidden · list pods", "Pods are hidden by this gateway."]);
}

fn namespaces(names: &[&str]) -> Scope {
    let names = names.iter().map(|name| Namespace::parse(name).expect("a name")).collect();
    Scope { namespaces: Namespaces::these(names).expect("some"), ..scope("pods") }
}

fn welcome_in(namespaces: Vec<Namespace>) -> Welcome {
    let mut welcome = welcome(0);
    welcome.clusters[0].namespaces = namespaces;
    welcome
}

fn kinds() -> Kinds {
    let pods = Kind::new(scope("pods").resource, "Pod", true);
    Kinds::new(welcome(0).clusters[0].name.clone(), vec![pods], vec![])
}

fn forbidden() -> StateReport {
    StateReport::of(ViewState::Forbidden { to: Whom::You })
        .because(Problem::new(Reason::Forbidden, "bob may not list pods"))
}

#[test]
fn a_state_of_some_namespaces_names_them() {
    let rig = ClientRig::live();
    let says = |worst: Freshness| {
        let names = vec!["b".into()];
        let partly = Freshness::Partly(Box::new(Partly {
            worst,
            names,
            rest: Freshness::Live { proven_ms: 2_000 },
            count: 3,
            is_stale: false,
            clusters: Vec::new(),
        }));
        let pill = text(pill(&partly, "pods", 4_000, Zone::default()));
        let line = shown(&rig, &partly, 4_000).line().expect("it names the namespaces");
        [pill, format!("{} {}", line.bold, line.sentence)]
    };
    let unproven = Cause::Upstream { problem: None, tries: 0, next_try_ms: None };
    assert_eq!(
        says(Freshness::Stale { since_ms: 1_000, cause: unproven }),
        [
            "Stale · since 00:00:01",
            "Stale since 00:00:01 in b. The API server hasn't confirmed pods since then. Rows as of 00:00:01."
        ]
    );
    assert_eq!(
        says(Freshness::Forbidden { to: Whom::You, problem: forbidden().problem }),
        [
            "Live · 1 of 3 namespaces forbidden",
            "You may not list pods in b. Forbidden: bob may not list pods. Ask an administrator for list and watch on pods. It opens by itself then."
        ]
    );
    let hidden = Problem::new(Reason::Hidden, "the namespace \"b\" is hidden by this gateway");
    assert_eq!(
        says(Freshness::Forbidden { to: Whom::You, problem: Some(hidden) }),
        ["Live · 1 of 3 namespaces forbidden", "Pods are hidden by this gateway in b. "]
    );
    let polled = says(Freshness::Polled { proven_ms: 2_000, every_s: 10 });
    assert_eq!(polled[0], "Polled 2 s ago · every 10 s");
    assert!(polled[1].starts_with("Polled in b. "), "{polled:?}");
    let failed = says(Freshness::Failed { since_ms: 1_000, problem: None });
    assert!(failed[1].starts_with("pods can't be shown in b. "), "{failed:?}");
}

#[test]
fn who_may_not_list_the_cluster_is_told_which_namespaces_to_try() {
    let refused = |scope: Scope| {
        let mut rig = ClientRig::new();
        rig.client.close(rig.key);
        rig.key = rig.client.open(scope, at(0));
        rig.client.handle(Input::Start, at(0));
        rig.client.handle(Input::Opened, at(0));
        let shop = vec![Namespace::parse("shop").expect("a name")];
        rig.frame(ServerFrame::Welcome(Box::new(welcome_in(shop))), 0);
        rig.frame(ServerFrame::Kinds(kinds()), 0);
        let answer = Subscribed { state: forbidden(), ..subscribed(1, "", &[]) };
        rig.frame(ServerFrame::Subscribed(Box::new(answer)), 100);
        says(&rig, 200)[1].clone()
    };
    let [why, again] = [
        "Forbidden: bob may not list pods.",
        "Ask an administrator for list and watch on pods. It opens by itself then.",
    ];
    assert_eq!(
        refused(scope("pods")),
        format!(
            "You may not list pods. {why} You may have access to single namespaces: choose one, for example shop. {again}"
        )
    );
    let many: Vec<String> = (0..=PARTS_MAX).map(|number| format!("n{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(
        refused(namespaces(&many)),
        format!(
            "You may not list pods in 129 namespaces. {why} At most 128 namespaces are asked for one by one: choose fewer. {again}"
        )
    );
    assert_eq!(refused(namespaces(&["a"])), format!("You may not list pods in a. {why} {again}"));
}

#[test]
fn a_server_in_trouble_says_itself_why_and_a_broken_line_needs_no_more_than_its_reason() {
    let said = |reason, message: &str| words::watch_broke("parcels", &Problem::new(reason, message));
    let webhook = "the API server asks to wait: conversion webhook for acme.test/v1 failed";
    assert_eq!(
        said(Reason::TooManyRequests, webhook),
        "The gateway's watch on parcels broke: TooManyRequests. \
         The API server asks to wait: conversion webhook for acme.test/v1 failed."
    );
    let refused = said(Reason::ConnectionRefused, "nothing listens at the API server's address");
    assert_eq!(refused, "The gateway's watch on parcels broke: connection refused.");
}
