//! Rights on a real API server with two authorisers, RBAC behind a webhook with a veto: row by row of the threat model,
//! each with viewers and namespaces of its own.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use cluster::{ControlPlane, Options, User};
use serde_json::{Value, json};
use shared::name::{Namespace, ObjectName};
use shared::resource::{Kind, Resource};
use shared::scope::{Namespaces, Scope};
use shared::state::{ViewState, Whom};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::metrics::Metrics;
use testkit::teams::{Subject, binding_document};
use testkit::viewer::Viewer;

const USERS: [&str; 8] =
    ["dogwatch", "nobody", "lister", "watcher", "named", "left", "right", "vetoed-in-team-8"];
/// What [`webhook`] denies, whatever RBAC says.
const VETO: &str = "vetoed-in-";

const OBJECTS: &str = r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: dogwatch}
rules:
- {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}
- {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles, rolebindings, clusterroles, clusterrolebindings], verbs: [list, watch]}
- {apiGroups: [""], resources: [configmaps], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [configmaps, nodes], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: lister}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: watcher}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: named}
rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [own], verbs: [get, watch]}]
---
"#;

/// The namespace of each binding (all if it is empty), its user, and its role.
const BINDINGS: [(&str, &str, &str); 9] = [
    ("", "dogwatch", "dogwatch"),
    ("", "right", "reader"),
    ("team-1", "lister", "lister"),
    ("team-2", "watcher", "watcher"),
    ("team-3", "named", "named"),
    ("team-5", "left", "reader"),
    ("team-6", "left", "reader"),
    ("team-7", "vetoed-in-team-8", "reader"),
    ("team-8", "vetoed-in-team-8", "reader"),
];

fn objects() -> String {
    let mut all = OBJECTS.to_owned();
    for at in 1..=8 {
        all += &format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: team-{at}}}\n---\n");
        for name in ["own", "other"] {
            all += &format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: team-{at}}}\n---\n"
            );
        }
    }
    for (namespace, user, role) in BINDINGS {
        all += &binding_document(namespace, user, Subject::User(user), role);
    }
    all
}

/// All tests share it. It ends with the process.
fn plane() -> Result<&'static ControlPlane> {
    static PLANE: OnceLock<Result<ControlPlane, String>> = OnceLock::new();
    let start = || {
        let users = USERS.map(|name| User::new(name, &[])).to_vec();
        let files = tempfile::tempdir()?.keep();
        let config = authorisers(&files, webhook()?)?;
        let apiserver_flags = vec![format!("--authorization-config={config}")];
        let plane = ControlPlane::start(Options { users, apiserver_flags, ..Options::default() })?;
        fs::remove_dir_all(files)?;
        plane.apply(&objects())?;
        anyhow::Ok(plane)
    };
    let plane = PLANE.get_or_init(|| start().map_err(|error| format!("{error:#}")));
    plane.as_ref().map_err(|error| anyhow!("{error}"))
}

/// The path of the configuration. <https://kubernetes.io/docs/reference/access-authn-authz/authorization/>
fn authorisers(folder: &Path, port: u16) -> Result<String> {
    let kubeconfig = folder.join("webhook.json");
    let cluster = json!({"name": "webhook", "cluster": {"server": format!("http://127.0.0.1:{port}/")}});
    let context = json!({"name": "webhook", "context": {"cluster": "webhook", "user": ""}});
    let content = json!({"apiVersion": "v1", "kind": "Config", "clusters": [cluster], "contexts": [context],
        "current-context": "webhook"});
    fs::write(&kubeconfig, content.to_string())?;
    let webhook = json!({
        "timeout": "3s", "subjectAccessReviewVersion": "v1", "matchConditionSubjectAccessReviewVersion": "v1",
        "failurePolicy": "Deny", "authorizedTTL": "1s", "unauthorizedTTL": "1s",
        "connectionInfo": {"type": "KubeConfigFile", "kubeConfigFile": kubeconfig},
        "matchConditions": [{"expression": format!("request.user.startsWith('{VETO}')")}],
    });
    let authorisers = json!([
        {"type": "Webhook", "name": "veto", "webhook": webhook},
        {"type": "RBAC", "name": "rbac"},
    ]);
    let config = folder.join("authorization.json");
    let content = json!({"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthorizationConfiguration",
        "authorizers": authorisers});
    fs::write(&config, content.to_string())?;
    Ok(config.display().to_string())
}

/// Denies `vetoed-in-NAMESPACE` that namespace, and has no opinion otherwise.
fn webhook() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(answer(stream))));
    Ok(port)
}

