//! One statement's part of a server: a namespace and a group of its own, so that all of them can be
//! asked at once. The real control plane is shared by the process and ends with it.

use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cluster::{ControlPlane, User};
use conformance::{Answer, Api};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use playground::{Options, Playground};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

/// Where a statement may do what it likes. It asks as an administrator.
pub struct Case {
    api: Api,
    pub namespace: String,
    /// It ends with the statement; none where the server is a real one.
    pub playground: Option<Playground>,
}

impl Deref for Case {
    type Target = Api;

    fn deref(&self) -> &Api {
        &self.api
    }
}

impl Case {
    pub async fn on_playground() -> Case {
        Self::on_playground_with(Options::empty()).await
    }

    /// A server without the WatchList feature.
    pub async fn on_other_playground() -> Case {
        Self::on_playground_with(Options { watch_list: false, ..Options::empty() }).await
    }

    pub async fn on_playground_with(options: Options) -> Case {
        let user = |name, groups| playground::User::new(name, &token_of(name), groups);
        let options = Options {
            // A test can't wait a minute for each bookmark.
            bookmark_interval: Duration::from_secs(2),
            users: vec![user(ADMIN, &["system:masters"]), user(NOBODY, &[])],
            ..options
        };
        let playground = Playground::start(options).await.expect("a free port");
        let api = Api::new(&playground.url(), Some(&token_of(ADMIN)));
        Self::begin(api, Some(playground)).await
    }

    pub async fn on_apiserver() -> Case {
        Self::on(Self::plane().await).await
    }

    /// A server without the WatchList feature, which forgets its history as soon as it may.
    pub async fn on_other_apiserver() -> Case {
        let flags = ["--feature-gates=WatchList=false", "--etcd-compaction-interval=1s"];
        let options = move || cluster::Options {
            apiserver_flags: flags.map(str::to_owned).into(),
            ..cluster::Options::default()
        };
        Self::on(Self::plane_at(&OTHER_PLANE, options).await).await
    }

