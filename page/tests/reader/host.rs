//! The page and what surrounds it: the connection, other tabs, the theme, and other people's pages.

use page::action::{Action, Key, PaneAction, PaneId, PanelAction, PanelKey};
use page::export::Format;
use page::location::Tab;
use page::model::{Clip, LinkButton, Standing, Theme};
use page::preferences::Preferences;
use page::testing::PageRig;
use page::{Elsewhere, Environment, Host};
use serde_json::json;
use shared::problem::Reason;

#[test]
fn a_silent_gateway_makes_the_view_stale_and_the_title_says_so() {
    let mut page = PageRig::live("/v/pods");
    page.seconds(1);
    assert_eq!(page.effects(), ["title ✗ 1 · pods · kind · Dogwatch (Failing)"]);
    page.gateway.is_silent = true;
    page.seconds(11);
    assert!(page.pill().starts_with("Live"), "{}", page.pill());
    page.seconds(4);
    assert!(page.pill().starts_with("Stale") && page.model().is_stale, "{}", page.pill());
    assert_eq!(page.effects(), ["title (stale) pods · kind · Dogwatch (Stale)"]);
    assert_eq!(page.rows().len(), 3);
    assert_eq!(page.model().status_bar.rate.clone(), None, "rows stay, and claim no rate");
    assert!(page.page.model().health.is_bad);
    page.reconnect();
    page.seconds(1);
    assert_eq!(page.effects(), ["title ✗ 1 · pods · kind · Dogwatch (Failing)"]);
}

#[test]
fn a_lost_connection_is_said_over_the_whole_page_and_comes_back() {
    let mut page = PageRig::live("/v/pods");
    page.disconnect();
    page.seconds(14);
    assert!(page.bar().contains("stale") && page.pill().starts_with("Stale"), "{}", page.bar());
    assert!(page.model().proof.gateway.is_broken);
    page.gateway.put("pods", "shop/new 1/1 Running 0", page.now_ms);
    page.reconnect();
    page.seconds(1);
    assert!(page.pill().starts_with("Live"), "{}", page.pill());
    assert_eq!((page.bar().as_str(), page.rows().len()), ("", 4));
}

#[test]
fn what_another_tab_kept_is_this_ones_too_but_its_columns() {
    let mut page = PageRig::live("/v/pods");
    page.act(Action::NextTheme);
    assert_eq!(page.page.model().theme, Theme::Light);
    assert_eq!(page.effects(), ["keep Theme(\"light\")"]);
    let mut other =
        Preferences { theme: "dark".into(), pinned: vec!["nodes".into()], ..Preferences::default() };
    other.keep_columns("pods", "name");
    let elsewhere = Elsewhere { preferences: other, is_signed_in: true, ..Elsewhere::default() };
    page.page.kept_elsewhere(elsewhere, page.now());
    assert_eq!(page.page.model().theme, Theme::Dark);
    assert_eq!(page.page.model().navigation.groups[0].title, "Pinned");
    assert_eq!(page.titles(), "NAMESPACE NAME READY STATUS RESTARTS AGE");
    page.act(Action::SetTheme(Theme::Auto));
    assert_eq!((page.pane(0).theme, page.page.model().theme), (Theme::Auto, Theme::Dark));
    assert_eq!(page.effects().len(), 0, "the host's wish isn't kept");
}

#[test]
fn elements_in_another_page_have_views_of_their_own_and_leave_its_address_alone() {
    let mut page = PageRig::before("", Host::Portal, Environment::default());
    let (first, second) =
        (page.page.embed("/v/pods@/shop?q=web", page.now()), page.page.embed("/v/nodes", page.now()));
    page.start();
    assert_eq!(page.pane(0).standing, Standing::Guest);
    assert_eq!(page.names(), "web-1");
    // An element has no panel: nothing is asked for one.
    page.act_in(0, PanelAction::Open { row: None, key: Some(PanelKey::Open) });
    page.page.lead(second, "/v/nodes?o=node-1", page.now());
    page.seconds(1);
    assert_eq!(page.gateway.subscriptions(), ["pods in shop", "nodes"]);
    page.act_in(0, PaneAction::Filter("cart".to_owned()));
    page.page.lead(second, "/v/services", page.now());
    page.seconds(1);
    assert_eq!(page.pane(1).head.resource, "services");
    page.page.unembed(second, page.now());
    page.seconds(1);
    assert_eq!(page.gateway.subscriptions(), ["pods in shop"], "what left the page is given back");
    let is_known = |effect: &String| effect.starts_with("letters");
    assert!(page.effects().iter().all(is_known), "neither address nor title");
    page.page.unembed(first, page.now());
    assert_eq!(page.page.panes().count(), 0);
}

