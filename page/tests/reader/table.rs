//! One table: its order, its pause, its selection, its focus, and its exports.

use page::action::{Key, MinimapAction, PaneAction, PanelAction};
use page::limits::FOLDED_ROW_PX;
use page::testing::{PageRig, resized};
use page::{Environment, Host};

fn sixty() -> PageRig {
    let mut page = PageRig::live("/v/services?sort=-name");
    for number in 0..60 {
        page.put("services", &format!("shop/svc-{number:02} ClusterIP"));
    }
    page
}

#[test]
fn a_sort_goes_both_ways_then_back_to_the_servers_order_and_the_most_restarts_come_first() {
    let mut page = PageRig::live("/v/pods");
    for (names, query) in [
        ("web-1 db-0 cart-1", "?sort=-restarts"),
        ("cart-1 db-0 web-1", "?sort=restarts"),
        ("db-0 cart-1 web-1", ""),
    ] {
        page.act(PaneAction::Sort(4));
        assert_eq!(page.names().as_str(), names);
        assert_eq!(page.address.as_str(), &*format!("/v/pods@kind/*{query}"));
    }
    page.key(Key::Down);
    page.keys(&["ArrowRight", "ArrowRight", "s"]);
    assert_eq!(page.names(), "cart-1 db-0 web-1", "the cell that has the focus names the column");
    assert!(page.address.ends_with("?sort=name"), "{}", page.address);
}

#[test]
fn the_row_at_which_a_reader_stands_stays_in_sight_in_a_lower_table_and_in_rows_of_two_lines() {
    let is_in_sight = |page: &PageRig, height_px: f64, row_px: f64| {
        let rows = &page.model().rows.rows;
        let place = rows.iter().find(|row| row.has_focus).expect("the row is drawn").place as f64;
        let top_px = page.model().extent.scroll_to_px.unwrap_or_default();
        (top_px..=top_px + height_px - row_px).contains(&(place * row_px))
    };
    let mut page = sixty();
    page.act(resized(1_200.0, 600.0));
    page.keys(&["j"; 15]);
    page.act(resized(1_200.0, 300.0));
    assert!(is_in_sight(&page, 300.0, 28.0), "{:?}", page.model().extent);
    page.act(resized(1_200.0, 600.0));
    page.act(resized(380.0, 600.0));
    assert!(is_in_sight(&page, 600.0, FOLDED_ROW_PX), "{:?}", page.model().extent);
}

#[test]
fn a_sort_without_a_chosen_cell_says_by_which_column_it_sorts() {
    let mut page = PageRig::live("/v/pods");
    for (names, order) in [
        ("cart-1 db-0 web-1", "Sorted by NAME"),
        ("web-1 db-0 cart-1", "Sorted by NAME"),
        ("db-0 cart-1 web-1", "Usual order"),
    ] {
        page.keys(&["s"]);
        assert_eq!(page.names(), names);
        assert_eq!(page.model().status_bar.said, format!("{order}; → chooses a column"));
    }
    page.act(PaneAction::Sort(4));
    page.keys(&["s"]);
    assert!(page.address.ends_with("?sort=restarts"), "the column that orders the rows: {}", page.address);
}

#[test]
fn the_focus_leaves_a_filter_without_a_match_only_for_a_row_that_is_in_the_document() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&["j"]);
    let number = |page: &PageRig| page.model().focus.as_ref().map(|focus| focus.number);
    let before = number(&page);
    page.act(PaneAction::Filter("absent".to_owned()));
    page.seconds(1);
    page.act(PaneAction::ToRows);
    assert_eq!((number(&page), page.model().status_bar.said.as_str()), (before, "No row to go to"));
    page.act(PaneAction::LeaveFilter);
    assert!(!page.names().is_empty());
    assert_eq!(number(&page), before, "the table takes the place of a sentence");
    page.resize(0, 1_200.0);
    assert_ne!(number(&page), before, "it is there, and was measured");
}

#[test]
fn a_row_whose_object_is_made_anew_leaves_and_its_reader_stands_at_the_new_one() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&["j"]);
    let before = page.row("ledger/db-0");
    page.delete("pods", "ledger/db-0");
    page.seconds(1);
    assert_eq!(page.names(), "db-0 cart-1 web-1", "struck out for a while");
    page.put("pods", "ledger/db-0 1/1 Running 0");
    page.seconds(1);
    assert_eq!(page.names(), "db-0 cart-1 web-1", "and not beside the new one");
    assert_ne!(page.row("ledger/db-0"), before);
    assert_eq!(page.focused(), "db-0");
}

