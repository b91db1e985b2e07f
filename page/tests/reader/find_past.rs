//! A word is searched for in the record: which objects had it, and when.

use page::action::{Action, PastAction};
use page::past::{FoundList, InPlaceOfRows, Span};
use page::testing::{PageRig, START_MS};
use page::{Environment, Host};
use shared::frame::server::{FoundObject, FoundTime};
use shared::past::{Removed, Unrecorded, Why};
use shared::row::RowId;

const MINUTE_MS: i64 = 60_000;

fn recorded() -> PageRig {
    recorded_in("/v/pods@kind/*", &["kind"])
}

fn recorded_in(address: &str, clusters: &[&str]) -> PageRig {
    let mut page = PageRig::before(address, Host::Dogwatch, Environment::default());
    if clusters.len() > 1 {
        page.gateway.has_clusters(clusters);
    }
    page.gateway.record("pods", START_MS - 600 * MINUTE_MS);
    let found = |number: u64, name: &str, times: &[(i64, Option<i64>)]| FoundObject {
        row: RowId::from_hash(number << 20),
        namespace: Some("shop".into()),
        name: name.into(),
        times: times
            .iter()
            .map(|(from, to)| FoundTime {
                from_ms: START_MS - from * MINUTE_MS,
                to_ms: to.map(|to| START_MS - to * MINUTE_MS),
            })
            .collect(),
        path: "/status/reason".into(),
        text: "OOMKilled".into(),
    };
    page.gateway.past.found =
        vec![found(1, "web-1", &[(9_000, Some(50)), (20, None)]), found(2, "old-1", &[(9_000, None)])];
    page.start();
    page.seconds(2);
    page
}

fn list(page: &PageRig) -> Option<FoundList> {
    match page.model().empty_state.as_ref()?.replaced.0.as_deref()? {
        InPlaceOfRows::Found(list) => Some(list.clone()),
        _ => None,
    }
}

#[test]
fn f_opens_the_search_which_says_who_had_a_word_and_when_and_closes_it() {
    let mut page = recorded();
    page.keys(&["f"]);
    page.seconds(1);
    assert_eq!(list(&page), Some(FoundList { resource: "pods".to_owned(), ..FoundList::default() }));
    assert!(!page.gateway.take_asked().iter().any(|asked| asked.starts_with("search")), "nothing was typed");
    page.act(PastAction::FindWord(" OOMKilled ".to_owned()));
    page.seconds(1);
    assert!(page.gateway.take_asked().contains(&"search for OOMKilled".to_owned()));
    let found = list(&page).expect("the list");
    let said = |at: usize| found.rows[at].times.iter().map(|(said, _)| said.as_str()).collect::<Vec<_>>();
    assert_eq!((said(0), said(1)), (vec!["before to 09:10:00", "from 09:40:00"], vec!["all the time"]));
    assert_eq!((found.note.as_str(), found.rows[0].path.as_str()), ("", "/status/reason"));
    // A time leads to the object as of then, and the list stays.
    let href = found.rows[0].times[1].1.clone().expect("a link");
    assert_eq!(href, "/v/pods@kind/*?at=2026-01-01T09:40:00Z&o=shop/web-1&find=OOMKilled");
    page.act(Action::OpenLink(href.clone()));
    page.seconds(1);
    assert!(page.address == href && list(&page).is_some_and(|list| list.rows.len() == 2), "{}", page.address);
    page.keys(&["f"]);
    page.seconds(1);
    assert!(list(&page).is_none() && page.names().contains("web-1"));
    assert!(!page.address.contains("find="), "{}", page.address);
}

#[test]
fn a_link_has_the_span_of_the_slider_and_the_word_that_is_looked_for() {
    let mut page = recorded();
    page.keys(&["f"]);
    page.act(PastAction::Span(Span::Day));
    page.act(PastAction::FindWord("OOMKilled".to_owned()));
    page.seconds(1);
    assert_eq!(page.address, "/v/pods@kind/*?span=24h&find=OOMKilled");
    let link = page.address.clone();
    let mut other = recorded();
    other.go(&link);
    other.seconds(2);
    assert!(list(&other).is_some_and(|list| list.word == "OOMKilled" && list.rows.len() == 2));
    assert_eq!(other.model().past.as_ref().map(|bar| bar.span), Some(Span::Day));
    other.go("/v/pods@kind/*?span=2h&find=OOMKilled");
    other.seconds(2);
    assert!(
        other.model().past.as_ref().is_some_and(|bar| bar.error.contains("15m, 30m, 1h")),
        "what is wrong is said"
    );
    // Back to where no word was looked for.
    other.go("/v/pods@kind/*");
    other.seconds(1);
    assert!(list(&other).is_none());
    other.keys(&["h"]);
    other.seconds(1);
    assert_eq!(other.address, "/v/pods@kind/*", "a closed bar says nothing");
}

#[test]
fn what_was_not_searched_is_said() {
    let mut page = recorded();
    page.gateway.past.found.clear();
    let (from_ms, to_ms) = (START_MS - 50 * MINUTE_MS, START_MS - 40 * MINUTE_MS);
    page.gateway.past.unrecorded = vec![Unrecorded { from_ms, to_ms, why: Why::Down }];
    page.keys(&["f"]);
    page.act(PastAction::FindWord("OOMKilled".to_owned()));
    page.seconds(1);
    let found = list(&page).expect("the list");
    assert_eq!(found.note, "Nothing recorded yet", "the gateway has no record of the kind");
    assert!(found.foot.contains("Nothing was recorded from 09:10:00 to 09:20:00"), "{}", found.foot);
    page.gateway.past.removed =
        vec![Removed { from_ms, to_ms, removed_ms: START_MS, namespace: None, path: None, masked: true }];
    page.act(PastAction::FindWord("Evicted".to_owned()));
    page.seconds(1);
    let foot = list(&page).expect("the list").foot;
    let said = "What was to be masked was removed from what was recorded of pods from 09:10:00 to 09:20:00.";
    assert!(foot.ends_with(said), "{foot}");
    page.disconnect();
    page.act(PastAction::FindWord("Error".to_owned()));
    page.seconds(1);
    assert!(list(&page).is_some_and(|list| list.is_waiting && list.note == "Searching the record."));
    page.reconnect();
    page.seconds(2);
    assert!(list(&page).is_some_and(|list| !list.is_waiting), "it is asked for on the next connection");
}

#[test]
fn in_a_view_of_several_clusters_what_had_a_word_names_its_own_and_leads_there() {
    let mut page = recorded_in("/v/pods@*/*", &["eu", "us"]);
    page.keys(&["f"]);
    page.act(PastAction::FindWord("OOMKilled".to_owned()));
    page.seconds(2);
    let found = list(&page).expect("the list");
    let mut said: Vec<_> = found.rows.iter().map(|row| format!("{} {}", row.cluster, row.name)).collect();
    said.sort();
    assert_eq!(said, ["eu old-1", "eu web-1", "us old-1", "us web-1"]);
    for row in &found.rows {
        let href = row.times[0].1.clone().expect("a link");
        assert!(href.contains(&format!("o=@{}/shop/{}", row.cluster, row.name)), "{href}");
    }
}
