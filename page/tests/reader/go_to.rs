//! "Go to", the navigation with its pins and boards, the namespaces picker, and the sheet of keys.

use page::action::{Action, PaletteAction};
use page::testing::PageRig;
use page::{Environment, Host};
use shared::frame::server::Board;
use shared::name::Namespace;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;
use shared::scope::Namespaces;

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
    assert_eq!(page.address, "/v/deployments.apps@kind/shop");
    assert!(page.page.model().palette.is_none());
    type_in(&mut page, "nodes");
    page.act(PaletteAction::Choose(Some(0)));
    assert_eq!(page.address, "/v/nodes@kind/-");
    type_in(&mut page, "pods");
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.address, "/v/pods@kind/*", "a kind without namespaces doesn't remember them");
}

#[test]
fn the_palette_finds_objects_namespaces_and_actions_and_fetches_nothing() {
    let mut page = PageRig::live("/v/pods");
    page.gateway.take_asked();
    type_in(&mut page, "shop/web");
    let at = hits(&page).iter().position(|hit| hit == "shop/web-1 pods").expect("the pod");
    page.act(PaletteAction::Move(isize::try_from(at).expect("few")));
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.focused(), "web-1");
    type_in(&mut page, "ledger");
    assert_eq!(page.gateway.take_asked(), [""; 0]);
    let at = hits(&page).iter().position(|hit| hit == "ledger").expect("the namespace");
    page.act(PaletteAction::Choose(Some(at)));
    assert_eq!(page.address, "/v/pods@kind/ledger");
    for (words, check) in [
        ("wide columns", "?wide=1"),
        ("all namespaces", "/*?wide=1"),
        ("switch between changes", "/log/pods@kind/*?wide=1"),
        ("one more pane", "/b?log=pods@kind/*;wide=1&v=pods@kind/*;wide=1"),
        ("close this", "/log/pods@kind/*?wide=1"),
    ] {
        type_in(&mut page, words);
        page.act(PaletteAction::Choose(None));
        assert!(page.address.ends_with(check), "{words}: {}", page.address);
    }
    type_in(&mut page, "zzzz");
    page.act(PaletteAction::Move(-3));
    page.act(PaletteAction::Choose(None));
    page.act(PaletteAction::Close);
    assert!(page.page.model().palette.is_none() && page.model().focus.is_some());
}

#[test]
fn the_teams_boards_and_pins_stand_in_the_navigation_and_in_the_palette() {
    let mut page = PageRig::before("/v/pods", Host::Dogwatch, Environment::default());
    page.gateway.welcome.boards =
        vec![Board { name: "On call".into(), link: "/b?v=pods@kind/*&v=nodes@kind/-".into() }];
    page.gateway.welcome.pinned = vec!["nodes".into(), "gone.example.com".into()];
    page.start();
    let navigation = page.page.model().navigation.clone();
    assert_eq!(navigation.boards, [("On call".to_owned(), "/b?v=pods@kind/*&v=nodes@kind/-".to_owned())]);
    assert_eq!((navigation.groups[0].title.as_str(), navigation.groups[0].items.len()), ("Pinned", 1));
    type_in(&mut page, "on call");
    page.act(PaletteAction::Choose(None));
    assert_eq!(page.page.panes().count(), 2);
    assert_eq!(page.effects().first().cloned(), Some("push /b?v=pods@kind/*&v=nodes@kind/-".to_owned()));
}

#[test]
fn a_pinned_kind_stays_at_the_top_and_is_remembered() {
    let mut page = PageRig::live("/v/pods");
    let nodes = Resource::parse("", "v1", "nodes").expect("a resource");
    page.act(Action::Pin(nodes.clone()));
    let first = |page: &PageRig| page.page.model().navigation.groups[0].title.clone();
    assert_eq!(first(&page), "Pinned");
    assert_eq!(page.effects(), ["keep TogglePin(\"nodes\")"]);
    assert!(page.page.model().navigation.groups[0].items[0].is_pinned);
    page.act(Action::Pin(nodes));
    assert_ne!(first(&page), "Pinned");
    let navigation = page.page.model().navigation.clone();
    assert_eq!((navigation.kind_count, navigation.count.as_deref()), (11, Some("3")));
}

#[test]
fn namespaces_are_picked_from_a_list_that_is_watched_while_it_is_open() {
    let mut page = PageRig::live("/v/pods");
    page.act(Action::PickNamespaces(true));
    page.act(Action::PickNamespaces(true));
    page.put("namespaces", "tools Active");
    let list = page.page.model().namespaces.clone();
    assert_eq!((list.names.join(" ").as_str(), list.is_cluster_scoped), ("ledger shop tools", false));
    let shop = Namespaces::these(vec![Namespace::parse("shop").expect("a name")]).expect("one");
    page.act(Action::SetNamespaces(shop.clone()));
    assert_eq!(page.names(), "cart-1 web-1");
    assert_eq!(page.effects(), ["push /v/pods@kind/shop"]);
    assert_eq!(page.page.model().namespaces.chosen, shop);
    page.act(Action::PickNamespaces(false));
    assert_eq!(page.gateway.subscriptions(), ["pods in shop"]);
    let nodes = PageRig::live("/v/nodes");
    assert!(nodes.page.model().namespaces.is_cluster_scoped);
    let problem = Problem::new(Reason::Forbidden, "namespaces is forbidden");
    page.gateway.refused.insert("namespaces".to_owned(), problem);
    page.act(Action::PickNamespaces(true));
    let note = &page.page.model().namespaces.note;
    assert!(note.contains("type the ones"), "{note}");
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
