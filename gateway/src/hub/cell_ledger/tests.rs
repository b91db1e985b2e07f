//! The ledger of cells: which sets must end for what a person and all together may have.

use shared::custom_column::CustomColumns;
use shared::name::ClusterName;
use shared::resource::Resource;
use shared::scope::Scope;

use super::*;

struct LedgerRig {
    ledger: CellLedger,
    /// The sets of each feed, as its hub has them.
    sizes: HashMap<&'static str, Vec<(&'static str, usize)>>,
}

impl LedgerRig {
    /// A person may have 100 bytes, and all together 250.
    fn new() -> Self {
        let bounds = CellBounds { of_identity: 100, total: 250 };
        Self { ledger: CellLedger { bounds, ..CellLedger::default() }, sizes: HashMap::new() }
    }

    fn enter(&mut self, viewer: &str, feed: &str, set: &str) -> Result<(), String> {
        let entered = self.ledger.enter(&person(viewer), (&key(feed), Some(&columns(set))));
        entered.map_err(|problem| problem.message)
    }

    fn leave(&mut self, viewer: &str, feed: &str, set: &str) {
        self.ledger.leave(&person(viewer), (&key(feed), Some(&columns(set))));
    }

    /// The names of the sets that end for it, with what is said.
    fn grow(&mut self, feed: &'static str, set: &'static str, bytes: usize) -> Vec<(String, String)> {
        let sizes = self.sizes.entry(feed).or_default();
        sizes.retain(|(known, _)| *known != set);
        sizes.push((set, bytes));
        let told = sizes.iter().map(|(set, bytes)| (columns(set), *bytes)).collect();
        let ended = self.ledger.report(&key(feed), told);
        let named = |(columns, problem): (ColumnsAsked, Problem)| {
            let name = columns.columns.iter().next().map(|column| column.name().to_owned());
            (name.expect("a column"), problem.message)
        };
        let ended: Vec<(String, String)> = ended.into_iter().map(named).collect();
        self.sizes.entry(feed).or_default().retain(|(set, _)| !ended.iter().any(|(name, _)| name == set));
        ended
    }
}

fn person(name: &str) -> Identity {
    Identity::new(name).expect("a name")
}

fn key(feed: &str) -> FeedKey {
    let resource = Resource::parse("", "v1", feed).expect("a resource");
    FeedKey::of(ClusterName::parse("demo").expect("a name"), resource)
}

fn columns(name: &str) -> ColumnsAsked {
    let columns = CustomColumns::parse(&format!("{name}:.a")).expect("a column");
    let resource = Resource::parse("", "v1", "pods").expect("a resource");
    ColumnsAsked { columns, scope: Scope::all(resource) }
}

#[test]
fn a_person_over_all_feeds_has_so_many_bytes_and_is_told_the_cost_and_the_limit() {
    let mut rig = LedgerRig::new();
    for (feed, set) in [("pods", "A"), ("nodes", "B"), ("jobs", "C")] {
        assert_eq!(rig.enter("alice", feed, set), Ok(()));
    }
    assert_eq!(rig.grow("pods", "A", 60), []);
    assert_eq!(rig.grow("nodes", "B", 40), []);
    let ended = rig.grow("jobs", "C", 2);
    let [(set, message)] = ended.as_slice() else { panic!("{ended:?}") };
    assert_eq!(set, "C");
    assert!(
        message.contains("take 1 MiB, and all columns that one person is shown may take 1 MiB"),
        "{message}"
    );
    rig.leave("alice", "jobs", "C");
    assert!(rig.enter("alice", "jobs", "C").is_err(), "it is known to cost too much");
    assert_eq!(rig.enter("bob", "jobs", "C"), Ok(()));
    // What she closes makes room, when its hub has forgotten it.
    rig.leave("alice", "nodes", "B");
    assert!(rig.enter("alice", "jobs", "D").is_ok());
    assert_eq!(rig.grow("jobs", "D", 1).len(), 1);
    assert_eq!(rig.grow("nodes", "B", 0), []);
    rig.leave("alice", "jobs", "D");
    assert_eq!(rig.enter("alice", "jobs", "D"), Ok(()));
    assert_eq!(rig.grow("jobs", "D", 30), []);
}

#[test]
fn a_set_that_another_viewer_has_room_for_goes_on() {
    let mut rig = LedgerRig::new();
    for (viewer, set) in [("alice", "SHARED"), ("bob", "SHARED"), ("alice", "OWN")] {
        assert_eq!(rig.enter(viewer, "pods", set), Ok(()));
    }
    assert_eq!(rig.grow("pods", "SHARED", 70), []);
    assert_eq!(rig.grow("pods", "OWN", 90), [], "SHARED is counted as bob's");
    let ended = rig.grow("pods", "OWN", 110);
    assert_eq!(ended.iter().map(|(set, _)| set.as_str()).collect::<Vec<_>>(), ["OWN"]);
    // When bob leaves it, it is alice's again.
    rig.leave("alice", "pods", "OWN");
    rig.leave("bob", "pods", "SHARED");
    assert_eq!(rig.enter("alice", "pods", "MORE"), Ok(()));
    assert_eq!(rig.grow("pods", "MORE", 31).len(), 1);
}

#[test]
fn sets_without_viewers_end_first_and_all_people_together_have_a_limit() {
    let mut rig = LedgerRig::new();
    for viewer in ["alice", "bob", "carol", "dave"] {
        assert_eq!(rig.enter(viewer, "pods", &viewer.to_uppercase()), Ok(()));
    }
    assert_eq!(rig.grow("pods", "ALICE", 80), []);
    assert_eq!(rig.grow("pods", "BOB", 70), []);
    assert_eq!(rig.grow("pods", "CAROL", 90), []);
    rig.leave("bob", "pods", "BOB");
    let ended = rig.grow("pods", "DAVE", 60);
    assert_eq!(ended.iter().map(|(set, _)| set.as_str()).collect::<Vec<_>>(), ["BOB"]);
    let ended = rig.grow("pods", "DAVE", 99);
    let [(set, message)] = ended.as_slice() else { panic!("{ended:?}") };
    assert_eq!(set, "DAVE");
    assert!(message.contains("all columns that this gateway shows"), "{message}");
}

#[test]
fn what_nobody_views_and_no_hub_keeps_is_forgotten() {
    let mut rig = LedgerRig::new();
    for round in 0..100 {
        let set = format!("S{round}");
        assert_eq!(rig.enter("alice", "pods", &set), Ok(()));
        rig.leave("alice", "pods", &set);
    }
    assert!(rig.ledger.feeds.is_empty());
    assert_eq!(rig.enter("alice", "pods", "A"), Ok(()));
    assert_eq!(rig.grow("pods", "A", 50), []);
    rig.leave("alice", "pods", "A");
    assert_eq!(rig.ledger.bytes_of(&person("alice")), 50);
    rig.ledger.report(&key("pods"), Vec::new());
    assert!(rig.ledger.feeds.is_empty());
}
