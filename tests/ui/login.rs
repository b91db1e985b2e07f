//! A team's gateway in a real browser: the reader's identity, what the reader may not see, and signing out.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use gateway::access::oidc::ask::{CLIENT_TOKEN, ClientTokens};
use gateway::access::oidc::{Brought, ClientRequest, challenge_of, fresh_verifier};
use http::Method;
use playground::Playground;
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::page;
use testkit::ports::free_address;
use testkit::provider::{CLIENT_ID, Provider, ProviderOptions};
use testkit::teams::{self, Subject};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::accessibility::violations;
use crate::rig::{of_bearers, sign_in};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_sees_who_they_are_what_left_with_a_right_and_which_review_said_no() -> Result<()> {
    let (playground, dogwatch) = of_bearers().await?;
    for team in ["team-a", "team-b"] {
        teams::allow(&playground, team, Subject::User("alice"))?;
    }
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
    let line = "shown('#rights').includes('kubectl auth can-i --list -n team-a')";
    browser.until("the line to check", line).await?;
    found.extend(looked_at(&browser, "rights").await?);
    browser.press(testkit::input::ESCAPE).await?;
    browser.until("it is closed", "deep('#rights').length === 0").await?;
    browser.until("the focus is where it was opened", "document.activeElement.id === 'who'").await?;

    teams::withdraw(&playground, "team-b")?;
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
    teams::allow(playground, "team-b", Subject::User("alice"))?;
    let granted = "/team-b\\s*\\+\\s*granted \\d\\d:\\d\\d:\\d\\d/.test(shown('#namespace-list'))";
    browser.until("what was granted", granted).await?;
    browser.until("its row joins by itself", "rowOf('of-team-b')").await?;
    browser.until("it is no longer withdrawn", "deep('#no-longer').length === 0").await?;
    found.extend(looked_at(browser, "namespaces-granted").await?);
    browser.press(testkit::input::ESCAPE).await?;

    browser.click(".nav-item[href*='/v/nodes@']").await?;
    page::until_pill(browser, "Forbidden").await?;
    for said in ["kubectl auth can-i list nodes", "You may see:"] {
        browser.until(said, &format!("shown('.blank').includes('{said}')")).await?;
    }
    found.extend(looked_at(browser, "forbidden-to-alice").await?);
    browser.click_on("deep('.may a').find((link) => link.textContent === 'configmaps')").await?;
    // The link opens all namespaces that alice may see. The namespace of the gateway's own context means nothing in
    // this mode.
    browser.until("the kind is open", "rowOf('of-team-a') && rowOf('of-team-b')").await
}

/// A gateway in mode `oidc` at its own address, and the provider that `alice` signs in at. She may see everything.
async fn at_a_provider() -> Result<(Provider, Playground, Dogwatch)> {
    let address = free_address().to_string();
    let account = json!({ "sub": "1", "email": "alice@example.org", "email_verified": true });
    let provider = Provider::start(&ProviderOptions {
        host: "localhost",
        redirect_uri: format!("http://{address}/login/callback"),
        logout_uri: None,
        client_secret: None,
        offline: false,
        account,
    })?;
    let playground = teams::playground(&[], &[]).await?;
    teams::allow(&playground, "", Subject::User("alice@example.org"))?;
    let home = Home::new()?;
    let (kubeconfig, ca) = (home.kubeconfig_of(&playground)?, home.path().join("ca.pem"));
    provider.write_certificate(&ca)?;
    let (kubeconfig, ca) = (kubeconfig.to_string_lossy(), ca.to_string_lossy());
    let mut flags = vec!["--auth", "oidc", "--listen", &address, "--kubeconfig", &kubeconfig];
    flags.extend(["--oidc-issuer", provider.issuer(), "--oidc-client-id", CLIENT_ID, "--oidc-ca-file", &ca]);
    flags.push("--oidc-username-claim=email");
    let dogwatch = home.serve(&flags)?;
    Ok((provider, playground, dogwatch))
}

const FIRST_VIEW: &str = "/v/pods@dogwatch/*";
const STEPS_MAX: usize = 5;

