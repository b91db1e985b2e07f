//! Several views side by side.

use page::action::{Action, PaletteAction, PaneAction, PanelAction, PanelKey};
use page::model::{Side, Standing, WideColumns};
use page::testing::{PageRig, rows_of};
use page::{Environment, Host};

fn standings(page: &PageRig) -> Vec<Standing> {
    page.page.panes().map(|(_, model)| model.standing).collect()
}

#[test]
fn a_view_is_closed_by_its_key_and_the_rows_beside_it_take_the_focus() {
    let mut page = PageRig::live("/b?v=pods&v=services");
    page.seconds(1);
    let number = |page: &PageRig| page.model().focus.as_ref().map(|focus| focus.number);
    let before = number(&page);
    page.act(Action::ActivateAt(1));
    page.keys(&["B"]);
    assert_eq!(page.address, "/v/pods@kind/*");
    assert_ne!(number(&page), before, "what had it is gone");
}

#[test]
fn two_panes_over_the_same_rows_keep_their_filters_apart() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&["b"]);
    page.act(PaletteAction::Choose(None));
    page.resize(1, 1_200.0);
    assert_eq!(standings(&page), [Standing::Aside, Standing::Active], "the new one has the reader");
    assert_eq!(page.gateway.subscriptions(), ["pods"], "one subscription serves both");
    page.act(PaneAction::Filter("web".to_owned()));
    page.act(PaneAction::TogglePause);
    page.put("pods", "shop/web-2 1/1 Running 0");
    assert_eq!((rows_of(page.pane(0)).len(), rows_of(page.pane(1)).len()), (4, 1));
    assert_eq!(page.address, "/b?v=pods@kind/*&v=pods@kind/*;q=web");
    assert_eq!(page.page.model().health.text, "1 live, 1 paused");
    page.act(Action::ClosePane);
    assert_eq!((page.address.as_str(), standings(&page)), ("/v/pods@kind/*", vec![Standing::Alone]));
    assert_eq!(page.gateway.subscriptions(), ["pods"]);
    page.act(Action::ClosePane);
    assert_eq!(page.page.model().pane_count, 1, "the last one stays");
}

#[test]
fn split_asks_what_to_show_beside_the_view() {
    let mut page = PageRig::live("/v/pods?q=web&o=shop/web-1");
    let ask = |page: &mut PageRig| {
        page.keys(&["b"]);
        let palette = page.page.model().palette.as_ref().expect("the palette");
        palette.hits.iter().take(2).map(|hit| hit.label.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ask(&mut page), ["pods all namespaces web", "pods"]);
    page.act(PaletteAction::Close);
    assert_eq!(page.address, "/v/pods@kind/*?q=web&o=shop/web-1", "nothing is chosen");
    ask(&mut page);
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.address, "/b?v=pods@kind/*;q=web;o=shop/web-1&v=pods@kind/*;q=web", "Enter alone");
    page.act(Action::ClosePane);
    ask(&mut page);
    page.act(PaletteAction::Type("web-9".to_owned()));
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.address, "/b?v=pods@kind/*;q=web;o=shop/web-1&v=pods@kind/*;q=web-9");
    assert_eq!(standings(&page), [Standing::Aside, Standing::Active]);
}

#[test]
fn go_to_with_shift_opens_beside_the_view_in_place_of_it() {
    let mut page = PageRig::live("/v/pods");
    let choose = |page: &mut PageRig, text: &str, how: fn(Option<usize>) -> PaletteAction| {
        page.act(PaletteAction::Open);
        page.act(PaletteAction::Type(text.to_owned()));
        page.act(how(None));
        page.address.clone()
    };
    assert_eq!(
        choose(&mut page, "services", PaletteAction::ChooseBeside),
        "/b?v=pods@kind/*&v=services@kind/*"
    );
    assert_eq!(
        choose(&mut page, "nodes", PaletteAction::Choose),
        "/b?v=pods@kind/*&v=nodes@kind/-;sort=trouble"
    );
    // An action opens nothing.
    assert_eq!(choose(&mut page, "pause or resume", PaletteAction::ChooseBeside).matches("v=").count(), 2);
}

#[test]
fn pods_beside_nodes_say_their_node() {
    let mut page = PageRig::live("/v/pods");
    page.put("pods", "shop/new-1 1/1 Running 0 10.0.0.1 node-1");
    for (address, has_node) in [("/b?v=pods&v=nodes", true), ("/b?v=pods&v=services", false)] {
        page.go(address);
        page.resize(0, 560.0);
        page.resize(1, 560.0);
        page.seconds(3);
        let titles: Vec<&str> = page.pane(0).table.columns.iter().map(|cell| cell.title.as_str()).collect();
        assert_eq!(titles.contains(&"NODE"), has_node, "{address}: {titles:?}");
    }
}

