//! What a reader may not see: which review said no, and what leaves and comes with a right.

use std::collections::BTreeMap;

use page::action::{Action, PaneAction, PickerAction};
use page::model::{Beside, Notice, NoticeAction, NoticeKind, PickerModel, RightsSheet};
use page::testing::PageRig;
use shared::frame::server::{LoginMode, Viewer, ViewerRights};
use shared::problem::{Problem, Reason};
use shared::resource::Resource;

fn reviewed(refusal: &str) -> PageRig {
    reviewed_of(refusal, "/v/pods", &[])
}

/// A page of these clusters; without names, of the one that every rig has.
fn reviewed_of(refusal: &str, address: &str, clusters: &[&str]) -> PageRig {
    let mut page = PageRig::before(address, page::Host::Dogwatch, page::Environment::default());
    if !clusters.is_empty() {
        page.gateway.has_clusters(clusters);
    }
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
    assert_eq!(review.next, "Ask an administrator for list and watch on pods. It opens by itself then.");
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
    assert_eq!(
        (said.kind, &said.actions[..]),
        (NoticeKind::Withdrawn, &[NoticeAction::DismissWithdrawn][..])
    );
    assert_eq!(page.rows().len(), 2, "and no sign of what may not be seen");
    page.act(PaneAction::DismissWithdrawn);
    assert!(!page.notice().contains("withdrawn"), "{}", page.notice());
    let frames = page.gateway.grant("pods", &[], page.now_ms);
    page.receive(frames);
    page.seconds(1);
    assert_eq!(page.rows().len(), 3, "it joins by itself");
}

fn grant(page: &mut PageRig, namespaces: &[&str]) {
    let frames = page.gateway.grant("pods", namespaces, page.now_ms);
    page.receive(frames);
    page.seconds(1);
}

fn deny(page: &mut PageRig, namespaces: &[&str]) {
    let frames = page.gateway.deny("pods", namespaces, page.now_ms);
    page.receive(frames);
    page.seconds(1);
}

fn picker(page: &PageRig) -> PickerModel {
    page.page.model().namespaces.picker.clone().expect("the picker is open")
}

/// The options with their heads and what stands beside them, then the names that can't be chosen any more.
fn listed(page: &PageRig) -> Vec<String> {
    let picker = picker(page);
    let mut said = Vec::new();
    for option in picker.options {
        said.extend(option.head.map(|head| format!("# {head}")));
        let beside = match option.beside {
            Beside::Nothing => String::new(),
            Beside::Rows(count) => format!(" {count}"),
            Beside::Granted(when) => format!(" + {when}"),
            Beside::Withdrawn(when) => format!(" - {when}"),
        };
        said.push(format!("{}{beside}{}", option.text, if option.is_chosen { " *" } else { "" }));
    }
    said.extend(picker.withdrawn.into_iter().map(|(name, when)| format!("no longer {name} {when}")));
    said
}

#[test]
fn the_picker_says_which_namespaces_were_granted_and_withdrawn_and_when() {
    let mut page = reviewed("");
    page.put("namespaces", "payments Active");
    grant(&mut page, &["ledger", "shop"]);
    page.act(Action::Namespaces(PickerAction::Open));
    assert_eq!(
        listed(&page),
        [
            "all namespaces *",
            "# You may list pods in 2",
            "ledger 1",
            "shop 2",
            "# Other namespaces",
            "payments"
        ]
    );
    grant(&mut page, &["payments", "shop"]);
    assert_eq!(
        listed(&page),
        [
            "all namespaces *",
            "# You may list pods in 2",
            "payments + granted 10:00:02",
            "shop 2",
            "no longer ledger withdrawn 10:00:02"
        ]
    );
    assert!(picker(&page).rights.contains("joins this view by itself"));
    page.act(Action::Namespaces(PickerAction::Type("led".to_owned())));
    assert_eq!(listed(&page)[0], "ledger - withdrawn 10:00:02", "a name that is typed is found");
    page.act(Action::Namespaces(PickerAction::Type(String::new())));
    grant(&mut page, &["ledger", "payments", "shop"]);
    assert_eq!(listed(&page)[2], "ledger + granted 10:00:03", "{:?}", listed(&page));
    page.act(Action::Namespaces(PickerAction::Close));
    page.disconnect();
    page.reconnect();
    page.act(Action::Namespaces(PickerAction::Open));
    page.seconds(1);
    assert!(
        listed(&page).contains(&"payments + granted 10:00:02".to_owned()),
        "a new connection is no new page"
    );
}

