//! The store's promises: order, one revision for all, an honest history, pages that don't move.

use serde_json::{Value, json};

use super::{Deletion, Expired, Operation, PageToken, Store, Writer};
use crate::resource::GroupResource;

const WRITER: Writer<'_> = Writer {
    manager: "test",
    subresource: None,
    operation: Operation::Update,
    api_version: "v1",
    now: "2026-01-01T00:00:00Z",
};

fn configs() -> GroupResource {
    GroupResource::new("", "configmaps")
}

fn config(name: &str) -> Value {
    json!({"metadata": {"name": name, "namespace": "case"}, "data": {"a": "1"}})
}

fn with(names: &[&str]) -> Store {
    let mut store = Store::default();
    for name in names {
        store.create(&configs(), config(name), &WRITER).expect("created");
    }
    store
}

fn set(store: &mut Store, name: &str, value: &str) {
    let key = format!("case/{name}");
    let patched = store.update(&configs(), &key, &WRITER, |before| {
        let mut after = before.clone();
        after["data"]["a"] = json!(value);
        Ok(after)
    });
    patched.expect("patched");
}

fn names(store: &Store, revision: Option<u64>, from: &str, limit: usize) -> Result<Vec<String>, Expired> {
    let page = store.list(&configs(), "case", revision, from, limit, &|_| true)?;
    Ok(page.objects.iter().map(|object| object.name.clone()).collect())
}

#[test]
fn every_write_to_any_resource_takes_the_next_revision() {
    let mut store = with(&["a", "b"]);
    assert_eq!(store.revision(), 2);
    let other = GroupResource::new("apps", "deployments");
    let object = store.create(&other, config("c"), &WRITER).expect("created");
    assert_eq!((object.revision, store.revision()), (3, 3));
}

#[test]
fn an_older_state_is_listed_as_it_was() {
    let mut store = with(&["a", "b"]);
    set(&mut store, "a", "2");
    store.delete(&configs(), "case/b", &Deletion::default()).expect("deleted");
    store.create(&configs(), config("c"), &WRITER).expect("created");
    assert_eq!(names(&store, Some(2), "", 0), Ok(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(names(&store, None, "", 0), Ok(vec!["a".to_owned(), "c".to_owned()]));
    let then = store.list(&configs(), "", Some(2), "", 0, &|_| true).expect("known");
    assert_eq!(then.objects[0].value()["data"]["a"], "1");
}

#[test]
fn a_page_goes_on_after_its_key_at_its_revision() {
    let mut store = with(&["a", "b", "c"]);
    let page = store.list(&configs(), "case", None, "", 2, &|_| true).expect("known");
    let (token, left) = page.rest.expect("a rest");
    assert_eq!((token.key("case").as_str(), token.rv, left), ("case/b\0", 3, 1));
    store.create(&configs(), config("bb"), &WRITER).expect("created");
    assert_eq!(names(&store, Some(3), &token.key("case"), 2), Ok(vec!["c".to_owned()]));
    assert_eq!(PageToken::decode(&token.encode()), Ok(token));
}

#[test]
fn what_lies_before_the_horizon_is_expired_and_nothing_else() {
    let mut store = with(&["a"]);
    set(&mut store, "a", "2");
    store.compact(None);
    set(&mut store, "a", "3");
    assert_eq!(store.changes_after(&configs(), 1, 9).map(|found| found.len()), Err(Expired { horizon: 2 }));
    assert_eq!(store.changes_after(&configs(), 2, 9).map(|found| found.len()), Ok(1));
    assert_eq!(store.changes_after(&configs(), 99, 9).map(|found| found.len()), Ok(0));
    assert_eq!(names(&store, Some(1), "", 0), Err(Expired { horizon: 2 }));
}

#[test]
fn a_restore_undoes_every_write_after_it() {
    let mut store = with(&["a", "b"]);
    set(&mut store, "a", "2");
    store.delete(&configs(), "case/b", &Deletion::default()).expect("deleted");
    store.create(&configs(), config("c"), &WRITER).expect("created");
    store.restore(2);
    assert_eq!(store.revision(), 2);
    assert_eq!(names(&store, None, "", 0), Ok(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(store.get(&configs(), "case/a").expect("there").value()["data"]["a"], "1");
}

#[test]
fn a_field_that_is_removed_loses_its_owner() {
    let mut store = with(&["a"]);
    let other = Writer { manager: "other", ..WRITER };
    let removed = store.update(&configs(), "case/a", &other, |before| {
        let mut after = before.clone();
        after["data"] = json!({"b": "1"});
        Ok(after)
    });
    let fields = removed.expect("patched").value()["metadata"]["managedFields"].clone();
    let told: Vec<(&str, String)> = fields
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| (entry["manager"].as_str().expect("text"), entry["fieldsV1"].to_string()))
        .collect();
    // The map itself is still the first one's.
    let map = ("test", "{\"f:data\":{\".\":{}}}".to_owned());
    assert_eq!(told, [map, ("other", "{\"f:data\":{\"f:b\":{}}}".to_owned())]);
}
