//! After a lost gateway and a cut line the table is exact again by itself, without a reload and without a
//! flash of emptiness; meanwhile the page says what is wrong. When one of two namespaces is lost, the other
//! goes on.

use std::ops::Range;

use anyhow::{Result, anyhow, ensure};
use playground::{Playground, User};
use serde_json::{Value, json};
use testkit::api;
use testkit::browser::Browser;
use testkit::dogwatch::Dogwatch;
use testkit::page;
use testkit::proxy::{Line, Proxy};

use crate::rig::{Rig, TALL, playground_of, refused};

const PATH: &str = "/v/configmaps@/default?wide=1";

/// A page of three config maps.
struct Recovery {
    playground: Playground,
    rig: Rig,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_gateway_is_named_and_a_new_one_takes_over_without_a_reload() -> Result<()> {
    let Recovery { playground, rig: Rig { dogwatch, browser, cluster } } = Recovery::open().await?;
    mark_page(&browser).await?;
    let (home, port) = dogwatch.kill()?;
    page::until_pill(&browser, "Stale").await?;
    browser
        .until("the bar names the gateway", "shown('[role=alert]').includes('No word from the gateway')")
        .await?;
    assert_eq!(page::table(&browser).await?.rows.len(), 3, "the rows stay");
    playground.load(config_maps(3..4)).map_err(refused)?;
    let dogwatch = home.serve_cluster(&home.kubeconfig_of(&playground)?, port)?;
    let recovery = Recovery { playground, rig: Rig { dogwatch, browser, cluster } };
    recovery.until_exact(4).await?;
    recovery.rig.browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_line_is_said_and_mended_without_a_flash_of_emptiness() -> Result<()> {
    let recovery = Recovery::open().await?;
    let Recovery { playground, rig } = &recovery;
    let port = rig.dogwatch.port();
    let proxy = Proxy::to(format!("127.0.0.1:{port}").parse()?).await?;
    // The same gateway on the port of a line that can be cut; another origin needs another code.
    let through = |url: &str| url.replace(&format!(":{port}"), &format!(":{}", proxy.address().port()));
    rig.browser.open(&through(&rig.dogwatch.fresh_url()?)).await?;
    page::until_pill(&rig.browser, "Live").await?;
    let link = page::link(&rig.browser, &through(&rig.dogwatch.origin()), "configmaps", "default").await?;
    rig.browser.open(&link).await?;
    recovery.until_rows(3).await?;
    mark_page(&rig.browser).await?;
    proxy.set(Line::Cut);
    page::until_pill(&rig.browser, "Stale").await?;
    playground.load(config_maps(3..6)).map_err(refused)?;
    proxy.set(Line::Open);
    recovery.until_exact(6).await?;
    // Nothing is closed now, and nothing passes: only the missing proof can tell.
    proxy.set(Line::Silent);
    page::until_pill(&rig.browser, "Stale").await?;
    proxy.set(Line::Cut);
    proxy.set(Line::Open);
    recovery.until_exact(6).await?;
    recovery.rig.browser.close().await
}

impl Recovery {
    async fn open() -> Result<Self> {
        let playground = playground_of(config_maps(0..3)).await?;
        let rig = Rig::open(Dogwatch::of_playground(&playground)?, TALL).await?;
        rig.go(PATH).await?;
        let recovery = Self { playground, rig };
        recovery.until_rows(3).await?;
        Ok(recovery)
    }

    async fn until_rows(&self, expected: usize) -> Result<()> {
        let ready = format!("count() === {expected} && rows().length === {expected}");
        self.rig.browser.until(&format!("{expected} rows"), &ready).await
    }

    /// Live again, with the server's rows, on the page that was marked, and never empty on the way.
    async fn until_exact(&self, rows: usize) -> Result<()> {
        page::until_pill(&self.rig.browser, "Live").await?;
        self.until_rows(rows).await?;
        let file = tempfile::NamedTempFile::new()?;
        self.playground.write_kubeconfig(file.path())?;
        let client = api::client(file.path()).await?;
        let theirs = api::table(&client, "/api/v1/namespaces/default/configmaps").await?;
        let ours = page::table(&self.rig.browser).await?;
        ours.compare(&theirs.without_first_column()).map_err(|difference| anyhow!("{difference}"))?;
        let seen = "[window.marked === true, window.emptied === true]";
        ensure!(self.rig.browser.read(seen).await? == json!([true, false]), "reloaded, or once empty");
        Ok(())
    }
}

/// A reload would forget the mark; an observer remembers if the table was ever empty.
async fn mark_page(browser: &Browser) -> Result<()> {
    let script = format!(
        "{} window.marked = true; window.emptied = false;
         const look = () => {{ if (rows().length === 0) window.emptied = true; requestAnimationFrame(look); }};
         look();",
        page::DEEP
    );
    browser.run(&script, Vec::new()).await.map(drop)
}

fn config_maps(numbers: Range<usize>) -> Vec<Value> {
    let config_map = |number: usize| {
        let name = format!("settings-{number:03}");
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": { "key": "v" },
            "metadata": { "name": name, "namespace": "default", "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z" },
        })
    };
    numbers.map(config_map).collect()
}

/// On the playground, whose own roles are enough for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_that_is_forbidden_is_named_and_the_rows_of_the_other_stay() -> Result<()> {
    let users = vec![User::new("bob", "bob-token", &[])];
    let cluster = Playground::start(playground::Options { users, ..playground::Options::quiet() }).await?;
    let group = "rbac.authorization.k8s.io";
    for namespace in ["shop", "payments"] {
        let binding = json!({
            "apiVersion": format!("{group}/v1"), "kind": "RoleBinding",
            "metadata": {"name": "bob-views", "namespace": namespace},
            "subjects": [{"kind": "User", "name": "bob", "apiGroup": group}],
            "roleRef": {"kind": "ClusterRole", "name": "view", "apiGroup": group},
        });
        ensure!(cluster.create(binding).is_ok(), "no binding in {namespace}");
    }
    let dogwatch = Dogwatch::of_playground(&cluster)?;
    let browser = Browser::start(TALL).await?;
    browser.open(dogwatch.url()).await?;
    browser.until("an address", "location.pathname.includes('@')").await?;
    let link = page::link(&browser, &dogwatch.origin(), "pods", "payments,shop").await?;
    browser.open(&link).await?;
    page::until_pill(&browser, "Live").await?;
    let of = |namespace: &str| format!("rows().some(row => cells(row).includes('{namespace}'))");
    browser.until("rows of both", &format!("{} && {}", of("payments"), of("shop"))).await?;
    ensure!(cluster.delete(&format!("rolebindings.{group}"), "payments", "bob-views").is_ok(), "not deleted");
    page::until_pill(&browser, "Forbidden").await?;
    let named = "shown('.notice').includes('You may not list pods in payments.')";
    browser
        .until(
            "the notice and the other's rows",
            &format!("{named} && {} && !{}", of("shop"), of("payments")),
        )
        .await?;
    browser.close().await
}
