//! Each way of reading, directly and through the gateway at once, while objects come, change and go.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use kube_runtime::watcher::Config;
use playground::{Fault, Rule};
use serde_json::json;
use testkit::api;
use testkit::clients::{Held, Program, in_go, in_python};

use crate::cluster::{Cluster, KINDS, NAMESPACE};
use crate::kinds::goes_and_comes;
use crate::kube_rs;

/// A program, and what it is to hold at the end.
struct Way {
    name: &'static str,
    start: fn(&Path) -> Result<Command>,
    /// By kind, the query that chooses it.
    kinds: &'static [(&'static str, &'static str)],
    tells: Tells,
}

#[derive(PartialEq)]
enum Tells {
    /// Every event, in order.
    Events,
    /// The latest state of what changed.
    States,
    /// The same where only changes of labels count.
    StatesByLabels,
}

const PODS: &[(&str, &str)] = &[("pods", "")];
const MAPS: &[(&str, &str)] = &[("configmaps", "")];
const THREE: &[(&str, &str)] = &[("pods", ""), ("configmaps", ""), ("deployments", "")];
const WIDGETS: &[(&str, &str)] = &[("widgets", "")];
const CHOSEN: &[(&str, &str)] =
    &[("pods", "?labelSelector=app%20in%20(cart,payment),!canary&fieldSelector=status.phase=Running")];

macro_rules! go {
    ($name:literal, $kinds:ident, $tells:ident) => {
        Way { name: $name, start: |at| in_go($name, at, NAMESPACE), kinds: $kinds, tells: Tells::$tells }
    };
}
macro_rules! python {
    ($name:literal, $kinds:expr) => {
        Way { name: $name, start: |at| in_python($name, at, NAMESPACE), kinds: $kinds, tells: Tells::Events }
    };
}

const WAYS: &[Way] = &[
    go!("typed", PODS, Events),
    go!("retry", MAPS, Events),
    go!("selectors", CHOSEN, Events),
    go!("several", THREE, Events),
    go!("controller", PODS, States),
    go!("shared", THREE, Events),
    go!("dynamic", WIDGETS, Events),
    go!("dynamic-informer", WIDGETS, Events),
    go!("metadata", MAPS, Events),
    go!("controller-cache", MAPS, StatesByLabels),
    python!("watch_pods.py", PODS),
    python!("watch_selected.py", &[("configmaps", "?labelSelector=app%3Dcart")]),
    python!("watch_dynamic.py", WIDGETS),
    python!("watch_asyncio.py", &[("pods", ""), ("configmaps", "")]),
    Way {
        name: "shared, asking for protobuf",
        start: |at| shared_with(at, "PROTOBUF", "1"),
        kinds: THREE,
        tells: Tells::Events,
    },
    Way {
        name: "shared, by a list",
        start: |at| shared_with(at, "KUBE_FEATURE_WatchListClient", "false"),
        kinds: THREE,
        tells: Tells::Events,
    },
];

fn shared_with(kubeconfig: &Path, name: &str, value: &str) -> Result<Command> {
    let mut command = in_go("shared", kubeconfig, NAMESPACE)?;
    command.env(name, value);
    Ok(command)
}

/// The ways that begin anew where a watch is told 410, and miss nothing by it: an object that is deleted and created
/// meanwhile has only changed for them, and its labels may be the same.
const LISTS_AGAIN: &[&str] = &[
    "typed",
    "retry",
    "selectors",
    "several",
    "controller",
    "shared",
    "dynamic",
    "dynamic-informer",
    "metadata",
    "watch_pods.py",
    "watch_asyncio.py",
    "kube-rs",
    "kube-rs with streaming lists",
];

/// It isn't started by a command alone.
fn no_command(at: &Path) -> Result<Command> {
    bail!("{} is for another start", at.display())
}

const CURL: Way = Way { name: "curl", start: no_command, kinds: MAPS, tells: Tells::Events };
const KUBE: Way = Way { name: "kube-rs", start: no_command, kinds: MAPS, tells: Tells::Events };
const KUBE_STREAMING: Way =
    Way { name: "kube-rs with streaming lists", start: no_command, kinds: MAPS, tells: Tells::Events };

/// The two programs of a way.
struct Pair {
    way: &'static Way,
    direct: Program,
    through: Program,
}

impl Pair {
    fn start(way: &'static Way, cluster: &Cluster) -> Result<Self> {
        let start =
            |at: &Path, named: &str| Program::start(&format!("{} {named}", way.name), (way.start)(at)?);
        Ok(Self {
            way,
            direct: start(&cluster.direct, "beside the gateway")?,
            through: start(&cluster.through, "through the gateway")?,
        })
    }

    /// curl begins after a list that another program has made.
    async fn of_curl(cluster: &Cluster) -> Result<Self> {
        let (listed, version) = cluster.listed("configmaps", "").await?;
        let start = |at: &Path, named: &str| {
            let mut curl = Program::start(&format!("curl {named}"), cluster.curl(at, &version)?)?;
            curl.knows("configmaps", listed.clone());
            anyhow::Ok(curl)
        };
        let direct = start(&cluster.direct, "beside the gateway")?;
        Ok(Self { way: &CURL, direct, through: start(&cluster.through, "through the gateway")? })
    }

