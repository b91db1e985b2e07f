//! A team's gateway in a real browser: who one is, what one may not see, and how one leaves.

use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use playground::{Options, Playground, User};
use serde_json::{Value, json};
use testkit::browser::{Browser, Look};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::page;

use crate::accessibility::violations;

const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// The right of `alice` to what the role of a namespace allows.
fn binding(namespace: &str) -> Value {
    let group = "rbac.authorization.k8s.io";
    json!({"apiVersion": RBAC, "kind": "RoleBinding", "metadata": {"name": "alice", "namespace": namespace},
        "roleRef": {"apiGroup": group, "kind": "Role", "name": "reader"},
        "subjects": [{"kind": "User", "name": "alice", "apiGroup": group}]})
}

/// A gateway in mode `bearer`, for which `alice` may list ConfigMaps in two namespaces and `bob` in none.
async fn of_two_users() -> Result<(Playground, Dogwatch)> {
    let gateways = User::new("dogwatch", "token-of-the-gateway", &["system:masters"]);
    let users = vec![
        gateways,
        User::new("alice", "token-of-alice", &["payments-dev"]),
        User::new("bob", "token-of-bob", &["shop-dev"]),
    ];
    let playground = Playground::start(Options { users, ..Options::quiet() }).await?;
    for namespace in ["team-a", "team-b"] {
        let named = |name: &str| json!({"name": name, "namespace": namespace});
        for object in [
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": named(&format!("of-{namespace}"))}),
            json!({"apiVersion": RBAC, "kind": "Role", "metadata": named("reader"),
                "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"]}]}),
            binding(namespace),
        ] {
            playground.create(object).map_err(|why| anyhow!("{why:?}"))?;
        }
    }
    let home = Home::new()?;
    let kubeconfig = home.kubeconfig_of(&playground)?;
    let kubeconfig = kubeconfig.to_string_lossy();
    let dogwatch =
        home.serve(&["--auth", "bearer", "--listen", "127.0.0.1:0", "--kubeconfig", &kubeconfig])?;
    Ok((playground, dogwatch))
}

/// What axe-core finds in this state; with `DOGWATCH_PICTURES=FOLDER` there are pictures of it.
async fn looked_at(browser: &Browser, state: &str) -> Result<Vec<String>> {
    if let Some(folder) = std::env::var_os("DOGWATCH_PICTURES") {
        for (width, height) in [(1440, 900), (390, 780)] {
            browser.resize(width, height, 1).await?;
            for theme in ["dark", "light"] {
                browser.emulate_media("prefers-color-scheme", theme).await?;
                let name = format!("login-{state}-{width}-{theme}.png");
                browser.screenshot(&Path::new(&folder).join(name)).await?;
            }
        }
        browser.resize(1440, 900, 1).await?;
    }
    violations(browser, state).await
}

