//! In Chromium against a real kube-apiserver: the table follows what happens, and after a lost
//! apiserver, a lost gateway and a cut line it is exact again by itself; meanwhile the page says so. And
//! against the playground: of two namespaces one is lost, and the other goes on.

use anyhow::{Result, ensure};
use cluster::{ControlPlane, Options};
use playground::{Playground, User};
use serde_json::{Value, json};
use tests::browser::{Browser, Look};
use tests::dogwatch::{Dogwatch, Home};
use tests::kubectl_table::Table;
use tests::page;
use tests::proxy::{Line, Proxy};
use tests::raw;

const COUNT: usize = 100;
const TALL: Look = Look { width: 1440, height: 3600, dark: false };
const PATH: &str = "/api/v1/namespaces/default/configmaps";

struct Scene {
    plane: ControlPlane,
    home: Home,
    dogwatch: Dogwatch,
    browser: Browser,
}

#[tokio::test]
async fn the_table_follows_a_hundred_creates_patches_and_deletes() -> Result<()> {
    let scene = Scene::open().await?;
    let client = raw::client(&scene.plane.kubeconfig()).await?;
    for number in 0..COUNT {
        raw::post(&client, PATH, &config(number)).await?;
    }
    scene.until_rows(COUNT).await?;
    scene.expect_exact().await?;
    for number in 0..COUNT {
        let data: Value = (0..=number % 5)
            .map(|key| (format!("key-{key}"), json!("v")))
            .collect::<serde_json::Map<_, _>>()
            .into();
        raw::merge(&client, &format!("{PATH}/{}", name(number)), &json!({ "data": data })).await?;
    }
    scene.until_cell(&name(COUNT - 1), &((COUNT - 1) % 5 + 2).to_string()).await?;
    scene.expect_exact().await?;
    for number in 0..COUNT / 2 {
        raw::delete(&client, &format!("{PATH}/{}", name(number))).await?;
    }
    scene.until_rows(COUNT - COUNT / 2).await?;
    scene.expect_exact().await?;
    scene.browser.close().await
}

#[tokio::test]
async fn a_killed_apiserver_is_stale_with_its_reason_and_exact_again_when_it_is_back() -> Result<()> {
    let mut scene = Scene::open().await?;
    scene.plane.apply(&manifest(3))?;
    scene.until_rows(3).await?;
    scene.plane.kill_apiserver()?;
    page::until_pill(&scene.browser, "Stale").await?;
    scene.expect_notice("connection refused").await?;
    scene.expect_rows_stay(3).await?;
    scene.plane.start_apiserver()?;
    scene.plane.apply(&manifest(5))?;
    page::until_pill(&scene.browser, "Live").await?;
    scene.until_rows(5).await?;
    scene.expect_exact().await?;
    scene.browser.close().await
}

#[tokio::test]
async fn a_killed_gateway_is_said_and_a_new_one_takes_over_without_a_reload() -> Result<()> {
    let mut scene = Scene::open().await?;
    scene.plane.apply(&manifest(3))?;
    scene.until_rows(3).await?;
    scene.mark_page().await?;
    let port = scene.dogwatch.port();
    let kubeconfig = scene.plane.kubeconfig();
    scene.dogwatch.kill()?;
    page::until_pill(&scene.browser, "Stale").await?;
    scene
        .browser
        .until("the bar names the gateway", "shown('[role=alert]').includes('No word from the gateway')")
        .await?;
    assert_eq!(page::table(&scene.browser).await?.rows.len(), 3, "the rows stay");
    scene.plane.apply(&manifest(4))?;
    scene.dogwatch = scene.home.serve(&[
        "--listen",
        &format!("127.0.0.1:{port}"),
        "--kubeconfig",
        &kubeconfig.to_string_lossy(),
    ])?;
    page::until_pill(&scene.browser, "Live").await?;
    scene.until_rows(4).await?;
    scene.expect_exact().await?;
    scene.expect_same_page_and_never_empty().await?;
    scene.browser.close().await
}

