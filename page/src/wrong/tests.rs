//! Which objects make one story.

use shared::row::{Extra, Owner, Row, RowId};

use super::model::Order;
use super::stories::{Item, Root, stories};
use crate::status::RowHealth;

fn id(number: u64) -> RowId {
    RowId::from_hash(number << 20)
}

/// An object in the namespace `shop`, with its owner: kind, name, number.
fn row(number: u64, name: &str, owner: Option<(&str, &str, u64)>, hash: Option<&str>) -> Row {
    let owner = owner.map(|(kind, name, number)| Owner {
        kind: kind.into(),
        name: name.into(),
        row: Some(id(number)),
    });
    let extra = Extra { owner, hash: hash.map(Into::into), ..Extra::default() };
    Row {
        id: id(number),
        resource_version: "1".into(),
        namespace: Some("shop".into()),
        name: name.into(),
        created: None,
        cells: Vec::new(),
        extra: Some(Box::new(extra)),
    }
}

fn item<'a>(row: &'a Row, kind: &'a str, health: RowHealth, since: Option<i64>) -> Item<'a> {
    Item { row, kind, cluster: "", health, since, node: None }
}

/// Each story: its root, its leaves, and when it began.
fn told<'a>(items: &[Item<'a>], order: Order) -> Vec<(Root<'a>, Vec<usize>, Option<i64>)> {
    let found = stories(items, |id, _| id, order);
    found.into_iter().map(|story| (story.root, story.leaves, story.since)).collect()
}

#[test]
fn what_an_object_owns_hangs_on_it_over_two_steps() {
    let (deployment, set) =
        (row(1, "web", None, None), row(2, "web-5d9", Some(("Deployment", "web", 1)), Some("5d9")));
    let pods = [7, 8].map(|number| row(number, "web-5d9-x", Some(("ReplicaSet", "web-5d9", 2)), Some("5d9")));
    let items = [
        item(&deployment, "Deployment", RowHealth::Short, Some(40)),
        item(&set, "ReplicaSet", RowHealth::Short, Some(30)),
        item(&pods[0], "Pod", RowHealth::Failing, Some(20)),
        item(&pods[1], "Pod", RowHealth::Short, Some(10)),
    ];
    assert_eq!(told(&items, Order::Newest), [(Root::Item(0), vec![2, 1, 3], Some(10))]);
}

#[test]
fn pods_of_a_set_that_is_fine_are_one_story_of_their_deployment() {
    let owner = Some(("ReplicaSet", "web-5d9", 2));
    let pods = [7, 8].map(|number| row(number, &format!("web-5d9-{number}"), owner, Some("5d9")));
    let items: Vec<_> = pods.iter().map(|pod| item(pod, "Pod", RowHealth::Failing, None)).collect();
    let web = Root::Owner { cluster: "", namespace: "shop", kind: "Deployment", name: "web" };
    assert_eq!(told(&items, Order::Newest), [(web, vec![0, 1], None)]);
    assert_eq!(
        told(&items[..1], Order::Newest),
        [(Root::Item(0), vec![], None)],
        "one alone is told by itself"
    );
    let deployment = row(1, "web", None, None);
    let items: Vec<_> =
        items.into_iter().chain([item(&deployment, "Deployment", RowHealth::Short, None)]).collect();
    assert_eq!(told(&items, Order::Newest), [(Root::Item(2), vec![0, 1], None)], "it is known by its name");
}

#[test]
fn pods_hang_on_the_node_that_fails_and_on_no_other() {
    let mut node = row(1, "n1", None, None);
    node.namespace = None;
    let pod = row(7, "web-5d9-x", Some(("ReplicaSet", "web-5d9", 2)), Some("5d9"));
    let on = |health| {
        let pod = Item { node: Some("n1"), ..item(&pod, "Pod", RowHealth::Short, Some(5)) };
        let node = item(&node, "Node", health, Some(4));
        told(&[pod, node], Order::Newest).len()
    };
    assert_eq!((on(RowHealth::Failing), on(RowHealth::Short)), (1, 2));
}

#[test]
fn the_worst_comes_first_then_the_newest_and_what_was_not_seen_to_begin_is_the_oldest() {
    let rows: Vec<Row> = (1..5).map(|number| row(number, "a", None, None)).collect();
    let healths = [RowHealth::Short, RowHealth::Failing, RowHealth::Failing, RowHealth::Failing];
    let since = [Some(90), Some(10), None, Some(20)];
    let items: Vec<_> = rows
        .iter()
        .zip(healths)
        .zip(since)
        .map(|((row, health), since)| item(row, "A", health, since))
        .collect();
    let roots = |order| told(&items, order).into_iter().map(|(root, ..)| root).collect::<Vec<_>>();
    assert_eq!(roots(Order::Newest), [3, 1, 2, 0].map(Root::Item));
    assert_eq!(roots(Order::Oldest), [2, 1, 3, 0].map(Root::Item));
    assert_eq!(roots(Order::Largest), [3, 1, 2, 0].map(Root::Item), "all are of one object");
}

#[test]
fn the_largest_story_comes_first_within_a_class() {
    let set = |kind_name: &'static str, number| Some(("ReplicaSet", kind_name, number));
    let pods = [
        row(10, "web-1", set("web", 1), None),
        row(11, "api-1", set("api", 2), None),
        row(12, "api-2", set("api", 2), None),
        row(13, "api-3", set("api", 2), None),
        row(14, "old-1", set("old", 3), None),
        row(15, "old-2", set("old", 3), None),
        row(16, "all-1", set("all", 4), None),
        row(17, "all-2", set("all", 4), None),
    ];
    let since = [90, 10, 10, 10, 20, 20, 30, 30];
    let item = |(pod, since)| item(pod, "Pod", RowHealth::Failing, Some(since));
    let mut items: Vec<_> = pods.iter().zip(since).map(item).collect();
    for (at, item) in items.iter_mut().enumerate() {
        item.health = if (6..).contains(&at) { RowHealth::Short } else { RowHealth::Failing };
    }
    let sizes = |order| {
        let of = |(_, leaves, since): (Root<'_>, Vec<usize>, Option<i64>)| (leaves.len(), since);
        told(&items, order).into_iter().map(of).collect::<Vec<_>>()
    };
    let (one, large, small, short) = ((0, Some(90)), (3, Some(10)), (2, Some(20)), (2, Some(30)));
    assert_eq!(sizes(Order::Largest), [large, small, one, short]);
    assert_eq!(sizes(Order::Newest), [one, small, large, short]);
    assert_eq!(sizes(Order::Oldest), [large, small, one, short]);
}

#[test]
fn owners_in_a_circle_end() {
    let (one, other) = (row(1, "a", Some(("B", "b", 2)), None), row(2, "b", Some(("A", "a", 1)), None));
    let items = [item(&one, "A", RowHealth::Failing, None), item(&other, "B", RowHealth::Failing, None)];
    assert_eq!(told(&items, Order::Newest).len(), 2);
}
