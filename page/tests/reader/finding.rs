//! Rows are found: by the filter.

use page::action::PaneAction;
use page::testing::PageRig;

#[test]
fn a_filter_shows_the_rows_that_match_and_the_address_says_so() {
    let mut page = PageRig::live("/v/pods");
    assert_eq!(page.names(), "db-0 cart-1 web-1");
    page.act(PaneAction::Filter("status=Running".to_owned()));
    assert_eq!(page.names(), "db-0 cart-1");
    assert_eq!(page.effects(), ["replace /v/pods@kind/*?q=status=Running"]);
}
