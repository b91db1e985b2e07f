//! A paused view: the rows stand still, and what happens meanwhile is recorded, counted and marked in the end.

use page::action::{Action, Key, LogAction, PaneAction};
use page::changes::Sign;
use page::model::{Notice, NoticeAction};
use page::testing::PageRig;
use serde_json::json;

fn signs(page: &PageRig) -> Vec<(String, Option<Sign>)> {
    let rows = page.model().rows.clone();
    let names = page.names();
    names.split(' ').map(str::to_owned).zip(rows.rows.iter().map(|row| row.sign)).collect()
}

/// The reader paused, and sees only what changed meanwhile.
fn only_web_changed_behind_a_pause(page: &mut PageRig) {
    page.key(Key::Pause);
    page.put("pods", "shop/web-1 0/1 Error 3");
    page.seconds(1);
    page.key(Key::Meanwhile);
    page.seconds(1);
}

/// What the line beside the tally offers.
fn offers(page: &PageRig) -> Vec<NoticeAction> {
    match page.model().notice.clone() {
        Notice::Tally { beside: Some(said), .. } => said.actions,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_happens_behind_a_pause_is_recorded_from_its_first_moment() {
    let mut page = PageRig::live("/v/pods");
    page.key(Key::Pause);
    page.seconds(1);
    assert_eq!(page.notice(), "Paused at 10:00:00. Nothing has changed since.");
    page.log("pods", "shop/web-1", json!({"type": "DELETED", "resource_version": "9"}));
    page.delete("pods", "shop/web-1");
    page.seconds(1);
    let Notice::Tally { entries, .. } = page.model().notice.clone() else {
        panic!("beside the tally of the paused rows: {:?}", page.model().notice)
    };
    assert_eq!(offers(&page), [NoticeAction::ShowChanges, NoticeAction::Resume]);
    assert!(entries.iter().any(|entry| entry.count != "0"));
    page.act(Action::from(NoticeAction::ShowChanges));
    page.act(LogAction::Resized { width_px: 1_200.0, height_px: 240.0 });
    page.seconds(1);
    let lines: Vec<&str> = page.model().log.lines.iter().map(|line| line.resource_version.as_str()).collect();
    assert_eq!(lines, ["9"]);
    assert!(page.notice().starts_with("The rows stay paused at 10:00:00. 1 entry since 10:00:00"));
    assert!(page.pill().starts_with("Live"), "the changes run on: {}", page.pill());
    page.act(Action::ToggleLog);
    page.seconds(1);
    assert!(page.model().is_paused && page.names().contains("web-1"), "{}", page.names());
    assert_eq!(page.page.model().health.text, "1 paused");
}

#[test]
fn rows_that_changed_behind_a_pause_are_marked_when_it_ends() {
    let mut page = PageRig::live("/v/pods");
    page.key(Key::Pause);
    page.put("pods", "shop/web-1 0/1 Error 3");
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.put("pods", "shop/new-2 1/1 Running 0");
    page.delete("pods", "shop/new-2");
    page.seconds(30);
    assert!(signs(&page).iter().all(|(_, sign)| sign.is_none()), "{:?}", signs(&page));
    page.key(Key::Pause);
    page.seconds(1);
    let marked: Vec<_> = signs(&page).into_iter().filter(|(_, sign)| sign.is_some()).collect();
    let expected = [("new-1", Sign::Added), ("new-2", Sign::Deleted), ("web-1", Sign::Modified)];
    assert_eq!(marked, expected.map(|(name, sign)| (name.to_owned(), Some(sign))));
    let said = "+1 ~1 −1 rows while paused for 30s, 10:00:00 to 10:00:30";
    assert_eq!(page.notice(), said, "each row once");
    page.seconds(10);
    let marked = signs(&page).into_iter().filter(|(_, sign)| sign.is_some()).count();
    assert_eq!(marked, 3, "they are looked for");
    page.seconds(20);
    assert!(page.notice().starts_with("1 failing"), "{}", page.notice());
    assert!(signs(&page).iter().all(|(_, sign)| sign.is_none()), "{:?}", signs(&page));
}

#[test]
fn a_paused_log_pauses_the_rows_and_both_go_on_together() {
    let mut page = PageRig::live("/log/pods");
    page.key(Key::Pause);
    page.act(Action::ToggleLog);
    page.seconds(1);
    assert!(page.model().is_paused);
    page.act(PaneAction::TogglePause);
    page.act(Action::ToggleLog);
    page.seconds(1);
    assert!(!page.model().is_paused);
}

#[test]
fn paused_rows_stand_still_also_those_that_wait_for_their_place() {
    let mut page = PageRig::live("/v/pods?sort=-restarts");
    let before = page.names();
    page.act(PaneAction::PointerMoved { row: Some(page.row("shop/web-1")) });
    page.put("pods", "shop/cart-1 1/1 Running 99");
    assert_eq!(page.model().out_of_order, 1);
    page.key(Key::Pause);
    page.act(PaneAction::PointerLeft);
    page.seconds(60);
    assert_eq!(page.names(), before);
    page.key(Key::Settle);
    assert!(page.names().starts_with("cart-1"), "the reader puts them in order: {}", page.names());
}

#[test]
fn rows_that_changed_behind_a_pause_are_left_alone_until_the_reader_has_seen_them() {
    let mut page = PageRig::live("/v/pods");
    let before = page.names();
    page.key(Key::Meanwhile);
    page.seconds(1);
    assert_eq!(page.model().status_bar.said, "No row to show that changed during a pause");
    page.key(Key::Pause);
    page.key(Key::Meanwhile);
    page.seconds(1);
    assert_eq!(page.model().status_bar.said, "No row has changed since the pause began");
    assert!(page.model().is_paused, "nothing is lost");
    page.put("pods", "shop/web-1 0/1 Error 3");
    page.put("pods", "shop/web-1 0/1 Error 4");
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.delete("pods", "shop/cart-1");
    page.seconds(60);
    page.key(Key::Meanwhile);
    page.seconds(1);
    assert!(!page.model().is_paused, "the pause ends with it");
    assert_eq!(page.names(), "cart-1 new-1 web-1", "also the one that was deleted");
    assert_eq!(page.notice(), "+1 ~1 −1 rows while paused for 61s, 10:00:01 to 10:01:02");
    assert_eq!(offers(&page), [NoticeAction::ShowChanges, NoticeAction::AllRows]);
    page.put("pods", "shop/new-2 1/1 Running 0");
    page.put("pods", "shop/web-1 0/1 Error 5");
    page.delete("pods", "shop/new-1");
    page.seconds(60);
    assert_eq!(page.names(), "cart-1 new-1 web-1", "what comes later isn't among them");
    let signs: Vec<_> = signs(&page).into_iter().map(|(_, sign)| sign).collect();
    assert_eq!(signs, [Some(Sign::Deleted), Some(Sign::Deleted), Some(Sign::Modified)]);
    page.act(PaneAction::Filter("web".into()));
    page.seconds(1);
    assert_eq!(page.names(), "web-1", "a filter narrows them");
    page.act(PaneAction::Filter(String::new()));
    page.key(Key::Back);
    page.seconds(1);
    assert!(page.names().split(' ').count() > 3, "Escape shows all rows: {}", page.names());
    assert!(page.notice().starts_with("+1 ~1 −1 rows"), "and the way back stays for a while");
    page.seconds(30);
    assert!(page.notice().starts_with("1 failing"), "{}", page.notice());
    let all = before.replace("cart-1 ", "").replace("web-1", "new-2 web-1");
    assert_eq!(page.names(), all, "the deleted ones leave");
}

#[test]
fn a_new_pause_and_a_new_list_begin_with_all_rows() {
    let mut page = PageRig::live("/v/pods");
    only_web_changed_behind_a_pause(&mut page);
    page.key(Key::Pause);
    page.put("pods", "shop/cart-1 0/1 Error 3");
    page.seconds(1);
    assert_eq!(page.names(), "web-1", "a pause holds what is shown");
    assert_eq!(offers(&page), [NoticeAction::ShowChanges, NoticeAction::AllRows, NoticeAction::Resume]);
    page.key(Key::Pause);
    page.seconds(1);
    assert!(page.names().contains("cart-1") && page.names().contains("web-1"), "{}", page.names());
    assert!(page.notice().starts_with("~1 row while paused for "), "{}", page.notice());
    assert_eq!(offers(&page), [NoticeAction::ShowChanges, NoticeAction::OnlyMeanwhile]);
}

#[test]
fn the_marks_of_paused_rows_go_as_if_they_were_seen_live() {
    let mut page = PageRig::live("/v/pods");
    page.put("pods", "shop/web-1 0/1 Error 3");
    page.delete("pods", "shop/cart-1");
    page.key(Key::Pause);
    page.seconds(1);
    let marked = |page: &PageRig| signs(page).into_iter().filter_map(|(_, sign)| sign).collect::<Vec<_>>();
    assert_eq!(marked(&page), [Sign::Deleted, Sign::Modified]);
    page.seconds(10);
    assert_eq!(marked(&page), [Sign::Deleted], "none looks as if it had changed behind the pause");
}

#[test]
fn what_is_shown_of_a_pause_ends_with_its_pane_and_with_its_rows() {
    let mut page = PageRig::live("/b?v=pods@kind/*&v=pods@kind/*");
    only_web_changed_behind_a_pause(&mut page);
    assert_eq!(page.names(), "web-1");
    page.go("/b?v=nodes@kind/-&v=pods@kind/*");
    page.go("/b?v=pods@kind/*&v=pods@kind/*");
    page.seconds(1);
    assert!(page.names().contains("cart-1"), "another reader of the view begins with all: {}", page.names());
}
