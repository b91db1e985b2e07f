//! The pieces of the program that are fetched apart: when they are asked for, and what a reader sees without them.

use page::action::{
    Action, ColumnsAction, Key, LogAction, PaletteAction, PaneAction, PickerAction, SelectorAction,
    SelectorKind,
};
use page::model::{PieceShown, Standing};
use page::piece::NotBrought;
use page::testing::PageRig;
use page::{Environment, Host};
use serde_json::json;

const POD: &str = "/v/pods?o=shop/cart-1";

fn without_pieces(address: &str, why: NotBrought) -> PageRig {
    let mut page = PageRig::before(address, Host::Dogwatch, Environment::default());
    page.lacks_pieces = Some(why);
    page.start();
    page
}

fn failed(shown: &PieceShown) -> &str {
    match shown {
        PieceShown::Failed(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_object_whose_panel_cannot_be_fetched_says_so_and_opens_when_it_comes() {
    let mut page = without_pieces(POD, NotBrought::Unanswered);
    page.seconds(1);
    assert!(page.page.model().lacks_panel && page.page.panel().head.is_none());
    let why = failed(&page.page.model().panel_piece);
    assert!(why.starts_with("This part of Dogwatch couldn't be fetched. It is asked for again in"), "{why}");
    assert_eq!((page.rows().len(), page.model().is_stale), (3, false), "the table doesn't need it");
    page.seconds(20);
    page.lacks_pieces = None;
    page.act(Action::FetchAgain);
    page.seconds(1);
    assert!(!page.page.model().lacks_panel, "at once, not after half a minute");
    assert_eq!(page.page.panel().head.clone().expect("open").name, "cart-1");
}

#[test]
fn what_is_not_there_can_be_closed() {
    let mut page = without_pieces(POD, NotBrought::Unanswered);
    page.panel_keys(&["Escape"]);
    assert_eq!((page.address.as_str(), page.page.model().lacks_panel), ("/v/pods@kind/*", false));
}

#[test]
fn a_gateway_of_another_build_asks_for_a_reload_and_the_table_stays_live() {
    let mut page = without_pieces("/v/pods", NotBrought::Gone);
    page.seconds(1);
    page.act(Action::Help(true));
    assert_eq!(page.page.model().more_piece, PieceShown::Gone);
    page.seconds(60);
    page.put("pods", "shop/new 1/1 Running 0");
    page.seconds(1);
    assert_eq!((page.rows().len(), page.pill().starts_with("Live")), (4, true));
}

#[test]
fn what_is_typed_before_the_palette_is_there_is_found_when_it_comes() {
    let mut page = without_pieces("/v/pods", NotBrought::Unanswered);
    page.act(PaletteAction::Open);
    page.act(PaletteAction::Type("nod".to_owned()));
    let shown = |page: &PageRig| {
        let shown = page.page.model().palette.clone().expect("it is open");
        (shown.text, shown.hits.into_iter().map(|hit| hit.label).next())
    };
    assert_eq!(shown(&page), ("nod".to_owned(), None));
    page.lacks_pieces = None;
    page.act(Action::FetchAgain);
    page.seconds(1);
    assert_eq!(shown(&page), ("nod".to_owned(), Some("nodes".to_owned())));
}

#[test]
fn a_choice_before_the_palette_is_there_is_made_when_it_comes_unless_more_was_typed() {
    for (typed, address) in
        [(None, "/v/nodes@kind/-?sort=trouble"), (Some("pod"), "/v/deployments.apps@kind/*")]
    {
        let mut page = without_pieces("/v/deployments.apps", NotBrought::Unanswered);
        page.act(PaletteAction::Open);
        page.act(PaletteAction::Type("nodes".to_owned()));
        page.act(PaletteAction::Move(1));
        page.act(PaletteAction::Choose(None));
        typed.into_iter().for_each(|text| page.act(PaletteAction::Type(text.to_owned())));
        page.lacks_pieces = None;
        page.act(Action::FetchAgain);
        page.seconds(1);
        assert_eq!(page.address, address);
        assert_eq!(page.page.model().palette.is_some(), typed.is_some());
    }
}

/// Its piece, which the page asked for in vain, comes.
fn comes(page: &mut PageRig) {
    page.lacks_pieces = None;
    page.act(Action::FetchAgain);
    page.seconds(1);
}

#[test]
fn what_completes_a_filter_or_a_selector_is_offered_when_it_comes_unless_the_list_was_closed() {
    for closes in [false, true] {
        let mut page = without_pieces("/v/pods", NotBrought::Unanswered);
        page.act(PaneAction::Complete(Some(("stat".to_owned(), 4))));
        assert_eq!(page.model().suggestions, None);
        if closes {
            page.act(PaneAction::Complete(None));
        }
        comes(&mut page);
        let offered = page.model().suggestions.as_ref().map(|offered| offered.items[0].text.as_str());
        assert_eq!(offered, Some("status=").filter(|_| !closes));
    }
    let mut page = without_pieces("/v/pods", NotBrought::Unanswered);
    page.act(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Fields)));
    assert_eq!(page.model().selector_suggestions, None);
    comes(&mut page);
    assert!(page.model().selector_suggestions.is_some());
}

fn log(page: &PageRig) -> (Vec<&str>, &str) {
    let shown = &page.model().log;
    (shown.lines.iter().map(|line| line.resource_version.as_str()).collect(), &shown.text)
}

#[test]
fn changes_are_recorded_before_the_log_is_there_and_a_pause_and_the_links_filter_hold() {
    let mut page = without_pieces("/log/pods?lq=shop", NotBrought::Unanswered);
    let changed = |version: &str| json!({"type": "ADDED", "resource_version": version});
    page.log("pods", "shop/web-1", changed("7"));
    page.log("pods", "ledger/db-0", changed("8"));
    page.key(Key::Pause);
    page.log("pods", "shop/web-1", changed("9"));
    assert!(page.model().is_paused && log(&page).0.is_empty());
    assert_eq!(page.pill(), "Paused · 1 entry pending");
    comes(&mut page);
    page.act(LogAction::Resized { width_px: 1_200.0, height_px: 240.0 });
    assert_eq!(log(&page), (vec!["7"], "shop"));
    assert_eq!(page.pill(), "Paused · 1 entry pending");
    page.key(Key::Pause);
    assert_eq!(log(&page), (vec!["7", "9"], "shop"));
    assert_eq!(page.address, "/log/pods@kind/*?lq=shop");
}

#[test]
fn the_export_menu_is_open_before_its_piece_is_there_and_rows_are_copied_without_it() {
    let mut page = without_pieces("/v/pods?sort=-name&cols=name", NotBrought::Unanswered);
    page.keys(&["K", "j", "x"]);
    assert_eq!(page.model().export.clone().expect("open").line, "");
    page.effects();
    page.act(PaneAction::Copy(None));
    assert_eq!(page.effects(), ["copy NAME\nweb-1\n"]);
    comes(&mut page);
    let export = page.model().export.clone().expect("open");
    assert_eq!((export.line.is_empty(), export.rows.as_str()), (false, "1 selected row, current columns"));
}

#[test]
fn what_is_done_to_columns_before_their_list_is_there_is_done_when_it_comes() {
    let mut page = without_pieces("/v/pods", NotBrought::Unanswered);
    page.keys(&["c"]);
    let columns = |action| PaneAction::Columns(action);
    page.act(columns(ColumnsAction::Toggle("age".to_owned())));
    page.act(columns(ColumnsAction::Add("IMAGE:.spec.image".to_owned())));
    page.act(columns(ColumnsAction::Width { column: 1, px: Some(321.0) }));
    let entries = |page: &PageRig| page.model().columns.as_ref().map(|list| list.entries.len());
    assert_eq!(
        (page.titles().as_str(), entries(&page)),
        ("NAMESPACE NAME READY STATUS RESTARTS AGE", Some(0))
    );
    assert!(page.model().columns_css.contains("321px"), "the table fits a column by itself");
    comes(&mut page);
    assert_eq!(
        (page.titles().as_str(), entries(&page)),
        ("NAMESPACE NAME READY STATUS RESTARTS IMAGE", Some(9))
    );
    assert_eq!(page.address, "/v/pods@kind/*?cols=namespace,name,ready,status,restarts,IMAGE:.spec.image");
}

#[test]
fn what_is_typed_in_a_picker_before_its_options_are_there_fits_them_when_they_come() {
    type Case = (fn(PickerAction) -> Action, &'static str, &'static str);
    let cases: [Case; 2] = [
        (Action::Namespaces, "led", "/v/pods@eu/ledger,shop"),
        (Action::Clusters, "us", "/v/pods@eu,us/shop"),
    ];
    for (of, text, address) in cases {
        let mut page = PageRig::before("/v/pods@eu/shop", Host::Dogwatch, Environment::default());
        page.gateway.has_clusters(&["eu", "us"]);
        page.lacks_pieces = Some(NotBrought::Unanswered);
        page.start();
        page.act(of(PickerAction::Open));
        page.act(of(PickerAction::Type(text.to_owned())));
        page.act(of(PickerAction::Move(1)));
        page.act(of(PickerAction::Choose(None)));
        let typed = |page: &PageRig| {
            let (namespaces, clusters) = (&page.page.model().namespaces, &page.page.model().clusters);
            let namespaces = namespaces.picker.as_ref().map(|open| (open.typed.clone(), open.options.len()));
            let clusters = clusters.picker.as_ref().map(|open| (open.typed.clone(), open.options.len()));
            namespaces.or(clusters).expect("it is open")
        };
        assert_eq!((typed(&page), page.address.as_str()), ((text.to_owned(), 0), "/v/pods@eu/shop"));
        assert!(matches!(page.page.model().more_piece, PieceShown::Failed(_)), "it was asked for");
        comes(&mut page);
        assert_eq!(typed(&page).0, text);
        page.act(of(PickerAction::Choose(None)));
        assert_eq!(page.address, address);
    }
}

#[test]
fn all_pieces_come_by_themselves_when_the_rows_have_stood_for_a_moment() {
    let mut page = PageRig::live("/v/pods");
    assert_eq!(page.page.model().shell_piece, PieceShown::Here);
    assert_eq!(page.page.model().panel_piece, PieceShown::Coming, "the rows come first");
    page.seconds(4);
    let model = page.page.model();
    assert_eq!((&model.panel_piece, &model.more_piece), (&PieceShown::Here, &PieceShown::Here));
}

#[test]
fn an_element_of_another_page_fetches_neither_the_page_around_it_nor_a_panel() {
    let mut page = PageRig::before("", Host::Portal, Environment::default());
    page.start();
    page.page.embed("/v/pods@kind/shop", page.now());
    page.seconds(4);
    assert_eq!(page.model().standing, Standing::Guest);
    let model = page.page.model();
    assert_eq!((&model.shell_piece, &model.panel_piece), (&PieceShown::Coming, &PieceShown::Coming));
}
