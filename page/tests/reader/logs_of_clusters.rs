//! The log of one object in several clusters: what is asked of each, and what stands in the tab.

use page::location::Tab;
use page::logs::{ChosenCluster, LogsAction, RowBody};
use page::testing::PageRig;
use page::{Environment, Host, action::PanelAction};
use serde_json::json;
use shared::frame::client::LogAsked;
use shared::frame::server::{ProblemFrame, ServerFrame};
use shared::problem::{Problem, Reason};

use super::logs::{START_MS, line, open_tab, rows, source, view};

/// A view of the clusters `eu-1` and `eu-2`, and the log of a pod of the second one.
fn opened(log: &str) -> PageRig {
    let mut page = PageRig::before("/v/pods@*/shop", Host::Dogwatch, Environment::default());
    page.gateway.has_clusters(&["eu-1", "eu-2", "us"]);
    page.gateway.welcome.logs = true;
    page.start();
    open_tab(&mut page, &format!("/v/pods@eu-1,eu-2/shop?o=@eu-2/shop/web-1&tab=logs{log}"));
    page
}

fn question(page: &PageRig, cluster: &str) -> LogAsked {
    page.gateway.logs_of(cluster).expect("asked").asked.clone()
}

/// The clusters that are asked, in the order in which they were.
fn asked(page: &PageRig) -> Vec<&str> {
    let names = page.gateway.logs.iter().map(|log| log.scope.cluster.as_ref());
    names.map(|name| name.map_or("eu-1", |name| name.as_str())).collect()
}

/// Both answer with the same pod.
fn both() -> PageRig {
    let mut page = opened("&log=clusters:eu-1");
    page.logs_of("eu-2", json!({
        "sources": [source(0, "web-1")], "entries": [line(0, 10, "b10"), line(0, 30, "b30")], "caught_up": true,
    }));
    page.logs_of("eu-1", json!({
        "sources": [source(0, "web-1")], "entries": [line(0, 20, "a20"), line(0, 30, "a30")], "caught_up": true,
    }));
    page
}

fn fail(page: &mut PageRig, cluster: &str, problem: Problem) {
    let id = page.gateway.logs_of(cluster).expect("asked").id;
    page.gateway.logs.retain(|log| log.id != id);
    page.receive(vec![ServerFrame::Problem(ProblemFrame { id: Some(id), problem })]);
}

fn clusters(page: &PageRig) -> Vec<ChosenCluster> {
    view(page).choice.expect("open").clusters
}

#[test]
fn another_cluster_of_the_view_is_asked_when_it_is_switched_on_and_left_when_it_is_switched_off() {
    let mut page = opened("");
    assert_eq!(asked(&page), ["eu-2"], "the object's own one");
    page.logs(json!({"sources": [source(0, "web-1")], "entries": [line(0, 10, "b10")], "caught_up": true}));
    assert_eq!(rows(&page), ["10:00:00  b10"]);
    assert_eq!(view(&page).tools.chosen, "1 pod · app");
    page.act(LogsAction::Choose(true));
    let offered: Vec<(String, bool, bool)> =
        clusters(&page).into_iter().map(|of| (of.name, of.is_on, of.is_own)).collect();
    assert_eq!(offered, [("eu-1".to_owned(), false, false), ("eu-2".to_owned(), true, true)], "the view's");
    page.act(LogsAction::ToggleCluster("eu-1".into()));
    assert_eq!(asked(&page), ["eu-2", "eu-1"], "the first one goes on");
    let scope = &page.gateway.logs[1].scope;
    assert_eq!(
        (scope.name.as_ref().map(|name| name.as_str()), scope.cluster.is_none()),
        (Some("web-1"), true)
    );
    assert_eq!(question(&page, "eu-1").tail, Some(1_000));
    assert!(page.address.ends_with("&tab=logs&log=clusters:eu-1"), "{}", page.address);
    page.logs_of(
        "eu-1",
        json!({"sources": [source(0, "web-1")], "entries": [line(0, 5, "a5")], "caught_up": true}),
    );
    assert_eq!(rows(&page), ["10:00:00 eu-1 a5", "10:00:00 eu-2 b10"]);
    assert_eq!(view(&page).tools.chosen, "2 clusters · 2 pods");
    page.act(LogsAction::ToggleCluster("eu-1".into()));
    assert_eq!((asked(&page), rows(&page)), (vec!["eu-2"], vec!["10:00:00  b10".to_owned()]));
    assert!(page.address.ends_with("&tab=logs"), "{}", page.address);
    page.act(LogsAction::ToggleCluster("eu-1".into()));
    page.logs_of(
        "eu-1",
        json!({"sources": [source(0, "web-1")], "entries": [line(0, 5, "a5")], "caught_up": true}),
    );
    assert_eq!(rows(&page), ["10:00:00 eu-1 a5", "10:00:00 eu-2 b10"], "in its place again");
    page.act(PanelAction::Tab(Tab::Yaml));
    assert!(page.gateway.logs.is_empty(), "all are given back");
}