#[test]
fn the_page_of_an_element_hears_how_its_view_stands_and_which_row_is_opened() {
    let mut page = PageRig::before("", Host::Portal, Environment::default());
    let pane = page.page.embed("/v/pods@/shop?q=web", page.now());
    assert_eq!(page.page.view_report(pane).map(|report| report.state), Some("syncing"));
    assert_eq!(page.page.proof_report(pane), None);
    page.start();
    page.seconds(1);
    assert_eq!(page.page.view_report(pane).map(|report| report.state), Some("live"));
    assert_eq!(page.page.proof_report(pane).map(|proof| proof.proven_ms), Some(page.now_ms));
    assert_eq!(page.page.link_report().state, "open");
    page.effects();
    page.act_in(0, PanelAction::Open { row: None, key: None });
    assert_eq!(page.effects().len(), 0, "no row has the focus");
    page.act_in(0, PaneAction::Key(Key::Down));
    page.act_in(0, PanelAction::Open { row: None, key: None });
    assert_eq!(page.effects(), ["activate pods web-1"]);
    let file = page.page.export(pane, Format::Csv, page.now()).expect("a file");
    assert!(file.text.contains("web-1") && !file.text.contains("cart-1"), "what is shown: {}", file.text);
    for _ in 0..2 {
        page.page.set_paused(pane, true, page.now());
        assert_eq!(page.page.view_report(pane).map(|report| report.is_paused), Some(true));
    }
    page.page.set_paused(pane, false, page.now());
    page.disconnect();
    page.seconds(16);
    let report = page.page.view_report(pane).expect("its pane");
    assert_eq!((report.state, report.reason), ("stale", Some(Reason::ConnectionClosed)));
    assert_eq!(page.page.link_report().state, "waiting");
}

#[test]
fn an_element_of_one_object_needs_no_table_and_tells_its_page_what_the_reader_opens() {
    let mut page = PageRig::before("", Host::Portal, Environment::default());
    let pod = json!({
        "kind": "Pod",
        "metadata": {
            "name": "web-1", "namespace": "shop", "uid": "1",
            "ownerReferences": [{ "apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "2" }],
        },
    });
    page.gateway.object("pods", "shop/web-1", pod);
    let of = |page: &PageRig, id: PaneId| {
        let (_, model, panel) = page.page.objects().find(|(object, ..)| *object == id).expect("it's there");
        let title = model.empty_state.as_ref().map(|shown| shown.title.clone());
        (title, panel.head.as_ref().map(|head| head.name.clone()), model.link.clone())
    };
    let object = page.page.embed_object("/v/pod/shop?o=shop/web-1", page.now());
    let other = page.page.embed_object("/v/nodes/-?o=node-1", page.now());
    let report = |page: &PageRig, id| page.page.view_report(id).expect("it's there");
    assert_eq!(report(&page, object).state, "syncing");
    page.start();
    page.seconds(1);
    assert_eq!(of(&page, object), (None, Some("web-1".into()), "/v/pods@kind/shop?o=shop/web-1".into()));
    assert_eq!(of(&page, other).1.as_deref(), Some("node-1"));
    assert_eq!((report(&page, object).state, report(&page, object).exists), ("live", Some(true)));
    assert!(page.page.proof_report(object).is_some());
    page.effects();
    let send = |page: &mut PageRig, action: Action| {
        page.page.update(Some(object), action, page.now());
        page.seconds(1);
        page.effects()
    };
    assert_eq!(
        send(&mut page, PanelAction::Tab(Tab::Yaml).into()).len(),
        0,
        "neither address nor preference"
    );
    assert_eq!(of(&page, object).2, "/v/pods@kind/shop?o=shop/web-1&tab=yaml");
    assert_eq!(of(&page, other).2, "/v/nodes@kind/-?o=node-1", "the other element stays as it is");
    let owner = "/v/deployments.apps@kind/shop?o=shop/web";
    assert_eq!(send(&mut page, Action::FollowLink(owner.into())), ["activate deployments.apps web"]);
    let copied = format!("copy the address {}", of(&page, object).2);
    assert_eq!(send(&mut page, Action::Copy(Clip::Link(LinkButton::Panel))), [copied]);
    // What is of a page around it does nothing.
    for action in [Action::Split, Action::ToggleLog, PanelAction::Walk(1).into(), PanelAction::Close.into()] {
        assert_eq!(send(&mut page, action.clone()).len(), 0, "{action:?}");
    }
    page.page.set_closable(object, true);
    assert_eq!(send(&mut page, PanelAction::Back.into()), ["close"]);

    let frames = page.gateway.delete("pods", "shop/web-1");
    page.receive(frames);
    page.seconds(1);
    assert_eq!(report(&page, object).exists, Some(false));
    for (link, said) in [
        ("/v/pods/-?o=web-1", "pods are in namespaces: give the element a `namespace`"),
        ("/v/nodes/shop?o=shop/node-1", "nodes are in no namespace: take the element's `namespace` away"),
        ("/v/nodes", "give the element the `name` of an object, as name=\"web-1\""),
        ("/v/pods@other/shop?o=shop/web-1", "This gateway doesn't serve other"),
    ] {
        page.page.lead(object, link, page.now());
        page.seconds(1);
        assert_eq!(of(&page, object).0.as_deref(), Some(said), "{link}");
        assert_eq!(report(&page, object).state, "failed", "{link}");
    }
    page.page.unembed(object, page.now());
    page.page.unembed(other, page.now());
    page.seconds(1);
    assert_eq!(page.gateway.subscriptions().len(), 0, "all is given back");
}

#[test]
fn traffic_is_counted_and_named() {
    let mut page = PageRig::live("/v/pods");
    page.page.received(5_300, page.now_ms);
    page.seconds(1);
    assert_eq!(page.model().status_bar.received, "5.3 kB");
    assert_eq!(page.model().status_bar.per_second, " received, 5.3 kB/s");
    page.act(Action::Copy(Clip::Text("kubectl get pods".to_owned())));
    page.act(Action::Reload);
    assert!(page.effects().ends_with(&["copy kubectl get pods".to_owned(), "reload".to_owned()]));
    page.page.set_zone(page::messages::Zone::of(|_| 3_600, 0));
    page.page.set_width(900.0);
    page.keys(&[" "]);
    assert!(page.notice().contains("11:00:01"), "in the reader's time zone: {}", page.notice());
}
