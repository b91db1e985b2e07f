//! The pieces of the program that are fetched apart: when they are asked for, and what a reader sees without them.

use page::action::{Action, PaletteAction};
use page::model::{PieceShown, Standing};
use page::piece::NotBrought;
use page::testing::PageRig;
use page::{Environment, Host};

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
    for (typed, address) in [(None, "/v/nodes@kind/-"), (Some("pod"), "/v/deployments.apps@kind/*")] {
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
