//! Several views side by side.

use page::action::{Action, PaneAction, PanelAction, PanelKey};
use page::model::Standing;
use page::testing::{PageRig, rows_of};

fn standings(page: &PageRig) -> Vec<Standing> {
    page.page.panes().map(|(_, model)| model.standing).collect()
}

#[test]
fn two_panes_over_the_same_rows_keep_their_filters_apart() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&["b"]);
    page.resize(1, 1_200.0);
    assert_eq!(standings(&page), [Standing::Aside, Standing::Active], "the new one has the reader");
    assert_eq!(page.gateway.subscriptions(), ["pods"], "one subscription serves both");
    page.act(PaneAction::Filter("web".to_owned()));
    page.act(PaneAction::TogglePause);
    page.put("pods", "shop/web-2 1/1 Running 0");
    assert_eq!((rows_of(page.pane(0)).len(), rows_of(page.pane(1)).len()), (4, 1));
    assert_eq!(page.address, "/b?v=pods@kind/*&v=pods@kind/*;q=web");
    assert_eq!(page.page.model().health.text, "2 views live");
    page.act(Action::ClosePane);
    assert_eq!((page.address.as_str(), standings(&page)), ("/v/pods@kind/*", vec![Standing::Alone]));
    assert_eq!(page.gateway.subscriptions(), ["pods"]);
    page.act(Action::ClosePane);
    assert_eq!(page.page.model().pane_count, 1, "the last one stays");
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
    assert!(page.effects().contains(&"title 4 views · kind · Dogwatch".to_owned()));
    let heads: Vec<String> =
        page.page.panes().map(|(_, model)| format!("{} {}", model.head.resource, model.head.query)).collect();
    assert_eq!(heads, ["pods web", "nodes ", "deployments ", "events "]);
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
    page.act_in(1, PaneAction::ToggleWide);
    assert_eq!(page.address, "/b?v=pods@kind/*&v=nodes@kind/-;q=node;wide=1");
}

#[test]
fn a_board_has_at_most_twelve_panes() {
    let mut page = PageRig::live(&format!("/b?{}", "v=nodes@/-&".repeat(300)));
    assert_eq!(page.page.panes().count(), 12);
    assert!(page.bar().contains("12"), "{}", page.bar());
    page.act(Action::Split);
    assert_eq!(page.page.panes().count(), 12);
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
