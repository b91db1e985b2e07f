//! A gateway for a team before a real API server, in each mode of `--rights`: its own account has the rights that the
//! document asks for and no more, and each viewer sees exactly what kubectl lists for them, as their rights come and go.

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cluster::{ControlPlane, Credential, Options, User};
use http::HeaderMap;
use rustix::process::Signal;
use serde_json::Value;
use shared::name::Namespace;
use shared::resource::Resource;
use shared::scope::{Namespaces, Scope};
use shared::state::ViewState;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::metrics::get;
use testkit::teams::{Subject, binding_document};
use testkit::viewer::{Viewer, tcp};

use crate::audit::{AUDIT_LOG, are_recorded};

const NAMESPACES: usize = 30;
const DOCUMENT: &str = include_str!("../../docs/CONFIGURATION.md");

/// Each is a user of the API server, and what its gateway is started with.
const MODES: [&str; 3] = ["shared", "passthrough", "impersonate"];

/// The first rules of the document below this heading.
fn rules(heading: &str) -> Result<&'static str> {
    let below = DOCUMENT.split_once(&format!("\n## {heading}\n")).map(|(_, below)| below);
    let rules = below.and_then(|below| below.split("```yaml\nrules:\n").nth(1));
    rules.and_then(|rest| rest.split("```").next()).with_context(|| format!("rules below {heading:?}"))
}

/// What the document says that the gateway's own account needs, and of the shared one what it is to show.
fn accounts() -> Result<String> {
    let shown = "  - {apiGroups: [\"\"], resources: [configmaps], verbs: [list, watch]}\n";
    let (of_all, of_impersonation) = (rules("Who it is")?, rules("Whose rights")?);
    let role = |name: &str, rules: &[&str]| {
        let rules = rules.concat();
        let role = format!(
            "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: {name}}}
rules:
{rules}---
"
        );
        role + &binding_document("", name, Subject::User(name), name)
    };
    let reads = "  - {apiGroups: [\"\"], resources: [configmaps, secrets], verbs: [get, list, watch]}\n";
    Ok(role("shared", &[of_all, shown])
        + &role("passthrough", &[of_all])
        + &role("impersonate", &[of_all, of_impersonation])
        + &format!(
            "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: reader}}
rules:
{reads}---
"
        ))
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

/// `namespace/name` of what kubectl lists in these namespaces as the user of these flags; in all where there are no
/// namespaces.
fn listed(plane: &ControlPlane, whom: &[&str], namespaces: &[&str]) -> Result<BTreeSet<String>> {
    let columns = "-o=custom-columns=N:.metadata.namespace,M:.metadata.name";
    let list = |place: &[&str]| {
        let arguments = [&["get", "configmaps", "--no-headers", columns], whom, place];
        plane.kubectl_output(&arguments.concat())
    };
    let texts = match namespaces {
        [] => vec![list(&["-A"])?],
        some => some.iter().map(|namespace| list(&["-n", namespace])).collect::<Result<_>>()?,
    };
    let rows = texts.iter().flat_map(|text| text.lines());
    Ok(rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join("/")).collect())
}

async fn shows(viewer: &mut Viewer, expected: &BTreeSet<String>) -> Result<()> {
    let is_so = |viewer: &Viewer| viewer.table().is_whole() && viewer.names() == *expected;
    viewer.until_state(&format!("{expected:?}"), is_so).await
}

/// A gateway of the user who is called like its rights, with an audit log in its home.
fn gateway(plane: &ControlPlane, rights: &str) -> Result<Dogwatch> {
    gateway_of(plane, rights, rights)
}

fn gateway_of(plane: &ControlPlane, user: &str, rights: &str) -> Result<Dogwatch> {
    let (home, kubeconfig) = (Home::new()?, plane.kubeconfig_of(user));
    let (audit, kubeconfig) = (home.path().join(AUDIT_LOG), kubeconfig.to_string_lossy());
    let (mode, address) = (["--auth", "bearer", "--rights", rights], ["--listen", "127.0.0.1:0"]);
    let audit = ["--audit-log", &audit.to_string_lossy()];
    let arguments = [&mode[..], &address, &audit, &["--kubeconfig", &kubeconfig]].concat();
    home.serve_with(&arguments, &[("DOGWATCH_LOG", "trace")])
}

/// The viewers, with the rights that each begins with.
struct Viewers {
    alice: User,
    bob: User,
    carol: User,
    robot: Credential,
}

impl Viewers {
    fn users() -> [User; 3] {
        [User::new("alice", &["dev"]), User::new("bob", &[]), User::new("carol", &["ops"])]
    }