#[tokio::test(flavor = "multi_thread")]
async fn r_data_5_after_a_logout_no_tab_and_no_step_back_shows_anything_of_the_cluster() -> Result<()> {
    let (_provider, _playground, dogwatch) = at_a_provider().await?;
    let browser = Browser::start(Look::default()).await?;
    let mut found = Vec::new();
    // A page without a session is redirected to the provider, which asks nothing here, and back.
    browser.open(&format!("{}{FIRST_VIEW}", dogwatch.origin())).await?;
    browser.until("rows", "rows().length > 5").await?;
    browser.click(".nav-item[href*='deployments']").await?;
    browser.until("a second entry of the history", "location.pathname.startsWith('/v/deployments')").await?;
    browser.until("its rows", "rows().length > 1").await?;
    let name = browser.text("cells(rows()[0])[1]").await?;
    ensure!(!name.is_empty(), "a name that the cluster gave");
    // With what is drawn in shadow roots.
    let kept = "JSON.stringify([document.documentElement.outerHTML, location.href, document.title, \
                deep('*').map((element) => element.shadowRoot?.innerHTML ?? ''), \
                Object.entries(localStorage), Object.entries(sessionStorage)])";
    let nothing =
        |said: &str| !said.contains(&name) && !said.contains("role=\\\"grid") && !said.contains("payments");
    let before = browser.text(kept).await?;
    ensure!(
        before.contains(&name) && before.contains("role=\\\"grid"),
        "it is looked for where it is: {before}"
    );
    let first = browser.client().window().await?;
    let second = browser.open_window().await?;
    browser.open(&format!("{}{FIRST_VIEW}", dogwatch.origin())).await?;
    browser.until("rows in a second tab", "rows().length > 5").await?;
    browser.look_at(&first).await?;
    browser.click("#who").await?;
    browser.until("who signed in", "shown('#who-pop').includes('alice@example.org')").await?;
    browser.click("#sign-out").await?;

    // The provider asks whether its own session is to end as well.
    browser.until("the provider", "document.querySelector('button[name=logout]')").await?;
    browser.click("button[name=logout]").await?;
    browser.until("that nobody is signed in", "shown('.login').includes('Sign in')").await?;
    found.extend(looked_at(&browser, "signed-out").await?);
    let after = browser.text(kept).await?;
    ensure!(nothing(&after), "{after}");
    browser.look_at(&second).await?;
    // It hears of it, drops everything, and begins anew.
    let is_new = "performance.getEntriesByType('navigation')[0].type === 'reload'";
    let signed_out = format!("{is_new} && /Sign(ed out| in)/.test(shown('.login'))");
    browser.until("the other tab is signed out", &signed_out).await?;
    let other = browser.text(kept).await?;
    ensure!(nothing(&other), "another tab: {other}");
    browser.look_at(&first).await?;
    // The provider's page stands between, and leads here again.
    let mut steps = 0;
    while browser.text("location.pathname").await? != FIRST_VIEW {
        ensure!(steps < STEPS_MAX, "no step back leads to where the rows were");
        steps += 1;
        browser.client().back().await?;
        browser.until("the way in", "shown('.login').includes('Sign in')").await?;
        let back = browser.text(kept).await?;
        ensure!(nothing(&back), "a step back: {back}");
    }
    found.extend(looked_at(&browser, "provider").await?);

    browser.click("#sign-in").await?;
    browser.until("the rows of the next login", "rows().length > 1").await?;
    ensure!(found.is_empty(), "{}", found.join("\n"));
    browser.close().await
}

/// The code that a browser brings to this port, whose page then has this text.
async fn code_at(port: &TcpListener, request: &ClientRequest, says: &str) -> Result<String> {
    loop {
        let (mut stream, _) = port.accept().await?;
        let mut head = vec![0; 16 * 1024];
        // A browser may connect ahead of what it asks.
        let count = stream.read(&mut head).await?;
        let head = String::from_utf8_lossy(&head[..count]).into_owned();
        let query = head.split(' ').nth(1).and_then(|path| path.strip_prefix("/?")).unwrap_or_default();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{says}",
            says.len()
        );
        stream.write_all(answer.as_bytes()).await?;
        if let Some(Brought::Code(code)) = request.brought(query) {
            ensure!(!head.to_ascii_lowercase().contains("referer"), "{head}");
            return Ok(code);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r_authn_17_a_click_in_a_browser_brings_a_program_the_code_for_its_token() -> Result<()> {
    let (provider, _playground, dogwatch) = at_a_provider().await?;
    let port = TcpListener::bind("127.0.0.1:0").await?;
    let verifier = fresh_verifier()?;
    let challenge = challenge_of(&verifier).into();
    let request = ClientRequest { port: port.local_addr()?.port(), challenge };
    let browser = Browser::start(Look::default()).await?;
    // Its person signs in first, and is led back.
    browser.open(&format!("{}{}", dogwatch.origin(), request.path())).await?;
    browser.until("the question", "document.querySelector('form button')").await?;
    let said = browser.text("document.body.innerText").await?;
    ensure!(said.contains("alice@example.org") && said.contains(&request.shown_code()), "{said}");
    let found = looked_at(&browser, "client").await?;
    let brought = code_at(&port, &request, "The program is let in.");
    let (clicked, code) = tokio::join!(browser.click("form button"), brought);
    clicked?;
    browser.until("the program's answer", "document.body.innerText.includes('is let in')").await?;
    let ask = json!({ "ask": "code", "code": code?, "verifier": verifier }).to_string();
    let url = format!("{}{CLIENT_TOKEN}", dogwatch.origin());
    let headers = [("content-type", "application/json")];
    let answer = provider.browser()?.send(Method::POST, &url, &headers, &ask).await?;
    ensure!(answer.status == 200, "{}", answer.body);
    let tokens: ClientTokens = serde_json::from_str(&answer.body).context("tokens")?;
    let read = format!("{}/k8s/dogwatch/api/v1/namespaces", dogwatch.origin());
    let bearer = format!("Bearer {}", tokens.token);
    let answer = provider.browser()?.send(Method::GET, &read, &[("authorization", &bearer)], "").await?;
    ensure!(answer.status == 200 && answer.body.contains("\"kind\":\"NamespaceList\""), "{}", answer.body);
    ensure!(found.is_empty(), "{}", found.join("\n"));
    browser.close().await
}
