//! "Go to", the navigation with its pins and boards, the namespaces picker, and the sheet of keys.

use page::action::{Action, Key, PaletteAction, PaneAction, PanelAction, PickerAction, TwoLetters, of_rows};
use page::model::PickerModel;
use page::testing::PageRig;
use page::{Environment, Host};
use shared::frame::server::Board;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;

fn hits(page: &PageRig) -> Vec<String> {
    let palette = page.page.model().palette.as_ref().expect("the palette is open");
    palette.hits.iter().map(|hit| format!("{} {}", hit.label, hit.note).trim().to_owned()).collect()
}

fn type_in(page: &mut PageRig, text: &str) {
    page.act(PaletteAction::Open);
    page.act(PaletteAction::Type(text.to_owned()));
}

#[test]
fn a_few_letters_lead_to_a_kind_and_a_namespace() {
    let mut page = PageRig::live("/v/pods");
    type_in(&mut page, "deploy shop");
    assert_eq!(hits(&page)[0], "deployments in shop");
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.address, "/v/deployments.apps@kind/shop?sort=trouble");
    assert!(page.page.model().palette.is_none());
    type_in(&mut page, "nodes");
    page.act(PaletteAction::Choose(Some(0)));
    assert_eq!(page.address, "/v/nodes@kind/-?sort=trouble");
    type_in(&mut page, "pods");
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.address, "/v/pods@kind/*", "a kind without namespaces doesn't remember them");
}

#[test]
fn the_palette_finds_objects_namespaces_and_actions() {
    let mut page = PageRig::live("/v/pods");
    type_in(&mut page, "shop/web");
    let at = hits(&page).iter().position(|hit| hit == "shop/web-1 pods").expect("the pod");
    page.act(PaletteAction::Move(isize::try_from(at).expect("few")));
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.focused(), "web-1");
    assert_eq!(page.address, "/v/pods@kind/*?o=shop/web-1", "its panel is open");
    assert_ne!(page.page.panel().focus, (0, 0), "and has the focus");
    page.act(PanelAction::Close);
    type_in(&mut page, "ledger");
    let at = hits(&page).iter().position(|hit| hit == "ledger").expect("the namespace");
    page.act(PaletteAction::Choose(Some(at)));
    assert_eq!(page.address, "/v/pods@kind/ledger");
    for (words, check) in [
        ("wide columns", "?wide=1"),
        ("all namespaces", "/*?wide=1"),
        ("switch between", "/log/pods@kind/*?wide=1"),
        ("split", "/log/pods@kind/*?wide=1"),
    ] {
        type_in(&mut page, words);
        page.act(PaletteAction::Choose(None));
        assert!(page.address.ends_with(check), "{words}: {}", page.address);
    }
    assert!(page.page.model().palette.is_some(), "it asks for the view beside");
    page.act(PaletteAction::Close);
    assert!(page.page.model().palette.is_none() && page.model().focus.is_some());
}

#[test]
fn what_is_done_with_an_object_is_found_by_its_name_and_is_about_the_open_one() {
    let mut page = PageRig::live("/v/pods");
    page.act(PaneAction::Focused(page.row("ledger/db-0")));
    page.act(PaneAction::Blurred);
    type_in(&mut page, "tree");
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.address, "/v/pods@kind/*?o=ledger/db-0", "of the focused row");
    page.go("/v/pods@kind/*?o=shop/web-1");
    type_in(&mut page, "history");
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.address, "/v/pods@kind/*?o=shop/web-1&tab=timeline", "of the object that is open");
    type_in(&mut page, "trouble");
    page.act(PaletteAction::Choose(None));
    assert!(page.address.contains("sort=trouble"), "{}", page.address);
}

#[test]
fn an_object_is_one_recent_place_in_whatever_tab_and_beside_whatever_table() {
    let mut page = PageRig::live("/v/pods");
    for place in [
        "/v/pods@kind/*?o=shop/web-1",
        "/v/pods@kind/*?o=shop/web-1&tab=yaml",
        "/v/pods@kind/shop?o=shop/web-1",
    ] {
        page.go(place);
    }
    page.go("/v/nodes@kind/-");
    page.act(PaletteAction::Open);
    let of_pod: Vec<String> = hits(&page).into_iter().filter(|hit| hit.starts_with("shop/web-1")).collect();
    assert_eq!(of_pod.len(), 1, "{:?}", hits(&page));
}