#[test]
fn what_is_paused_stands_still_and_counts_what_waits() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&[" "]);
    let before = page.rows();
    page.act(PaneAction::CopyRows);
    let copied = page.effects().pop();
    assert_eq!((page.pill().as_str(), page.model().is_paused), ("Paused · 0 changes pending", true));
    page.put("pods", "shop/web-1 1/1 Running 6");
    page.put("pods", "shop/new-1 1/1 Running 0");
    page.delete("pods", "ledger/db-0");
    page.seconds(3_700);
    assert_eq!(page.rows(), before, "neither rows nor ages move");
    page.act(PaneAction::CopyRows);
    assert_eq!(page.effects().pop(), copied, "what is copied is what is shown");
    assert_eq!(page.pill(), "Paused · 3 changes pending");
    assert!(page.notice().ends_with("3 pending: +1 ~1 −1"), "{}", page.notice());
    page.act(PaneAction::Filter("cart".to_owned()));
    assert_eq!(page.names(), "cart-1", "what is frozen can still be filtered");
    page.act(PaneAction::Filter(String::new()));
    page.keys(&[" "]);
    assert!(page.pill().starts_with("Live"), "{}", page.pill());
    assert!(page.names().contains("new-1"), "{}", page.names());
}

#[test]
fn staleness_breaks_through_a_pause() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&[" "]);
    page.gateway.is_silent = true;
    page.seconds(13);
    assert!(page.pill().starts_with("Stale"), "{}", page.pill());
}

#[test]
fn rows_that_were_selected_stay_selected_in_any_order_and_behind_a_filter() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&["j", "x", "j", "j", "X"]);
    assert_eq!(page.model().status_bar.selected, "3 selected");
    page.keys(&["x"]);
    page.act(PaneAction::Sort(1));
    page.act(PaneAction::Sort(1));
    let rows = &page.model().rows.rows;
    let selected: Vec<bool> = rows.iter().map(|row| row.is_selected).collect();
    assert_eq!((page.names().as_str(), selected), ("web-1 db-0 cart-1", vec![false, true, true]));
    page.act(PaneAction::Filter("web".to_owned()));
    assert_eq!(page.model().status_bar.selected, "2 selected, hidden by the filter");
    page.delete("pods", "shop/cart-1");
    page.seconds(60);
    assert_eq!(
        page.model().status_bar.selected,
        "1 selected, hidden by the filter",
        "what is gone isn't selected"
    );
    page.keys(&["Escape"]);
    assert_eq!((page.model().status_bar.selected.as_str(), page.model().filter.as_str()), ("", "web"));
    page.keys(&["Escape"]);
    assert_eq!(page.model().filter, "", "the second step back clears the filter");
}

#[test]
fn the_focus_is_a_row_and_never_a_place() {
    let mut page = PageRig::live("/v/pods");
    for (key, row) in [
        ("j", "db-0"),
        ("j", "cart-1"),
        ("k", "db-0"),
        ("k", "db-0"),
        ("G", "web-1"),
        ("j", "web-1"),
        ("Home", "db-0"),
        ("n", "web-1"),
        ("N", "web-1"),
        ("PageUp", "db-0"),
        ("PageDown", "web-1"),
    ] {
        page.keys(&[key]);
        assert_eq!(page.focused(), row, "{key}");
    }
    page.put("pods", "shop/aaa 1/1 Running 0");
    page.act(PaneAction::Sort(1));
    page.act(PaneAction::Sort(1));
    assert_eq!(page.focused(), "web-1");
    page.act(PaneAction::Filter("cart".to_owned()));
    page.act(PaneAction::ToRows);
    assert_eq!(page.model().focus.as_ref().map(|focus| focus.row.clone()), Some(page.row("shop/cart-1")));
}

#[test]
fn only_the_rows_of_the_window_are_mounted_and_the_focused_one() {
    let mut page = sixty();
    let mounted = |page: &PageRig| page.model().rows.rows.iter().map(|row| row.place).collect::<Vec<_>>();
    assert!(mounted(&page).len() < 45, "{:?}", mounted(&page));
    page.keys(&["j"]);
    page.act(PaneAction::Scrolled { top_px: 28.0 * 35.0 });
    let places = mounted(&page);
    assert_eq!((places.first(), places.last()), (Some(&0), Some(&59)), "{places:?}");
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "in order: {places:?}");
    assert_eq!((page.focused().as_str(), page.model().extent.height_px), ("svc-59", 60.0 * 28.0));
    page.keys(&["End"]);
    assert_eq!(page.focused(), "svc-00");
    assert_eq!(page.model().status_bar.window, "rows 39–60");
}

