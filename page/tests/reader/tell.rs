//! "Tell me when": what was asked is told once it is so, and never on a state that isn't proven.

use page::action::{Action, PaneAction, TellAction};
use page::effect::MayNotify;
use page::piece::Piece;
use page::tell::{Draft, TellSheet, Which};
use page::testing::{PageRig, brings};

fn live(address: &str) -> PageRig {
    let mut page = PageRig::live(address);
    page.page.brought(brings(Piece::More), page.now());
    page.seconds(1);
    page
}

#[test]
fn what_goes_right_after_the_question_was_there() {
    let mut page = live("/v/pods");
    page.act(TellAction::Open);
    page.act(TellAction::Write(form("deleted")));
    page.act(TellAction::Ask);
    page.delete("pods", "ledger/db-0");
    page.seconds(1);
    assert_eq!(told(&page).len(), 1);
}

/// Asks this of a subject of the sheet.
fn ask(page: &mut PageRig, subject: usize, draft: Draft) {
    page.act(TellAction::Open);
    page.act(TellAction::Write(Draft { subject, ..draft }));
    page.act(TellAction::Ask);
    page.seconds(1);
}

fn form(form: &str) -> Draft {
    Draft { form: form.into(), ..Draft::default() }
}

fn sheet(page: &PageRig) -> TellSheet {
    page.page.model().tell.clone().expect("it is open")
}

fn told(page: &PageRig) -> Vec<String> {
    sheet(page).told.into_iter().map(|line| line.text).collect()
}

#[test]
fn a_view_tells_what_becomes_so_with_its_proof_and_a_notification() {
    let mut page = live("/v/pods");
    page.page.may_notify(MayNotify::Yes);
    page.keys(&["!"]);
    page.seconds(1);
    assert_eq!(sheet(&page).subjects, ["pods all namespaces"]);
    ask(&mut page, 0, form("health=failing"));
    page.seconds(2);
    assert_eq!(told(&page), Vec::<String>::new(), "web-1 failed before");
    assert_eq!(sheet(&page).questions[0].text, "any of pods all namespaces: health=failing");
    page.effects();
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 1");
    page.seconds(1);
    let line = sheet(&page).told[0].clone();
    assert!(line.text.starts_with("cart-1 in shop, of pods all namespaces: health=failing"), "{}", line.text);
    assert!(line.proof.starts_with("resourceVersion ") && line.proof.contains("confirmed"), "{}", line.proof);
    let effects = page.effects();
    assert!(effects.iter().any(|effect| effect.contains("Notify")), "{effects:?}");
    assert!(sheet(&page).questions.is_empty(), "it is told once");
    assert_eq!(page.gateway.subscriptions(), ["pods"], "the pane's view is still open");
}

#[test]
fn what_is_not_proven_is_not_told_until_it_is() {
    let mut page = live("/v/pods");
    ask(&mut page, 0, form("health=failing"));
    page.gateway.is_silent = true;
    page.seconds(20);
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 1");
    page.seconds(1);
    assert_eq!(told(&page), Vec::<String>::new());
    assert!(sheet(&page).questions[0].state.starts_with("unknown since"), "{:?}", sheet(&page).questions);
    page.gateway.is_silent = false;
    page.seconds(6);
    assert_eq!(told(&page).len(), 1);
}

#[test]
fn each_object_is_told_as_often_as_it_was_asked_and_a_question_can_be_taken_back() {
    let mut page = live("/v/pods");
    ask(&mut page, 0, Draft { repeats: true, ..form("created") });
    ask(&mut page, 0, form("deleted"));
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.seconds(1);
    page.put("pods", "shop/new-2 1/1 Running 0");
    page.delete("pods", "ledger/db-0");
    page.seconds(1);
    let told = told(&page);
    assert_eq!(told.len(), 3, "{told:?}");
    for object in ["new-1 in shop", "new-2 in shop", "db-0 in ledger"] {
        assert!(told.iter().any(|text| text.starts_with(object)), "{object}: {told:?}");
    }
    let number = sheet(&page).questions[0].number;
    page.act(TellAction::Remove(number));
    page.seconds(1);
    assert!(sheet(&page).questions.is_empty());
}

#[test]
fn one_object_is_asked_of_by_its_name_and_all_of_a_view_together() {
    let mut page = live("/v/pods?o=shop/web-1");
    page.act(TellAction::Open);
    page.seconds(1);
    assert_eq!(sheet(&page).subjects, ["Pod web-1 in shop", "pods all namespaces"]);
    ask(&mut page, 0, form("status=Running"));
    ask(&mut page, 1, Draft { which: Which::None, ..form("health=failing") });
    page.put("pods", "shop/web-1 1/1 Running 5");
    page.seconds(2);
    let mut told = told(&page);
    told.sort();
    assert_eq!(told, ["Pod web-1 in shop: status=Running", "none of pods all namespaces: health=failing"]);
}

#[test]
fn what_cannot_be_asked_says_why_and_asks_nothing() {
    let mut page = live("/v/pods");
    for draft in [form(""), form("condition="), Draft { hold: "soon".into(), ..form("created") }] {
        ask(&mut page, 0, draft.clone());
        assert!(!sheet(&page).why.is_empty() && sheet(&page).questions.is_empty(), "{draft:?}");
    }
    let mut page = live("/wrong");
    ask(&mut page, 0, form("created"));
    assert_eq!(sheet(&page).why, page::tell::words::NO_SUBJECT);
}

#[test]
fn the_bell_counts_what_was_not_seen_and_all_of_it_ends_with_the_login() {
    let mut page = live("/v/pods");
    assert_eq!(page.page.model().bell, None);
    ask(&mut page, 0, form("created"));
    page.act(TellAction::Close);
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.seconds(1);
    assert_eq!(page.page.model().bell, Some(1));
    page.act(TellAction::Open);
    page.seconds(1);
    assert_eq!(page.page.model().bell, Some(0));
    page.act(TellAction::Close);
    page.act(PaneAction::Filter("web".into()));
    page.act(Action::SignOut);
    let now = page.now();
    page.effects();
    page.page.signed_out(Ok(None), now);
    page.seconds(1);
    assert!(page.effects().contains(&"close notifications".to_owned()));
    assert_eq!(page.page.model().bell, None);
    assert!(page.page.model().tell.is_none());
}