#[test]
fn a_chosen_namespace_keeps_its_place_in_the_picker_when_it_is_withdrawn() {
    let mut page = reviewed("");
    page.go("/v/pods@kind/ledger,shop");
    page.act(Action::Namespaces(PickerAction::Open));
    page.seconds(1);
    assert_eq!(
        listed(&page),
        ["all namespaces", "# You may list pods in all namespaces", "ledger 1 *", "shop 2 *"]
    );
    deny(&mut page, &["ledger"]);
    assert_eq!(page.names(), "cart-1 web-1");
    assert!(listed(&page).contains(&"ledger - withdrawn 10:00:02 *".to_owned()), "{:?}", listed(&page));
    assert!(picker(&page).withdrawn.is_empty(), "it can still be taken back");
    assert!(picker(&page).rights.contains("keeps its namespaces"));
    deny(&mut page, &[]);
    assert_eq!(page.names(), "db-0 cart-1 web-1", "a chosen one comes back by itself");
    assert!(listed(&page).contains(&"ledger + granted 10:00:03 *".to_owned()), "{:?}", listed(&page));
}

#[test]
fn what_a_closed_view_said_is_dated_and_nothing_is_said_where_nothing_is_reviewed() {
    let mut page = reviewed("");
    grant(&mut page, &["ledger", "shop"]);
    page.go("/v/pods@kind/shop");
    page.seconds(40);
    page.act(Action::Namespaces(PickerAction::Open));
    assert_eq!(listed(&page)[1], "# You may list pods in 2");
    page.seconds(10);
    assert_eq!(listed(&page)[1], "# You may list pods in 2, as of 10:00:02");

    let mut page = PageRig::live("/v/pods");
    page.gateway.rights = Some(BTreeMap::new());
    page.gateway.take_asked();
    page.act(Action::Namespaces(PickerAction::Open));
    page.act(Action::Rights(true));
    grant(&mut page, &["shop"]);
    assert_eq!(listed(&page), ["all namespaces *", "ledger", "shop"]);
    assert_eq!(picker(&page).rights, "");
    assert!(
        page.gateway.take_asked().iter().all(|asked| !asked.starts_with("rights")),
        "nothing is reviewed"
    );
}

#[test]
fn other_rules_take_what_was_known_of_namespaces() {
    let mut page = reviewed("");
    grant(&mut page, &["ledger", "shop"]);
    grant(&mut page, &["shop"]);
    page.act(Action::Namespaces(PickerAction::Open));
    assert!(listed(&page).iter().any(|line| line.contains("no longer ledger")), "{:?}", listed(&page));
    let frames = page.gateway.reload("other rules", page.now_ms);
    page.receive(frames);
    page.seconds(1);
    assert!(!listed(&page).iter().any(|line| line.contains("withdrawn")), "{:?}", listed(&page));
}

/// What the gateway answers about these kinds.
fn answers(page: &mut PageRig, kinds: &[(&str, &[&str])]) {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    page.gateway.rights =
        Some(kinds.iter().map(|(kind, these)| ((*kind).to_owned(), names(these))).collect());
    page.gateway.take_asked();
}

#[test]
fn the_picker_of_a_view_of_chosen_namespaces_asks_which_others_there_are() {
    let mut page = reviewed("");
    page.go("/v/services@kind/shop");
    answers(&mut page, &[("services", &["shop"])]);
    page.act(Action::Namespaces(PickerAction::Open));
    assert_eq!(page.gateway.take_asked(), ["rights to services"]);
    assert_eq!(listed(&page)[1..3], ["# You may list services in 1", "shop *"]);
    answers(&mut page, &[("services", &["ledger", "shop"])]);
    page.seconds(28);
    assert_eq!(page.gateway.take_asked(), [""; 0], "the answer is young enough");
    page.seconds(4);
    assert_eq!(page.gateway.take_asked(), ["rights to services"]);
    assert_eq!(listed(&page)[1..3], ["# You may list services in 2", "ledger + granted 10:00:32"]);
    page.act(Action::Namespaces(PickerAction::Close));
    page.seconds(40);
    assert_eq!(page.gateway.take_asked(), [""; 0], "nothing of it is shown");
}