async fn sign_in(browser: &Browser, token: &str) -> Result<()> {
    browser.until("a field for a token", "deep('#token').length === 1").await?;
    browser.click("#token").await?;
    browser.press(token).await?;
    browser.click("#sign-in").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_sees_who_they_are_what_left_with_a_right_and_which_review_said_no() -> Result<()> {
    let (playground, dogwatch) = of_two_users().await?;
    let browser = Browser::start(Look::default()).await?;
    let mut found = Vec::new();
    let link = format!("{}/v/configmaps@dogwatch/*", dogwatch.origin());
    browser.open(&link).await?;
    browser.until("the login page", "deep('#token').length === 1").await?;
    found.extend(looked_at(&browser, "token").await?);
    sign_in(&browser, "wrong").await?;
    browser.until("why not", "shown('#token-refused').includes('knows no such token')").await?;
    found.extend(looked_at(&browser, "refused-token").await?);
    sign_in(&browser, "token-of-alice").await?;
    browser.until("both namespaces", "rowOf('of-team-a') && rowOf('of-team-b')").await?;
    browser.click("#who").await?;
    for said in ["alice", "payments-dev", "Kubernetes' RBAC for you", "with a Kubernetes token"] {
        browser.until(said, &format!("shown('#who-pop').includes(\"{said}\")")).await?;
    }
    browser.until("no way out", "deep('#sign-out').length === 0").await?;
    found.extend(looked_at(&browser, "who").await?);
    browser.click("#what-may-i-see").await?;
    for said in ["configmaps", "list and watch", "team-a and team-b", "SubjectAccessReview"] {
        browser.until(said, &format!("shown('#rights').includes('{said}')")).await?;
    }
    browser.until("it took the popover's place", "deep('#who-pop').length === 0").await?;
    browser
        .until("the line to check", "shown('#rights').includes('kubectl auth can-i --list -n team-a')")
        .await?;
    found.extend(looked_at(&browser, "rights").await?);
    browser.press(testkit::input::ESCAPE).await?;
    browser.until("it is closed", "deep('#rights').length === 0").await?;
    browser.until("the focus is where it was opened", "document.activeElement.id === 'who'").await?;

    let deleted = playground.delete("rolebindings.rbac.authorization.k8s.io", "team-b", "alice");
    deleted.map_err(|why| anyhow!("{why:?}"))?;
    let withdrawn =
        "/Access to team-b was withdrawn .*\\. Its 1 row was removed/.test(shown('.notice-text'))";
    browser.until("what left", withdrawn).await?;
    browser.until("its row has gone", "!rowOf('of-team-b') && rowOf('of-team-a')").await?;
    found.extend(looked_at(&browser, "withdrawn").await?);
    let dismiss = "deep('button').find((button) => button.textContent === 'Dismiss')";
    browser.click_on(dismiss).await?;
    browser.until("it is dismissed", "!shown('.notice-text').includes('withdrawn')").await?;
    a_reader_follows_their_namespaces(&browser, &playground, &mut found).await?;

    browser.open(&link).await?;
    sign_in(&browser, "token-of-bob").await?;
    page::until_pill(&browser, "Forbidden").await?;
    for said in [
        "Asked as bob (groups shop-dev and system:authenticated).",
        "kubectl auth can-i list configmaps -A",
        "Ask an administrator for list and watch on configmaps.",
    ] {
        browser.until(said, &format!("shown('.blank').includes('{said}')")).await?;
    }
    browser.until("no row of another", "deep('[role=gridcell]').length === 0").await?;
    found.extend(looked_at(&browser, "forbidden").await?);
    ensure!(found.is_empty(), "{}", found.join("\n"));
    browser.close().await
}

/// The picker says what was withdrawn and granted, and a forbidden kind what could be seen.
async fn a_reader_follows_their_namespaces(
    browser: &Browser,
    playground: &Playground,
    found: &mut Vec<String>,
) -> Result<()> {
    browser.click("#namespaces").await?;
    for said in ["You may list configmaps in 1", "Rights are asked again every 30 s."] {
        browser.until(said, &format!("shown('.pop-namespaces').includes('{said}')")).await?;
    }
    let withdrawn = "/team-b\\s*−\\s*withdrawn \\d\\d:\\d\\d:\\d\\d/.test(shown('#no-longer'))";
    browser.until("what was withdrawn", withdrawn).await?;
    found.extend(looked_at(browser, "namespaces-withdrawn").await?);
    playground.create(binding("team-b")).map_err(|why| anyhow!("{why:?}"))?;
    let granted = "/team-b\\s*\\+\\s*granted \\d\\d:\\d\\d:\\d\\d/.test(shown('#namespace-list'))";
    browser.until("what was granted", granted).await?;
    browser.until("its row joins by itself", "rowOf('of-team-b')").await?;
    browser.until("it is no longer withdrawn", "deep('#no-longer').length === 0").await?;
    found.extend(looked_at(browser, "namespaces-granted").await?);
    browser.press(testkit::input::ESCAPE).await?;

    browser.click(".nav-item[href*='/v/pods@']").await?;
    page::until_pill(browser, "Forbidden").await?;
    for said in ["kubectl auth can-i list pods -A", "You may see:"] {
        browser.until(said, &format!("shown('.blank').includes('{said}')")).await?;
    }
    found.extend(looked_at(browser, "forbidden-to-alice").await?);
    browser.click_on("deep('.may a').find((link) => link.textContent === 'configmaps')").await?;
    browser.until("the kind is open", "rowOf('of-team-a') && rowOf('of-team-b')").await
}

/// Stands in for a gateway with a logout: its viewers are signed in at a provider, until `/logout` was asked for.
const WITH_LOGOUT: &str = r#"
const plain = window.WebSocket;
const ended = () => localStorage.getItem('stand-in') === 'ended';
const inPlace = (text) => text.startsWith('{"challenge"') && ended()
  ? '{"challenge":{"nonce":"n","wanted":"login"}}'
  : text.replace('"mode":"local"', '"mode":"oidc","provider":"sso.example.org","signs_out":true');
window.WebSocket = class extends plain {
  set onmessage(react) {
    super.onmessage = react && ((event) => {
      const isGreeting = typeof event.data === 'string' && /^{"(challenge|welcome)"/.test(event.data);
      react(isGreeting ? new MessageEvent('message', { data: inPlace(event.data) }) : event);
    });
  }
};
window.fetch = new Proxy(window.fetch, { apply: (fetch, self, [path, ...rest]) => {
  if (path !== '/logout') return fetch.call(self, path, ...rest);
  localStorage.setItem('stand-in', 'ended');
  return Promise.resolve(Response.json({ to: '/' }));
} });"#;

#[tokio::test]
async fn r_data_5_after_a_logout_no_tab_and_no_step_back_shows_anything_of_the_cluster() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let mut found = Vec::new();
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WITH_LOGOUT })).await?;
    browser.open(&format!("{}/v/pods@playground/*", dogwatch.origin())).await?;
    browser.until("rows", "rows().length > 5").await?;
    browser.click(".nav-item[href*='deployments']").await?;
    browser.until("a second entry of the history", "location.pathname.startsWith('/v/deployments')").await?;
    browser.until("its rows", "rows().length > 1").await?;
    let name = browser.text("cells(rows()[0])[1]").await?;
    ensure!(!name.is_empty(), "a name that the cluster gave");
    browser.click("#who").await?;
    browser.click("#sign-out").await?;
    browser.until("that nobody is signed in", "shown('.login').includes('Signed out')").await?;
    found.extend(looked_at(&browser, "signed-out").await?);
    let kept = "JSON.stringify([document.documentElement.outerHTML, location.href, document.title, \
                Object.entries(localStorage), Object.entries(sessionStorage)])";
    let nothing =
        |said: &str| !said.contains(&name) && !said.contains("role=\"grid") && !said.contains("payments");
    let after = browser.text(kept).await?;
    ensure!(nothing(&after), "{after}");
    browser.client().back().await?;
    browser.until("the way in", "shown('.login').includes('Sign in')").await?;
    found.extend(looked_at(&browser, "provider").await?);
    let back = browser.text(kept).await?;
    ensure!(nothing(&back), "a step back: {back}");
    ensure!(browser.text("location.pathname").await?.starts_with("/v/"), "and it went nowhere by itself");
    ensure!(found.is_empty(), "{}", found.join("\n"));
    browser.close().await
}
