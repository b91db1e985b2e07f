//! Links, also hostile ones, and back and forward.

use page::action::Action;
use page::model::NoticeAction;
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
        ("/nowhere/at/all", "there is no page", "/v/pods@kind/*"),
    ] {
        let mut page = PageRig::live(address);
        assert!(page.bar().to_lowercase().contains(named), "{address}: {}", page.bar());
        page.act(Action::DismissUnread);
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
    page.gateway.welcome.namespaces = vec![shared::name::Namespace::parse("shop").expect("a name")];
    page.start();
    assert_eq!((page.address.as_str(), page.names().as_str()), ("/v/pods@kind/shop", "cart-1 web-1"));
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
    page.act(Action::CopyLink);
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

#[test]
fn a_link_to_another_cluster_says_so_and_shows_nothing_else() {
    for (address, title) in [
        ("/v/pods@prod/shop?q=web", "This gateway doesn't serve prod"),
        ("/v/pods@kind,prod/shop?q=web", "This gateway doesn't serve kind,prod"),
        ("/v/pods@*/shop?q=web", "This gateway serves one cluster, not all"),
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
