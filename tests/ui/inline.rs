//! The package `dogwatch` with its program, in a page of another site: as modules (`dogwatch/inline`) and as files by name.
//! The page's content policy lets nothing of the gateway in but its socket.

use anyhow::{Context, Result, ensure};
use playground::Playground;
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Dogwatch;
use testkit::examples::{Host, Policy, Site, package};
use testkit::teams::{self, Subject};

use crate::element::{BREAK, HELPERS};
use crate::rig::of_bearers_for;
use crate::version::A_PAGE_OF_TOMORROW;

/// How a page loads the package with its program.
const WAYS: [&str; 3] = [
    "await import('/inline.js');",
    "(await import('/dogwatch.js')).program('/program');",
    "(await import('/dogwatch.js')).program(() => import('/program/program.js'));",
];

/// A page of another site that has the package, and a gateway that names the site. It stands as long as this is held.
struct Portal {
    host: Host,
    dogwatch: Dogwatch,
    _playground: Playground,
}

impl Portal {
    async fn start() -> Result<Self> {
        Self::under(Policy::OwnProgram).await
    }

    async fn under(policy: Policy) -> Result<Self> {
        let host = Host::start().await?;
        let (playground, dogwatch) = of_bearers_for(&["--allowed-origin", host.origin()]).await?;
        teams::allow(&playground, "", Subject::User("alice"))?;
        host.serve(Site {
            folder: package()?,
            policy,
            gateway: dogwatch.origin(),
            namespaces: Vec::new(),
            tokens: Box::new(|_| String::new()),
        })?;
        Ok(Self { host, dogwatch, _playground: playground })
    }

    /// An empty page with the policy.
    async fn visit(&self, browser: &Browser) -> Result<()> {
        browser.open(&format!("{}/package.json", self.host.origin())).await?;
        browser.run(HELPERS, Vec::new()).await.map(drop)
    }

    /// Loads the package, and adds an element.
    async fn add(&self, browser: &Browser, way: &str, tag: &str, properties: &str) -> Result<()> {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             const begin = async () => {{
               {way}
               add('{tag}', {{ gateway: arguments[0], tokenProvider: () => 'token-of-alice', {properties} }});
             }};
             begin().then(() => done(true), (error) => done(String(error)));"
        );
        let added = browser.client().execute_async(&script, vec![json!(self.dogwatch.origin())]).await?;
        ensure!(added == json!(true), "{way} {added}");
        Ok(())
    }

    /// Nothing of the gateway was asked for, or refused by the policy, but one socket after the other.
    async fn asked_for_sockets(&self, browser: &Browser, count: usize) -> Result<()> {
        let script = "
          const { href } = new URL('.', arguments[0]);
          const fetched = performance.getEntriesByType('resource').map(({ name }) => name);
          return [opened.length, violations, fetched.filter((name) => name.startsWith(href))];
        ";
        let asked = browser.run(script, vec![json!(self.dogwatch.origin())]).await?;
        ensure!(asked == json!([count, 0, []]), "(sockets, violations, addresses): {asked}");
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_the_program_in_its_package_asks_the_gateway_for_a_socket_alone() -> Result<()> {
    let portal = Portal::start().await?;
    for way in WAYS {
        let browser = Browser::start(Look::default()).await?;
        portal.visit(&browser).await?;
        portal
            .add(&browser, way, "dogwatch-table", "resource: 'namespaces', namespaces: '-'")
            .await
            .context(way)?;
        browser
            .until("it is live", "shown('.pill').includes('Live') && rows().length > 1")
            .await
            .context(way)?;
        // The panel is a piece of the program with a sheet of its own.
        let object = "resource: 'namespaces', name: 'team-a'";
        portal.add(&browser, way, "dogwatch-object", object).await.context(way)?;
        browser.until("the panel", "shown('.panel-name').trim() === 'team-a'").await.context(way)?;
        portal.asked_for_sockets(&browser, 1).await.context(way)?;

        browser.run(BREAK, Vec::new()).await?;
        let said = "heard.some(([name, detail]) => name === 'error' && detail.reason === 'Program')";
        browser.until("it broke", said).await.context(way)?;
        let is_back = "deep('[part=error]').length === 0 && shown('.pill').includes('Live') && rows().length > 1 && shown('.panel-name').trim() === 'team-a'";
        browser.until("it is live again", is_back).await.context(way)?;
        portal.asked_for_sockets(&browser, 2).await.context(way)?;
        browser.client().clone().close().await?;
    }
    Ok(())
}

/// A gateway answers the socket of a site that it doesn't know like that of no gateway: only its page knows what it lacks.
#[tokio::test(flavor = "multi_thread")]
async fn where_the_gateway_does_not_know_the_site_an_element_says_what_to_look_at() -> Result<()> {
    for (policy, way, said) in [
        (Policy::OwnProgram, WAYS[0], "be reached at"),
        // The policy allows the gateway's files.
        (Policy::TrustedTypes("'none'"), "await import('/dogwatch.js');", "can\\'t be had"),
    ] {
        let portal = Portal::under(policy).await?;
        let browser = Browser::start(Look::default()).await?;
        let other = portal.host.origin().replace("127.0.0.1", "localhost");
        browser.open(&format!("{other}/package.json")).await?;
        browser.run(HELPERS, Vec::new()).await?;
        portal.add(&browser, way, "dogwatch-table", "resource: 'namespaces', namespaces: '-'").await?;
        let is_said = format!(
            "shown('[part=error]').includes('{said}') && shown('[part=error]').includes('is {other} among its --allowed-origin?')"
        );
        browser.until("what is lacking", &is_said).await?;
        browser.client().clone().close().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn r_emb_7_a_program_of_another_version_than_the_gateway_says_whose_copy_has_to_change() -> Result<()> {
    let portal = Portal::start().await?;
    let browser = Browser::start(Look::default()).await?;
    let source = json!({ "source": A_PAGE_OF_TOMORROW });
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source).await?;
    portal.visit(&browser).await?;
    let [inline, ..] = WAYS;
    portal.add(&browser, inline, "dogwatch-table", "resource: 'namespaces', namespaces: '-'").await?;
    let said = "/dogwatch\\.v.*This page's own copy of Dogwatch/.test(shown('[part=error]'))";
    browser.until("what is wrong, and what helps", said).await?;
    let error =
        "heard.filter(([name, detail]) => name === 'error' && detail.reason === 'Version').length === 1";
    ensure!(browser.read(error).await? == json!(true), "it is told once");
    portal.asked_for_sockets(&browser, 1).await?;
    browser.close().await
}
