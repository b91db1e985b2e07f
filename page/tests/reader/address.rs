//! Links, also hostile ones, and back and forward.

use page::action::{Action, PaneAction, SelectorAction, SelectorKind};
use page::model::{Clip, LinkButton, NoticeAction};
use page::testing::{PageRig, START_MS};
use page::{Environment, Host};
use shared::problem::{Problem, Reason};
use shared::resource::Resource;

#[test]
fn what_of_a_link_cannot_be_read_is_named_and_the_rest_is_used() {
    for (address, named, used) in [
        ("/v/pods@/*?colour=red&q=web", "colour", "/v/pods@kind/*?q=web"),
        ("/v/pods@/*?l=app+in+web&sort=-age", "app in web", "/v/pods@kind/*?sort=-age"),
        ("/v/pods@/*?q=%22%3E%3Cimg&x=<script>", "script", "/v/pods@kind/*?q=%22%3E%3Cimg"),
        ("/b?v=pods@/*&x=1&v=nodes@/-", "x", "/b?v=pods@kind/*&v=nodes@kind/-"),
        ("/v/pods@/*?o=shop/%2e%2e&tab=yaml&sort=-age", "is not valid", "/v/pods@kind/*?sort=-age"),
        ("/v/pods@/*,%3Csvg%20onload%3Dalert(1)%3E?q=web", "is not valid", "/v/pods@kind/*?q=web"),
        ("/v/pods@/*?sort=-colour&q=web", "no such column", "/v/pods@kind/*?q=web"),
        (
            "/v/pods@/*?cols=name,A:.spec[x],gone,%3Cb%3E:.metadata.name,name&sort=-colour",
            "invalid array index x",
            "/v/pods@kind/*?cols=name,%3Cb%3E:.metadata.name",
        ),
        ("/v/pods@/*?wide=7&x=1", "wide=7 (0 or 1), x=1 (unknown).", "/v/pods@kind/*"),
        ("/nowhere/at/all", "(no such page)", "/v/pods@kind/*?sort=trouble"),
    ] {
        let mut page = PageRig::live(address);
        assert!(page.bar().to_lowercase().contains(named), "{address}: {}", page.bar());
        page.act(Action::DismissBar);
        assert_eq!((page.bar().as_str(), page.address.as_str()), ("", used), "{address}");
    }
    let titles = PageRig::live("/v/pods?cols=name,A:.spec[x],gone,%3Cb%3E:.metadata.name,name").titles();
    assert_eq!(titles, "NAME <b>");
    let long = PageRig::live(&format!("/v/pods@/*?q={}", "a".repeat(20_000)));
    assert!(long.bar().contains("too long") && long.rows().len() == 3, "{}", long.bar());
}

#[test]
fn the_first_page_shows_pods_of_the_contexts_namespaces() {
    let mut page = PageRig::before("/", Host::Dogwatch, Environment::default());
    page.gateway.welcome.clusters[0].namespaces =
        vec![shared::name::Namespace::parse("shop").expect("a name")];
    page.start();
    let first = (page.address.as_str(), page.names());
    assert_eq!(
        first,
        ("/v/pods@kind/shop?sort=trouble", "web-1 cart-1".to_owned()),
        "what is wrong is first"
    );
    assert_eq!(PageRig::live("/v/pod").address, "/v/pods@kind/*", "the singular becomes the plural");
    assert_eq!(PageRig::live("/v/nodes@/shop").address, "/v/nodes@kind/-");
}

#[test]
fn back_and_forward_go_through_what_was_seen() {
    let mut page = PageRig::live("/v/pods");
    let before = page.address.clone();
    page.act(Action::OpenKind(Resource::parse("", "v1", "services").expect("a resource")));
    assert_eq!(page.effects(), ["push /v/services@kind/*"]);
    assert_eq!(page.gateway.subscriptions(), ["services"], "what isn't looked at is given back");
    page.go(&before);
    assert_eq!(page.names(), "db-0 cart-1 web-1");
    assert_eq!(page.gateway.subscriptions(), ["pods"]);
    assert!(page.effects().iter().all(|effect| effect.starts_with("letters")), "back is no new entry");
    page.act(Action::Copy(Clip::Link(LinkButton::Page)));
    assert_eq!(page.effects(), ["copy the address"]);
}