fn sheet(page: &PageRig) -> RightsSheet {
    page.page.model().rights.clone().expect("the sheet is open")
}

fn lines(page: &PageRig) -> Vec<String> {
    let line = |line: page::model::KindRights| {
        format!("{}: {} {} ({})", line.kind.resource, line.may, line.place, line.answered)
    };
    sheet(page).kinds.into_iter().map(line).collect()
}

#[test]
fn what_may_i_see_says_what_views_were_answered_and_of_how_many_kinds_nothing_is_known() {
    let mut page = reviewed("");
    page.gateway.kinds.iter_mut().filter(|kind| &*kind.kind == "ConfigMap").for_each(|kind| {
        kind.disabled = Some("ConfigMaps are hidden".into());
    });
    let frame = page.gateway.discovered();
    page.receive(vec![frame]);
    grant(&mut page, &["ledger", "shop"]);
    page.act(Action::Who(true));
    page.act(Action::Rights(true));
    assert!(page.page.model().who.is_none(), "it takes the place of the popover");
    let shown = sheet(&page);
    assert_eq!(shown.asked, "Asked as alice (groups payments-dev and shop-dev).");
    assert!(shown.decided.contains("SubjectAccessReview"), "{}", shown.decided);
    assert_eq!(lines(&page), ["pods: list and watch ledger and shop (now)"]);
    assert_eq!(
        shown.notes,
        ["No answer yet about 9 kinds.", "Hidden by this gateway from everybody: configmaps."]
    );
    assert_eq!(shown.command, "kubectl --context Kind auth can-i --list -n ledger");
    page.go("/v/nodes");
    page.go("/v/deployments.apps@kind/shop");
    let frames = page.gateway.deny("deployments.apps", &["shop"], page.now_ms);
    page.receive(frames);
    page.seconds(46);
    assert_eq!(
        lines(&page),
        [
            "pods: list and watch ledger and shop (10:00:02)",
            "nodes: list and watch cluster-wide (10:00:02)",
            "deployments.apps: neither not in shop (now)",
        ]
    );
    assert!(sheet(&page).command.ends_with("--list -n shop"), "of what the reader looks at");
    page.act(Action::Rights(false));
    assert!(page.page.model().rights.is_none());

    let mut page = PageRig::live("/v/pods");
    page.act(Action::Rights(true));
    page.seconds(1);
    assert!(sheet(&page).decided.contains("kubeconfig"), "{}", sheet(&page).decided);
    assert_eq!(lines(&page), ["pods: list and watch all namespaces (now)"]);
    assert_eq!(sheet(&page).notes, ["10 kinds weren't opened yet, and nothing is known of a kind before."]);
}

#[test]
fn what_may_i_see_asks_about_each_kind_once_and_a_few_at_a_time() {
    let mut page = reviewed("");
    for number in 0..100 {
        let mut kind = page.gateway.kinds[0].clone();
        let plural = format!("kinds{number:02}");
        kind.resource = Resource::parse("example.com", "v1", &plural).expect("a resource");
        kind.custom = true;
        page.gateway.kinds.push(kind);
    }
    let frame = page.gateway.discovered();
    page.receive(vec![frame]);
    answers(&mut page, &[("events", &["shop"]), ("services", &[])]);
    page.act(Action::Rights(true));
    assert_eq!(page.gateway.take_asked().len(), 64);
    page.seconds(1);
    assert_eq!(page.gateway.take_asked().len(), 8);
    page.seconds(10);
    let asked = page.gateway.take_asked();
    // The view of pods is answered by itself.
    assert_eq!(asked.len(), 11 + 100 - 1 - 64 - 8, "{asked:?}");
    let lines = lines(&page);
    assert_eq!((lines.len(), sheet(&page).notes.len()), (111, 0));
    assert!(lines.contains(&"events: list and watch shop (now)".to_owned()), "{lines:?}");
    assert_eq!(lines[110], "services: neither  (now)", "what may not be seen comes last");
    page.seconds(60);
    assert_eq!(page.gateway.take_asked(), [""; 0], "an open sheet costs nothing more");
    page.act(Action::Rights(false));
    page.act(Action::Rights(true));
    assert_eq!(page.gateway.take_asked().len(), 64);
}