#[test]
fn lines_of_two_clusters_are_merged_by_time_and_equal_pods_are_two_sources() {
    let page = both();
    assert_eq!(
        rows(&page),
        ["10:00:00 eu-2 b10", "10:00:00 eu-1 a20", "10:00:00 eu-2 b30", "10:00:00 eu-1 a30"]
    );
    let colour = |row: &std::rc::Rc<page::logs::LogsRow>| match &row.body {
        RowBody::Line { label: Some(label), .. } => (label.colour, label.whole.clone()),
        other => panic!("{other:?}"),
    };
    let labels: Vec<(u8, String)> = view(&page).rows.iter().map(colour).collect();
    assert_eq!(labels[..2], [(0, "eu-2/web-1/app".to_owned()), (1, "eu-1/web-1/app".to_owned())]);
    assert_eq!(view(&page).foot.count, "4 lines · 2 pods");
    let mut page = page;
    page.logs_of(
        "eu-1",
        json!({"entries": [{"n": 0, "at": [START_MS + 900, 0], "mark": "deleted"}, line(0, 25, "late")]}),
    );
    page.logs_of(
        "eu-2",
        json!({"entries": [{"n": 0, "at": [START_MS + 900, 0], "mark": "restarted", "exit_code": 1}]}),
    );
    let marks: Vec<String> = rows(&page).into_iter().filter(|row| row.starts_with('<')).collect();
    assert_eq!(marks, ["<Pod eu-1/web-1 was deleted.>", "<eu-2 restarted (exit 1).>"]);
    page.effects();
    page.act(LogsAction::Download);
    assert!(
        page.file().starts_with("[eu-2/web-1/app] 2026-01-01T10:00:00.010000007Z b10\n[eu-1/web-1/app] "),
        "{}",
        page.file()
    );
}

#[test]
fn in_a_narrow_window_a_name_beside_a_line_keeps_the_end_that_tells_it_from_others() {
    let mut page = opened("&log=clusters:eu-1");
    page.act(LogsAction::Resized { width_px: 300.0, height_px: 190.0, row_px: 19.0, character_px: 7.0 });
    page.logs_of(
        "eu-1",
        json!({
            "sources": [source(0, "payments-alpha"), source(1, "orders-beta")],
            "entries": [line(0, 10, "a"), line(1, 20, "b")], "caught_up": true,
        }),
    );
    page.logs_of("eu-2", json!({"sources": [source(0, "web-1")], "caught_up": true}));
    assert_eq!(rows(&page), ["10:00:00 …ments-alpha a", "10:00:00 …orders-beta b"]);
}

#[test]
fn a_reconnect_asks_each_cluster_again_behind_what_is_held_of_it() {
    let mut page = both();
    page.logs_of("eu-1", json!({"entries": [line(0, 40, "a40")]}));
    page.disconnect();
    page.gateway.logs.clear();
    page.reconnect();
    page.seconds(2);
    let has = |cluster: &str| -> Vec<(String, i64)> {
        question(&page, cluster).has.iter().map(|has| (has.pod.to_string(), has.at.ms - START_MS)).collect()
    };
    assert_eq!(has("eu-2"), [("web-1".to_owned(), 30)]);
    assert_eq!(has("eu-1"), [("web-1".to_owned(), 40)]);
    page.logs_of("eu-1", json!({"sources": [source(3, "web-1")], "entries": [line(3, 50, "a50")]}));
    page.logs_of("eu-2", json!({"sources": [source(0, "web-1")], "entries": [line(0, 45, "b45")]}));
    assert_eq!(rows(&page)[4..], ["10:00:00 eu-1 a40", "10:00:00 eu-2 b45", "10:00:00 eu-1 a50"]);
}

#[test]
fn a_cluster_that_refuses_is_one_sentence_and_the_others_go_on() {
    let mut page = both();
    fail(&mut page, "eu-1", Problem::new(Reason::Forbidden, "you may not read logs in shop"));
    assert_eq!(rows(&page), ["10:00:00 eu-2 b10", "10:00:00 eu-2 b30"], "its lines go with the right");
    assert_eq!(view(&page).notes, ["eu-1 isn't read: You may not read logs in shop."]);
    assert_eq!((view(&page).empty, view(&page).foot.strong.as_str()), (None, "Following"));
    page.act(LogsAction::Choose(true));
    assert_eq!(clusters(&page)[0].why, "You may not read logs in shop.");
    page.logs_of("eu-2", json!({"entries": [line(0, 40, "b40")]}));
    assert_eq!(rows(&page).len(), 3);
    page.seconds(31);
    assert_eq!(asked(&page), ["eu-2", "eu-1"], "asked again by itself");
    assert!(question(&page, "eu-1").has.is_empty());
    page.logs_of(
        "eu-1",
        json!({"sources": [source(0, "web-1")], "entries": [line(0, 20, "a20")], "caught_up": true}),
    );
    assert_eq!(rows(&page)[1], "10:00:00 eu-1 a20");
    page.seconds(1);
    assert!(view(&page).notes.is_empty(), "{:?}", view(&page).notes);

    let mut page = both();
    fail(&mut page, "eu-2", Problem::new(Reason::NotFound, "pods \"web-1\" not found"));
    assert_eq!(rows(&page).len(), 4, "what was told stays");
    assert_eq!(view(&page).notes, ["eu-2 isn't read: Pods \"web-1\" not found."]);
    fail(&mut page, "eu-1", Problem::new(Reason::Forbidden, "you may not read logs in shop"));
    page.seconds(1);
    assert_eq!(
        view(&page).notes,
        ["eu-1 isn't read: You may not read logs in shop."],
        "the other stands below"
    );
    assert!(view(&page).foot.text.contains("not found"), "{}", view(&page).foot.text);
}

