//! What is wrong now: one list over all kinds.

use page::action::{Action, WrongAction};
use page::past::InPlaceOfRows;
use page::piece::Piece;
use page::status::RowHealth;
use page::testing::{PageRig, brings};
use page::wrong::{WrongLine, WrongList};
use shared::problem::{Problem, Reason};

/// A page that shows the list at this address, with the piece that makes it.
fn opened(page: &mut PageRig) {
    page.start();
    page.page.brought(brings(Piece::More), page.now());
    page.seconds(1);
}

fn live(address: &str) -> PageRig {
    let mut page = PageRig::live(address);
    page.page.brought(brings(Piece::More), page.now());
    page.seconds(1);
    page
}

fn list(page: &PageRig) -> WrongList {
    let shown = page.model().empty_state.as_ref().and_then(|state| state.replaced.0.as_deref());
    match shown {
        Some(InPlaceOfRows::Wrong(list)) => list.clone(),
        other => panic!("what is wrong, not {other:?}"),
    }
}

/// `Pod web-1 in shop: CrashLoopBackOff`
fn said(line: &WrongLine) -> String {
    format!("{} {} in {}", line.kind, line.name, line.place)
}

fn stories(page: &PageRig) -> Vec<String> {
    let story = |story: &page::wrong::WrongStory| match &*story.folded {
        "" => said(&story.root),
        folded => format!("{} with {folded}", said(&story.root)),
    };
    list(page).stories.iter().map(story).collect()
}

#[test]
fn a_key_leads_to_the_list_and_only_what_is_not_fine_is_asked_for() {
    let mut page = PageRig::live("/v/pods");
    page.gateway.take_asked();
    page.keys(&["0"]);
    page.page.brought(brings(Piece::More), page.now());
    page.seconds(1);
    assert_eq!(page.address, "/wrong/@kind/*");
    let asked = page.gateway.take_asked();
    assert_eq!(asked, ["pods", "nodes", "namespaces", "deployments.apps", "replicasets.apps", "events"]);
    assert_eq!(stories(&page), ["Pod web-1 in shop", "Deployment web in shop"]);
    let list = list(&page);
    assert_eq!(list.looked, "5 kinds looked at");
    let counts: Vec<&str> = list.counts.iter().map(|entry| &*entry.count).collect();
    assert_eq!(counts, ["2", "0", "0"]);
    let tally = page.page.model().wrong.clone().expect("its reader has looked");
    assert_eq!(tally.text, "2 failing");
    page.go("/v/nodes");
    page.put("pods", "shop/cart-1 0/1 CrashLoopBackOff 1");
    page.seconds(1);
    let tally = page.page.model().wrong.clone().expect("it goes on");
    assert_eq!(tally.text, "3 failing", "the tally stays in the top bar");
}

#[test]
fn an_owner_has_its_leaves_folded_in_and_opens() {
    let mut page = PageRig::before("/wrong", page::Host::Dogwatch, Default::default());
    for pod in ["shop/web-5d9-a", "shop/web-5d9-b"] {
        page.gateway.owners.insert(pod.into(), "ReplicaSet/web-5d9#5d9".into());
        let now_ms = page.now_ms;
        page.gateway.put("pods", &format!("{pod} 0/1 CrashLoopBackOff 1"), now_ms);
    }
    opened(&mut page);
    assert_eq!(stories(&page), ["Pod web-1 in shop", "Deployment web in shop with 2 Pods"]);
    let web = list(&page).stories[1].clone();
    assert!(web.leaves.is_empty());
    page.act(WrongAction::Fold(web.key.clone()));
    page.seconds(1);
    let leaves: Vec<String> = list(&page).stories[1].leaves.iter().map(said).collect();
    assert_eq!(leaves, ["Pod web-5d9-a in shop", "Pod web-5d9-b in shop"]);
    page.act(WrongAction::Fold(web.key));
    page.seconds(1);
    assert!(list(&page).stories[1].leaves.is_empty());
}

