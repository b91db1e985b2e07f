//! A gateway for a team before a real API server: its own account has the rights that the document asks for and no
//! more, and each viewer sees exactly what kubectl lists for them, as their rights come and go.

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cluster::{ControlPlane, Options, User};
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::state::ViewState;
use testkit::client::Subscriber;
use testkit::dogwatch::{Dogwatch, Home};

const NAMESPACES: usize = 30;
const DOCUMENT: &str = include_str!("../../docs/CONFIGURATION.md");

/// What the document says that the gateway's own account needs, and what it is to show.
fn account() -> Result<String> {
    let rules = DOCUMENT.split("```yaml\nrules:\n").nth(1).and_then(|rest| rest.split("```").next());
    let rules = rules.context("the document has the rules")?;
    Ok(format!(
        "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: dogwatch}}
rules:
{rules}  - {{apiGroups: [\"\"], resources: [configmaps], verbs: [list, watch]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: reader}}
rules: [{{apiGroups: [\"\"], resources: [configmaps, secrets], verbs: [get, list, watch]}}]
---
{}",
        binding("", "dogwatch", "User", "dogwatch", "ClusterRole", "dogwatch")
    ))
}

/// In all namespaces if `namespace` is empty.
fn binding(namespace: &str, name: &str, kind: &str, subject: &str, role_kind: &str, role: &str) -> String {
    let (binding, place) = match namespace {
        "" => ("ClusterRoleBinding", String::new()),
        namespace => ("RoleBinding", format!(", namespace: {namespace}")),
    };
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1
kind: {binding}
metadata: {{name: {name}{place}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {role_kind}, name: {role}}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: {kind}, name: {subject}}}]
---
"
    )
}

fn namespaces() -> String {
    let each = |at: usize| {
        format!(
            "apiVersion: v1
kind: Namespace
metadata: {{name: team-{at}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: of-team-{at}, namespace: team-{at}}}
---
apiVersion: v1
kind: Secret
metadata: {{name: secret-{at}, namespace: team-{at}}}
stringData: {{password: canary-4711}}
---
"
        )
    };
    (0..NAMESPACES).map(each).collect()
}

fn config_maps(names: &[&str]) -> Result<Scope> {
    let names = names.iter().map(|name| Namespace::parse(name)).collect::<Result<Vec<_>, _>>()?;
    let namespaces = if names.is_empty() { Namespaces::All } else { Namespaces::these(names)? };
    Ok(Scope { namespaces, ..Scope::all(Resource::parse("", "v1", "configmaps")?) })
}

/// `namespace/name` of what kubectl lists for a user in these namespaces; all where there are none.
fn listed(plane: &ControlPlane, user: &User, namespaces: &[&str]) -> Result<BTreeSet<String>> {
    let columns = "-o=custom-columns=N:.metadata.namespace,M:.metadata.name";
    let list = |place: &[&str]| {
        let arguments = [&["get", "configmaps", "--no-headers", columns, "--context", &user.name], place];
        plane.kubectl_output(&arguments.concat())
    };
    let texts = match namespaces {
        [] => vec![list(&["-A"])?],
        some => some.iter().map(|namespace| list(&["-n", namespace])).collect::<Result<_>>()?,
    };
    let rows = texts.iter().flat_map(|text| text.lines());
    Ok(rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join("/")).collect())
}

fn shown(viewer: &Subscriber) -> BTreeSet<String> {
    let rows = viewer.table().rows();
    rows.map(|row| format!("{}/{}", row.namespace.as_deref().unwrap_or_default(), row.name)).collect()
}

async fn shows(viewer: &mut Subscriber, expected: &BTreeSet<String>) -> Result<()> {
    let is_so = |viewer: &Subscriber| viewer.table().is_whole() && shown(viewer) == *expected;
    viewer.until_state(&format!("{expected:?}"), is_so).await
}

fn gateway(plane: &ControlPlane) -> Result<Dogwatch> {
    let kubeconfig = plane.kubeconfig_of("dogwatch");
    let kubeconfig = kubeconfig.to_string_lossy();
    let arguments = ["--auth", "bearer", "--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig];
    Home::new()?.serve_with(&arguments, &[("DOGWATCH_LOG", "trace")])
}

/// R-AUTHZ-1, R-AUTHZ-3, R-AUTHZ-4, R-AUTHZ-5, R-AUTHZ-7, R-DATA-4
#[tokio::test]
async fn each_viewer_sees_what_kubectl_lists_for_them_and_the_gateways_account_needs_no_more_than_is_written()
-> Result<()> {
    let [alice, bob, carol] =
        [User::new("alice", &["dev"]), User::new("bob", &[]), User::new("carol", &["ops"])];
    let users = vec![User::new("dogwatch", &[]), alice.clone(), bob.clone(), carol.clone()];
    let plane = ControlPlane::start(Options { users, ..Options::default() })?;
    let mut objects = account()? + &namespaces();
    for namespace in ["team-1", "team-2"] {
        objects += &binding(namespace, "alice", "User", "alice", "ClusterRole", "reader");
    }
    objects += &binding("team-7", "dev", "Group", "dev", "ClusterRole", "reader");
    objects += &binding("", "ops", "Group", "ops", "ClusterRole", "reader");
    plane.apply(&objects)?;
    let dogwatch = gateway(&plane)?;
    let of = |user: &User, names: &[&str]| -> Result<Subscriber> {
        Ok(Subscriber::of_bearer(&dogwatch.address(), &user.token(), config_maps(names)?))
    };

    let mut alices = of(&alice, &[])?;
    shows(&mut alices, &listed(&plane, &alice, &["team-1", "team-2", "team-7"])?).await?;
    let mut carols = of(&carol, &[])?;
    shows(&mut carols, &listed(&plane, &carol, &[])?).await?;
    let refused = |viewer: &Subscriber| matches!(viewer.state(), Some(ViewState::Forbidden { .. }));
    let mut bobs = of(&bob, &[])?;
    bobs.until_state("refused", refused).await?;
    of(&alice, &["team-3"])?.until_state("refused", refused).await?;

    // R-AUTHZ-5, and then R-AUTHZ-4.
    plane.apply(&binding("team-3", "bob", "User", "bob", "ClusterRole", "reader"))?;
    let started = Instant::now();
    shows(&mut bobs, &listed(&plane, &bob, &["team-3"])?).await?;
    ensure!(started.elapsed().as_secs() < 45, "the right was noticed after {:?}", started.elapsed());
    plane.kubectl_output(&["delete", "rolebinding", "alice", "-n", "team-1"])?;
    shows(&mut alices, &listed(&plane, &alice, &["team-2", "team-7"])?).await?;
    ensure!(shown(&carols).len() > NAMESPACES, "carol's rows stay");

    let token = dogwatch.home().path().join("token");
    std::fs::write(&token, alice.token())?;
    let (server, token) = (format!("http://{}", dogwatch.address()), token.to_string_lossy().into_owned());
    let tail = dogwatch.tail(&["configmaps", "-A", "--once", "--server", &server, "--token-file", &token])?;
    let printed = String::from_utf8(tail.stdout)?;
    let first_two = |row: &str| row.split_whitespace().take(2).collect::<Vec<_>>().join("/");
    let printed: BTreeSet<String> = printed.lines().skip(1).map(first_two).collect();
    ensure!(printed == shown(&alices), "{printed:?}");

    // R-DATA-4
    let log = dogwatch.stderr();
    for secret in [alice.token(), bob.token(), carol.token(), "canary-4711".to_owned()] {
        ensure!(!log.contains(&secret), "{secret} is in the log");
    }
    ensure!(log.contains("tokenreviews"), "the log is at its loudest");
    let mut secrets = Subscriber::of_bearer(
        &dogwatch.address(),
        &carol.token(),
        Scope::all(Resource::parse("", "v1", "secrets")?),
    );
    let ended = secrets.until_state("hidden", |_| false).await.map_err(|error| error.to_string());
    ensure!(ended.as_ref().is_err_and(|why| why.contains("hidden by this gateway")), "{ended:?}");
    Ok(())
}