#[test]
fn single_letters_are_keys_unless_the_link_says_otherwise() {
    let mut page = PageRig::before("/v/pods@kind/*?keys=off", Host::Dogwatch, Environment::default());
    let now = page.now();
    page.page.address_changed("/v/pods@kind/*?keys=off", now);
    let first = page.page.poll_effect();
    assert!(matches!(first, Some(page::effect::Effect::TakeLetters(false))), "{first:?}");
    page.start();
    assert_eq!(page.address, "/v/pods@kind/*?keys=off", "the address keeps it");
}

#[test]
fn an_unknown_kind_is_said_and_opens_by_itself_once_it_is_served() {
    let mut page = PageRig::before("/v/widgets.example.com", Host::Dogwatch, Environment::default());
    let widgets = page.gateway.kinds.iter().position(|kind| kind.custom).expect("a custom kind");
    let kind = page.gateway.kinds.remove(widgets);
    page.start();
    let state = page.model().empty_state.clone().expect("an empty state");
    assert_eq!((state.title.as_str(), state.action), ("This cluster serves no widgets.example.com", None));
    assert_eq!(page.pill(), "Gone");
    page.gateway.kinds.push(kind);
    page.gateway.put("widgets.example.com", "shop/one", START_MS);
    let frames = vec![page.gateway.discovered()];
    page.receive(frames);
    assert_eq!(page.names(), "one");
}

#[test]
fn a_refusal_stands_where_the_rows_would_be() {
    let mut page = PageRig::before("/v/pods@/shop", Host::Dogwatch, Environment::default());
    let problem = Problem::new(Reason::Forbidden, "pods is forbidden: User \"m\" cannot list");
    page.gateway.refused.insert("pods".to_owned(), problem);
    page.start();
    assert!(page.pill().starts_with("Forbidden"), "{}", page.pill());
    assert!(page.notice().contains("cannot list") || page.model().empty_state.is_some(), "{}", page.notice());
    assert_eq!(page.rows(), [""; 0]);
    page.gateway.refused.clear();
    page.act(Action::TryNow);
    assert_eq!(page.names(), "cart-1 web-1");
}

#[test]
fn an_empty_view_offers_to_look_elsewhere_or_to_clear_the_filter() {
    let mut page = PageRig::live("/v/services@/shop");
    let state = page.model().empty_state.clone().expect("an empty state");
    assert_eq!(state.action, Some(NoticeAction::LookEverywhere), "{state:?}");
    page.act(Action::LookEverywhere);
    assert_eq!(page.address, "/v/services@kind/*");
    assert_eq!(page.model().empty_state.clone().expect("still empty").action, None);
    let filtered = PageRig::live("/v/pods?q=nothing-is-called-so");
    let action = filtered.model().empty_state.clone().expect("no row matches").action;
    assert_eq!(action, Some(NoticeAction::ClearFilter));
}

/// Which actions are offered: columns, pause, changes, selectors.
fn offered(page: &PageRig) -> [bool; 4] {
    let content = page.model().head.content;
    let can_pause = content.can_pause(page.model().is_paused, false);
    [content.has_rows(), can_pause, content.takes_rows(), content.is_view()]
}

