//! The changes of a view in the past: what was recorded until its time, with what went.

use page::action::{Action, PastAction};
use page::past::{ChangeList, GroupKind, InPlaceOfRows};
use page::testing::{PageRig, START_MS};
use page::{Environment, Host};
use shared::cell::Cell;
use shared::column::Column;
use shared::frame::server::Changed;
use shared::frame::timeline::EntryType;
use shared::past::{Removed, Unrecorded, Why};
use shared::row::{Row, RowId};

const MINUTE_MS: i64 = 60_000;

fn change(kind: EntryType, minutes: i64, (number, name): (u64, &str), status: &str) -> Changed {
    let row = Row {
        id: RowId::from_hash(number << 20),
        resource_version: "1".into(),
        namespace: Some("shop".into()),
        name: name.into(),
        created: None,
        cells: vec![Cell::Text(name.into()), Cell::Text(status.into())],
        extra: None,
    };
    Changed::of(kind, START_MS - minutes * MINUTE_MS, row)
}

fn column(name: &str) -> Column {
    let format = if name == "Name" { "name" } else { "" };
    Column { format: format.into(), ..replica::testing::column(name) }
}

fn recorded(address: &str) -> PageRig {
    let mut page = PageRig::before(address, Host::Dogwatch, Environment::default());
    let now_ms = page.now_ms;
    page.gateway.put("pods", "shop/web-1 1/1 Running 0", now_ms);
    page.gateway.record("pods", START_MS - 60 * MINUTE_MS);
    page.gateway.past.columns = ["Name", "Status"].map(column).to_vec();
    page.gateway.past.changes = vec![
        change(EntryType::Modified, 25, (1, "web-1"), "Running"),
        change(EntryType::Modified, 24, (1, "web-1"), "Error"),
        change(EntryType::Deleted, 22, (2, "old-1"), "Running"),
        change(EntryType::Added, 5, (3, "new-1"), "Pending"),
    ];
    // They come in two answers.
    page.gateway.past.page = 2;
    page.start();
    page.seconds(3);
    page
}

fn list(page: &PageRig) -> Option<ChangeList> {
    match page.model().empty_state.as_ref()?.replaced.0.as_deref()? {
        InPlaceOfRows::Changes(list) => Some(list.clone()),
        _ => None,
    }
}

fn lines(page: &PageRig) -> Vec<String> {
    let sign = |kind| match kind {
        GroupKind::Went => "-",
        GroupKind::Came => "+",
        GroupKind::Changed => "~",
    };
    let rows = list(page).expect("the changes").rows;
    let line = rows.iter().map(|row| {
        let cells = row.cells.iter().map(|cell| format!("{}→{}", cell.old, cell.new));
        let cells = cells.collect::<Vec<_>>().join(", ");
        format!("{}{} {} {cells}", sign(row.kind), row.clock, row.name)
    });
    line.collect()
}

#[test]
fn the_changes_of_a_past_page_are_those_that_were_recorded_until_then_with_what_went() {
    let mut page = recorded("/v/pods@kind/*?at=2026-01-01T09:40:00Z");
    assert!(list(&page).is_none());
    page.keys(&["l"]);
    page.seconds(2);
    assert_eq!(page.address, "/log/pods@kind/*?at=2026-01-01T09:40:00Z");
    assert_eq!(
        lines(&page),
        ["-09:38:00 old-1 Running→", "~09:36:00 web-1 Running→Error", "~09:35:00 web-1 →Running"],
        "what was later isn't there"
    );
    let shown = list(&page).expect("the changes");
    assert_eq!((shown.until.as_str(), shown.note.as_str(), shown.is_waiting), ("09:40:00", "", false));
    let href = shown.rows[0].href.clone().expect("a link");
    assert_eq!(href, "/log/pods@kind/*?at=2026-01-01T09:38:00Z&o=shop/old-1", "when it was gone");
    // From change to change, the list goes with the time.
    page.act(PastAction::GoTo(START_MS - 23 * MINUTE_MS));
    page.seconds(2);
    assert_eq!(lines(&page).len(), 2);
    page.act(Action::ToggleLog);
    page.seconds(1);
    assert!(list(&page).is_none() && !page.names().is_empty());
    // By its link.
    let page = recorded("/log/pods@kind/*?at=2026-01-01T09:40:00Z");
    assert_eq!(lines(&page).len(), 3);
}