#[test]
fn a_board_is_one_link_and_each_pane_has_its_own_view() {
    let link = "/b?v=pods@kind/*;q=web;sort=-age&v=nodes@kind/-&v=deployments.apps@kind/*&log=events@kind/*";
    let mut page = PageRig::live(link);
    assert_eq!(page.address, link);
    let mut open = page.gateway.subscriptions();
    open.sort();
    assert_eq!(open, ["deployments.apps", "events", "log of events", "nodes", "pods"]);
    page.seconds(1);
    assert_eq!(page.page.model().health.text, "4 views live");
    assert!(page.effects().contains(&"title ✗ 2 · 4 views · kind · Dogwatch (Failing)".to_owned()));
    let heads: Vec<String> =
        page.page.panes().map(|(_, model)| format!("{} {}", model.head.resource, model.head.query)).collect();
    assert_eq!(heads, ["pods web", "nodes ", "deployments ", "events "]);
}

#[test]
fn the_list_of_kinds_counts_what_fails_in_each_open_view_and_asks_for_no_other() {
    let mut page = PageRig::live("/b?v=nodes@kind/-&v=pods@kind/*&v=pods@kind/ledger");
    page.seconds(1);
    let counts = |page: &PageRig| {
        let navigation = page.page.model().navigation.clone();
        let said =
            navigation.counts.iter().map(|(kind, count)| format!("{kind} {}/{}", count.failing, count.rows));
        said.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(counts(&page), "nodes /1, pods 1/3");
    let last = page.id(2);
    page.act(Action::Activate(last));
    page.seconds(1);
    assert_eq!(counts(&page), "pods /1, nodes /1", "the active view's first");
    assert_eq!(page.gateway.subscriptions().len(), 3);
    let first = page.id(1);
    page.act(Action::Activate(first));
    page.gateway.is_silent = true;
    page.seconds(20);
    assert_eq!(counts(&page), "pods /3, nodes /1", "a stale view doesn't know what fails now");
}

#[test]
fn keys_and_actions_go_to_the_active_pane() {
    let mut page = PageRig::live("/b?v=pods@kind/*&v=nodes@kind/-");
    page.keys(&["2"]);
    assert_eq!(standings(&page), [Standing::Aside, Standing::Active]);
    page.act(PaneAction::Filter("node".to_owned()));
    assert_eq!(page.address, "/b?v=pods@kind/*&v=nodes@kind/-;q=node");
    let first = page.id(0);
    page.act(Action::Activate(first));
    assert_eq!(
        page.page.model().navigation.current.as_ref().map(ToString::to_string).as_deref(),
        Some("pods")
    );
    page.keys(&["9"]);
    assert_eq!(standings(&page), [Standing::Active, Standing::Aside], "there is no ninth");
    page.act_in(1, PaneAction::Wide(WideColumns::Wide));
    assert_eq!(page.address, "/b?v=pods@kind/*&v=nodes@kind/-;q=node;wide=1");
}

#[test]
fn a_board_has_at_most_twelve_panes() {
    let mut page = PageRig::live(&format!("/b?{}", "v=nodes@/-&".repeat(300)));
    assert_eq!(page.page.panes().count(), 12);
    assert!(page.bar().contains("12"), "{}", page.bar());
    page.act(Action::DismissBar);
    page.act(Action::Split);
    assert_eq!((page.page.panes().count(), page.page.model().palette.is_none()), (12, true));
    assert!(page.bar().contains("room for 12 views"), "{}", page.bar());
    page.act(Action::ClosePane);
    assert_eq!(page.bar(), "");
}

#[test]
fn a_board_has_a_title_and_its_views_are_added_paused_moved_and_resized() {
    let mut page = PageRig::live("/b?v=pods@kind/*&v=nodes@kind/-");
    page.act(Action::SetTitle(" On\ncall ".to_owned()));
    assert_eq!(page.address, "/b?t=On%20call&v=pods@kind/*&v=nodes@kind/-");
    page.seconds(1);
    assert!(page.effects().contains(&"title ✗ 1 · On call · kind · Dogwatch (Failing)".to_owned()));
    page.act(Action::Split);
    page.act(PaletteAction::Type("events".to_owned()));
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.address, "/b?t=On%20call&v=pods@kind/*&v=nodes@kind/-&v=events@kind/*");
    let spans = |page: &PageRig| {
        page.page.panes().map(|(_, model)| model.slot.columns.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!((spans(&page).as_str(), standings(&page)[2]), ("14 10 24", Standing::Active));
    page.act(Action::Split);
    page.act(PaletteAction::Close);
    assert_eq!(page.page.panes().count(), 3, "who chooses nothing gets no view");
    page.keys(&["M", "<", "+"]);
    assert_eq!(
        page.address,
        "/b?t=On%20call&v=pods@kind/*;w=15;h=13&v=events@kind/*;w=9&v=nodes@kind/-;h=11",
    );
    page.act_in(2, Action::SizePane(Side::Height, 0.25));
    page.act_in(0, Action::SizePane(Side::Width, 0.5));
    assert_eq!(
        page.address,
        "/b?t=On%20call&v=pods@kind/*;w=12;h=18&v=events@kind/*;w=12&v=nodes@kind/-;h=6",
    );
    let last = page.id(2);
    page.act_in(0, Action::PlacePane(last));
    assert_eq!(spans(&page), "12 12 24");
    page.go("/b?t=On%20call&v=pods@kind/*;w=16&v=nodes@kind/-;w=8");
    assert_eq!(spans(&page), "16 8");
    page.act(Action::PauseAll);
    assert!(page.pane(0).is_paused && page.pane(1).is_paused);
    assert!(page.page.model().board.as_ref().is_some_and(|board| board.is_paused));
    page.act(Action::PauseAll);
    assert!(!page.pane(0).is_paused && !page.pane(1).is_paused);
}

#[test]
fn the_namespaces_are_not_offered_while_a_cluster_scoped_view_is_active() {
    let mut page = PageRig::live("/b?v=pods@kind/*&v=nodes@kind/-");
    assert!(!page.page.model().namespaces.is_cluster_scoped);
    page.keys(&["2"]);
    assert!(page.page.model().namespaces.is_cluster_scoped);
}

#[test]
fn one_panel_stands_beside_a_board_and_the_address_names_it_in_its_pane() {
    let mut page = PageRig::live("/b?v=pods@kind/*&v=nodes@kind/-");
    page.act(PanelAction::Open { row: Some(page.row("shop/web-1")), key: Some(PanelKey::Open) });
    assert_eq!(page.address, "/b?v=pods@kind/*;o=shop/web-1&v=nodes@kind/-");
    let node = page.gateway.row("nodes", "node-1").id.to_string();
    page.act_in(1, PanelAction::Open { row: Some(node), key: None });
    assert_eq!(page.address, "/b?v=pods@kind/*&v=nodes@kind/-;o=node-1");
    assert_eq!(page.page.panel().head.as_ref().map(|head| head.name.as_str()), Some("node-1"));
}

/// The first two cells of the marked rows of each pane, and what its status bar says of them.
fn linked(page: &PageRig) -> String {
    let of = |(_, model): (_, &page::model::PaneModel)| {
        let rows = rows_of(model).into_iter().zip(&model.rows.rows).filter(|(_, row)| row.is_linked);
        let first = |text: String| text.split(' ').take(2).collect::<Vec<_>>().join("/");
        let rows: Vec<String> = rows.map(|(text, _)| first(text)).collect();
        format!("{}({})", rows.join(" "), model.status_bar.linked)
    };
    page.page.panes().map(of).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_belongs_to_the_row_of_one_pane_is_marked_in_the_others_and_the_other_way_round() {
    let mut page = PageRig::before(
        "/b?v=nodes@kind/-&v=pods@kind/*&v=deployments.apps@kind/*&v=namespaces@kind/-",
        Host::Dogwatch,
        Environment::default(),
    );
    page.gateway.owners.insert("shop/web-5d9-x".to_owned(), "ReplicaSet/web-5d9#5d9".to_owned());
    page.start();
    page.put("nodes", "node-2 Ready");
    page.put("pods", "shop/web-5d9-x 1/1 Running 0 10.0.0.1 node-1");
    page.put("pods", "shop/other-1 1/1 Running 0 10.0.0.2 node-2");
    for at in 0..4 {
        page.resize(at, 1_200.0);
    }
    page.seconds(1);
    let stand = |page: &mut PageRig, at: usize, resource: &str, row: &str| {
        let id = page.gateway.row(resource, row).id.to_string();
        let pane = page.id(at);
        page.act(Action::Activate(pane));
        page.act_in(at, PaneAction::Focused(id));
        page.seconds(1);
        linked(page)
    };
    assert_eq!(stand(&mut page, 0, "nodes", "node-1"), "() () () ()", "the page began there");
    let on_node = "() shop/web-5d9-x(1 belongs to node-1) () ()";
    assert_eq!(stand(&mut page, 0, "nodes", "node-1"), on_node);
    let of_deployment = "() shop/web-5d9-x(1 belongs to web) () shop/Active(1 belongs to web)";
    assert_eq!(stand(&mut page, 2, "deployments.apps", "shop/web"), of_deployment);
    let of_pod = "node-1/Ready(1 belongs to web-5d9-x) () shop/web(1 belongs to web-5d9-x) shop/Active(1 belongs to web-5d9-x)";
    assert_eq!(stand(&mut page, 1, "pods", "shop/web-5d9-x"), of_pod);
    page.act_in(1, PaneAction::Blurred);
    page.seconds(1);
    assert_eq!(linked(&page), "() () () ()", "the reader is elsewhere");
    page.go("/v/pods@kind/*");
    page.act(PaneAction::Focused(page.row("shop/web-1")));
    page.seconds(1);
    assert_eq!(linked(&page), "()");
}