#[test]
fn rows_that_come_in_above_the_window_are_named_until_they_were_seen() {
    let mut page = sixty();
    page.act(PaneAction::Scrolled { top_px: 420.0 });
    let top = |page: &PageRig| {
        let rows = &page.model().rows.rows;
        let row = rows.iter().find(|row| row.place == 15).expect("the sixteenth");
        (row.id, row.top_px)
    };
    let (row, before) = top(&page);
    for name in ["svc-98", "svc-99", "a-svc"] {
        page.put("services", &format!("shop/{name} ClusterIP"));
    }
    assert_eq!(page.model().new_rows_above, 2);
    let after = page.model().rows.rows.iter().find(|held| held.id == row).expect("it is still seen").top_px;
    assert_eq!(after - before, 56.0, "the rows above have room");
    page.act(PaneAction::Scrolled { top_px: 476.0 });
    page.act(PaneAction::Scrolled { top_px: 0.0 });
    assert_eq!(page.model().new_rows_above, 0);
}

#[test]
fn rows_do_not_move_under_a_reader_until_they_are_settled() {
    let mut page = PageRig::live("/v/pods?sort=restarts");
    page.act(PaneAction::PointerMoved { row: None });
    page.seconds(1);
    page.put("pods", "shop/cart-1 1/1 Running 9");
    assert_eq!((page.names().as_str(), page.model().out_of_order), ("cart-1 db-0 web-1", 1));
    page.keys(&["r"]);
    assert_eq!((page.names().as_str(), page.model().out_of_order), ("db-0 web-1 cart-1", 0));
    page.put("pods", "shop/cart-1 1/1 Running 0");
    assert_eq!(page.model().out_of_order, 1);
    page.act(PaneAction::Filter("db-0".to_owned()));
    assert_eq!(page.model().out_of_order, 0, "hidden rows aren't counted");
    page.act(PaneAction::Filter(String::new()));
    page.act(PaneAction::PointerLeft);
    page.seconds(20);
    assert_eq!(page.names(), "cart-1 db-0 web-1", "without a reader they settle by themselves");
}

#[test]
fn the_row_under_the_pointer_stays_there_until_the_pointer_rests() {
    let mut page = sixty();
    let aimed = page.model().rows.rows[1].id;
    let moved = || PaneAction::PointerMoved { row: Some(aimed.to_string()) };
    let mut top_px = 0.0;
    let mut on_screen = |page: &PageRig| {
        top_px = page.model().extent.scroll_to_px.unwrap_or(top_px);
        let row = page.model().rows.rows.iter().find(|held| held.id == aimed).expect("it is still seen");
        row.top_px - top_px
    };
    page.act(moved());
    assert_eq!(on_screen(&page), 28.0);
    page.put("services", "shop/svc-99 ClusterIP");
    assert_eq!((on_screen(&page), page.model().new_rows_above), (28.0, 1));
    page.delete("services", "shop/svc-99");
    page.delete("services", "shop/svc-59");
    for _ in 0..20 {
        page.act(moved());
        page.seconds(1);
        assert_eq!(on_screen(&page), 28.0, "no deleted row leaves from above it");
    }
    page.seconds(8);
    assert_eq!(on_screen(&page), 28.0, "its reader may still read the row");
    page.seconds(1);
    assert_eq!((page.model().rows.rows[0].id, on_screen(&page)), (aimed, 0.0), "the pointer rests");
}

#[test]
fn the_minimap_shows_where_trouble_is_once_rows_have_no_room() {
    let mut page = PageRig::live("/v/pods");
    assert!(!page.model().minimap.is_needed);
    for number in 0..60 {
        page.put("pods", &format!("shop/web-{number:02} 1/1 Running 0"));
    }
    page.seconds(2);
    let minimap = page.model().minimap.clone();
    assert!(minimap.is_needed && minimap.new.contains("M12"), "{minimap:?}");
    assert_eq!(minimap.bad.matches('M').count(), 1, "one pod is in trouble: {}", minimap.bad);
    page.act(PaneAction::Scrolled { top_px: 600.0 });
    assert!(page.model().minimap.here.0 > minimap.here.0, "the frame follows the window");
}

