//! The apps, nodes and namespaces of the fleet, and what is special about some of them: read from
//! `inventory.yaml`. Pure data.

use std::sync::LazyLock;

use serde::Deserialize;

/// How many objects there are before any filling, at the least.
pub(super) const OBJECTS: usize = 300;
pub(super) const NODES: usize = 6;
pub(super) const STORAGE_CLASS: &str = "fast";
/// Nodes of the filling.
pub(super) const NODE_PREFIX: &str = "load-node-";

pub(super) static INVENTORY: LazyLock<Inventory> = LazyLock::new(|| {
    // The fleet's tests read all of it.
    serde_saphyr::from_str(include_str!("inventory.yaml")).unwrap_or_default()
});

/// What the file holds; it says what each place of a tuple is.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Inventory {
    pub(super) namespaces: Vec<String>,
    pub(super) teams: Vec<String>,
    pub(super) apps: Vec<App>,
    pub(super) databases: Vec<(String, String, i64, String)>,
    pub(super) agents: Vec<(String, String, String)>,
    pub(super) cron_jobs: Vec<(String, String)>,
    pub(super) rollouts: Vec<(String, String)>,
    pub(super) certificates: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
pub(super) struct App {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) repository: String,
    pub(super) minor: u64,
    pub(super) replicas: i64,
    pub(super) part: Part,
}

/// The part of an app in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Part {
    /// It is rolled now and then.
    Rolled,
    /// An autoscaler scales it.
    Scaled,
    /// Its new image can't be pulled.
    Unpullable,
    /// Its container crashes.
    Crashing,
    /// An init container prepares its database.
    Prepared,
    /// It stands still.
    Still,
}

pub(super) fn is_filling_node(name: &str) -> bool {
    name.starts_with(NODE_PREFIX)
}

pub(super) fn node_name(number: usize) -> String {
    let zone = ["a", "b", "c"].get(number % 3).copied().unwrap_or("a");
    format!("eu1-{zone}-{:02}", number + 1)
}

/// The example registry has releases only: `v1.2.3`, and no candidates.
pub(super) fn can_pull(image: &str) -> bool {
    let Some((repository, tag)) = image.rsplit_once(':') else {
        return true;
    };
    let is_release = tag
        .strip_prefix('v')
        .is_some_and(|numbers| numbers.split('.').all(|number| number.parse::<u32>().is_ok()));
    is_release || !repository.starts_with("registry.example.com/")
}

/// Whether the program of this image crashes.
pub(super) fn crashes(image: &str) -> bool {
    let mut crashing = INVENTORY.apps.iter().filter(|app| app.part == Part::Crashing);
    crashing.any(|app| image.starts_with(&app.repository))
}
