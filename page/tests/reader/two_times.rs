//! Two times of a view are compared: what came, went and changed between them.

use page::action::{PanelAction, PastAction, of_comparison};
use page::location::Tab;
use page::past::{GroupKind, InPlaceOfRows, ViewComparison};
use page::testing::{PageRig, START_MS};
use page::{Environment, Host};

const MINUTE_MS: i64 = 60_000;

/// An hour ago there were an older pod and one that failed; now there are a newer one, and the failing one is well.
fn compared(query: &str) -> PageRig {
    let mut page = PageRig::before("", Host::Dogwatch, Environment::default());
    let now_ms = page.now_ms;
    page.gateway.put("pods", "shop/old-1 1/1 Running 0", now_ms);
    page.gateway.put("pods", "shop/web-1 0/1 CrashLoopBackOff 5", now_ms);
    page.gateway.record("pods", START_MS - 60 * MINUTE_MS);
    page.gateway.delete("pods", "shop/old-1");
    page.gateway.put("pods", "shop/web-1 1/1 Running 6", now_ms);
    page.gateway.record("pods", START_MS - 30 * MINUTE_MS);
    page.gateway.put("pods", "shop/new-1 0/1 ImagePullBackOff 0", now_ms);
    page.gateway.record("pods", START_MS);
    page.address = format!("/v/pods@kind/*?{query}");
    page.start();
    page.seconds(2);
    page
}

fn comparison(page: &PageRig) -> Option<ViewComparison> {
    match page.model().empty_state.as_ref()?.replaced.0.as_deref()? {
        InPlaceOfRows::Comparison(made) => Some(made.clone()),
        _ => None,
    }
}

fn shown(page: &PageRig) -> ViewComparison {
    comparison(page).expect("two times are compared")
}

/// Each row with its sign and its cells.
fn lines(page: &PageRig) -> Vec<String> {
    let sign = |kind| match kind {
        GroupKind::Went => "-",
        GroupKind::Came => "+",
        GroupKind::Changed => "~",
    };
    let mut lines = Vec::new();
    for group in shown(page).groups {
        for row in group.rows {
            let cells = row.cells.iter().map(|cell| match cell.is_alone {
                true => format!("{}{}", cell.old, cell.new),
                false => format!("{} {}→{}", cell.title, cell.old, cell.new),
            });
            let cells: Vec<String> = cells.collect();
            lines.push(format!("{}{}/{} {}", sign(group.kind), row.namespace, row.name, cells.join(", ")));
        }
    }
    lines
}

const HOUR_TO_NOW: [&str; 3] = [
    "-shop/old-1 1/1, Running, 0, 23h",
    "+shop/new-1 0/1, ImagePullBackOff, 0, 24h",
    "~shop/web-1 READY 0/1→1/1, STATUS CrashLoopBackOff→Running, RESTARTS 5→6",
];

#[test]
fn a_link_with_two_times_says_what_came_went_and_changed() {
    let page = compared("at=2026-01-01T09:00:00Z&vs=now");
    assert_eq!(lines(&page), HOUR_TO_NOW);
    let said = shown(&page);
    assert_eq!((said.from.as_str(), said.to.as_str(), said.note.as_str()), ("09:00:00", "now, 10:00:00", ""));
    assert_eq!(said.foot, "2 are the same.");
    assert_eq!(page.address, "/v/pods@kind/*?at=2026-01-01T09:00:00Z&vs=now");
    assert_eq!(page.model().past.as_ref().map(|bar| bar.against.as_str()), Some("now"));
    // Whichever time stands first, the earlier one is what it was.
    let page = compared("at=2026-01-01T09:30:00Z&vs=2026-01-01T09:00:00Z");
    let said = shown(&page);
    assert_eq!((said.from.as_str(), said.to.as_str()), ("09:00:00", "09:30:00"));
    assert_eq!(lines(&page), [HOUR_TO_NOW[0], HOUR_TO_NOW[2]]);
}