#[test]
fn what_can_do_nothing_is_not_offered_and_comes_back_with_the_rows() {
    let mut page = PageRig::live("/v/services@/shop");
    assert_eq!(offered(&page), [false, false, true, true], "no rows yet");
    let address = page.address.clone();
    page.keys(&["w", "c", " "]);
    assert!(!page.model().is_paused && page.model().columns.is_none() && page.address == address);
    page.put("services", "shop/api ClusterIP 1h");
    page.seconds(1);
    assert_eq!(offered(&page), [true; 4]);
    page.keys(&[" "]);
    assert!(page.model().is_paused);
    page.delete("services", "shop/api");
    page.seconds(20);
    page.keys(&[" "]);
    assert!(!page.model().is_paused, "a pause can always be ended");
    page.seconds(40);
    assert_eq!(offered(&page), [false, false, true, true]);

    let mut page = PageRig::before("/v/pods@/shop", Host::Dogwatch, Environment::default());
    page.gateway.refused.insert("pods".to_owned(), Problem::new(Reason::Forbidden, "you may not"));
    page.start();
    assert_eq!(offered(&page), [false, false, false, true], "refused");
    let address = page.address.clone();
    page.keys(&["l", " ", "c"]);
    assert!(page.address == address && !page.model().log.is_shown && page.model().columns.is_none());
    page.gateway.refused.clear();
    page.act(Action::TryNow);
    assert_eq!(offered(&page), [true; 4]);

    let mut page = PageRig::live("/v/nothings");
    assert_eq!(offered(&page), [false; 4], "there is no view");
    page.keys(&["K"]);
    page.act(PaneAction::Selector(SelectorAction::Edit(SelectorKind::Labels)));
    page.go("/v/pods@kind/shop");
    assert!(page.model().export.is_none() && page.model().selectors.editing.is_none());
    assert_eq!(offered(&page), [true; 4]);
}

#[test]
fn a_namespace_that_does_not_exist_is_said_where_the_clusters_are_known() {
    let said = |page: &PageRig| {
        let state = page.model().empty_state.clone().expect("no rows");
        format!("{}: {}", state.title, state.text)
    };
    let mut page = PageRig::before("/v/services@kind/nope", Host::Dogwatch, Environment::default());
    page.gateway.put("namespaces", "shop Active 9d", START_MS);
    page.start();
    page.seconds(1);
    assert_eq!(said(&page), "There is no namespace nope: If it is created, its services will appear here.");
    page.put("namespaces", "nope Active 0s");
    page.seconds(1);
    assert_eq!(said(&page), "No services in nope: New ones will appear here.");
    page.delete("namespaces", "nope");
    page.seconds(1);
    assert!(said(&page).starts_with("There is no namespace nope"), "{}", said(&page));
    page.go("/v/services@kind/gone,nope");
    page.seconds(1);
    assert!(said(&page).starts_with("There are no namespaces gone, nope"), "{}", said(&page));
    page.go("/v/services@kind/nope,shop");
    page.seconds(1);
    let text = "There is no namespace nope. New ones will appear here.";
    assert!(said(&page).starts_with("No services in") && said(&page).ends_with(text), "{}", said(&page));
    page.put("services", "shop/api ClusterIP 1h");
    page.seconds(1);
    assert_eq!(page.gateway.subscriptions().len(), 1, "the list is no longer asked for");

    let mut page = PageRig::before("/v/services@kind/nope", Host::Dogwatch, Environment::default());
    let problem = Problem::new(Reason::Forbidden, "you may not list namespaces");
    page.gateway.refused.insert("namespaces".to_owned(), problem);
    page.start();
    page.seconds(2);
    assert_eq!(said(&page), "No services in nope: New ones will appear here.");
}

#[test]
fn a_link_to_another_cluster_says_so_and_shows_nothing_else() {
    for (address, title) in [
        ("/v/pods@prod/shop?q=web", "This gateway doesn't serve prod"),
        ("/v/pods@lab,prod/shop?q=web", "This gateway doesn't serve lab,prod"),
        ("/v/pods@Not%20A%20Name/shop?q=web", "This gateway doesn't serve Not A Name"),
    ] {
        let mut page = PageRig::live(address);
        let state = page.model().empty_state.clone().expect("an empty state");
        assert_eq!(state.title, title, "{address}");
        assert!(page.pill().starts_with("Not served"), "{}", page.pill());
        assert_eq!((page.rows().len(), page.gateway.subscriptions().len()), (0, 0), "{address}");
        assert!(page.page.model().navigation.groups.is_empty(), "{address}");
        page.seconds(2);
        assert_eq!(page.address, address, "the address stays what it was");
        assert!(!page.effects().iter().any(|effect| effect.contains("kind ·")), "the title names no other");
        assert_eq!(state.action, Some(NoticeAction::OpenServed));
        page.act(Action::OpenServed);
        assert_eq!((page.address.as_str(), page.names().as_str()), ("/v/pods@kind/shop?q=web", "web-1"));
    }
}
