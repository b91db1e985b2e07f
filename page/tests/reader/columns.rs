//! Columns are chosen: by keys, by the pointer and by the link, the server's and one's own.

use page::action::{ColumnsAction, PaneAction};
use page::preferences::Preferences;
use page::testing::PageRig;
use page::{Environment, Host};

const SERVED: &str = "NAMESPACE NAME READY STATUS RESTARTS AGE";

fn columns(action: ColumnsAction) -> PaneAction {
    PaneAction::Columns(action)
}

fn toggle(key: &str) -> PaneAction {
    columns(ColumnsAction::Toggle(key.to_owned()))
}

#[test]
fn columns_are_hidden_moved_and_added_and_the_link_says_so() {
    let mut page = PageRig::live("/v/pods");
    page.gateway.fields.insert((".spec.image".to_owned(), "shop/web-1".to_owned()), "web:1".to_owned());
    page.keys(&["c"]);
    assert_eq!(page.model().columns.as_ref().map(|list| list.entries.len()), Some(8));
    for (action, titles) in [
        (toggle("namespace"), "NAME READY STATUS RESTARTS AGE"),
        (toggle("name"), "NAME READY STATUS RESTARTS AGE"),
        (toggle("age"), "NAME READY STATUS RESTARTS"),
        (toggle("age"), "NAME READY STATUS RESTARTS AGE"),
        (columns(ColumnsAction::Move { key: "age".to_owned(), by: -2 }), "NAME READY AGE STATUS RESTARTS"),
        (
            columns(ColumnsAction::Place { key: "age".to_owned(), at: "name".to_owned() }),
            "AGE NAME READY STATUS RESTARTS",
        ),
        (columns(ColumnsAction::Add("IMAGE:.spec[x]".to_owned())), "AGE NAME READY STATUS RESTARTS"),
        (columns(ColumnsAction::Add("IMAGE:.spec.image".to_owned())), "AGE NAME READY STATUS RESTARTS IMAGE"),
    ] {
        page.act(action.clone());
        assert_eq!(page.titles(), titles, "{action:?}");
        let error = &page.model().columns.as_ref().expect("open").error;
        let is_bad =
            matches!(&action, PaneAction::Columns(ColumnsAction::Add(text)) if text.ends_with("[x]"));
        assert_eq!(error.contains("invalid array index x at character 7"), is_bad, "{error}");
    }
    assert!(page.rows()[2].ends_with("CrashLoopBackOff 5 web:1"), "{:?}", page.rows());
    assert_eq!(page.model().head.columns_shown, "6/9");
    assert_eq!(page.address, "/v/pods@kind/*?cols=age,name,ready,status,restarts,IMAGE:.spec.image");
    let linked = PageRig::live(&page.address);
    assert_eq!(linked.titles(), "AGE NAME READY STATUS RESTARTS IMAGE", "the same link shows the same");
    page.act(columns(ColumnsAction::Reset));
    assert_eq!((page.titles().as_str(), page.address.as_str()), (SERVED, "/v/pods@kind/*"));
    page.act(columns(ColumnsAction::Forget("image".to_owned())));
    page.act(columns(ColumnsAction::Open(false)));
    assert_eq!(page.model().columns, None);
}

#[test]
fn what_was_chosen_of_columns_is_remembered_and_a_link_wins() {
    let mut page = PageRig::live("/v/pods");
    page.act(toggle("status"));
    page.act(columns(ColumnsAction::Width { column: 1, px: Some(321.0) }));
    let kept = page.effects();
    assert_eq!(kept.iter().filter(|effect| effect.starts_with("keep Columns")).count(), 2, "{kept:?}");
    assert!(page.model().columns_css.contains("321px"), "{}", page.model().columns_css);
    let mut preferences = Preferences::default();
    preferences.keep_columns("pods", "namespace,name,age\n\nname=321");
    let environment = || Environment { preferences: preferences.clone(), ..Environment::default() };
    for (address, titles) in [
        ("/v/pods", "NAMESPACE NAME AGE"),
        ("/v/pods?cols=status,name", "STATUS NAME"),
        ("/v/services", "NAMESPACE NAME TYPE AGE"),
    ] {
        let mut page = PageRig::before(address, Host::Dogwatch, environment());
        page.start();
        assert_eq!(page.titles(), titles);
        let is_wide = page.model().columns_css.contains("321px");
        assert_eq!(is_wide, !address.contains("services"), "widths are the browser's");
    }
}

#[test]
fn wide_columns_and_the_namespace_depend_on_the_switch_the_scope_and_the_room() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&["w"]);
    assert_eq!(page.titles(), format!("{SERVED} IP NODE"));
    assert_eq!(page.address, "/v/pods@kind/*?wide=1");
    page.resize(0, 600.0);
    assert_eq!(page.titles(), "NAME READY STATUS RESTARTS AGE", "a narrow view leaves them out");
    page.resize(0, 1_200.0);
    assert_eq!(page.titles(), format!("{SERVED} IP NODE"));
    page.act(PaneAction::ToggleWide);
    assert_eq!(page.titles(), SERVED);
    assert_eq!(PageRig::live("/v/pods@/shop").titles(), "NAME READY STATUS RESTARTS AGE");
    assert_eq!(PageRig::live("/v/pods@/shop,ledger").titles(), SERVED);
    assert_eq!(PageRig::live("/v/nodes").titles(), "NAME STATUS AGE");
}

#[test]
fn columns_that_are_not_there_are_named_and_the_name_stays() {
    let page = PageRig::live("/v/pods?cols=a,b");
    assert_eq!((page.titles().as_str(), page.names().as_str()), ("NAME", "db-0 cart-1 web-1"));
    assert!(page.bar().contains("\"a\"") && page.bar().contains("\"b\""), "{}", page.bar());
}