#[test]
fn what_may_i_see_is_about_the_cluster_that_is_shown_and_names_each_of_several() {
    let mut page = reviewed_of("", "/v/pods@us/shop", &["eu", "us"]);
    answers(&mut page, &[("services", &["home"]), ("services@us", &["shop"]), ("nodes@us", &[])]);
    page.act(Action::Rights(true));
    page.seconds(1);
    let asked = page.gateway.take_asked();
    assert!(!asked.is_empty() && asked.iter().all(|asked| asked.ends_with("@us")), "{asked:?}");
    assert_eq!(
        sheet(&page).asked,
        "Asked as alice (groups payments-dev and shop-dev). About the cluster us."
    );
    assert_eq!(sheet(&page).command, "kubectl --context us-context auth can-i --list -n shop");
    assert!(lines(&page).contains(&"services: list and watch shop (now)".to_owned()), "{:?}", lines(&page));

    page.go("/v/pods@eu,us/shop");
    page.act(Action::Rights(false));
    page.act(Action::Rights(true));
    page.seconds(1);
    assert!(sheet(&page).asked.ends_with("About the clusters eu and us."), "{}", sheet(&page).asked);
    let lines = lines(&page);
    for line in ["services: list and watch eu: home (now)", "services: list and watch us: shop (now)"] {
        assert!(lines.contains(&line.to_owned()), "{line}: {lines:?}");
    }
    assert!(lines.last().is_some_and(|last| last.starts_with("nodes: neither us")), "{lines:?}");
}

#[test]
fn a_forbidden_kind_names_the_kinds_that_may_be_seen_in_its_namespaces() {
    let mut page = reviewed("");
    answers(&mut page, &[("pods", &["ledger", "shop"]), ("services", &["ledger"]), ("configmaps", &[])]);
    let frames = page.gateway.deny("deployments.apps", &["shop"], page.now_ms);
    page.receive(frames);
    page.go("/v/deployments.apps@kind/shop");
    page.seconds(2);
    let review =
        |page: &PageRig| page.model().empty_state.clone().and_then(|state| state.review).expect("a review");
    assert_eq!(review(&page).instead_title, "In shop you may see:");
    let links: Vec<String> = review(&page).instead.into_iter().map(|kind| kind.href).collect();
    assert_eq!(links, ["/v/pods@kind/shop", "/v/events@kind/shop"]);
    answers(&mut page, &[("pods", &["ledger"])]);
    page.seconds(60);
    let links: Vec<String> = review(&page).instead.into_iter().map(|kind| kind.href).collect();
    assert!(!links.contains(&"/v/pods@kind/shop".to_owned()), "it is asked again: {links:?}");
    let first = review(&page).instead[0].resource.clone();
    page.act(Action::OpenKind(first));
    assert_eq!(page.model().head.resource, "services");
}

#[test]
fn what_may_i_see_knows_what_each_cluster_of_one_view_answered() {
    let mut page = PageRig::before("/v/pods@*/*", page::Host::Dogwatch, page::Environment::default());
    page.gateway.has_clusters(&["eu", "us", "lab"]);
    page.start();
    page.seconds(1);
    page.act(Action::Rights(true));
    page.seconds(1);
    let place = "all namespaces (now)";
    let expected: Vec<String> =
        ["eu", "us", "lab"].map(|cluster| format!("pods: list and watch {cluster}: {place}")).to_vec();
    assert_eq!(lines(&page), expected);
    let frames = page.gateway.lose("us", page.now_ms);
    page.receive(frames);
    page.seconds(60);
    assert!(!lines(&page)[1].ends_with("(now)"), "{:?}", lines(&page));
}
