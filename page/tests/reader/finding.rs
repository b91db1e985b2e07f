//! Rows are found: by the filter, by what completes it, and by selectors.

use page::action::{PaneAction, SelectorAction, SelectorKind};
use page::model::Notice;
use page::model::Suggestions;
use page::status::RowHealth;
use page::testing::PageRig;
use shared::frame::server::Gap;
use shared::problem::Reason;

fn filter(text: &str) -> PaneAction {
    PaneAction::Filter(text.to_owned())
}

#[test]
fn a_filter_shows_the_rows_that_match_and_says_what_it_cannot_read() {
    let mut page = PageRig::live("/v/pods");
    for (text, names, unread) in [
        ("", "db-0 cart-1 web-1", ""),
        ("status=Running", "db-0 cart-1", ""),
        ("restarts>0", "db-0 web-1", ""),
        ("!web status=Running", "db-0 cart-1", ""),
        ("namespace=shop ready=1/1", "cart-1", ""),
        ("/(db|web)-/", "db-0 web-1", ""),
        ("crashloop", "web-1", ""),
        ("health=failing", "web-1", ""),
        ("health!=failing", "db-0 cart-1", ""),
        ("age<2", "db-0 cart-1 web-1", "age needs a duration"),
        ("10.0.0", "", ""),
        ("nothing-is-called-so", "", ""),
        ("status=Running restart>1", "db-0 cart-1", "Did you mean restarts?"),
        ("/(/", "db-0 cart-1 web-1", "/(/"),
    ] {
        page.act(filter(text));
        let said = &page.model().unread;
        assert_eq!(page.names(), names, "{text}");
        assert!(said.contains(unread) && said.is_empty() == unread.is_empty(), "{text}: {said}");
    }
}

#[test]
fn a_gap_takes_nothing_from_the_tally() {
    let mut page = PageRig::live("/v/pods");
    let gap = Gap { from_ms: page.now_ms - 9_000, to_ms: page.now_ms, reason: Reason::Expired };
    let frames = page.gateway.gap("pods", gap);
    page.receive(frames);
    page.seconds(1);
    let Notice::Tally { entries, beside: Some(said), .. } = &page.model().notice else {
        panic!("{:?}", page.model().notice)
    };
    assert!(said.strong.starts_with("Gap"), "{}", said.strong);
    assert_eq!((entries[0].word.as_str(), entries[0].count.as_str()), ("failing", "1"));
}

#[test]
fn the_address_follows_the_filter_without_a_new_entry_of_the_history() {
    let mut page = PageRig::live("/v/pods");
    page.act(filter("status=Running"));
    page.act(PaneAction::LeaveFilter);
    assert_eq!(page.effects(), ["replace /v/pods@kind/*?q=status=Running", "replace /v/pods@kind/*"]);
    assert!(page.model().focus.is_some(), "the keyboard goes back to the rows");
}

#[test]
fn rows_that_come_later_pass_the_filter_as_well() {
    let mut page = PageRig::live("/v/pods?q=status=Running");
    page.put("pods", "shop/web-2 1/1 Running 0");
    page.put("pods", "shop/web-3 0/1 Pending 0");
    assert_eq!(page.names(), "db-0 cart-1 web-2");
    page.put("pods", "shop/cart-1 0/1 Error 1");
    assert_eq!(page.names(), "db-0 web-2");
    assert_eq!((&*page.model().status_bar.strong, &*page.model().status_bar.rows), ("2", " of 5 rows"));
}

#[test]
fn each_term_is_marked_as_it_is_read() {
    let mut page = PageRig::live("/v/pods");
    page.act(filter("status=Running restart>1 web"));
    let marks = page.model().marks.iter().map(|mark| format!("{:?} {}", mark.reading, mark.text));
    let marks: Vec<String> = marks.filter(|mark| !mark.ends_with(' ')).collect();
    assert_eq!(marks, ["Compared status=Running", "Unread restart>1", "Plain web"]);
}

fn offered(suggestions: Option<&Suggestions>) -> Vec<String> {
    let items = suggestions.map(|held| held.items.as_slice()).unwrap_or_default();
    items.iter().map(|item| format!("{} {}", item.whole, item.note.text())).collect()
}