#[test]
fn what_waits_of_a_cluster_whose_right_ends_in_a_pause_is_never_shown() {
    let mut page = both();
    page.act(LogsAction::Pause);
    page.logs_of("eu-1", json!({"entries": [line(0, 50, "secret")]}));
    page.logs_of("eu-2", json!({"entries": [line(0, 60, "b60")]}));
    fail(&mut page, "eu-1", Problem::new(Reason::Forbidden, "you may not read logs in shop"));
    page.act(LogsAction::Pause);
    assert_eq!(rows(&page), ["10:00:00 eu-2 b10", "10:00:00 eu-2 b30", "10:00:00 eu-2 b60"]);
}

#[test]
fn a_link_names_clusters_and_lines_of_theirs_and_what_it_cannot_mean_is_said() {
    let mut page = both();
    let number = view(&page).rows[1].number;
    page.act(LogsAction::Line(number));
    let address = page.address.clone();
    assert!(address.ends_with("log=clusters:eu-1$line:eu-1/web-1/app@1767261600020.000007"), "{address}");
    let mut other = opened("");
    other.go(&address);
    other.seconds(1);
    assert_eq!(asked(&other), ["eu-2", "eu-1"]);
    for cluster in ["eu-1", "eu-2"] {
        let since_ms = question(&other, cluster).since.map(|at| at.ms);
        assert_eq!(since_ms, Some(START_MS + 20 - 60_000), "all begin where the line is");
    }
    let same = json!({"sources": [source(0, "web-1")], "entries": [line(0, 10, "x"), line(0, 20, "y")], "caught_up": true});
    other.logs_of("eu-2", same.clone());
    other.logs_of("eu-1", same);
    let here = |row: &std::rc::Rc<page::logs::LogsRow>| match &row.body {
        RowBody::Line { label: Some(label), is_here: true, .. } => Some(label.whole.clone()),
        _ => None,
    };
    let here: Vec<String> = view(&other).rows.iter().filter_map(here).collect();
    assert_eq!(here, ["eu-1/web-1/app"]);

    let page = opened("&log=clusters:eu-2,eu-9,eu-1$clusters:");
    assert_eq!(view(&page).notes, ["Ignored in this link: clusters:, clusters:eu-9 (unknown)."]);
}

#[test]
fn a_link_without_the_view_of_several_reads_what_it_names() {
    let mut page = opened("");
    page.go("/v/pods@eu-2/shop?o=shop/web-1&tab=logs&log=clusters:us,eu-2");
    page.seconds(1);
    assert_eq!(asked(&page), ["eu-2", "us"]);
    page.act(LogsAction::Choose(true));
    let offered: Vec<String> = clusters(&page).into_iter().map(|of| of.name).collect();
    assert_eq!(offered, ["eu-2", "us"]);
    page.go("/v/pods@eu-2/shop?o=shop/web-1&tab=logs");
    page.seconds(1);
    assert_eq!((asked(&page), clusters(&page)), (vec!["eu-2"], Vec::new()), "there is nothing to choose");
}

#[test]
fn pods_are_chosen_of_each_cluster_by_itself() {
    let mut page = opened("&log=clusters:eu-1");
    for cluster in ["eu-1", "eu-2"] {
        page.logs_of(
            cluster,
            json!({"sources": [source(0, "web-0"), source(1, "web-1")], "caught_up": true}),
        );
    }
    page.act(LogsAction::Choose(true));
    let pods = |page: &PageRig| -> Vec<(String, bool)> {
        view(page).choice.expect("open").pods.into_iter().map(|pod| (pod.key, pod.is_on)).collect()
    };
    let keys: Vec<String> = pods(&page).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["eu-1/web-0", "eu-1/web-1", "web-0", "web-1"]);
    page.act(LogsAction::TogglePod("eu-1/web-0".into()));
    assert!(page.address.ends_with("log=pods:eu-1/web-1$clusters:eu-1"), "{}", page.address);
    assert_eq!(question(&page, "eu-1").pods, ["web-1".into()]);
    assert!(question(&page, "eu-2").pods.is_empty(), "all of the other one");
    let on: Vec<String> = pods(&page).into_iter().filter(|(_, is_on)| *is_on).map(|(key, _)| key).collect();
    assert_eq!(on, ["eu-1/web-1", "web-0", "web-1"], "{:?}", pods(&page));
}