#[test]
fn what_a_list_told_after_a_time_without_a_record_leads_to_that_list() {
    let mut page = recorded("/v/pods@kind/*?at=2026-01-01T09:40:00Z");
    let (from_ms, to_ms) = (START_MS - 40 * MINUTE_MS, START_MS - 25 * MINUTE_MS + 700);
    page.gateway.past.unrecorded = vec![Unrecorded { from_ms, to_ms, why: Why::Down }];
    page.keys(&["l"]);
    page.seconds(3);
    let rows = list(&page).expect("the changes").rows;
    let links: Vec<&str> = rows.iter().filter_map(|row| row.href.as_deref()).collect();
    let of = |time: &str, name: &str| format!("/log/pods@kind/*?at=2026-01-01T{time}Z&o=shop/{name}");
    assert_eq!(links, [of("09:38:00", "old-1"), of("09:36:00", "web-1"), of("09:35:00.700", "web-1")]);
}

#[test]
fn what_was_removed_of_the_changes_of_a_time_is_said_below_them_once() {
    let mut page = recorded("/v/pods@kind/*?at=2026-01-01T09:40:00Z");
    let (from_ms, to_ms) = (START_MS - 30 * MINUTE_MS, START_MS - 26 * MINUTE_MS);
    page.gateway.past.removed =
        vec![Removed { from_ms, to_ms, removed_ms: START_MS, namespace: None, path: None, masked: false }];
    page.keys(&["l"]);
    page.seconds(3);
    let foot = list(&page).expect("the changes").foot;
    let said = "Versions were removed from what was recorded of pods from 09:30:00 to 09:34:00.";
    assert!(foot.ends_with(said) && foot.matches("removed").count() == 1, "{foot}");
}

#[test]
fn live_changes_lead_back_to_the_recorded_ones_and_a_record_without_any_says_so() {
    let mut page = recorded("/log/pods@kind/*");
    assert!(page.notice().contains("Earlier ones, with deletions: go back (,)."), "{}", page.notice());
    page.keys(&[","]);
    page.seconds(2);
    assert_eq!(lines(&page).len(), 4);
    page.keys(&["h"]);
    page.seconds(1);
    assert!(list(&page).is_none() && page.pill().starts_with("Live"), "{}", page.pill());
    let mut page = recorded("/log/pods@kind/*?at=2026-01-01T09:40:00Z");
    page.act(PastAction::GoTo(START_MS - 50 * MINUTE_MS));
    page.seconds(2);
    assert_eq!(
        list(&page).map(|list| list.note).as_deref(),
        Some("Nothing recorded yet, only since 09:35:00")
    );
}

#[test]
fn in_a_view_of_several_clusters_each_change_names_its_own_and_leads_there() {
    let mut page = PageRig::before("/v/pods@*/*", Host::Dogwatch, Environment::default());
    page.gateway.has_clusters(&["eu", "us"]);
    page.gateway.record("pods", START_MS - 60 * MINUTE_MS);
    page.gateway.past.columns = ["Name", "Status"].map(column).to_vec();
    page.gateway.past.changes = vec![change(EntryType::Deleted, 22, (2, "old-1"), "Running")];
    page.start();
    page.seconds(2);
    page.act(PastAction::GoTo(START_MS - 20 * MINUTE_MS));
    page.keys(&["l"]);
    page.seconds(3);
    let rows = list(&page).expect("the changes").rows;
    let said: Vec<_> = rows.iter().map(|row| (row.cluster.as_str(), row.href.as_deref())).collect();
    let href = |cluster| format!("/log/pods@*/*?at=2026-01-01T09:38:00Z&o=@{cluster}/shop/old-1");
    assert_eq!(said, [("us", Some(&*href("us"))), ("eu", Some(&*href("eu")))]);
}