#[test]
fn a_view_is_one_recent_place_in_whatever_order_and_names_a_cluster_that_is_another_one() {
    let mut page = PageRig::live("/v/pods");
    for place in
        ["/v/services@kind/*", "/v/services@kind/*?sort=-name", "/log/services@kind/*", "/v/services@other/*"]
    {
        page.go(place);
    }
    page.go("/v/nodes@kind/-");
    page.act(PaletteAction::Open);
    let of_services: Vec<String> =
        hits(&page).into_iter().filter(|hit| hit.starts_with("services ")).collect();
    assert_eq!(
        of_services,
        ["services all namespaces, @other", "services all namespaces, changes", "services all namespaces"]
    );
}

#[test]
fn what_was_opened_over_the_page_gives_the_focus_back_to_where_it_was() {
    let mut page = PageRig::live("/v/pods@kind/*?o=shop/web-1");
    let of = |page: &PageRig| {
        (page.page.panel().focus.0, page.model().focus.as_ref().map_or(0, |focus| focus.number))
    };
    for (open, close) in
        [(PaletteAction::Open.into(), PaletteAction::Close.into()), (Action::Help(true), Action::Help(false))]
    {
        page.act(PanelAction::HasFocus(true));
        let before = of(&page);
        page.act(open.clone());
        page.act(PanelAction::HasFocus(false));
        page.act(close.clone());
        assert_eq!(of(&page), (before.0 + 1, before.1), "the panel");
        page.act(open);
        page.act(close);
        assert_eq!(of(&page), (before.0 + 1, before.1 + 1), "the rows");
    }
}

#[test]
fn a_box_that_go_to_opens_takes_the_focus_and_the_rows_do_not() {
    let mut page = PageRig::live("/v/pods");
    let number = |page: &PageRig| page.model().focus.as_ref().map(|focus| focus.number);
    for (words, takes_focus) in [
        ("choose namespaces", true),
        ("choose columns", true),
        ("labels", true),
        ("choose clusters", false),
        ("theme", false),
    ] {
        let before = number(&page);
        type_in(&mut page, words);
        page.act(PaletteAction::Choose(None));
        assert_eq!(number(&page) == before, takes_focus, "{words}");
    }
    assert!(page.page.model().clusters.picker.is_none(), "there is one");
}

#[test]
fn the_second_of_two_letters_is_no_key_of_its_own() {
    let mut letters = TwoLetters::default();
    let mut press = |name: &str| letters.action(name, |name| of_rows(name, false));
    let down = Some(PaneAction::Key(Key::Down).into());
    assert_eq!(
        ["g", "k", "g", "g"].map(&mut press),
        [None, Some(Action::Kinds), None, Some(PaneAction::Key(Key::Home).into())]
    );
    assert_eq!(["g", "j", "k"].map(&mut press), [None, down, Some(PaneAction::Key(Key::Up).into())]);
}

#[test]
fn what_is_not_in_the_open_views_is_looked_for_by_a_filter() {
    let mut page = PageRig::live("/v/deployments");
    type_in(&mut page, "Checkout ");
    let expected = ["deployments", "pods", "nodes"].map(|kind| format!("{kind} that match \"Checkout\""));
    assert_eq!(hits(&page), expected);
    assert_eq!(
        page.gateway.subscriptions(),
        ["deployments.apps", "namespaces"],
        "nothing is fetched for them"
    );
    page.act(PaletteAction::Choose(Some(1)));
    assert_eq!(
        (page.address.as_str(), page.model().filter.as_str()),
        ("/v/pods@kind/*?q=Checkout&sort=trouble", "Checkout")
    );
}

#[test]
fn the_first_word_may_name_the_kind_of_what_is_looked_for() {
    let mut page = PageRig::live("/v/pods");
    type_in(&mut page, "deploy Checkout");
    assert_eq!(hits(&page)[0], "deployments that match \"Checkout\" apps");
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.address, "/v/deployments.apps@kind/*?q=Checkout&sort=trouble");
}