#[test]
fn a_line_leads_to_its_object_and_the_list_stays() {
    let mut page = live("/wrong");
    let href = list(&page).stories[0].root.href.clone().expect("a link");
    assert_eq!(href, "/wrong/@kind/*?o=pods/shop/web-1");
    page.act(Action::FollowLink(href.clone()));
    page.seconds(1);
    assert_eq!(page.address, href);
    assert!(page.page.panel_model().head.is_some() || page.page.model().lacks_panel);
    assert_eq!(stories(&page).len(), 2);
}

#[test]
fn the_filter_takes_words_and_healths_and_says_what_it_cannot_read() {
    let mut page = live("/wrong?q=deployment");
    assert_eq!(stories(&page), ["Deployment web in shop"]);
    page.act(page::action::PaneAction::Filter("!web".into()));
    page.seconds(1);
    assert_eq!((stories(&page).len(), &*list(&page).note), (0, page::wrong::words::HIDDEN_BY_FILTER));
    page.act(page::action::PaneAction::Filter("restarts>5".into()));
    page.seconds(1);
    assert!(page.model().unread.contains("no columns"), "{}", page.model().unread);
    assert_eq!(stories(&page).len(), 2, "a term that can't be read isn't applied");
    page.act(page::action::PaneAction::Filter(String::new()));
    page.put("pods", "shop/cart-1 0/1 ContainerCreating 0");
    page.act(WrongAction::Only(RowHealth::Changing));
    page.seconds(1);
    assert_eq!(page.address, "/wrong/@kind/*?q=health=changing");
    assert!(list(&page).counts[2].is_chosen);
}

#[test]
fn what_is_not_known_is_said_and_never_called_fine() {
    let mut page = PageRig::before("/wrong", page::Host::Dogwatch, Default::default());
    page.gateway.refused.insert("nodes".into(), Problem::new(Reason::Forbidden, "not yours"));
    opened(&mut page);
    assert_eq!(list(&page).looked, "4 kinds looked at; 1 not yours to list");
    page.delete("pods", "shop/web-1");
    page.delete("deployments.apps", "shop/web");
    page.seconds(10);
    assert_eq!(list(&page).note, "Nothing is wrong in 4 kinds.");
    page.gateway.is_silent = true;
    page.seconds(20);
    let shown = list(&page);
    assert_eq!(shown.note, page::wrong::words::NOTHING_KNOWN);
    let silent = "pods, namespaces, deployments, replicasets: unknown since ";
    assert!(shown.unknown[0].starts_with(silent), "{:?}", shown.unknown);
    assert!(page.pill().starts_with("Stale"), "{}", page.pill());
    assert!(page.page.model().wrong.as_ref().is_some_and(|tally| tally.is_stale));
}

#[test]
fn the_last_warning_of_an_object_stands_with_it() {
    let mut page = PageRig::before("/wrong", page::Host::Dogwatch, Default::default());
    let now_ms = page.now_ms;
    page.gateway.put("events", "shop/web-1.1 Warning BackOff pod/web-1 Back-off_restarting", now_ms);
    page.gateway.put("events", "shop/db.1 Warning Unhealthy pod/other No", now_ms);
    opened(&mut page);
    assert_eq!(list(&page).stories[0].root.event, "BackOff: Back-off restarting");
}

#[test]
fn what_was_wrong_then_is_read_from_the_record_by_the_same_views() {
    let mut page = PageRig::before("/wrong", page::Host::Dogwatch, Default::default());
    let now_ms = page.now_ms;
    for resource in ["pods", "nodes", "namespaces", "deployments.apps", "replicasets.apps", "events"] {
        page.gateway.record(resource, now_ms);
    }
    opened(&mut page);
    page.seconds(5);
    page.delete("pods", "shop/web-1");
    page.seconds(1);
    assert_eq!(stories(&page), ["Deployment web in shop"]);
    let open = page.gateway.subscriptions().len();
    page.act(page::action::PastAction::GoTo(now_ms + 1_000));
    page.seconds(1);
    assert_eq!(stories(&page), ["Pod web-1 in shop", "Deployment web in shop"]);
    assert_eq!(page.gateway.subscriptions().len(), open, "no view was opened beside");
    assert!(page.pill().starts_with("Past"), "{}", page.pill());
    page.act(page::action::PastAction::Live);
    page.seconds(1);
    assert_eq!(stories(&page), ["Deployment web in shop"]);
}
