//! Addresses that are read and written, also those of strangers.

use proptest::prelude::*;

use super::*;

fn read(href: &str) -> Parsed {
    let (path, query) = href.split_once('?').unwrap_or((href, ""));
    parse(path, query)
}

#[test]
fn a_canonical_address_reads_back_as_it_is_written() {
    for href in [
        "/",
        "/v/pods@kind/*",
        "/v/deployments.apps@prod-eu-1/payments,shop?l=app%20in%20(a,b)&q=api%20!cart&sort=-restarts&wide=1",
        "/v/nodes@kind/-",
        "/v/pods?f=status.phase!=Running&sort=last-seen",
        "/v/pods?cols=name,age,IMAGE:.spec.containers%5B*%5D.image,READY:.status.conditions%5B%3F(@.type==%22Ready%22)%5D.status",
        "/v/pods@kind/shop?o=shop/cart-0",
        "/v/pods@kind/shop?wide=1&o=shop/cart-0&tab=timeline&a=884129&b=884131",
        "/v/nodes@kind/-?o=node-a&tab=yaml",
        "/v/events@kind/*?o=deployments.apps/shop/web",
        "/v/events@kind/*?o=nodes/-/node-1&tab=yaml",
    ] {
        let parsed = read(href);
        assert_eq!(parsed.problems, [], "{href}");
        assert_eq!(parsed.location.href(), href);
    }
}

#[test]
fn equal_views_have_equal_addresses() {
    let canonical = |href: &str| read(href).location.href();
    assert_eq!(
        canonical("/v/pods@kind/shop,a,shop/?wide=1&l=b=1,a=2"),
        canonical("/v/pods@kind/a,shop?l=a=2,b==1&wide=1")
    );
    assert_eq!(canonical("/v/pods?wide=0&q="), "/v/pods?wide=0");
    assert_eq!(canonical("/v/pods?q=%20status=Running%20"), "/v/pods?q=status=Running");
}

#[test]
fn what_can_be_read_is_used_and_the_rest_is_named() {
    let parsed = read("/v/pods@Kind/shop,Bad%2fName?l=a%20b&sort=age&token=x&wide=1");
    assert_eq!(
        parsed.location.href(),
        "/v/pods@Kind/shop?sort=age&wide=1",
        "a cluster stays as it was written"
    );
    let said: Vec<&str> = parsed.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said.iter().any(|text| text.contains("Bad/Name")), "{said:?}");
    assert!(said.iter().any(|text| text.contains("token")), "{said:?}");
    assert_eq!(read("/x/y").problems.len(), 1);
}

#[test]
fn a_panel_of_a_stranger_is_an_object_or_nothing() {
    for (query, expected, problems) in [
        ("tab=yaml&o=shop/a", "/v/pods?o=shop/a&tab=yaml", 0),
        ("o=shop/a&tab=overview", "/v/pods?o=shop/a", 0),
        ("o=shop/a&tab=shell&a=%3Cscript%3E", "/v/pods?o=shop/a", 2),
        ("o=../../secrets/b", "/v/pods", 1),
        ("o=shop%2Fa%2Fb%2Fc&tab=yaml", "/v/pods", 1),
        ("o=..%2Fa%2Fb", "/v/pods", 1),
        ("o=pods%2Fa%2Fb&tab=yaml", "/v/pods?o=pods/a/b&tab=yaml", 0),
        ("tab=yaml&a=1", "/v/pods", 0),
    ] {
        let parsed = read(&format!("/v/pods?{query}"));
        assert_eq!(parsed.location.href(), expected, "{query}");
        assert_eq!(parsed.problems.len(), problems, "{query}: {:?}", parsed.problems);
    }
}

proptest! {
    #[test]
    fn no_address_of_a_stranger_breaks_anything_and_its_reading_is_stable(path: String, query: String) {
        let parsed = parse(&path, &query);
        let href = parsed.location.href();
        prop_assert_eq!(read(&href).location, parsed.location);
    }

    #[test]
    fn any_filter_survives_its_address(text in ".{1,80}") {
        let location = Location { resource: "pods".into(), query: text.into(), ..Location::default() };
        let trimmed = Location { query: location.query.trim().into(), ..location.clone() };
        prop_assert_eq!(read(&location.href()).location, trimmed);
    }
}