#[test]
fn a_comparison_is_completed_from_columns_and_the_values_that_were_seen() {
    let mut page = PageRig::live("/v/pods");
    for (typed, first) in [
        ("stat", "status= "),
        ("status=runn", "status=Running  2 rows"),
        ("ready=", "ready=1/1  2 rows"),
        ("names", "namespace= "),
        ("no-column-is-called-so", ""),
    ] {
        page.act(PaneAction::Complete(Some((typed.to_owned(), typed.len()))));
        let offered = offered(page.model().suggestions.as_ref());
        let found = offered.first().map(String::as_str).unwrap_or_default();
        assert!(found.starts_with(first) && found.is_empty() == first.is_empty(), "{typed}: {offered:?}");
    }
    page.act(PaneAction::Complete(None));
    assert_eq!(page.model().suggestions, None);
}

#[test]
fn a_selector_ends_with_its_value_or_where_its_reader_goes_elsewhere() {
    let mut page = PageRig::live("/v/pods");
    let before = page.address.clone();
    let is_edited = |page: &PageRig| page.model().selectors.editing.is_some();
    page.act(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Labels)));
    page.act(PaneAction::Selector(SelectorAction::Taken("tier=".to_owned(), 5)));
    assert!(is_edited(&page) && page.address == before, "a key waits for its value");
    page.act(PaneAction::Selector(SelectorAction::Taken("tier=api".to_owned(), 8)));
    assert!(!is_edited(&page) && page.address.contains("tier"), "a value is the end: {}", page.address);
    let applied = page.address.clone();
    page.act(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Labels)));
    page.act(PaneAction::Selector(SelectorAction::Left("tier=api".to_owned())));
    assert!(!is_edited(&page) && page.address == applied, "nothing was typed");
    page.act(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Labels)));
    page.act(PaneAction::Selector(SelectorAction::Left("tier in".to_owned())));
    assert!(is_edited(&page) && !page.model().selectors.error.is_empty(), "what can't be read isn't lost");
    page.act(PaneAction::Selector(SelectorAction::Left(" ".to_owned())));
    assert!(!is_edited(&page) && page.address == before, "{}", page.address);
}

#[test]
fn a_label_selector_is_completed_from_what_was_seen_and_asked_of_the_gateway() {
    let mut page = PageRig::live("/v/pods");
    for (key, labels) in [("shop/web-1", r#"map[tier:api]"#), ("ledger/db-0", r#"map[tier:store]"#)] {
        page.gateway.fields.insert((".metadata.labels".to_owned(), key.to_owned()), labels.to_owned());
    }
    page.gateway.take_asked();
    page.act(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Labels)));
    assert_eq!(page.gateway.take_asked(), ["pods"], "the labels of all objects are asked for");
    page.act(PaneAction::Selector(SelectorAction::Typed("ti".to_owned(), 2)));
    let labels = offered(page.model().selector_suggestions.as_ref());
    assert!(labels.first().is_some_and(|first| first.starts_with("tier")), "{labels:?}");
    page.act(PaneAction::Selector(SelectorAction::Apply("tier in api".to_owned())));
    assert!(page.model().selectors.error.contains("tier in api"), "{}", page.model().selectors.error);
    assert_eq!(page.gateway.take_asked(), [""; 0], "what can't be read isn't asked for");
    page.act(PaneAction::Selector(SelectorAction::Apply("tier in (api)".to_owned())));
    assert_eq!(page.gateway.take_asked(), ["pods -l tier=api"]);
    assert_eq!(page.address, "/v/pods@kind/*?l=tier=api");
    let chips = &page.model().selectors.chips;
    assert_eq!(chips.len(), 1);
    assert_eq!(chips[0].text, "tier=api");
    assert_eq!(chips[0].place, "evaluated by the gateway");
    assert_eq!(page.gateway.subscriptions(), ["pods -l tier=api"], "the labels are given back");
    page.act(PaneAction::Selector(SelectorAction::Remove(SelectorKind::Labels)));
    assert_eq!(page.gateway.subscriptions(), ["pods"]);
    assert_eq!(page.address, "/v/pods@kind/*");
}

