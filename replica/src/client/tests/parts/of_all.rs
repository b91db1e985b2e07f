//! All namespaces, of which the viewer may see some: the gateway says which, and goes on to say it.

use super::*;

/// What the gateway answers to the subscription of all namespaces.
fn granted(names: &[&str]) -> Scope {
    if names.is_empty() { scope("pods") } else { namespaces(names) }
}

/// Subscription 1 is of all and stays; 2, 3, … are of these namespaces, each with a row and a proof at 1 s.
fn of(names: &[&str]) -> ClientRig {
    let mut rig = ClientRig::new();
    rig.connect(0);
    rig.said();
    rig.may_see(1, names);
    let expected: Vec<String> = (2..).zip(names).map(|(id, _)| format!("subscribe {id}")).collect();
    assert_eq!(rig.said(), expected);
    for (id, name) in (2..).zip(names) {
        rig.begin(id, "e", &["Name"]);
        rig.put(id, 0, 1, vec![row(u64::from(id), &format!("{name}/1"), &["1"])], 900);
        rig.prove(id, 1, 1_000);
    }
    rig.said();
    rig
}

impl ClientRig {
    fn may_see(&mut self, id: u32, names: &[&str]) {
        let answer = Subscribed {
            view: id * 10,
            scope: granted(names),
            state: forbidden(),
            ..subscribed(id, "", &[])
        };
        self.frame(ServerFrame::Subscribed(Box::new(answer)), 1_500);
    }

    fn withdrawn(&self) -> String {
        let withdrawn = self.view().subscription().withdrawn.as_ref().expect("some");
        let names: Vec<&str> = withdrawn.namespaces.iter().map(Namespace::as_str).collect();
        format!("{} row of {}", withdrawn.rows, names.join(" "))
    }

    fn granted(&self) -> Vec<String> {
        match &self.view().subscription().granted {
            Some(Namespaces::These(names)) => names.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        }
    }
}

#[test]
fn each_namespace_that_the_viewer_may_see_is_a_part() {
    let rig = of(&["a", "b"]);
    assert_eq!((rig.keys(), rig.says(1_100).as_str()), (vec!["a/1".to_owned(), "b/1".to_owned()], "live"));
    assert_eq!(rig.granted(), ["a", "b"]);
}

#[test]
fn a_namespace_that_comes_and_one_that_goes_leave_the_others_as_they_are() {
    let mut rig = of(&["a", "b"]);
    rig.may_see(1, &["a", "b", "c"]);
    assert_eq!(rig.said(), ["subscribe 4"]);
    rig.begin(4, "e", &["Name"]);
    rig.put(4, 0, 1, vec![row(4, "c/1", &["1"])], 1_600);
    assert_eq!(rig.keys(), ["a/1", "b/1", "c/1"]);
    rig.may_see(1, &["b", "c"]);
    assert_eq!(
        (rig.said(), rig.keys()),
        (vec!["unsubscribe 2".to_owned()], vec!["b/1".to_owned(), "c/1".to_owned()])
    );
    assert!(rig.view().table().iter().all(|(_, entry)| !entry.is_tombstone()), "nothing was deleted");
    assert_eq!(
        (rig.granted(), rig.withdrawn()),
        (vec!["b".to_owned(), "c".to_owned()], "1 row of a".to_owned())
    );
    rig.put(2, 1, 2, vec![row(9, "a/2", &["1"])], 1_700);
    assert_eq!(rig.keys(), ["b/1", "c/1"]);
}

#[test]
fn one_namespace_all_or_none_make_the_view_whole_again() {
    let mut rig = of(&["a", "b"]);
    let answer = Subscribed { view: 70, scope: granted(&["b"]), ..subscribed(1, "f", &["Name"]) };
    rig.frame(ServerFrame::Subscribed(Box::new(answer)), 1_500);
    assert_eq!(rig.said(), ["unsubscribe 2", "unsubscribe 3"]);
    assert_eq!(rig.keys(), Vec::<String>::new());
    rig.moved(Rows { view: 70, from: 0, to: 1, put: vec![row(3, "b/1", &["1"])], ..Rows::default() }, 1_600);
    assert_eq!((rig.shown(), rig.granted()), (vec!["b/1".to_owned()], vec!["b".to_owned()]));
    assert_eq!(rig.withdrawn(), "1 row of a");

    let mut rig = of(&["a", "b"]);
    rig.may_see(1, &[]);
    assert_eq!(rig.said(), ["unsubscribe 2", "unsubscribe 3"]);
    assert_eq!((rig.shown(), rig.says(2_000).as_str()), (vec![], "forbidden"));
    rig.may_see(1, &["a", "b"]);
    assert_eq!(rig.said(), ["subscribe 4", "subscribe 5"], "the right came back");
}

#[test]
fn a_reconnect_continues_each_part_and_asks_anew_which_they_are() {
    let mut rig = of(&["a", "b"]);
    rig.client.handle(Input::Closed { code: Some(1006) }, at(2_000));
    rig.connect(2_300);
    assert_eq!(rig.said()[2..], ["subscribe 4", "subscribe 5 from 1", "subscribe 6 from 1"]);
    assert_eq!(rig.keys(), ["a/1", "b/1"]);
    rig.may_see(4, &["b", "c"]);
    assert_eq!(rig.said(), ["unsubscribe 5", "subscribe 7"]);
    assert_eq!(rig.keys(), ["b/1"]);
}

#[test]
fn closing_the_view_and_hiding_the_page_give_back_all_of_it() {
    let mut rig = of(&["a", "b"]);
    rig.client.close(rig.key);
    let mut said = rig.said();
    said.sort();
    assert_eq!(said, ["unsubscribe 1", "unsubscribe 2", "unsubscribe 3"]);
    let mut rig = of(&["a", "b"]);
    rig.client.handle(Input::Hidden, at(2_000));
    rig.client.handle(Input::Timer, at(70_000));
    let said = rig.said();
    for id in 1..=3 {
        assert!(said.contains(&format!("unsubscribe {id}")), "{said:?}");
    }
}

#[test]
fn a_gateway_that_ends_the_subscription_of_all_ends_the_view() {
    let mut rig = of(&["a", "b"]);
    let problem = Problem::new(Reason::Limit, "too many");
    rig.frame(ServerFrame::Problem(ProblemFrame { id: Some(1), problem }), 2_000);
    assert_eq!(rig.said(), ["unsubscribe 2", "unsubscribe 3", "ended"]);
    assert!(rig.shown().is_empty());
}

#[test]
fn other_columns_are_asked_for_beside_the_parts_as_well() {
    let mut rig = of(&["a", "b"]);
    let columns = shared::custom_column::CustomColumns::parse("A:.spec.a").expect("valid");
    rig.client.set_columns(rig.key, &columns);
    let said = rig.said();
    assert!(said.contains(&"unsubscribe 1".to_owned()) && said.len() == 6, "{said:?}");
}