#[test]
fn a_screen_reader_hears_of_the_focused_row_at_most_every_ten_seconds() {
    let mut page = PageRig::live("/v/pods");
    page.keys(&["j"]);
    page.act(PaneAction::Focused(page.row("ledger/db-0")));
    page.seconds(11);
    for status in ["Error", "CrashLoopBackOff"] {
        page.put("pods", &format!("ledger/db-0 0/1 {status} 1"));
        page.put("pods", &format!("shop/web-1 0/1 {status} 1"));
        page.seconds(1);
    }
    assert_eq!(page.page.model().announced, "STATUS Error, was Running");
    page.seconds(8);
    assert_eq!(page.page.model().announced, "STATUS Error, was Running");
    page.seconds(2);
    assert_eq!(page.page.model().announced, "STATUS CrashLoopBackOff, was Error");
}

#[test]
fn a_changed_cell_flashes_once_and_a_deleted_row_stays_marked_for_a_while() {
    use page::model::{News, Sign};
    let mut page = PageRig::live("/v/pods");
    page.put("pods", "shop/cart-1 1/1 Running 1");
    let cell = |page: &PageRig| (page.model().rows.rows[1].sign, page.model().rows.rows[1].cells[4].news);
    assert_eq!(cell(&page), (Some(Sign::Modified), News::Flash));
    page.seconds(2);
    assert_eq!(cell(&page), (Some(Sign::Modified), News::Seen));
    page.delete("pods", "shop/cart-1");
    assert_eq!(cell(&page).0, Some(Sign::Deleted));
    assert_eq!(page.model().status_bar.strong, "2", "it isn't counted");
    page.seconds(90);
    assert_eq!(page.names(), "db-0 web-1");
}

#[test]
fn the_last_row_leaves_a_sign_and_grows_no_older() {
    let mut page = PageRig::live("/v/services@/shop");
    page.put("services", "shop/web ClusterIP");
    page.seconds(5);
    page.delete("services", "shop/web");
    let deleted = page.rows();
    assert_eq!(deleted.len(), 1);
    page.seconds(3);
    assert_eq!(page.rows(), deleted, "its age stands still");
    page.seconds(20);
    assert!(page.rows().is_empty() && page.model().empty_state.is_some());
}

#[test]
fn what_is_copied_is_said_and_a_refused_clipboard_too() {
    let mut page = PageRig::live("/v/pods");
    let copied = |page: &PageRig| page.page.model().copied.clone();
    page.keys(&["C"]);
    assert_eq!(page.effects(), [""; 0], "no row has the focus");
    page.keys(&["j", "C"]);
    assert_eq!(page.effects(), ["copy db-0"]);
    assert_eq!(copied(&page).map(|copied| copied.message(false)), Some("Copied".into()));
    assert!(page.page.timer_ms().is_some_and(|due_ms| due_ms <= page.now_ms + 1_500), "it ends in time");
    page.seconds(2);
    assert_eq!(copied(&page), None);
    page.effects();
    page.act(PaneAction::Copy(Some(page.row("shop/web-1"))));
    page.keys(&["x", "j", "x", "C"]);
    assert_eq!(
        page.effects(),
        [
            "copy web-1",
            "copy NAMESPACE\tNAME\tREADY\tSTATUS\tRESTARTS\tAGE\nledger\tdb-0\t1/1\tRunning\t1\t24h\nshop\tcart-1\t1/1\tRunning\t0\t24h\n"
        ],
        "the selected rows, as a spreadsheet takes them"
    );
    page.refuses_clipboard = true;
    page.keys(&["L"]);
    assert!(copied(&page).is_some_and(|copied| copied.message(false).starts_with("The browser refused")));
}

#[test]
fn the_minimap_scrolls_names_rows_and_leads_to_those_in_trouble() {
    let mut page = sixty();
    page.act(PaneAction::Minimap(MinimapAction::Point(0.5)));
    let tip = page.model().minimap.tip.clone().expect("a row");
    assert_eq!((tip.name.as_str(), tip.place.as_str()), ("shop/svc-29", "row 31 of 60"));
    page.act(PaneAction::Minimap(MinimapAction::Press { at: 0.5, is_on_bars: false }));
    assert_eq!(page.model().minimap.tip, None);
    assert_eq!(page.model().status_bar.window, "rows 20–41", "in the middle of the window");
    page.act(PaneAction::Minimap(MinimapAction::Drag(1.0)));
    page.act(PaneAction::Minimap(MinimapAction::Release));
    page.act(PaneAction::Minimap(MinimapAction::Drag(0.0)));
    assert_eq!(page.model().status_bar.window, "rows 39–60", "nothing is dragged after the release");

    let mut page = PageRig::live("/v/pods");
    for number in 0..100 {
        page.put("pods", &format!("shop/z-{number:02} 1/1 Running 0"));
    }
    page.put("pods", "shop/z-50 0/1 CrashLoopBackOff 3");
    page.act(PaneAction::Minimap(MinimapAction::Press { at: 53.5 / 103.0, is_on_bars: true }));
    assert_eq!(page.focused(), "z-50");
}