    async fn of_kube(cluster: &Cluster, way: &'static Way, config: fn() -> Config) -> Result<Self> {
        let start = async |at: &Path, named: &str| {
            let client = api::client(at).await?;
            let task = |printer| kube_rs::follow(client, NAMESPACE, config(), printer);
            anyhow::Ok(Program::as_task(&format!("{} {named}", way.name), task))
        };
        let direct = start(&cluster.direct, "beside the gateway").await?;
        Ok(Self { way, direct, through: start(&cluster.through, "through the gateway").await? })
    }

    /// Returns when both hold what the API server lists.
    async fn until_they_hold(&mut self, lists: &BTreeMap<String, Held>, quiet: &Held) -> Result<()> {
        for (kind, query) in self.way.kinds {
            let mut wanted = lists.get(&format!("{kind}{query}")).context("listed")?.clone();
            if self.way.tells == Tells::StatesByLabels {
                wanted.extend(quiet.clone());
            }
            for program in [&mut self.direct, &mut self.through] {
                program.until_it_holds(kind, &wanted).await?;
            }
        }
        Ok(())
    }

    /// Both were told the same since the last call.
    fn compare(&mut self) -> Result<()> {
        let (direct, through) = (self.direct.take_told(), self.through.take_told());
        let name = self.way.name;
        ensure!(
            self.way.tells != Tells::Events || direct == through,
            "{name} was told\n{direct:#?}\nand through the gateway\n{through:#?}"
        );
        ensure!(!through.is_empty(), "{name} was told nothing");
        Ok(())
    }

    fn forget(&mut self) {
        self.direct.take_told();
        self.through.take_told();
    }
}

async fn lists(cluster: &Cluster) -> Result<BTreeMap<String, Held>> {
    let mut lists = BTreeMap::new();
    for (kind, query) in WAYS.iter().flat_map(|way| way.kinds) {
        lists.insert(format!("{kind}{query}"), cluster.listed(kind, query).await?.0);
    }
    Ok(lists)
}

/// What of the changes a controller hears that looks at labels alone.
const QUIET: &str = "quiet";

async fn change(cluster: &Cluster, round: usize) -> Result<()> {
    let label = |key: &str, value: Option<&str>| json!({"metadata": {"labels": {key: value}}});
    for (kind, _) in KINDS {
        let name = format!("more-{round}");
        cluster.create(kind, &name, "cart").await?;
        cluster.merge(kind, "first", &label("round", Some(&round.to_string()))).await?;
        // A selector that names these labels loses the object and gets it back.
        cluster.merge(kind, "first", &label("canary", Some("yes"))).await?;
        cluster.merge(kind, "first", &label("app", Some("other"))).await?;
        cluster.merge(kind, "first", &label("canary", None)).await?;
        cluster.merge(kind, "first", &label("app", Some("cart"))).await?;
        cluster.delete(kind, "second").await?;
        cluster.create(kind, "second", "payment").await?;
        cluster.delete(kind, &name).await?;
    }
    cluster.merge("configmaps", QUIET, &json!({"data": {"key": round.to_string()}})).await
}

async fn all_ways(cluster: &Cluster) -> Result<()> {
    for (kind, _) in KINDS {
        cluster.create(kind, "first", "cart").await?;
        cluster.create(kind, "second", "payment").await?;
    }
    cluster.create("configmaps", QUIET, "other").await?;
    let start = |way| Pair::start(way, cluster);
    let mut pairs: Vec<Pair> = WAYS.iter().map(start).collect::<Result<_>>()?;
    pairs.push(Pair::of_curl(cluster).await?);
    pairs.push(Pair::of_kube(cluster, &KUBE, Config::default).await?);
    pairs.push(Pair::of_kube(cluster, &KUBE_STREAMING, || Config::default().streaming_lists()).await?);
    let before = lists(cluster).await?;
    let quiet = before["configmaps"].iter().find(|(key, _)| key.ends_with(QUIET)).context(QUIET)?;
    let quiet: Held = [(quiet.0.clone(), quiet.1.clone())].into();
    for pair in &mut pairs {
        pair.until_they_hold(&before, &quiet).await?;
        pair.forget();
    }
    for round in 0..2 {
        change(cluster, round).await?;
        let now = lists(cluster).await?;
        for pair in &mut pairs {
            pair.until_they_hold(&now, &quiet).await?;
            pair.compare()?;
        }
    }
    if let Some(playground) = &cluster.playground {
        pairs.retain(|pair| LISTS_AGAIN.contains(&pair.way.name));
        playground.fault(Rule::new(Fault::GoneEvent).open_only());
        change(cluster, 2).await?;
        let now = lists(cluster).await?;
        for pair in &mut pairs {
            pair.until_they_hold(&now, &quiet).await?;
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_of_others_see_the_same_through_the_gateway_before_the_playground() -> Result<()> {
    all_ways(&Cluster::of_playground().await?).await
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_of_others_see_the_same_through_the_gateway_before_an_api_server_also_of_a_kind_that_goes_and_comes()
-> Result<()> {
    let cluster = Cluster::of_api_server().await?;
    all_ways(&cluster).await?;
    goes_and_comes(&cluster).await
}
