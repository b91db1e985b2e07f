//! What a Kubernetes API server does where it is read, asked of a gateway before one: statement by statement, before the
//! playground and before a real kube-apiserver. What a statement writes goes to the server itself.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::time::Duration;

use conformance::Api;
use futures_util::StreamExt;
use playground::{Options, Playground, User};
use testkit::dogwatch::{Dogwatch, Home};

use case::{Case, NOBODY, token_of};

/// The statements that aren't the gateway's to hold, and why.
const OTHERWISE: &[(&str, &str)] = &[];

/// One statement.
struct Statement {
    name: &'static str,
    ask: fn(Case) -> Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// A module's statements, in a list.
macro_rules! statements {
    ($playground:ident, $apiserver:ident; $($statement:ident),* $(,)?) => {
        statements![$($statement),*];
    };
    ($($statement:ident),* $(,)?) => {
        pub(crate) fn statements() -> Vec<crate::Statement> {
            vec![$(crate::Statement { name: stringify!($statement), ask: |case| Box::pin($statement(case)) }),*]
        }
    };
}

mod bookmarks;
#[allow(dead_code, reason = "other statements use the rest")]
mod case;
mod changes;
mod definitions;
mod discovery;
mod field_selectors;
mod label_selectors;
mod lists;
mod representations;
mod resource_versions;
mod status_codes;
mod tables;
mod times;
mod watch_lists;

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_before_the_playground_holds_what_a_server_holds() {
    let user = |name, groups: &[&str]| User::new(name, &token_of(name), groups);
    let options = Options {
        bookmark_interval: Duration::from_secs(2),
        users: vec![user("admin", &["system:masters"]), user(NOBODY, &[])],
        ..Options::empty()
    };
    let playground = Playground::start(options).await.expect("a free port");
    let api = Api::new(&playground.url(), Some(&token_of("admin")));
    let home = Home::new().expect("a folder");
    let kubeconfig = home.kubeconfig_of(&playground).expect("written");
    ask_all(&serve(&home, &kubeconfig.to_string_lossy()), &api).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_before_an_api_server_holds_what_the_server_holds() {
    let plane = Case::plane().await;
    let api = Api::trusting(&plane.server(), &token_of("admin"), &plane.certificate());
    let home = Home::new().expect("a folder");
    ask_all(&serve(&home, &plane.kubeconfig().to_string_lossy()), &api).await;
}

/// With the values of ConfigMaps, by which the statements tell states apart.
fn serve(home: &Home, kubeconfig: &str) -> Dogwatch {
    let flags = ["--auth", "bearer", "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig];
    home.serve(&[&flags[..], &["--config-map-values", "--secret-names"]].concat()).expect("it starts")
}

/// Asks them side by side, as many at a time as a server answers without waiting.
async fn ask_all(gateway: &Dogwatch, api: &Api) {
    let name = gateway.cluster_name();
    let through = api.read_through(&gateway.address(), &format!("/k8s/{name}"));
    let modules = [
        bookmarks::statements(),
        changes::statements(),
        definitions::statements(),
        discovery::statements(),
        field_selectors::statements(),
        label_selectors::statements(),
        lists::statements(),
        representations::statements(),
        resource_versions::statements(),
        status_codes::statements(),
        tables::statements(),
        times::statements(),
        watch_lists::statements(),
    ];
    let all = modules.into_iter().flatten();
    let held = all.filter(|one| !OTHERWISE.iter().any(|(otherwise, _)| *otherwise == one.name));
    let asked = held.map(|Statement { name, ask }| {
        let through = through.clone();
        async move {
            let asked = tokio::spawn(async move { ask(Case::begin(through, None).await).await });
            asked.await.is_err().then_some(name)
        }
    });
    let broken = futures_util::stream::iter(asked).buffer_unordered(8).filter_map(std::future::ready);
    let broken: BTreeSet<&str> = broken.collect().await;
    assert!(broken.is_empty(), "{} statements are broken: {broken:#?}", broken.len());
}