#[test]
fn the_next_failing_row_after_the_last_is_the_first_and_the_page_says_so() {
    let mut page = PageRig::live("/v/pods");
    page.put("pods", "ledger/db-0 0/1 CrashLoopBackOff 2");
    for (key, row, said) in [
        ("n", "db-0", ""),
        ("n", "web-1", ""),
        ("n", "db-0", "Wrapped to the first failing row"),
        ("N", "web-1", "Wrapped to the last failing row"),
        ("N", "db-0", ""),
    ] {
        page.keys(&[key]);
        assert_eq!((page.focused().as_str(), &*page.model().status_bar.said), (row, said), "{key}");
    }
    page.put("pods", "ledger/db-0 1/1 Running 2");
    page.keys(&["n", "n"]);
    assert_eq!(page.model().status_bar.said, "This is the only failing row");
    page.seconds(5);
    assert_eq!(page.model().status_bar.said, "");
    page.put("pods", "shop/web-1 1/1 Running 5");
    page.keys(&["n"]);
    assert_eq!((page.focused().as_str(), &*page.model().status_bar.said), ("web-1", "No row is failing"));
    page.put("pods", "ledger/db-0 0/1 ContainerCreating 2");
    page.keys(&["n"]);
    let said = "No row is failing; this one is changing";
    assert_eq!((page.focused().as_str(), &*page.model().status_bar.said), ("db-0", said));
}

#[test]
fn the_open_or_focused_row_stays_when_the_filter_stops_matching_it() {
    let mut page = PageRig::live("/v/pods?q=status%3DCrashLoopBackOff");
    // The page itself gave the row the focus at first.
    page.act(PaneAction::Focused(page.row("shop/web-1")));
    page.act(PaneAction::Focused(page.row("shop/web-1")));
    page.put("pods", "shop/web-1 1/1 Running 6");
    let kept = |page: &PageRig| page.model().rows.rows.iter().map(|row| row.is_kept).collect::<Vec<_>>();
    assert_eq!((page.names().as_str(), kept(&page)), ("web-1", vec![true]));
    assert_eq!(page.model().status_bar.rows, " of 3 rows");
    assert_eq!(page.model().status_bar.strong, "0", "it isn't counted");
    page.act(PanelAction::Open { row: Some(page.row("shop/web-1")), key: None });
    page.act(PaneAction::Blurred);
    page.seconds(1);
    assert_eq!(page.names(), "web-1", "its panel is open");
    page.act(PanelAction::Close);
    page.act(PaneAction::Blurred);
    page.seconds(2);
    assert_eq!(page.names(), "");
    assert!(page.model().empty_state.is_some());
}

#[test]
fn a_name_is_the_link_of_its_rows_panel() {
    let page = PageRig::live("/v/pods?q=web");
    let href = |page: &PageRig| page.model().rows.rows[0].href.clone();
    assert_eq!(href(&page).as_deref(), Some("/v/pods@kind/*?q=web&o=shop/web-1"));
    let mut element = PageRig::before("", Host::Portal, Environment::default());
    element.start();
    element.page.embed("/v/pods", element.now());
    element.seconds(1);
    assert_eq!(href(&element), None, "a host's page has no address of ours");
}

#[test]
fn events_stand_with_the_last_seen_first_until_the_reader_chooses_another_order() {
    let mut page = PageRig::live("/v/events");
    for reason in ["a", "b", "c"] {
        page.seconds(10);
        page.put("events", &format!("shop/{reason} Warning {reason} pod/web-1 Back-off"));
    }
    let sorted = |page: &PageRig| {
        let columns = &page.model().table.columns;
        columns.iter().find_map(|column| column.sort.map(|_| column.title.clone()))
    };
    assert_eq!(sorted(&page).as_deref(), Some("LAST SEEN"));
    let reasons: Vec<String> =
        page.rows().iter().filter_map(|row| row.split(' ').nth(3).map(str::to_owned)).collect();
    assert_eq!(reasons, ["c", "b", "a"]);
    assert_eq!(page.address, "/v/events@kind/*", "it is the same link for all");
    page.act(PaneAction::Sort(1));
    assert_eq!(page.address, "/v/events@kind/*?sort=-last-seen", "the click turns it round");
    page.act(PaneAction::Sort(1));
    assert_eq!(page.address, "/v/events@kind/*");
}
