//! What the gateway counts, as an operator uses it: rules for alerts that fire at what they say, and labels whose
//! number doesn't grow with people and objects.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use cluster::Binaries;
use shared::name::Namespace;
use shared::scope::{Namespaces, Scope};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::metrics::{Metrics, get};
use testkit::teams::{self, Subject};
use testkit::viewer::Viewer;

const RULES: &str = include_str!("../../deploy/chart/files/alerts.yaml");

#[test]
fn each_alert_fires_at_what_it_says_and_at_nothing_else() {
    let promtool = Binaries::ensure_promtool().expect("it builds");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy");
    for arguments in [["check", "rules", "chart/files/alerts.yaml"], ["test", "rules", "alerts_test.yaml"]] {
        let output = Command::new(&promtool).current_dir(&folder).args(arguments).output().expect("it runs");
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        assert!(output.status.success(), "{}", said.concat());
    }
    let alerts: Vec<&str> = RULES.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    let tests = include_str!("../../deploy/alerts_test.yaml");
    for alert in alerts {
        assert!(tests.contains(&format!("alertname: {alert}\n")), "{alert} has no test");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_alerts_ask_for_numbers_that_the_gateway_has() {
    let metrics = Metrics::at_free_port();
    let flags = ["--demo", "--listen", "127.0.0.1:0", "--metrics-listen", &metrics.address()];
    let gateway = Home::new().expect("a folder").serve(&flags).expect("it starts");
    // What is counted of a feed begins with the feed, whatever becomes of it.
    let scope = teams::config_maps().expect("a scope");
    Viewer::open(&gateway.socket().expect("there"), scope).until_sync().await.expect("live");
    let text = metrics.text().expect("answered");
    let names = RULES.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names: BTreeSet<&str> = names.filter(|name| name.starts_with("dogwatch_")).collect();
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let family = ["_total", "_info"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        assert!(text.contains(&format!("# TYPE {family} ")), "{name}");
    }
    let verbose = get(gateway.address(), "/readyz?verbose").expect("answered");
    for line in verbose.lines().filter(|line| line.starts_with("[+]")) {
        let name = line.trim_start_matches("[+]").split(' ').next().expect("a name");
        assert!(
            text.contains(&format!("dogwatch_healthcheck{{name=\"{name}\",type=\"readyz\"}} 1")),
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_label_grows_with_people_namespaces_and_objects() {
    let names: Vec<String> = (0..40).map(|n| format!("grown-{n}")).collect();
    let (users, teams): (Vec<_>, Vec<_>) = names.iter().map(|name| ((&**name, &[][..]), &**name)).unzip();
    let playground = teams::playground(&users, &teams).await.expect("it starts");
    for name in &names {
        teams::allow(&playground, name, Subject::User(name)).expect("a binding");
    }
    let (home, metrics) = (Home::new().expect("a folder"), Metrics::at_free_port());
    let kubeconfig = home.kubeconfig_of(&playground).expect("written");
    let (kubeconfig, address) = (kubeconfig.to_str().expect("text"), metrics.address());
    // Each viewer has feeds of its own, so that what is counted of a feed could name its viewer.
    let flags = ["--auth=bearer", "--rights=impersonate", "--listen=127.0.0.1:0", "--kubeconfig", kubeconfig];
    let gateway = home.serve(&[&flags[..], &["--metrics-listen", &address]].concat()).expect("it starts");
    let mut viewers = Vec::new();
    for name in &names[..3] {
        viewers.push(looks_on(&gateway, name).await);
    }
    let few = labels(&metrics);
    for name in &names[3..] {
        teams::add_config_map(&playground, name, "another").expect("created");
        viewers.push(looks_on(&gateway, name).await);
    }
    assert_eq!(metrics.count("dogwatch_sessions").expect("counted"), 40);
    assert_eq!(labels(&metrics), few);
    let text = metrics.text().expect("answered");
    assert!(!text.contains("grown-"), "{text}");
}

/// A viewer of its own namespace's config maps.
async fn looks_on(gateway: &Dogwatch, name: &str) -> Viewer {
    let scope = teams::config_maps().expect("a scope");
    let namespaces = Namespaces::these(vec![Namespace::parse(name).expect("a name")]).expect("one");
    let token = format!("token-of-{name}");
    let mut viewer = Viewer::of_bearer(&gateway.address(), &token, Scope { namespaces, ..scope });
    viewer.until_sync().await.expect("live");
    viewer
}

/// All series without their values; a status comes when it comes.
fn labels(metrics: &Metrics) -> BTreeSet<String> {
    let text = metrics.text().expect("answered");
    let series = text.lines().filter(|line| line.starts_with("dogwatch_") && !line.contains("code=\""));
    series.filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned())).collect()
}
