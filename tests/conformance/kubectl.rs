//! The real kubectl against the playground: commands that read, and those that write JSON, work as on any cluster.
//! `create`, `auth` and `scale` send protobuf or need a subresource; the playground refuses them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use cluster::Binaries;
use playground::{Options, Playground};

/// kubectl without the kubeconfig and the cache of the person who runs it.
struct Kubectl {
    program: PathBuf,
    folder: PathBuf,
}

impl Drop for Kubectl {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Kubectl {
    fn of(playground: &Playground) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("playground-kubectl-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        playground.write_kubeconfig(&folder.join("kubeconfig")).expect("a kubeconfig");
        Self { program: Binaries::ensure().expect("kubectl").kubectl, folder }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env("KUBECONFIG", self.folder.join("kubeconfig"))
            .env("KUBECACHEDIR", self.folder.join("cache"))
            .stdin(Stdio::null());
        command
    }

    /// What `kubectl ARGUMENTS` prints, arguments split at blanks.
    fn prints(&self, arguments: &str) -> String {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = self.command(&arguments).output().expect("kubectl runs");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "kubectl {arguments:?}: {complaint}");
        assert!(complaint.is_empty(), "kubectl {arguments:?} complains: {complaint}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// A manifest as a file.
    fn file(&self, text: &str) -> String {
        let path = self.folder.join("manifest.yaml");
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    }
}

async fn fleet() -> (Playground, Kubectl) {
    let playground = Playground::start(Options::quiet()).await.expect("a free port");
    let kubectl = Kubectl::of(&playground);
    (playground, kubectl)
}

fn first(kubectl: &Kubectl, what: &str) -> (String, String) {
    let path = "jsonpath={.items[0].metadata.namespace}{\"/\"}{.items[0].metadata.name}";
    let output = kubectl.command(&["get", what, "-A", "-o", path]).output().expect("kubectl runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (namespace, name) = text.split_once('/').expect("there is one");
    (namespace.to_owned(), name.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn get_and_api_resources_show_what_is_served() {
    let (_cluster, kubectl) = fleet().await;
    assert!(kubectl.prints("get nodes").starts_with("NAME "));
    assert!(kubectl.prints("get pods -A -o wide").contains("NOMINATED NODE"));
    assert!(kubectl.prints("get all -A").contains("deployment.apps/"));
    let resources = kubectl.prints("api-resources");
    for known in ["deployments", "clusterroles", "customresourcedefinitions", "metrics.k8s.io/v1beta1"] {
        assert!(resources.contains(known), "{known}: {resources}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn get_w_prints_a_row_for_each_change() {
    let (_cluster, kubectl) = fleet().await;
    let mut watching = kubectl
        .command(&["get", "configmaps", "-n", "default", "-w", "--output-watch-events"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("kubectl runs");
    // Whether its list or its watch meets the object first, it is told as ADDED.
    let file = kubectl.file("{apiVersion: v1, kind: ConfigMap, metadata: {name: seen}, data: {a: b}}");
    kubectl.prints(&format!("create -f {file}"));
    let output = watching.stdout.take().expect("its output");
    let line = BufReader::new(output).lines().map_while(Result::ok).find(|line| line.contains("seen"));
    watching.kill().expect("it runs");
    watching.wait().expect("it ends");
    assert!(line.expect("a row").starts_with("ADDED"));
}

#[tokio::test(flavor = "multi_thread")]
async fn describe_tells_of_pods_deployments_and_nodes_with_their_events() {
    let (_cluster, kubectl) = fleet().await;
    for (what, told) in [("pods", "Containers:"), ("deployments", "Pod Template:"), ("nodes", "Allocatable:")]
    {
        let (namespace, name) = first(&kubectl, what);
        let scope = if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") };
        let text = kubectl.prints(&format!("describe {what} {name}{scope}"));
        assert!(text.contains(told) && text.contains("Events:"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wait_ends_when_the_condition_is_met() {
    let (_cluster, kubectl) = fleet().await;
    let (_, node) = first(&kubectl, "nodes");
    let told = kubectl.prints(&format!("wait --for=condition=Ready node/{node} --timeout=10s"));
    assert_eq!(told.trim(), format!("node/{node} condition met"));
}

#[tokio::test(flavor = "multi_thread")]
async fn top_shows_what_nodes_and_pods_use() {
    let (_cluster, kubectl) = fleet().await;
    let nodes = kubectl.prints("top nodes");
    assert!(nodes.starts_with("NAME ") && nodes.lines().count() > 1, "{nodes}");
    assert!(kubectl.prints("top pods -A --containers").starts_with("NAMESPACE"));
    assert!(kubectl.prints("get nodes.metrics.k8s.io").starts_with("NAME "));
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_tell_what_a_container_writes_and_wrote_before_it_crashed() {
    let (cluster, kubectl) = fleet().await;
    let found = kubectl.prints("get pods -n shop -l app=cart -o jsonpath={.items[0].metadata.name}");
    let cart = kubectl.prints(&format!("logs {found} -n shop --tail=3 --timestamps"));
    assert!(cart.ends_with('\n') && cart.lines().all(|line| line.contains("Z ")), "{cart}");
    let whole = kubectl.prints("logs -n shop -l app=cart --tail=2 --prefix --all-containers");
    assert!(
        whole.lines().all(|line| line.starts_with("[pod/cart-")) && whole.lines().count() == 4,
        "{whole}"
    );
    assert_eq!(kubectl.prints(&format!("logs {found} -n shop --limit-bytes=10")).len(), 10);
    let crashed = |pod: &serde_json::Value| {
        pod.pointer("/status/containerStatuses/0/lastState/terminated/exitCode") == Some(&1.into())
    };
    while !cluster.list("pods").iter().any(crashed) {
        cluster.step_fleet(1);
    }
    let why = kubectl.prints("logs -p deployment/settlement-import -n payments");
    assert!(why.contains("has no column \"currency\""), "{why}");
    let none = kubectl.command(&["logs", &found, "-n", "shop", "-p"]).output().expect("kubectl runs");
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(!none.status.success() && said.contains("previous terminated container \"cart\""), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_created_applied_labelled_and_deleted() {
    let (_cluster, kubectl) = fleet().await;
    let check = |arguments: &str, told: &str| assert_eq!(kubectl.prints(arguments).trim(), told);
    let namespace = kubectl.file("{apiVersion: v1, kind: Namespace, metadata: {name: mine}}");
    check(&format!("create -f {namespace}"), "namespace/mine created");
    let manifest = |value: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: two, namespace: mine}}\ndata: {{a: {value}}}\n"
        )
    };
    let file = kubectl.file(&manifest("first"));
    check(&format!("apply -f {file}"), "configmap/two created");
    check(&format!("apply -f {file}"), "configmap/two unchanged");
    kubectl.file(&manifest("second"));
    check(&format!("apply -f {file}"), "configmap/two configured");
    check("get configmap two -n mine -o jsonpath={.data.a}", "second");
    check("label configmap two -n mine x=y", "configmap/two labeled");
    check(&format!("delete -f {file}"), "configmap \"two\" deleted from mine namespace");
    check("delete namespace mine", "namespace \"mine\" deleted");
}
