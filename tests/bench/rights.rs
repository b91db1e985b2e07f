//! `cargo xtask bench rights [--tries 50] [--rest-s 120]`: 50 viewers of different rights with ten sockets each, before
//! a real API server of 200 namespaces: whether each sees what kubectl lists for them, what the reviews cost, and how
//! soon a right that was taken takes its rows along, with the watch on role bindings and without it. Never asserts: it
//! measures.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cluster::{ControlPlane, Options, User};
use kube::Client;
use serde_json::{Value, json};
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::state::ViewState;
use testkit::api;
use testkit::arguments::{is_given, number};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::metrics::Metrics;
use testkit::spread::Spread;
use testkit::teams::{Subject, binding, binding_document};
use testkit::viewer::Viewer;
use tokio::task::JoinSet;

const NAMESPACES: usize = 200;
const VIEWERS: usize = 50;
/// The first of the viewers, who see all namespaces.
const OF_ALL: usize = 3;
const SOCKETS: usize = 10;
/// How many tries at once while role bindings aren't watched, where each takes up to 45 s.
const AT_ONCE: usize = 10;

pub async fn run() -> Result<()> {
    let (tries, rest) = (number("tries", 50)?, Duration::from_secs(number("rest-s", 120)? as u64));
    let mut users: Vec<User> = (0..VIEWERS).map(user).collect();
    users.extend([User::new("dogwatch", &[]), User::new("unwatched", &[])]);
    let plane = ControlPlane::start(Options { users, ..Options::default() })?;
    plane.apply(&account("dogwatch", true))?;
    plane.apply(&account("unwatched", false))?;
    plane.apply(&objects())?;
    eprintln!("{NAMESPACES} namespaces stand");
    let bench = Bench { client: api::client(&plane.kubeconfig()).await?, plane };

    let alone = bench.own_rights().await?;
    let (gateway, metrics) = bench.gateway("dogwatch")?;
    let (sockets, many) = bench.all_sockets(&gateway, &metrics, rest).await?;
    eprintln!("{} sockets: {many}", sockets.len());
    let revoked = bench.revoked(&gateway, tries, 1).await?;
    drop(sockets);
    drop(gateway);
    let (gateway, _metrics) = bench.gateway("unwatched")?;
    let unwatched = bench.revoked(&gateway, tries, AT_ONCE).await?;
    let report = json!({
        "own_rights_first_rows_ms": alone.json(),
        "many": many,
        "revoked_ms": revoked.json(),
        "revoked_unwatched_ms": unwatched.json(),
    });
    if is_given("json") {
        println!("{report}");
    } else {
        println!("{report:#}");
    }
    Ok(())
}

/// Some of the viewers have their rights by a group.
fn user(at: usize) -> User {
    let groups = if at.is_multiple_of(3) { vec![format!("group-{at}")] } else { Vec::new() };
    User { name: format!("viewer-{at}"), groups }
}

/// Where a viewer may list and watch; all namespaces where there are none.
fn rights(at: usize) -> Vec<usize> {
    if at < OF_ALL { Vec::new() } else { (0..=at % 10).map(|of| (at * 7 + of * 13) % NAMESPACES).collect() }
}