#[test]
fn an_object_of_an_open_view_is_found_by_its_kind_and_a_part_of_its_name() {
    let mut page = PageRig::live("/v/pods");
    type_in(&mut page, "po eb-1");
    assert_eq!(hits(&page)[..2], ["shop/web-1 pods", "pods that match \"eb-1\""]);
    page.act(PaletteAction::Type("deploy eb-1".to_owned()));
    assert!(!hits(&page).contains(&"shop/web-1 pods".to_owned()), "another kind is named: {:?}", hits(&page));
}

#[test]
fn a_kind_stands_in_the_order_that_it_had_before() {
    let mut page = PageRig::live("/v/pods?sort=trouble");
    let open = |page: &mut PageRig, group: &str, name: &str| {
        page.act(Action::OpenKind(Resource::parse(group, "v1", name).expect("a resource")));
        page.address.clone()
    };
    assert_eq!(open(&mut page, "", "pods"), "/v/pods@kind/*?sort=trouble");
    assert_eq!(open(&mut page, "", "nodes"), "/v/nodes@kind/-?sort=trouble");
    assert_eq!(open(&mut page, "", "pods"), "/v/pods@kind/*?sort=trouble");
    page.act(PaneAction::ToggleTroubleFirst);
    open(&mut page, "", "nodes");
    assert_eq!(open(&mut page, "", "pods"), "/v/pods@kind/*", "as the reader left it");
}

#[test]
fn the_teams_boards_and_pins_stand_in_the_navigation_and_in_the_palette() {
    let mut page = PageRig::before("/v/pods", Host::Dogwatch, Environment::default());
    page.gateway.welcome.boards =
        vec![Board { name: "On call".into(), link: "/b?v=pods@kind/*&v=nodes@kind/-".into() }];
    page.gateway.welcome.pinned = vec!["nodes".into(), "gone.example.com".into()];
    page.start();
    let navigation = page.page.model().navigation.clone();
    assert_eq!(pins(&page), "nodes");
    page.act(Action::Pin(Resource::parse("apps", "v1", "deployments").expect("a resource")));
    assert_eq!(pins(&page), "nodes deployments", "the reader's own stand beside the team's");
    page.act(Action::Pin(Resource::parse("", "v1", "nodes").expect("a resource")));
    assert_eq!(pins(&page), "deployments", "a pin of the team can be taken off");
    assert!(page.effects().iter().any(|said| said.contains("is_teams: true")));
    assert_eq!(navigation.boards, [("On call".to_owned(), "/b?v=pods@kind/*&v=nodes@kind/-".to_owned())]);
    assert_eq!((navigation.groups[0].title.as_str(), navigation.groups[0].items.len()), ("Pinned", 1));
    type_in(&mut page, "on call");
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.page.panes().count(), 2);
    assert_eq!(page.effects().first().cloned(), Some("push /b?v=pods@kind/*&v=nodes@kind/-".to_owned()));
}

