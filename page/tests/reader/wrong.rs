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
    assert_eq!(stories(&page), ["Deployment web in shop with 2 Pods", "Pod web-1 in shop"]);
    let web = list(&page).stories[0].clone();
    assert!(web.leaves.is_empty());
    page.act(WrongAction::Fold(web.key.clone()));
    page.seconds(1);
    let leaves: Vec<String> = list(&page).stories[0].leaves.iter().map(said).collect();
    assert_eq!(leaves, ["Pod web-5d9-a in shop", "Pod web-5d9-b in shop"]);
    page.act(WrongAction::Fold(web.key));
    page.seconds(1);
    assert!(list(&page).stories[0].leaves.is_empty());
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

/// A page of others with a chip of each of these links.
fn with_chips(links: &[&str]) -> (PageRig, Vec<page::action::PaneId>) {
    let mut page = PageRig::before("", page::Host::Portal, Default::default());
    page.start();
    let now = page.now();
    let chips = links.iter().map(|link| page.page.embed(link, now)).collect();
    page.seconds(2);
    (page, chips)
}

fn report(page: &PageRig, chip: page::action::PaneId) -> serde_json::Value {
    let report = page.page.tally_report(chip).expect("it is looked at");
    serde_json::from_str(&report.json).expect("JSON")
}

#[test]
fn a_chip_says_what_is_proven_and_never_that_all_is_fine_else() {
    let (mut page, chips) = with_chips(&["/wrong"]);
    let [chip] = chips[..] else { panic!("one chip") };
    let said = |page: &PageRig| {
        let shown = page.page.tally_report(chip).expect("it is looked at");
        let state = report(page, chip)["state"].as_str().unwrap_or_default().to_owned();
        [state, format!("{:?}", shown.class), shown.text]
    };
    assert_eq!(said(&page), ["live", "Bad", "2 failing"]);
    assert_eq!(report(&page, chip)["message"], "5 kinds looked at");
    page.delete("pods", "shop/web-1");
    page.delete("deployments.apps", "shop/web");
    page.seconds(1);
    assert_eq!(said(&page), ["live", "Ok", "nothing is wrong"]);
    assert_eq!((&report(&page, chip)["failing"], &report(&page, chip)["notReady"]), (&0.into(), &0.into()));
    page.gateway.is_silent = true;
    page.seconds(20);
    let [state, class, text] = said(&page);
    assert_eq!((&*state, &*class), ("stale", "Unknown"));
    assert!(text.starts_with("unknown since "), "{text}");
    assert!(report(&page, chip).get("failing").is_none() && report(&page, chip)["sinceMs"].is_i64());
    page.gateway.is_silent = false;
    page.seconds(6);
    assert_eq!(said(&page), ["live", "Ok", "nothing is wrong"]);
}

#[test]
fn a_chip_waits_for_every_kind_and_what_may_not_be_listed_is_no_part_of_it() {
    let mut page = PageRig::before("", page::Host::Portal, Default::default());
    for resource in ["pods", "nodes", "namespaces", "deployments.apps", "replicasets.apps"] {
        page.gateway.refused.insert(resource.into(), Problem::new(Reason::Forbidden, "not yours"));
    }
    page.start();
    let now = page.now();
    let chip = page.page.embed("/wrong", now);
    page.seconds(2);
    let none = report(&page, chip);
    assert_eq!((&none["state"], &none["text"]), (&"forbidden".into(), &"not yours to see".into()));
    assert!(none["failing"].is_null());
}

#[test]
fn chips_of_several_places_have_views_of_their_own_which_end_with_them() {
    let (mut page, chips) = with_chips(&["/wrong", "/wrong/@/shop", "/wrong/@/shop", "/wrong/@/ledger"]);
    let texts: Vec<_> = chips.iter().map(|chip| report(&page, *chip)["text"].clone()).collect();
    assert_eq!(texts[1], texts[2]);
    let link = page.page.tally_report(chips[1]).map(|report| report.link);
    assert_eq!(link.as_deref(), Some("/wrong/@kind/shop"));
    let open = page.gateway.subscriptions().len();
    let now = page.now();
    page.page.unembed(chips[1], now);
    page.seconds(1);
    assert_eq!(page.gateway.subscriptions().len(), open, "the other one of the same place goes on");
    for chip in [chips[0], chips[2], chips[3]] {
        page.page.unembed(chip, now);
    }
    page.seconds(1);
    assert_eq!(page.gateway.subscriptions(), Vec::<String>::new());

    let places: Vec<String> = (0..7).map(|number| format!("/wrong/@/shop-{number}")).collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    let (page, chips) = with_chips(&places);
    assert_eq!(report(&page, chips[5])["state"], "live");
    let last = report(&page, chips[6]);
    assert_eq!(
        (&last["state"], &last["message"]),
        (&"failed".into(), &page::wrong::words::TOO_MANY_PLACES.into())
    );
}

#[test]
fn a_chip_of_a_cluster_that_is_not_there_says_so() {
    let (page, chips) = with_chips(&["/wrong/@elsewhere"]);
    let shown = page.page.tally_report(chips[0]).expect("a report");
    assert_eq!((&*shown.text, shown.class), ("unknown", page::status::Class::Unknown));
    assert!(shown.detail.contains("elsewhere"), "{}", shown.detail);
}

#[test]
fn the_order_turns_from_the_largest_to_the_newest_and_the_oldest() {
    let mut page = live("/wrong");
    let mut turns = Vec::new();
    for _ in 0..4 {
        turns.push((page.address.clone(), page::wrong::words::order(list(&page).order)));
        page.act(WrongAction::Turn);
        page.seconds(1);
    }
    let expected = [
        ("/wrong/@kind/*", "largest first"),
        ("/wrong/@kind/*?sort=-since", "newest first"),
        ("/wrong/@kind/*?sort=since", "oldest first"),
        ("/wrong/@kind/*", "largest first"),
    ];
    assert_eq!(turns, expected.map(|(address, order)| (address.to_owned(), order)));
}