#[test]
fn a_field_selector_is_completed_from_the_definition_of_a_custom_kind() {
    let mut page = PageRig::live("/v/widgets.example.com");
    let path = r#".spec.versions[?(@.name=="v1")].selectableFields[*].jsonPath"#;
    page.put("customresourcedefinitions.apiextensions.k8s.io", "widgets.example.com");
    page.gateway.fields.insert((path.to_owned(), "widgets.example.com".to_owned()), ".spec.color".to_owned());
    page.act(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Fields)));
    page.act(PaneAction::Selector(SelectorAction::Typed("spec".to_owned(), 4)));
    assert_eq!(offered(page.model().selector_suggestions.as_ref()).len(), 1);
    page.act(PaneAction::Selector(SelectorAction::Apply("spec.color=blue".to_owned())));
    assert_eq!(page.gateway.subscriptions(), ["widgets.example.com -f spec.color=blue"]);
    page.act(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Fields)));
    assert_eq!(page.model().selectors.text, "spec.color=blue");
    page.act(PaneAction::Selector(SelectorAction::Cancel));
    page.act(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Fields)));
    page.act(PaneAction::Selector(SelectorAction::Apply(" ".to_owned())));
    assert_eq!(page.address, "/v/widgets.example.com@kind/*", "an empty one is none");
}

#[test]
fn the_tally_has_a_fixed_order_and_its_entries_are_filters() {
    let mut page = PageRig::live("/v/pods");
    assert_eq!(page.notice(), "1 failing, 0 not ready, 0 changing, 2 fine");
    page.act(filter("!db health=fine"));
    page.act(PaneAction::ToggleHealth(RowHealth::Failing));
    assert_eq!(
        (page.names().as_str(), page.address.as_str()),
        ("web-1", "/v/pods@kind/*?q=!db%20health=failing")
    );
    let rest = "1 failing, 0 not ready, 0 changing, 1 fine";
    assert_eq!(page.notice(), rest, "the counts are those of the rows that the words leave");
    let is_on = |page: &PageRig| match &page.model().notice {
        Notice::Tally { entries, .. } => entries.iter().map(|entry| entry.is_on).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(is_on(&page), [true, false, false, false]);
    page.act(PaneAction::ToggleHealth(RowHealth::Failing));
    assert_eq!((page.names().as_str(), is_on(&page)), ("cart-1 web-1", vec![false; 4]));
    // A link of before has another word for the same.
    page.act(filter("health=short"));
    assert_eq!(is_on(&page), [false, true, false, false]);
    page.act(PaneAction::ToggleHealth(RowHealth::Short));
    assert_eq!(page.address, "/v/pods@kind/*");
}

#[test]
fn an_entry_of_the_tally_writes_its_own_word_into_the_filter() {
    for (kind, health, expected) in [
        ("pods", RowHealth::Short, "health=not-ready"),
        ("nodes", RowHealth::Short, "health=limited"),
        ("pods", RowHealth::Changing, "health=changing"),
        ("events", RowHealth::Short, "health=warning"),
    ] {
        let mut page = PageRig::live(&format!("/v/{kind}"));
        page.put("events", "shop/a Warning BackOff pod/web-1 Back-off_restarting");
        page.act(PaneAction::ToggleHealth(health));
        let (_, filter) = page.address.split_once("?q=").expect("a filter");
        assert_eq!((filter, page.bar().as_str()), (expected, ""), "{kind}");
    }
}

#[test]
fn rows_in_trouble_stand_first_where_that_is_asked_for() {
    let mut page = PageRig::live("/v/pods");
    page.put("pods", "shop/a-0 0/1 Pending 0");
    page.act(PaneAction::ToggleTroubleFirst);
    assert_eq!(page.names(), "web-1 a-0 db-0 cart-1");
    assert_eq!(page.address, "/v/pods@kind/*?sort=trouble");
    assert_eq!(PageRig::live("/v/pods?sort=trouble").bar(), "");
    page.act(PaneAction::ToggleTroubleFirst);
    assert_eq!(page.address, "/v/pods@kind/*");
}

#[test]
fn kinds_without_a_status_are_in_trouble_by_their_counts() {
    let page = PageRig::live("/v/deployments.apps");
    assert!(page.notice().starts_with("1 "), "{}", page.notice());
    assert_eq!(PageRig::live("/v/deployments.apps?q=health=failing").names(), "web");
}
