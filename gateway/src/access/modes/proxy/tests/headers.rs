//! Every way to write an identity, and what comes of it.

use http::HeaderValue;

use super::*;
use crate::limits::{PROXY_GROUPS_MAX, PROXY_NAME_BYTES_MAX};

fn names(separator: Option<char>) -> HeaderNames {
    HeaderNames {
        user: HeaderName::from_static("x-remote-user"),
        groups: HeaderName::from_static("x-remote-group"),
        separator,
    }
}

/// `user: group, group`, or the reason of the refusal.
fn said(headers: &[(&str, &[u8])], separator: Option<char>) -> Result<String, Reason> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
        map.append(name, HeaderValue::from_bytes(value).expect("a value"));
    }
    let subject = subject(&map, &names(separator)).map_err(|problem| problem.reason)?;
    let groups: Vec<&str> = subject.groups.iter().map(|group| &**group).collect();
    Ok(format!("{}: {}", subject.user, groups.join(", ")))
}

#[test]
fn r_authn_6_one_name_and_its_groups_are_an_identity() {
    let check = |headers: &[(&str, &[u8])], separator, expected: &str| {
        assert_eq!(said(headers, separator).as_deref(), Ok(expected), "{headers:?}");
    };
    check(&[("X-Remote-User", b"alice")], None, "alice: ");
    check(&[("x-remote-user", "Jürgen Å".as_bytes())], None, "Jürgen Å: ");
    let two: &[(&str, &[u8])] =
        &[("x-remote-user", b"a@b.example"), ("x-remote-group", b"ops"), ("x-remote-group", b"dev")];
    check(two, None, "a@b.example: dev, ops");
    check(two, Some(','), "a@b.example: dev, ops");
    check(&[("x-remote-user", b"a"), ("x-remote-group", b"ops, dev,ops")], Some(','), "a: dev, ops");
    check(&[("x-remote-user", b"a"), ("x-remote-group", b"CN=x,O=y|dev")], Some('|'), "a: CN=x,O=y, dev");
    check(
        &[("x-remote-user", b"systematic"), ("x-remote-group", b"a:system:b")],
        None,
        "systematic: a:system:b",
    );
    check(
        &[("x-remote-user", b"a"), ("x-remote-users", b"b"), ("connection", b"upgrade, keep-alive")],
        None,
        "a: ",
    );
}

#[test]
fn r_authn_6_what_could_be_read_in_two_ways_is_refused_whole() {
    let user: (&str, &[u8]) = ("x-remote-user", b"alice");
    let long = "x".repeat(PROXY_NAME_BYTES_MAX + 1);
    let many = (0..=PROXY_GROUPS_MAX).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    for headers in [
        &[user, user][..],
        &[user, ("X-Remote-User", b"root")],
        &[user, ("X_Remote_User", b"root")],
        &[user, ("x-remote_user", b"root")],
        &[user, ("x.remote.user", b"root")],
        &[("X_Remote_User", b"root")],
        &[user, ("X_Remote_Group", b"ops")],
        &[user, ("connection", b"X-Remote-User")],
        &[user, ("connection", b"close"), ("connection", b"upgrade ,x-remote-user")],
        &[user, ("connection", b"x_remote_user")],
        &[user, ("x-remote-group", b"ops"), ("connection", b"x-remote-group")],
        &[user, ("connection", b"x-remote-group")],
        &[("x-remote-user", b"")],
        &[("x-remote-user", b"root, alice")],
        &[("x-remote-user", b" alice")],
        &[("x-remote-user", b"ali\tce")],
        &[("x-remote-user", "ali\u{85}ce".as_bytes())],
        &[("x-remote-user", b"al\xffice")],
        &[("x-remote-user", long.as_bytes())],
        &[user, ("x-remote-group", b"")],
        &[user, ("x-remote-group", b"ops"), ("x-remote-group", b"")],
        &[user, ("x-remote-group", b"a\xff")],
        &[user, ("x-remote-group", long.as_bytes())],
        &[user, ("x-remote-group", b"ops,,dev")],
        &[user, ("x-remote-group", b"ops,")],
        &[user, ("x-remote-group", many.as_bytes())],
    ] {
        assert_eq!(said(headers, Some(',')), Err(Reason::BadRequest), "{headers:?}");
    }
    assert_eq!(said(&[user, ("x-remote-group", b"ops,dev")], None), Err(Reason::BadRequest), "no separator");
    assert_eq!(said(&[("x-remote-group", b"ops")], None), Err(Reason::Unauthorized), "groups of nobody");
    assert_eq!(said(&[], None), Err(Reason::Unauthorized));
}

#[test]
fn r_authn_5_names_that_kubernetes_reserves_are_refused() {
    let user: (&str, &[u8]) = ("x-remote-user", b"alice");
    for headers in [
        &[user, ("x-remote-group", b"system:masters")][..],
        &[user, ("x-remote-group", b"dev"), ("x-remote-group", b"system:masters")],
        &[user, ("x-remote-group", b"dev, system:masters")],
        &[user, ("x-remote-group", b"System:Masters")],
        &[user, ("x-remote-group", b"system:authenticated")],
        &[("x-remote-user", b"system:admin")],
        &[("x-remote-user", b"system:serviceaccount:kube-system:admin")],
        &[("x-remote-user", b"SYSTEM:admin")],
    ] {
        assert_eq!(said(headers, Some(',')), Err(Reason::BadRequest), "{headers:?}");
    }
}