fn pins(page: &PageRig) -> String {
    let group = &page.page.model().navigation.groups[0];
    assert_eq!(group.title, "Pinned");
    group.items.iter().map(|item| item.label.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_pinned_kind_stays_at_the_top_and_is_remembered() {
    let mut page = PageRig::live("/v/pods");
    let nodes = Resource::parse("", "v1", "nodes").expect("a resource");
    page.act(Action::Pin(nodes.clone()));
    let first = |page: &PageRig| page.page.model().navigation.groups[0].title.clone();
    assert_eq!(first(&page), "Pinned");
    assert_eq!(page.effects(), ["keep Pin(\"nodes\")"]);
    assert!(page.page.model().navigation.groups[0].items[0].is_pinned);
    page.act(Action::Pin(nodes));
    assert_ne!(first(&page), "Pinned");
    let navigation = page.page.model().navigation.clone();
    let pods = Resource::parse("", "v1", "pods").expect("a resource");
    let count = navigation.count_of(&pods).expect("the rows are here");
    assert_eq!((navigation.kind_count, &*count.rows, &*count.failing), (11, "3", "1"));
    let repeated = navigation.groups.iter().flat_map(|group| &group.items).filter(|item| item.is_repeated);
    let labels: Vec<&str> = repeated.map(|item| item.label.as_str()).collect();
    assert_eq!(labels, ["deployments", "pods", "events", "namespaces", "nodes"], "they stand above, too");
}

#[test]
fn the_kinds_that_are_opened_most_stand_first_and_a_kind_takes_the_focus_to_its_rows() {
    let mut page = PageRig::live("/v/pods");
    let often = page.page.model().navigation.groups[0].clone();
    let labels: Vec<&str> = often.items.iter().map(|item| item.label.as_str()).collect();
    assert_eq!(
        (often.title.as_str(), labels.join(" ").as_str()),
        ("Often", "pods deployments nodes events namespaces")
    );
    let nodes = Resource::parse("", "v1", "nodes").expect("a resource");
    page.act(Action::OpenKind(nodes.clone()));
    assert!(page.model().focus.is_some());
    page.act(Action::Pin(nodes));
    let often = &page.page.model().navigation.groups[1];
    assert_eq!((often.title.as_str(), often.items.len()), ("Often", 4), "a pinned kind stands there once");
}

#[test]
fn the_palette_opens_with_where_the_reader_was_and_then_with_kinds() {
    let mut page = PageRig::live("/v/pods");
    page.act(PaletteAction::Open);
    assert_eq!(hits(&page)[..2], ["pods", "deployments apps"]);
    page.act(PaletteAction::Close);
    page.act(PaneAction::Filter("web".to_owned()));
    page.act(Action::OpenKind(Resource::parse("", "v1", "nodes").expect("a resource")));
    page.act(PanelAction::Open { row: Some(page.gateway.row("nodes", "node-1").id.to_string()), key: None });
    page.act(Action::OpenKind(Resource::parse("", "v1", "events").expect("a resource")));
    page.act(PaletteAction::Open);
    assert_eq!(hits(&page)[..4], ["node-1 nodes", "nodes", "pods all namespaces web", "pods"]);
    page.act(PaletteAction::Choose(Some(2)));
    assert_eq!((page.address.as_str(), page.model().filter.as_str()), ("/v/pods@kind/*?q=web", "web"));
}

#[test]
fn the_palette_knows_every_namespace_of_the_cluster_or_else_those_that_rows_name() {
    let mut page = PageRig::live("/v/pods@kind/shop");
    page.put("namespaces", "payments Active");
    type_in(&mut page, "deploy pay");
    assert_eq!(hits(&page)[0], "deployments in payments");
    page.put("namespaces", "papers Active");
    page.act(PaletteAction::Type("pap".to_owned()));
    assert_eq!(hits(&page)[0], "papers", "the list is live");
    page.act(PaletteAction::Close);
    assert_eq!(page.gateway.subscriptions(), ["pods in shop"], "it is watched while the palette is open");
    let mut page = PageRig::before("/v/pods", Host::Dogwatch, Environment::default());
    let problem = Problem::new(Reason::Forbidden, "namespaces is forbidden");
    page.gateway.refused.insert("namespaces".to_owned(), problem);
    page.start();
    type_in(&mut page, "pods led");
    assert_eq!(hits(&page)[0], "pods in ledger");
}

fn picker(page: &PageRig) -> PickerModel {
    page.page.model().namespaces.picker.clone().expect("the picker is open")
}

/// The options, with `>` before the active one and `*` behind the chosen ones.
fn options(page: &PageRig) -> String {
    let picker = picker(page);
    let text = |(at, option): (usize, &page::model::NamespaceOption)| {
        let active = if picker.active == Some(at) { ">" } else { "" };
        format!("{active}{}{}", option.text, if option.is_chosen { "*" } else { "" })
    };
    picker.options.iter().enumerate().map(text).collect::<Vec<_>>().join(", ")
}

#[test]
fn namespaces_are_picked_by_keys_from_a_list_that_is_watched_while_it_is_open() {
    let mut page = PageRig::live("/v/pods");
    page.act(Action::Namespaces(PickerAction::Open));
    page.act(Action::Namespaces(PickerAction::Open));
    assert_eq!(options(&page), "all namespaces*, ledger, shop");
    page.put("namespaces", "payments Active");
    page.act(Action::Namespaces(PickerAction::Move(1)));
    page.act(Action::Namespaces(PickerAction::Move(1)));
    assert_eq!(options(&page), "all namespaces*, >ledger, payments, shop");
    page.act(Action::Namespaces(PickerAction::Type("Pay".to_owned())));
    assert_eq!(options(&page), ">payments, Use \"pay\" (not in the list)", "the first match is active");
    page.act(Action::Namespaces(PickerAction::Choose(None)));
    assert_eq!(page.effects(), ["push /v/pods@kind/payments"]);
    assert_eq!(options(&page), "all namespaces, ledger, payments*, shop", "the text is taken");
    page.act(Action::Namespaces(PickerAction::Choose(Some(3))));
    assert_eq!(
        (page.names().as_str(), page.address.as_str()),
        ("cart-1 web-1", "/v/pods@kind/payments,shop")
    );
    page.act(Action::Namespaces(PickerAction::Choose(Some(2))));
    page.act(Action::Namespaces(PickerAction::Choose(Some(3))));
    assert_eq!(page.address, "/v/pods@kind/*", "without the last one it is all");
    page.act(Action::Namespaces(PickerAction::Type("not a name!".to_owned())));
    assert_eq!(options(&page), "");
    assert!(picker(&page).refused.contains("is not valid"), "{}", picker(&page).refused);
    page.act(Action::Namespaces(PickerAction::Choose(None)));
    assert_eq!(page.address, "/v/pods@kind/*");
    page.act(Action::Namespaces(PickerAction::Type("new-one".to_owned())));
    page.act(Action::Namespaces(PickerAction::Choose(None)));
    assert_eq!(page.address, "/v/pods@kind/new-one");
    page.act(Action::Namespaces(PickerAction::Choose(None)));
    assert!(page.page.model().namespaces.picker.is_none(), "nothing is typed or marked: the reader is done");
    let subscriptions = page.gateway.subscriptions();
    assert_eq!(subscriptions, ["namespaces", "pods in new-one"], "without rows: does it exist?");
    page.act(Action::LookEverywhere);
    assert_eq!(page.gateway.subscriptions(), ["pods"]);
    let nodes = PageRig::live("/v/nodes");
    assert!(nodes.page.model().namespaces.is_cluster_scoped);
    let problem = Problem::new(Reason::Forbidden, "namespaces is forbidden");
    page.gateway.refused.insert("namespaces".to_owned(), problem);
    page.act(Action::Namespaces(PickerAction::Open));
    let picker = picker(&page);
    assert!(picker.note.contains("type the ones") && picker.options.len() > 1, "{picker:?}");
}

#[test]
fn the_sheet_of_keys_opens_and_closes_and_gives_the_focus_back() {
    let mut page = PageRig::live("/v/pods");
    let begun = page.model().focus.clone();
    page.act(Action::Help(true));
    assert!(page.page.model().help && page.model().focus == begun);
    page.act(Action::Help(false));
    assert!(!page.page.model().help && page.model().focus != begun);
    page.act(Action::Kinds);
    assert_eq!((page.page.model().kinds_asked, page.address.as_str()), (1, "/v/pods@kind/*"));
}

#[test]
fn the_rollouts_are_the_changing_rows_of_their_kind() {
    let mut page = PageRig::live("/v/pods");
    type_in(&mut page, "rollouts");
    assert_eq!(hits(&page)[0], "Rollouts and scaling: changing deployments g r");
    page.act(PaletteAction::Close);
    let mut letters = TwoLetters::default();
    let pressed = ["g", "r"].map(|letter| letters.action(letter, |name| of_rows(name, false)));
    pressed.into_iter().flatten().for_each(|action| page.act(action));
    assert_eq!(page.address, "/v/deployments.apps@kind/*?q=health=changing&sort=trouble");
}