fn account(name: &str, watches_bindings: bool) -> String {
    let roles = "- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles, rolebindings, clusterroles, clusterrolebindings]
  verbs: [list, watch]
";
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: {name}}}
rules:
- {{apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}}
- {{apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}}
- {{apiGroups: [\"\"], resources: [configmaps], verbs: [list, watch]}}
{}---
{}",
        if watches_bindings { roles } else { "" },
        binding_document("", name, Subject::User(name), name)
    )
}

fn objects() -> String {
    let mut all = "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: [\"\"], resources: [configmaps], verbs: [get, list, watch]}]
---
"
    .to_owned();
    for at in 0..NAMESPACES {
        all += &format!(
            "apiVersion: v1
kind: Namespace
metadata: {{name: team-{at}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: of-team-{at}, namespace: team-{at}}}
---
"
        );
    }
    for at in 0..VIEWERS {
        let User { name, groups } = user(at);
        let subject = groups.first().map_or(Subject::User(&name), |group| Subject::Group(group));
        let places = rights(at);
        if places.is_empty() {
            all += &binding_document("", &name, subject, "reader");
        }
        for place in places {
            all += &binding_document(&format!("team-{place}"), &name, subject, "reader");
        }
    }
    all
}

fn config_maps(namespace: Option<&str>) -> Result<Scope> {
    let namespaces = match namespace {
        None => Namespaces::All,
        Some(name) => Namespaces::these(vec![Namespace::parse(name)?])?,
    };
    Ok(Scope { namespaces, ..Scope::all(Resource::parse("", "v1", "configmaps")?) })
}

struct Bench {
    client: Client,
    plane: ControlPlane,
}

/// A socket that is read until its end is asked for.
type Reading = JoinSet<Result<()>>;

impl Bench {
    fn gateway(&self, account: &str) -> Result<(Dogwatch, Metrics)> {
        let metrics = Metrics::at_free_port();
        let kubeconfig = self.plane.kubeconfig_of(account);
        let kubeconfig = kubeconfig.to_string_lossy();
        let address = metrics.address();
        let arguments = ["--auth", "bearer", "--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig];
        let gateway = Home::new()?.serve(&[&arguments[..], &["--metrics-listen", &address]].concat())?;
        Ok((gateway, metrics))
    }

    /// The first rows of a viewer without any review, for comparison.
    async fn own_rights(&self) -> Result<Spread> {
        let gateway = Dogwatch::of_cluster(&self.plane.kubeconfig())?;
        let socket = gateway.socket()?;
        let mut took = Vec::new();
        for _ in 0..=VIEWERS {
            let began = Instant::now();
            let mut viewer = Viewer::open(Path::new(&socket), config_maps(None)?);
            viewer.until_state("whole", |viewer| viewer.table().is_whole()).await?;
            took.push(began.elapsed().as_secs_f64() * 1e3);
        }
        // The first one waits for the list.
        took.remove(0);
        Ok(Spread::of(took))
    }

    /// Opens all sockets, compares each with kubectl, and counts what is asked while all rest.
    async fn all_sockets(
        &self,
        gateway: &Dogwatch,
        metrics: &Metrics,
        rest: Duration,
    ) -> Result<(Reading, Value)> {
        let (mut first, mut later, mut exact) = (Vec::new(), Vec::new(), 0);
        let mut reading = JoinSet::new();
        for at in 0..VIEWERS {
            let listed = self.listed(at)?;
            for socket in 0..SOCKETS {
                let began = Instant::now();
                let mut viewer = Viewer::of_bearer(&gateway.address(), &user(at).token(), config_maps(None)?);
                let is_whole = |viewer: &Viewer| viewer.table().is_whole() && !viewer.table().is_empty();
                viewer.until_state("whole", is_whole).await?;
                let took = began.elapsed().as_secs_f64() * 1e3;
                if socket == 0 {
                    first.push(took)
                } else {
                    later.push(took)
                }
                exact += usize::from(viewer.names() == listed);
                reading.spawn(async move {
                    loop {
                        viewer.step().await?;
                    }
                });
            }
        }
        let watches = self.watches().await?;
        let before = reviews(metrics)?;
        let ended = tokio::time::timeout(rest, reading.join_next()).await;
        ensure!(ended.is_err(), "a socket ended while nothing happened: {ended:?}");
        let asked = (reviews(metrics)? - before) as f64;
        let report = json!({
            "viewers": VIEWERS,
            "sockets": reading.len(),
            "exact": exact,
            "first_socket_first_rows_ms": Spread::of(first).json(),
            "other_sockets_first_rows_ms": Spread::of(later).json(),
            "upstream_watches_of_configmaps": watches,
            "reviews_per_minute_at_rest": asked * 60.0 / rest.as_secs_f64(),
            "feeds": metrics.count("dogwatch_feeds")?,
        });
        Ok((reading, report))
    }

    /// `namespace/name` of what kubectl lists for a viewer.
    fn listed(&self, at: usize) -> Result<BTreeSet<String>> {
        let User { name, groups } = user(at);
        let columns = "-o=custom-columns=N:.metadata.namespace,M:.metadata.name";
        let list = |place: &[&str]| {
            let group: Vec<String> = groups.iter().map(|group| format!("--as-group={group}")).collect();
            let mut arguments = vec!["get", "configmaps", "--no-headers", columns, "--as", &name];
            arguments.extend(group.iter().map(String::as_str));
            arguments.extend(place);
            self.plane.kubectl_output(&arguments)
        };
        let places: Vec<String> = rights(at).into_iter().map(|place| format!("team-{place}")).collect();
        let texts = match places.as_slice() {
            [] => vec![list(&["-A"])?],
            some => some.iter().map(|place| list(&["-n", place])).collect::<Result<_>>()?,
        };
        let rows = texts.iter().flat_map(|text| text.lines());
        Ok(rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join("/")).collect())
    }

    /// The API server's own count.
    async fn watches(&self) -> Result<u64> {
        let request = http::Request::get("/metrics").body(Vec::new())?;
        let text = self.client.request_text(request).await?;
        let of_config_maps = |line: &&str| {
            line.starts_with("apiserver_longrunning_requests{")
                && line.contains("resource=\"configmaps\"")
                && line.contains("verb=\"WATCH\"")
                && line.contains("scope=\"cluster\"")
        };
        let counts = text.lines().filter(of_config_maps).filter_map(|line| line.rsplit(' ').next());
        Ok(counts.filter_map(|count| count.parse::<u64>().ok()).sum())
    }

    /// From the deletion of a role binding to the rows' end, in milliseconds.
    async fn revoked(&self, gateway: &Dogwatch, tries: usize, at_once: usize) -> Result<Spread> {
        let mut took = Vec::new();
        let tries: Vec<usize> = (0..tries).collect();
        for some in tries.chunks(at_once) {
            let mut running = JoinSet::new();
            for at in some {
                running.spawn(revoke(self.client.clone(), gateway.address(), *at));
            }
            for one in running.join_all().await {
                took.push(one?.as_secs_f64() * 1e3);
            }
        }
        Ok(Spread::of(took))
    }
}

/// Gives a viewer a namespace, sees its row, and takes it again.
async fn revoke(client: Client, gateway: String, at: usize) -> Result<Duration> {
    let viewer = OF_ALL + at % (VIEWERS - OF_ALL);
    let place = (0..NAMESPACES).find(|place| !rights(viewer).contains(place)).context("some are left")?;
    let User { name, .. } = user(viewer);
    let bindings = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/team-{place}/rolebindings");
    let namespace = format!("team-{place}");
    let body = binding(&namespace, &format!("for-a-moment-{at}"), Subject::User(&name), "reader");
    api::post(&client, &bindings, &body).await?;
    let mut socket = Viewer::of_bearer(&gateway, &user(viewer).token(), config_maps(Some(&namespace))?);
    socket.until_state("shown", |socket| socket.table().is_whole() && socket.names().len() == 1).await?;
    api::delete(&client, &format!("{bindings}/for-a-moment-{at}")).await?;
    let began = Instant::now();
    let is_gone = |socket: &Viewer| {
        socket.names().is_empty() && matches!(socket.state(), Some(ViewState::Forbidden { .. }))
    };
    socket.until_state("gone", is_gone).await?;
    Ok(began.elapsed())
}

fn reviews(metrics: &Metrics) -> Result<u64> {
    metrics.sum("dogwatch_upstream_requests_total", "verb=\"review\"")
}