    fn bound(plane: &ControlPlane) -> Result<Self> {
        let [alice, bob, carol] = Self::users();
        let robot = plane.credential("robot")?;
        let mut objects = accounts()? + &namespaces();
        for namespace in ["team-1", "team-2"] {
            objects += &binding_document(namespace, "alice", Subject::User("alice"), "reader");
        }
        // She may delete what the gateway may not in her name. Nothing here makes `edit` of its parts.
        let edits = "system:aggregate-to-edit";
        objects += &binding_document("team-2", "alice-edits", Subject::User("alice"), edits);
        objects += &binding_document("team-7", "dev", Subject::Group("dev"), "reader");
        objects += &binding_document("", "ops", Subject::Group("ops"), "reader");
        let robots = "system:serviceaccounts:default";
        for namespace in ["team-4", "team-5"] {
            objects += &binding_document(namespace, "robots", Subject::Group(robots), "reader");
        }
        plane.apply(&objects)?;
        Ok(Self { alice, bob, carol, robot })
    }

    fn secrets(&self) -> Result<[String; 5]> {
        let canary = "canary-4711".to_owned();
        Ok([self.alice.token(), self.bob.token(), self.carol.token(), self.robot.token()?, canary])
    }

    /// Everything that a viewer can meet, at a gateway that was just started.
    async fn see(&self, plane: &ControlPlane, dogwatch: &Dogwatch) -> Result<()> {
        let Self { alice, bob, carol, .. } = self;
        let of = |token: &str, names: &[&str]| -> Result<Viewer> {
            Ok(Viewer::of_bearer(&dogwatch.address(), token, config_maps(names)?))
        };
        let lists = |user: &User, names: &[&str]| listed(plane, &["--context", &user.name], names);
        let mut alices = of(&alice.token(), &[])?;
        shows(&mut alices, &lists(alice, &["team-1", "team-2", "team-7"])?).await?;
        let mut carols = of(&carol.token(), &[])?;
        shows(&mut carols, &lists(carol, &[])?).await?;
        let mut carol_again = of(&carol.token(), &[])?;
        shows(&mut carol_again, &carols.names()).await?;
        let mut robots = of(&self.robot.token()?, &[])?;
        shows(&mut robots, &listed(plane, &["--as", &self.robot.user()], &["team-4", "team-5"])?).await?;
        let refused = |viewer: &Viewer| matches!(viewer.state(), Some(ViewState::Forbidden { .. }));
        let mut bobs = of(&bob.token(), &[])?;
        bobs.until_state("refused", refused).await?;
        of(&alice.token(), &["team-3"])?.until_state("refused", refused).await?;

        // R-AUTHZ-5, and then R-AUTHZ-4.
        plane.apply(&binding_document("team-3", "bob", Subject::User("bob"), "reader"))?;
        let started = Instant::now();
        shows(&mut bobs, &lists(bob, &["team-3"])?).await?;
        ensure!(started.elapsed().as_secs() < 45, "the right was noticed after {:?}", started.elapsed());
        plane.kubectl_output(&["delete", "rolebinding", "alice", "-n", "team-1"])?;
        let started = Instant::now();
        shows(&mut alices, &lists(alice, &["team-2", "team-7"])?).await?;
        ensure!(started.elapsed().as_secs() < 45, "its end was noticed after {:?}", started.elapsed());
        ensure!(carols.names().len() > NAMESPACES, "carol's rows stay");
        self.tails(dogwatch, &alices)?;

        // R-DATA-4
        let log = dogwatch.stderr();
        for secret in self.secrets()? {
            ensure!(!log.contains(&secret), "{secret} is in the log");
        }
        ensure!(log.contains("/api/ws"), "the log is at its loudest: {log}");
        let secrets = Scope::all(Resource::parse("", "v1", "secrets")?);
        let mut secrets = Viewer::of_bearer(&dogwatch.address(), &carol.token(), secrets);
        let ended = secrets.until_state("hidden", |_| false).await.map_err(|error| error.to_string());
        ensure!(ended.as_ref().is_err_and(|why| why.contains("hidden by this gateway")), "{ended:?}");

        // For the next gateway.
        plane.kubectl_output(&["delete", "rolebinding", "bob", "-n", "team-3"])?;
        plane.apply(&binding_document("team-1", "alice", Subject::User("alice"), "reader"))?;
        Ok(())
    }

