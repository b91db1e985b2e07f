//! What a reader may not see: which review said no, and what leaves and comes with a right.

use page::action::PaneAction;
use page::model::{Notice, NoticeAction, NoticeKind};
use page::testing::PageRig;
use shared::frame::server::{LoginMode, Viewer, ViewerRights};
use shared::problem::{Problem, Reason};

fn reviewed(refusal: &str) -> PageRig {
    let mut page = PageRig::before("/v/pods", page::Host::Dogwatch, page::Environment::default());
    page.gateway.welcome.viewer = Viewer {
        user: "alice".into(),
        groups: vec!["payments-dev".into(), "shop-dev".into()],
        mode: LoginMode::Bearer,
        provider: None,
        rights: ViewerRights::Viewer,
        signs_out: false,
        expires_ms: None,
    };
    if !refusal.is_empty() {
        page.gateway.refused.insert("pods".to_owned(), Problem::new(Reason::Forbidden, refusal));
    }
    page.start();
    page.seconds(1);
    page
}

#[test]
fn a_forbidden_kind_says_whose_rights_were_asked_for_and_the_line_that_asks_the_same() {
    let page = reviewed("you may not watch pods (no rule names it); ask `kubectl auth can-i watch pods -A`");
    let said = page.model().empty_state.clone().expect("no rows");
    assert_eq!(said.title, "You may not list pods");
    assert_eq!(
        said.text,
        "Asked as alice (groups payments-dev and shop-dev). The API server's review of watch pods said no: \
         no rule names it."
    );
    let review = said.review.expect("a review");
    assert_eq!(review.command, "kubectl auth can-i watch pods -A");
    assert_eq!(review.next, "Ask an administrator for list and watch on pods. Retrying every 30 s.");
}

#[test]
fn a_refusal_that_is_no_review_keeps_its_own_sentence() {
    let page = reviewed("the API server can't review rights: timed out");
    let said = page.model().empty_state.clone().expect("no rows");
    assert_eq!(said.review, None);
    assert!(said.text.contains("can't review rights: timed out"), "{said:?}");
}

#[test]
fn a_withdrawn_namespace_is_named_with_its_rows_until_that_is_dismissed_and_a_granted_one_joins() {
    let mut page = reviewed("");
    assert_eq!(page.rows().len(), 3);
    let frames = page.gateway.grant("pods", &["shop"], page.now_ms);
    page.receive(frames);
    page.seconds(1);
    assert_eq!(
        page.notice(),
        "Access to ledger was withdrawn 10:00:01. Its 1 row was removed from this view."
    );
    let Notice::Tally { beside: Some(said), .. } = page.model().notice.clone() else {
        panic!("beside the tally")
    };
    assert_eq!((said.kind, said.action), (NoticeKind::Withdrawn, Some(NoticeAction::DismissWithdrawn)));
    assert_eq!(page.rows().len(), 2, "and no sign of what may not be seen");
    page.act(PaneAction::DismissWithdrawn);
    assert!(!page.notice().contains("withdrawn"), "{}", page.notice());
    let frames = page.gateway.grant("pods", &[], page.now_ms);
    page.receive(frames);
    page.seconds(1);
    assert_eq!(page.rows().len(), 3, "it joins by itself");
}