    /// The real server that the statements share.
    pub async fn plane() -> &'static ControlPlane {
        Self::plane_at(&PLANE, cluster::Options::default).await
    }

    async fn plane_at(
        place: &'static Shared,
        options: impl FnOnce() -> cluster::Options + Send + 'static,
    ) -> &'static ControlPlane {
        let started = tokio::task::spawn_blocking(move || shared(place, options)).await;
        started.expect("a started control plane")
    }

    async fn on(plane: &ControlPlane) -> Case {
        let api = Api::trusting(&plane.server(), &token_of(ADMIN), &plane.certificate());
        Self::begin(api, None).await
    }

    /// In a namespace of its own.
    pub async fn begin(api: Api, playground: Option<Playground>) -> Case {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let namespace = format!("case-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let case = Case { api, namespace, playground };
        case.create("/api/v1/namespaces", json!({"metadata": {"name": case.namespace}})).await;
        case
    }

    /// The client itself, where the case's own helpers are in the way.
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// The path of a resource in this case's namespace: `apps/v1`, `deployments`.
    pub fn path(&self, version: &str, plural: &str) -> String {
        let root = if version.contains('/') { "apis" } else { "api" };
        format!("/{root}/{version}/namespaces/{}/{plural}", self.namespace)
    }

    pub fn configs(&self) -> String {
        self.path("v1", "configmaps")
    }

    pub fn pods(&self) -> String {
        self.path("v1", "pods")
    }

    /// Creates an object, which must succeed.
    pub async fn create(&self, path: &str, value: Value) -> Answer {
        let made = self.post(path, &value).await;
        assert_eq!(made.code, 201, "{}", made.text);
        made
    }

    /// A config map with the label `app`.
    pub async fn config(&self, name: &str, label: &str) -> Answer {
        let value = json!({"metadata": {"name": name, "labels": {"app": label}}, "data": {"a": "1"}});
        self.create(&self.configs(), value).await
    }

    /// Several of them, all with the same label.
    pub async fn config_maps(&self, names: &[&str]) {
        for name in names {
            self.config(name, "web").await;
        }
    }

    /// One in another namespace.
    pub async fn config_elsewhere(&self) {
        let made = self.api.config("default", &format!("{}-other", self.namespace), "web").await;
        assert_eq!(made.code, 201, "{}", made.text);
    }

    /// A pod that no kubelet will ever run.
    pub async fn pod(&self, name: &str) -> Answer {
        let pod = json!({
            "metadata": {"name": name},
            "spec": {"containers": [{"name": "app", "image": "example/app:1"}]},
        });
        self.create(&self.pods(), pod).await
    }

    /// A group of API that is this case's alone.
    pub fn group(&self) -> String {
        format!("{}.example", self.namespace)
    }

    /// Defines the resource `things`; `version` is merged into its only version, `v1`. Gives the path of
    /// its objects once they are served.
    pub async fn define(&self, version: Value) -> String {
        let mut versions = json!([{
            "name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        }]);
        for (field, value) in version.as_object().into_iter().flatten() {
            versions[0][field] = value.clone();
        }
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("things.{}", self.group())},
            "spec": {
                "group": self.group(), "scope": "Namespaced", "versions": versions,
                "names": {
                    "plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList",
                    "shortNames": ["th"], "categories": ["case"],
                },
            },
        });
        self.create(DEFINITIONS, definition).await;
        let path = self.path(&format!("{}/v1", self.group()), "things");
        self.until(&path, |answer| answer.code == 200).await;
        path
    }

    pub fn definition(&self) -> String {
        format!("{DEFINITIONS}/things.{}", self.group())
    }

    /// An object of `things`.
    pub async fn thing(&self, path: &str, name: &str, mut fields: Value) -> Answer {
        fields["apiVersion"] = json!(format!("{}/v1", self.group()));
        fields["kind"] = json!("Thing");
        fields["metadata"]["name"] = json!(name);
        self.create(path, fields).await
    }

    /// Asks again and again until the answer is as wanted: for what a server does in its own time.
    pub async fn until(&self, path: &str, wanted: impl Fn(&Answer) -> bool) -> Answer {
        self.until_as(path, conformance::JSON, wanted).await
    }

    pub async fn until_as(&self, path: &str, accept: &str, wanted: impl Fn(&Answer) -> bool) -> Answer {
        let asked = Instant::now();
        loop {
            let answer = self.get_as(path, accept).await;
            if wanted(&answer) {
                return answer;
            }
            assert!(asked.elapsed() < PATIENCE, "{path} stays {}", answer.text);
            sleep(ASK_AGAIN).await;
        }
    }
}

const ADMIN: &str = "admin";
/// Has no rights.
pub const NOBODY: &str = "nobody";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ASK_AGAIN: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(60);

type Shared = OnceLock<Result<ControlPlane, String>>;

/// A static is never dropped: the end of the process ends the servers.
static PLANE: Shared = OnceLock::new();
static OTHER_PLANE: Shared = OnceLock::new();

fn shared(place: &'static Shared, options: impl FnOnce() -> cluster::Options) -> &'static ControlPlane {
    let started = place.get_or_init(|| {
        let users = vec![User::new(NOBODY, &[])];
        let plane = ControlPlane::start(cluster::Options { users, ..options() }).and_then(|mut plane| {
            // A server that begins with an empty etcd remembers everything; one that was started again
            // has a past that it doesn't know.
            plane.kill_apiserver()?;
            plane.start_apiserver()?;
            Ok(plane)
        });
        plane.map_err(|why| format!("{why:#}"))
    });
    started.as_ref().unwrap_or_else(|why| panic!("no control plane: {why}"))
}

pub fn token_of(user: &str) -> String {
    User::new(user, &[]).token()
}

/// Text as it stands in a query.
pub fn escaped(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
