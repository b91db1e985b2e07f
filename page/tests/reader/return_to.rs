//! What a reader finds who goes back, looks away, or has only a part of the rights.

use page::action::{Action, Key, PaneAction, PanelAction};
use page::testing::PageRig;
use page::{Environment, Host};
use shared::resource::Resource;

#[test]
fn who_goes_back_finds_the_rows_where_they_were() {
    let mut page = PageRig::live("/v/services");
    for number in 0..60 {
        page.put("services", &format!("shop/svc-{number:02} ClusterIP"));
    }
    page.act(PaneAction::Scrolled { top_px: 560.0 });
    let (seen, address) = (page.model().status_bar.window.clone(), page.address.clone());
    assert_eq!(seen, "rows 21–42");
    page.act(Action::OpenKind(Resource::parse("", "v1", "nodes").expect("a resource")));
    assert_eq!(page.model().status_bar.window, "rows 1–1");
    page.go(&address);
    page.seconds(1);
    assert_eq!(page.model().status_bar.window, seen);
}

#[test]
fn a_row_that_the_filter_hides_is_not_opened() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&["j"]);
    page.act(PaneAction::Filter("cart".to_owned()));
    assert_eq!(page.names(), "cart-1");
    page.keys(&["Enter"]);
    assert_eq!(page.address, "/v/pods@kind/*?q=cart", "it was another one");
    page.act(PaneAction::ToRows);
    page.act(PaneAction::Focused(page.row("shop/cart-1")));
    page.keys(&["Enter"]);
    assert_eq!(page.address, "/v/pods@kind/*?q=cart&o=shop/cart-1");
}

#[test]
fn rows_that_the_changes_hid_are_scrolled_to_where_they_were() {
    let mut page = PageRig::live("/v/services");
    for number in 0..60 {
        page.put("services", &format!("shop/svc-{number:02} ClusterIP"));
    }
    page.act(PaneAction::Scrolled { top_px: 560.0 });
    page.keys(&["l"]);
    page.seconds(1);
    page.keys(&["l"]);
    assert_eq!(page.model().extent.scroll_to_px, None, "no table is mounted yet");
    page.resize(0, 1_200.0);
    assert_eq!(page.model().extent.scroll_to_px, Some(560.0), "the browser mounts one, and measures it");
    page.resize(0, 1_000.0);
    assert_eq!(page.model().extent.scroll_to_px, None);
}

#[test]
fn rows_that_a_panel_covers_are_where_they_were_when_it_closes() {
    let mut page = PageRig::live("/v/services");
    for number in 0..60 {
        page.put("services", &format!("shop/svc-{number:02} ClusterIP"));
    }
    page.act(PaneAction::Scrolled { top_px: 560.0 });
    page.seconds(1);
    page.act(PanelAction::Open {
        row: Some(page.gateway.row("services", "shop/svc-25").id.to_string()),
        key: None,
    });
    // The browser says of what isn't shown that it has no size.
    page.act(PaneAction::Resized { width_px: 0.0, height_px: 0.0, row_px: 0.0, font: None });
    page.seconds(1);
    page.go("/v/services@kind/*");
    page.seconds(1);
    page.resize(0, 900.0);
    assert_eq!(page.model().extent.scroll_to_px, Some(560.0));
    assert_eq!(page.model().status_bar.window, "rows 21–42");
}

#[test]
fn the_title_has_the_open_object_and_says_what_is_paused() {
    let mut page = PageRig::live("/v/pods");
    page.seconds(1);
    page.effects();
    page.act(PanelAction::Open { row: Some(page.row("shop/web-1")), key: None });
    page.seconds(1);
    page.key(Key::Pause);
    page.seconds(1);
    let titles: Vec<String> =
        page.effects().into_iter().filter(|effect| effect.starts_with("title")).collect();
    assert_eq!(
        titles,
        [
            "title ✗ 1 · web-1 · pods · kind · Dogwatch (Failing)",
            "title (paused) ✗ 1 · web-1 · pods · kind · Dogwatch (Failing)"
        ]
    );
}

#[test]
fn a_kind_that_never_came_is_as_of_no_time() {
    let mut page = PageRig::live("/v/pods");
    page.gateway.is_silent = true;
    page.act(Action::OpenKind(Resource::parse("", "v1", "nodes").expect("a resource")));
    page.seconds(20);
    assert!(!page.notice().contains("Rows as of"), "{}", page.notice());
}

#[test]
fn a_page_begins_in_its_rows_but_no_reader_is_there_yet() {
    let mut page = PageRig::live("/v/pods");
    let focus = page.model().focus.clone().expect("a row");
    assert!(focus.is_start && focus.row == page.row("ledger/db-0"), "{focus:?}");
    page.act(PaneAction::Focused(focus.row));
    page.act(PaneAction::Sort(4));
    page.put("pods", "shop/cart-1 1/1 Running 9");
    page.seconds(4);
    assert_eq!(page.names(), "cart-1 web-1 db-0", "rows move where nobody reads");
}

#[test]
fn rows_that_came_before_their_table_take_the_focus_when_it_is_there() {
    let mut page = PageRig::before("/v/pods", Host::Dogwatch, Environment::default());
    page.start_unmeasured();
    page.seconds(1);
    assert_eq!((page.model().rows.rows.len(), &page.model().focus), (3, &None));
    page.resize(0, 1_200.0);
    assert!(page.model().focus.as_ref().is_some_and(|focus| focus.is_start), "{:?}", page.model().focus);
}