#[test]
fn v_compares_with_now_follows_it_and_leads_back() {
    let mut page = compared("");
    page.keys(&["v"]);
    page.seconds(1);
    assert!(page.page.model().hint.contains("go to an earlier one first"), "{}", page.page.model().hint);
    page.act(PastAction::GoTo(START_MS - 60 * MINUTE_MS));
    page.seconds(1);
    let open = page.gateway.subscriptions().len();
    page.keys(&["v"]);
    page.seconds(2);
    assert_eq!(lines(&page), HOUR_TO_NOW);
    assert!(!shown(&page).is_old && shown(&page).to.starts_with("now, 10:00:"), "{:?}", shown(&page).to);
    // Now goes on, and what is read stands still until its reader asks.
    page.delete("pods", "shop/web-1");
    page.seconds(2);
    let (read, to) = (lines(&page), shown(&page).to);
    assert!(read == HOUR_TO_NOW && shown(&page).is_old);
    page.act(of_comparison("r").expect("a key"));
    page.seconds(2);
    assert!(!shown(&page).is_old && shown(&page).to > to, "{}", shown(&page).to);
    assert_eq!(lines(&page)[0], "-shop/web-1 0/1, CrashLoopBackOff, 5, 23h", "what failed stands first");
    // The next change of the past is compared with now as well.
    page.keys(&["."]);
    page.seconds(2);
    assert_eq!(shown(&page).from, "09:30:00");
    page.keys(&[","]);
    page.seconds(2);
    page.act(PastAction::CompareWith("09:30".to_owned()));
    page.seconds(2);
    assert_eq!(shown(&page).to, "09:30:00");
    page.act(PastAction::CompareWith("noon".to_owned()));
    page.seconds(1);
    assert!(page.model().past.as_ref().is_some_and(|bar| bar.error.contains("Not a time")));
    page.keys(&["v"]);
    page.seconds(1);
    assert_eq!((comparison(&page), page.names().as_str()), (None, "db-0 cart-1 old-1 web-1"));
    assert_eq!(page.gateway.subscriptions().len(), open, "no view is left open");
    page.keys(&["v"]);
    page.seconds(1);
    page.keys(&["h"]);
    page.seconds(1);
    assert!(comparison(&page).is_none() && !page.address.contains("vs="), "{}", page.address);
}

#[test]
fn the_filter_holds_for_both_times_and_what_is_recreated_is_one_row() {
    let mut page = compared("at=2026-01-01T09:00:00Z&vs=now&q=status!%3DRunning");
    assert_eq!(lines(&page), [HOUR_TO_NOW[1], HOUR_TO_NOW[2]], "a row that matches at one time is shown");
    page.delete("pods", "shop/web-1");
    page.seconds(1);
    page.put("pods", "shop/web-1 1/1 Running 0");
    page.seconds(2);
    page.act(PastAction::CompareAgain);
    page.seconds(1);
    let said = shown(&page);
    let changed = said.groups.iter().find(|group| group.kind == GroupKind::Changed).expect("changed");
    assert!(changed.rows[0].is_recreated && changed.rows[0].name == "web-1", "{changed:?}");
    let page = compared("at=2026-01-01T09:00:00Z&vs=now&q=nothing-like-it");
    assert!(shown(&page).note.starts_with("Nothing differs"), "{:?}", shown(&page));
}

#[test]
fn a_time_without_a_record_is_said_and_a_link_without_a_time_names_what_is_missing() {
    let page = compared("at=2026-01-01T09:30:00Z&vs=2026-01-01T08:00:00Z");
    let said = shown(&page);
    assert!(said.groups.is_empty() && said.note.starts_with("08:00:00 can't be compared"), "{said:?}");
    let page = compared("vs=now");
    assert!(comparison(&page).is_none());
    assert!(page.bar().contains("vs"), "{}", page.bar());
}

#[test]
fn an_object_beside_two_times_is_as_of_the_later_one() {
    let mut page = compared("at=2026-01-01T09:00:00Z&vs=now");
    let href = shown(&page).groups[1].rows[0].href.clone().expect("a link");
    page.go(&href);
    page.act(PanelAction::Tab(Tab::Timeline));
    page.seconds(1);
    assert!(!page.page.panel().pill.word.starts_with("Past"), "{:?}", page.page.panel().pill);
    assert!(comparison(&page).is_some());
}
