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
const OTHERWISE: &[(&str, &str)] = &[
    ("an_aggregated_resource_says_its_names_scope_verbs_and_subresources", ONLY_READS),
    ("plain_discovery_names_versions_groups_resources_and_subresources", ONLY_READS),
    ("a_definition_is_discovered_once_it_is_established", ONLY_READS),
    ("a_path_that_is_not_there_is_404_with_a_status_in_a_served_group", ONLY_READS),
    ("a_status_is_a_subresource_where_the_definition_says_so", ONLY_READS),
    ("secrets_services_and_namespaces_are_chosen_by_their_types_and_phases", NO_SECRETS),
    ("a_continue_token_of_another_resource_is_a_place_in_this_one", NO_SECRETS),
    ("managed_fields_cannot_be_dropped_yet", NO_MANAGED_FIELDS),
    ("rows_carry_managed_fields_with_their_metadata", NO_MANAGED_FIELDS),
    ("a_wrong_token_is_401_and_none_is_the_anonymous_user", "nobody is let in without a login"),
    (
        "the_watch_after_a_changed_definition_has_the_new_columns_and_the_old_resource_versions",
        "a feed hears of other columns with its next list",
    ),
    ("no_bookmark_comes_unasked_nor_for_events", "a feed of Events is as sure of its revision as any"),
    ("a_bookmark_before_the_deadline_is_an_empty_object_from_which_a_watch_misses_nothing", QUIET),
    ("a_bookmark_in_a_table_has_one_row_and_the_resource_version_of_the_table", QUIET),
    ("a_bookmark_among_partial_objects_is_one", QUIET),
    ("a_bookmark_is_sent_whatever_the_selector", QUIET),
    ("a_quiet_watch_gets_a_bookmark_about_every_minute", QUIET),
];
const ONLY_READS: &str = "discovery names what can be read, and no subresource";
const NO_SECRETS: &str = "of Secrets there are names and metadata, and no values";
const NO_MANAGED_FIELDS: &str = "managedFields aren't kept";
const QUIET: &str = "a feed learns of other kinds' changes by the server's bookmarks, once a minute";

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
    let flags = [&flags[..], &["--config-map-values", "--secret-names"]].concat();
    home.serve_with(&flags, &[("DOGWATCH_LOG", "gateway::kubernetes=debug,gateway::feed=debug")])
        .expect("it starts")
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
    // A watch goes on from what its feed has told, so the feeds that the statements read begin before them.
    let mut first = Vec::new();
    for plural in ["configmaps", "events", "pods"] {
        first.push(through.watch(&format!("/api/v1/{plural}?watch=1&timeoutSeconds=600")).await);
    }
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
    drop(first);
    assert!(broken.is_empty(), "{} statements are broken: {broken:#?}", broken.len());
}