#[tokio::test]
async fn a_cut_line_is_said_and_mended_without_a_flash_of_emptiness() -> Result<()> {
    let scene = Scene::open().await?;
    let proxy = Proxy::to(format!("127.0.0.1:{}", scene.dogwatch.port()).parse()?).await?;
    scene.plane.apply(&manifest(3))?;
    // The same gateway through a line that can be cut: another port, so another code.
    let url = scene
        .dogwatch
        .fresh_url()?
        .replace(&format!(":{}", scene.dogwatch.port()), &format!(":{}", proxy.address().port()));
    scene.browser.open(&url).await?;
    page::until_pill(&scene.browser, "Live").await?;
    scene.open_configmaps(&format!("http://{}", proxy.address())).await?;
    scene.until_rows(3).await?;
    scene.mark_page().await?;
    proxy.set(Line::Cut);
    page::until_pill(&scene.browser, "Stale").await?;
    scene.plane.apply(&manifest(6))?;
    proxy.set(Line::Open);
    page::until_pill(&scene.browser, "Live").await?;
    scene.until_rows(6).await?;
    scene.expect_same_page_and_never_empty().await?;
    // Nothing is closed now, and nothing passes: only the missing proof can tell.
    proxy.set(Line::Silent);
    page::until_pill(&scene.browser, "Stale").await?;
    proxy.set(Line::Cut);
    proxy.set(Line::Open);
    page::until_pill(&scene.browser, "Live").await?;
    scene.expect_exact().await?;
    scene.expect_same_page_and_never_empty().await?;
    scene.browser.close().await
}

impl Scene {
    async fn open() -> Result<Self> {
        let plane = ControlPlane::start(Options::default())?;
        // Kubernetes' own would come and go by themselves.
        plane.kubectl_output(&["delete", "configmaps", "-n", "default", "--all"])?;
        let home = Home::new()?;
        let dogwatch = home.serve_cluster(&plane.kubeconfig())?;
        let browser = page::signed_in(TALL, dogwatch.url()).await?;
        let scene = Self { plane, home, dogwatch, browser };
        scene.open_configmaps(&scene.dogwatch.origin()).await?;
        Ok(scene)
    }

    async fn open_configmaps(&self, origin: &str) -> Result<()> {
        let link = page::link(&self.browser, origin, "configmaps", "default").await?;
        self.browser.open(&link).await?;
        page::until_pill(&self.browser, "Live").await
    }

    async fn until_rows(&self, expected: usize) -> Result<()> {
        let ready = format!("count() === {expected} && rows().length === {expected}");
        self.browser.until(&format!("{expected} rows"), &ready).await
    }

    async fn until_cell(&self, name: &str, text: &str) -> Result<()> {
        let ready = format!("cells(rowOf('{name}')).includes('{text}')");
        self.browser.until(&format!("{name} shows {text}"), &ready).await
    }

    async fn expect_notice(&self, words: &str) -> Result<()> {
        self.browser
            .until(&format!("the notice says {words}"), &format!("shown('.notice').includes('{words}')"))
            .await
    }

    async fn expect_rows_stay(&self, expected: usize) -> Result<()> {
        assert_eq!(page::table(&self.browser).await?.rows.len(), expected, "the rows stay");
        Ok(())
    }

    async fn expect_exact(&self) -> Result<()> {
        let theirs = self.plane.kubectl_output(&["get", "configmaps", "-n", "default", "-o", "wide"])?;
        let ours = page::table(&self.browser).await?;
        if let Err(difference) = ours.compare(&Table::parse(&theirs)) {
            panic!("the page and kubectl differ\n{difference}");
        }
        Ok(())
    }

    /// A reload would forget the mark; an observer remembers if the table was ever empty.
    async fn mark_page(&self) -> Result<()> {
        let script = format!(
            "{}{}",
            page::DEEP,
            "window.marked = true; window.emptied = false;
             const look = () => { if (rows().length === 0) window.emptied = true; requestAnimationFrame(look); };
             look();"
        );
        self.browser.run(&script, Vec::new()).await.map(drop)
    }

    async fn expect_same_page_and_never_empty(&self) -> Result<()> {
        let seen =
            self.browser.run("return [window.marked === true, window.emptied === true]", Vec::new()).await?;
        assert_eq!(seen, json!([true, false]), "(not reloaded, ever empty)");
        Ok(())
    }
}

fn name(number: usize) -> String {
    format!("settings-{number:03}")
}

fn config(number: usize) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name(number) }, "data": { "key": "v" } })
}

fn manifest(count: usize) -> String {
    (0..count)
        .map(|number| {
            format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {}, namespace: default}}\n",
                name(number)
            )
        })
        .collect::<Vec<_>>()
        .join("---\n")
}

/// Of the playground, for whom the test's own roles are enough.
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
    let home = Home::new()?;
    let dogwatch = home.serve_playground(&cluster)?;
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