    /// `tail -A` prints what alice's table shows.
    fn tails(&self, dogwatch: &Dogwatch, alices: &Viewer) -> Result<()> {
        let token = dogwatch.home().path().join("token");
        std::fs::write(&token, self.alice.token())?;
        let tail =
            dogwatch.tail(&["configmaps", "-A", "--once", "--token-file", &token.to_string_lossy()])?;
        ensure!(tail.status.success(), "tail failed: {}", String::from_utf8_lossy(&tail.stderr));
        let printed = String::from_utf8(tail.stdout)?;
        let first_two = |row: &str| row.split_whitespace().take(2).collect::<Vec<_>>().join("/");
        let printed: BTreeSet<String> = printed.lines().skip(1).map(first_two).collect();
        ensure!(printed == alices.names(), "{printed:?}");
        Ok(())
    }
}

/// R-AUTHZ-1, R-AUTHZ-3, R-AUTHZ-4, R-AUTHZ-5, R-AUTHZ-7, R-AUTHZ-13, R-AUTHN-3, R-AUD-1, R-DATA-4
#[tokio::test]
async fn each_viewer_sees_what_kubectl_lists_for_them_and_the_gateways_account_needs_no_more_than_is_written()
-> Result<()> {
    let mut users = Viewers::users().to_vec();
    users.extend(MODES.map(|name| User::new(name, &[])));
    let plane = ControlPlane::start(Options { users, records_requests: true, ..Options::default() })?;
    let viewers = Viewers::bound(&plane)?;
    for rights in MODES {
        let dogwatch = gateway(&plane, rights)?;
        let seen = viewers.see(&plane, &dogwatch).await;
        seen.and_then(|()| are_recorded(&dogwatch, viewers.secrets()?))
            .with_context(|| format!("--rights {rights}"))?;
        let ready = get(dogwatch.address(), "/readyz?verbose")?;
        ensure!(
            ready.contains("[+]own-rights ok") && !dogwatch.stderr().contains("own account may"),
            "{ready}"
        );
    }
    check_named_by_a_proxy(&plane).await?;
    check_own_rights(&plane)?;
    check_requests(&plane)?;
    check_that_it_only_reads(&plane)
}

/// A user that no credential of the cluster names: the documented account impersonates the name that the proxy gives.
async fn check_named_by_a_proxy(plane: &ControlPlane) -> Result<()> {
    let (home, kubeconfig) = (Home::new()?, plane.kubeconfig_of("impersonate"));
    let (mode, address) = (["--auth", "proxy", "--proxy-cidr", "127.0.0.1"], ["--listen", "127.0.0.1:0"]);
    let cluster = ["--rights", "impersonate", "--kubeconfig", &kubeconfig.to_string_lossy()];
    let dogwatch = home.serve(&[&mode[..], &address, &cluster].concat())?;
    let (address, mut headers) = (dogwatch.address(), HeaderMap::new());
    for (name, value) in [("origin", &*dogwatch.origin()), ("x-remote-user", DAVE), ("x-remote-group", "dev")]
    {
        headers.insert(name, value.parse()?);
    }
    let url = format!("ws://{address}/api/ws");
    let mut daves = Viewer::of_page(&url, headers, move || tcp(&address), config_maps(&[])?);
    shows(&mut daves, &listed(plane, &["--as", DAVE, "--as-group", "dev"], &["team-7"])?).await
}

const DAVE: &str = "dave@example.org";

/// R-AUTHN-3: an account that may do more than it needs. The documented ones may not.
fn check_own_rights(plane: &ControlPlane) -> Result<()> {
    plane.apply(
        &(TOO_MUCH.to_owned() + &binding_document("", "too-much", Subject::User("carol"), "too-much")),
    )?;
    let mut too_much = gateway_of(plane, "carol", "shared")?;
    let ready = get(too_much.address(), "/readyz?verbose")?;
    // Its log is whole when it has ended.
    too_much.signal(Signal::TERM)?;
    let (_, log) = too_much.wait()?;
    let expected = "own account may create, delete deployments.apps; get, list, watch secrets: it needs none";
    ensure!(ready.contains("[-]own-rights failed: reason withheld"), "{ready}");
    ensure!(log.contains(expected), "{log}");
    Ok(())
}

const TOO_MUCH: &str = "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: too-much}
rules: [{apiGroups: [apps], resources: [deployments], verbs: [create, delete]}]
---
";

