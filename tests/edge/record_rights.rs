//! A record is made with the rights of the gateway's own account, in every mode. What a viewer sees of it is theirs.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use playground::{Options, Playground, User};
use serde_json::{Value, json};
use tempfile::tempdir;
use testkit::dogwatch::{Dogwatch, Home, binary};
use testkit::helm::objects;
use testkit::load::refused;
use testkit::teams::{self, Subject};
use tokio::time::interval;

use crate::since::told_to;

const KINDS: &str = "--history-kind=configmaps,namespaces";

/// The ClusterRole that `dogwatch rbac` prints for these settings, granted to the gateway.
fn grant(playground: &Playground, name: &str, flags: &[&str]) -> Result<()> {
    let mut command = Command::new(binary());
    command.args(["rbac", "--unconstrained", "--auth=bearer", "--name", name]).args(flags);
    let output = command.env_remove("KUBECONFIG").output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for role in objects(&String::from_utf8(output.stdout)?)? {
        playground.create(role).map_err(refused)?;
    }
    playground.create(teams::binding("", name, Subject::User("dogwatch"), name)).map_err(refused)?;
    Ok(())
}

/// Waits until the gateway's log has these words.
async fn said(gateway: &Dogwatch, words: &str) {
    let mut looks = interval(Duration::from_millis(50));
    while !gateway.stderr().contains(words) {
        looks.tick().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gateways_own_account_records_in_every_mode_and_a_viewer_sees_what_is_theirs() -> Result<()> {
    for rights in ["--rights=passthrough", "--rights=impersonate"] {
        let users = [("dogwatch", "token-of-the-gateway"), ("alice", "token-of-alice")];
        let users = users.map(|(name, token)| User::new(name, token, &[])).to_vec();
        let playground = Playground::start(Options { users, ..Options::quiet() }).await?;
        for team in ["team-a", "team-b"] {
            let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": team } });
            playground.create(namespace).map_err(refused)?;
        }
        teams::allow(&playground, "team-a", Subject::User("alice"))?;
        grant(&playground, "without", &[rights])?;
        let (home, folder) = (Home::new()?, tempdir()?);
        let record = format!("--history={}", folder.path().join("record").display());
        let kubeconfig = home.kubeconfig_of(&playground)?.display().to_string();
        let flags =
            ["--auth=bearer", "--listen=127.0.0.1:0", rights, &record, KINDS, "--kubeconfig", &kubeconfig];
        let gateway = home.serve(&flags)?;
        said(&gateway, "not recorded: the gateway may not list configmaps, namespaces").await;
        grant(&playground, "with", &[rights, &record, KINDS])?;
        said(&gateway, "recorded from now on").await;
        for team in ["team-a", "team-b"] {
            teams::add_config_map(&playground, team, "mark")?;
        }
        let mut told: Vec<Value> = Vec::new();
        while !told.iter().any(|event| event["name"] == "mark") {
            told = told_to(&gateway, "alice", "resource=configmaps&since=1h").await;
        }
        ensure!(told.iter().all(|event| event["namespace"] == "team-a"), "{rights}: {told:?}");
        // A list of the whole cluster is the recorder's, and never made in a viewer's name.
        let requests = playground.requests();
        let lists =
            requests.iter().filter(|request| request.path_and_query.starts_with("/api/v1/configmaps"));
        let mut whole = lists.map(|request| (&*request.token_of, &*request.impersonates)).peekable();
        whole.peek().context("the recorder lists")?;
        ensure!(whole.all(|by| by == ("dogwatch", "")), "{rights}");
    }
    Ok(())
}