fn answer(mut stream: TcpStream) -> Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut bytes = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(length) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            bytes = length.trim().parse()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; bytes];
    reader.read_exact(&mut body)?;
    let mut review: Value = serde_json::from_slice(&body)?;
    let text = |path: &str| review.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (user, namespace) = (text("/spec/user"), text("/spec/resourceAttributes/namespace"));
    let denied = user.strip_prefix(VETO).is_some_and(|vetoed| vetoed == namespace);
    review["status"] = json!({"allowed": false, "denied": denied, "reason": "a veto"});
    let body = review.to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len())?;
    Ok(())
}

fn gateway() -> Result<(Dogwatch, Metrics)> {
    let (plane, metrics) = (plane()?, Metrics::at_free_port());
    let (kubeconfig, address) = (plane.kubeconfig_of("dogwatch"), metrics.address());
    let kubeconfig = kubeconfig.to_string_lossy();
    let arguments = ["--auth", "bearer", "--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig];
    Ok((Home::new()?.serve(&[&arguments[..], &["--metrics-listen", &address]].concat())?, metrics))
}

fn of(gateway: &Dogwatch, user: &str, scope: Scope) -> Viewer {
    Viewer::of_bearer(&gateway.address(), &User::new(user, &[]).token(), scope)
}

/// Everywhere, if `namespace` is empty.
fn config_maps(namespace: &str) -> Result<Scope> {
    let namespaces = match namespace {
        "" => Namespaces::All,
        name => Namespaces::these(vec![Namespace::parse(name)?])?,
    };
    Ok(Scope { namespaces, ..Scope::all(Resource::parse("", "v1", "configmaps")?) })
}

/// `namespace/name` of each row of ours.
fn shown(viewer: &Viewer) -> BTreeSet<String> {
    let rows = viewer.table().rows().filter(|row| ["own", "other"].contains(&&*row.name));
    rows.map(|row| format!("{}/{}", row.namespace.as_deref().unwrap_or_default(), row.name)).collect()
}

async fn shows(viewer: &mut Viewer, expected: &[&str]) -> Result<()> {
    let expected = expected.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let is_so = |viewer: &Viewer| viewer.table().is_whole() && shown(viewer) == expected;
    viewer.until_state(&format!("{expected:?}"), is_so).await
}

/// The sentence of the refusal.
async fn is_refused(viewer: &mut Viewer, to: Whom) -> Result<String> {
    viewer.until_state(&format!("forbidden to {to:?}"), |it| it.is_in(&ViewState::Forbidden { to })).await?;
    let problem = viewer.view().report().and_then(|report| report.problem.clone());
    Ok(problem.context("it says why")?.message)
}

#[tokio::test]
async fn r_authz_1_an_identity_without_rights_gets_nothing_of_any_kind_and_nothing_is_asked_for_it()
-> Result<()> {
    let (gateway, metrics) = gateway()?;
    let mut first = of(&gateway, "nobody", config_maps("")?);
    is_refused(&mut first, Whom::You).await?;
    let shown_kinds: Vec<Kind> =
        first.kinds().iter().filter(|kind| kind.disabled.is_none()).cloned().collect();
    ensure!(shown_kinds.len() > 30, "{} kinds", shown_kinds.len());
    for kind in shown_kinds {
        let mut viewer = of(&gateway, "nobody", Scope::all(kind.resource.clone()));
        let why = is_refused(&mut viewer, Whom::You).await.context(kind.resource.to_string())?;
        ensure!(why.contains(&format!("`kubectl auth can-i list {} -A`", kind.resource)), "{why}");
        ensure!(viewer.table().is_empty() && viewer.table().columns().is_empty(), "not even columns");
    }
    for result in ["ok", "refused", "no_answer"] {
        let label = format!("result=\"{result}\"");
        ensure!(metrics.sum("dogwatch_upstream_lists_total", &label)? == 0, "a list was asked for");
        ensure!(metrics.sum("dogwatch_upstream_watches_total", &label)? == 0, "a watch was asked for");
    }
    ensure!(metrics.count("dogwatch_feeds")? == 0, "there is a feed");
    Ok(())
}

#[tokio::test]
async fn r_authz_2_a_right_to_list_is_polled_and_said_so_and_one_to_watch_alone_shows_nothing() -> Result<()>
{
    let (gateway, _metrics) = gateway()?;
    let mut lister = of(&gateway, "lister", config_maps("team-1")?);
    shows(&mut lister, &["team-1/own", "team-1/other"]).await?;
    let is_polled = |it: &Viewer| matches!(it.state(), Some(ViewState::Polled { .. }));
    lister.until_state("polled", is_polled).await?;
    let why = lister.view().report().and_then(|report| report.problem.clone()).context("it says why")?;
    ensure!(why.message.contains("you may list configmaps"), "{why:?}");
    let mut watcher = of(&gateway, "watcher", config_maps("team-2")?);
    let why = is_refused(&mut watcher, Whom::You).await?;
    ensure!(why.contains("`kubectl auth can-i list configmaps -n team-2`"), "{why}");
    Ok(())
}

#[tokio::test]
async fn r_authz_6_a_right_to_one_object_shows_that_one_where_it_is_and_no_other() -> Result<()> {
    let (gateway, _metrics) = gateway()?;
    let one = |namespace: &str, name: &str| -> Result<Scope> {
        Ok(Scope { name: Some(ObjectName::parse(name)?), ..config_maps(namespace)? })
    };
    let mut own = of(&gateway, "named", one("team-3", "own")?);
    shows(&mut own, &["team-3/own"]).await?;
    let object = own.get(one("team-3", "own")?).await?;
    ensure!(format!("{object:?}").contains("team-3"), "the whole object: {object:?}");
    for (namespace, name) in [("team-3", "other"), ("team-4", "own"), ("team-4", "other")] {
        let mut viewer = of(&gateway, "named", one(namespace, name)?);
        let why = is_refused(&mut viewer, Whom::You).await?;
        let asks = format!("`kubectl auth can-i get configmaps/{name} -n {namespace}`");
        ensure!(why.contains(&asks), "{why}");
        let got = viewer.get(one(namespace, name)?).await;
        ensure!(got.is_err(), "{got:?}");
    }
    let mut table = of(&gateway, "named", config_maps("team-3")?);
    is_refused(&mut table, Whom::You).await?;
    Ok(())
}

#[tokio::test]
async fn r_authz_7_a_right_that_ends_leaves_another_viewer_of_the_same_and_their_one_watch_alone()
-> Result<()> {
    let (gateway, metrics) = gateway()?;
    let (mut left, mut right) =
        (of(&gateway, "left", config_maps("team-5")?), of(&gateway, "right", config_maps("team-5")?));
    let both = ["team-5/own", "team-5/other"];
    shows(&mut left, &both).await?;
    shows(&mut right, &both).await?;
    let watches = metrics.sum("dogwatch_upstream_watches_total", "resource=\"configmaps\"")?;
    plane()?.kubectl_output(&["delete", "rolebinding", "left", "-n", "team-5"])?;
    is_refused(&mut left, Whom::You).await?;
    ensure!(shown(&left).is_empty(), "{:?}", shown(&left));
    right.until_sync().await?;
    ensure!(shown(&right).len() == 2, "{:?}", shown(&right));
    ensure!(metrics.count("dogwatch_feeds")? == 1, "one feed for both");
    let after = metrics.sum("dogwatch_upstream_watches_total", "resource=\"configmaps\"")?;
    ensure!(after == watches, "no other watch was opened");
    Ok(())
}

#[tokio::test]
async fn r_authz_9_what_a_webhook_denies_is_not_shown_although_rbac_allows_it() -> Result<()> {
    let (gateway, _metrics) = gateway()?;
    let mut vetoed = of(&gateway, "vetoed-in-team-8", config_maps("team-8")?);
    let why = is_refused(&mut vetoed, Whom::You).await?;
    ensure!(why.contains("a veto") && why.contains("-n team-8`"), "{why}");
    let mut all = of(&gateway, "vetoed-in-team-8", config_maps("")?);
    shows(&mut all, &["team-7/own", "team-7/other"]).await
}

#[tokio::test]
async fn r_authz_15_what_the_gateways_own_account_may_not_read_is_said_of_the_gateway_and_seldom_asked_for()
-> Result<()> {
    let (gateway, metrics) = gateway()?;
    let mut nodes = of(&gateway, "right", Scope::all(Resource::parse("", "v1", "nodes")?));
    let why = is_refused(&mut nodes, Whom::Gateway).await?;
    ensure!(why.contains("the gateway may not list nodes"), "{why}");
    // Its next proofs of life come, and no list with each of them.
    let asked = || metrics.sum("dogwatch_upstream_lists_total", "resource=\"nodes\"");
    let before = asked()?;
    for _ in 0..2 {
        nodes.step().await?;
    }
    ensure!(asked()? <= before + 1, "{} lists", asked()?);
    Ok(())
}