/// The users that each gateway asked for config maps as, by the API server's own audit log.
fn check_requests(plane: &ControlPlane) -> Result<()> {
    // The user, whom they impersonated, and the request.
    let mut asked = BTreeSet::new();
    let log = plane.requests()?;
    for event in log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let is_ours =
            text("/userAgent").starts_with("dogwatch/") && text("/objectRef/resource") == "configmaps";
        // Before that it isn't known whom it impersonates.
        if is_ours && text("/stage") != "RequestReceived" {
            ensure!(["list", "watch"].contains(&text("/verb")), "{event}");
            let place = format!("{} {}", text("/verb"), text("/objectRef/namespace"));
            let [user, other] = ["/user/username", "/impersonatedUser/username"].map(text);
            asked.insert((user.to_owned(), other.to_owned(), place, text("/auditID").to_owned()));
        }
    }
    let viewers = ["alice", "bob", "carol", "system:serviceaccount:default:robot", DAVE];
    for (user, other, place, _) in &asked {
        match (user.as_str(), other.as_str()) {
            ("shared", "") => {}
            ("impersonate", other) => ensure!(viewers.contains(&other), "{place} as {other:?}"),
            (user, "") => ensure!(viewers.contains(&user), "{place} by {user}"),
            odd => bail!("{place} by {odd:?}"),
        }
    }
    let watches = |user: &str, other: &str, place: &str| {
        let is_it = |it: &&(String, String, String, String)| (&*it.0, &*it.1, &*it.2) == (user, other, place);
        asked.iter().filter(is_it).count()
    };
    for (user, other) in [("shared", ""), ("carol", ""), ("impersonate", "carol")] {
        let count = watches(user, other, "watch ");
        ensure!(count == 1, "{count} watches of all namespaces by {user} as {other:?}");
    }
    ensure!(watches("impersonate", DAVE, "watch team-7") == 1, "a name that only the proxy knows");
    for (user, other) in [("alice", ""), ("impersonate", "alice")] {
        ensure!(watches(user, other, "watch ") == 0, "alice may not see all");
        ensure!(watches(user, other, "watch team-2") == 1, "and a watch of hers is of one namespace");
    }
    Ok(())
}

/// R-RO-1 by rights: what the account of an impersonating gateway could do in alice's name, if it were not this
/// gateway that has it.
fn check_that_it_only_reads(plane: &ControlPlane) -> Result<()> {
    let alice = ["--context", "impersonate", "--as", "alice", "--as-group", "dev"];
    let all = "/api/v1/namespaces/team-2/configmaps";
    let one = format!("{all}/of-team-2");
    let kubectl = |arguments: &[&str], input| plane.kubectl_with_input(&[arguments, &alice].concat(), input);
    ensure!(kubectl(&["get", "--raw", all], "")?.contains("of-team-2"), "it may list");
    let another = "{\"metadata\": {\"name\": \"another\"}}";
    for (refused, input) in [
        (&["delete", "--raw", &one][..], ""),
        (&["create", "--raw", all, "-f", "-"], another),
        (&["replace", "--raw", &one, "-f", "-"], another),
        (&["get", "--raw", &one], ""),
    ] {
        let said = kubectl(refused, input).map_err(|error| format!("{error:#}"));
        let is_refused = |why: &String| why.contains("cannot impersonate-on:user-info:");
        ensure!(said.as_ref().is_err_and(is_refused), "{refused:?}: {said:?}");
    }
    plane.kubectl_output(&["delete", "--raw", &one, "--context", "alice"]).context("she may herself")?;
    Ok(())
}

#[tokio::test]
async fn a_viewers_newer_token_takes_the_place_of_one_that_ends() -> Result<()> {
    let users = vec![User::new("passthrough", &[])];
    let plane = ControlPlane::start(Options { users, ..Options::default() })?;
    let mut robot = plane.credential("robot")?;
    plane.apply(&(accounts()? + &namespaces()))?;
    plane.apply(&binding_document("", "robot", Subject::Group("system:serviceaccounts"), "reader"))?;
    let dogwatch = gateway(&plane, "passthrough")?;
    let (first, whom) = (robot.token()?, robot.user());
    let mut viewer = Viewer::of_bearer(&dogwatch.address(), &first, config_maps(&[])?);
    shows(&mut viewer, &listed(&plane, &["--as", &whom], &[])?).await?;
    robot.rotate()?;
    viewer.sign_in(&robot.token()?);
    // Until the API server takes the first token no longer.
    while plane.kubectl_output(&["get", "configmaps", "-A", "--token", &first]).is_ok() {
        viewer.step().await?;
    }
    let another = "apiVersion: v1
kind: ConfigMap
metadata: {name: another, namespace: team-0}
";
    plane.apply(another)?;
    shows(&mut viewer, &listed(&plane, &["--as", &whom], &[])?).await?;
    viewer.until_sync().await?;
    ensure!(viewer.is_in(&ViewState::Live), "{:?}", viewer.state());
    let log = dogwatch.stderr();
    for secret in [first, robot.token()?] {
        ensure!(!log.contains(&secret), "a token is in the log");
    }
    Ok(())
}
