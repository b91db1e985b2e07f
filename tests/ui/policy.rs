//! The content policy of a page of another site: what it must allow for the elements, and what an element says of a policy
//! that blocks them.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::teams::{self, Subject};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::rig::of_bearers_for;

/// The page's own script: what it hears of elements and of its policy.
const SCRIPT: &str = "
  window.heard = [];
  window.violations = [];
  addEventListener('error', ({ detail }) => { if (detail) heard.push([detail.reason, detail.message]); }, true);
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => violations.push(`${effectiveDirective} ${blockedURI}`));
";

/// A site whose page `/N` has the policy N. Its elements are those of a gateway.
struct Portal {
    listener: TcpListener,
    origin: String,
}

impl Portal {
    async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let origin = format!("http://{}", listener.local_addr()?);
        Ok(Self { listener, origin })
    }

    fn serve(self, gateway: &str, policies: Vec<String>) {
        let page = format!(
            "<!doctype html><title>a portal</title><script src=\"/page.js\"></script>\
             <script type=\"module\" src=\"{gateway}/element.js\"></script>\
             <dogwatch-table resource=\"namespaces\" namespaces=\"-\"></dogwatch-table>"
        );
        let site = Arc::new((page, policies));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = self.listener.accept().await {
                let site = Arc::clone(&site);
                tokio::spawn(async move {
                    let mut request = vec![0; 4096];
                    let length = stream.read(&mut request).await.unwrap_or_default();
                    let request = String::from_utf8_lossy(&request[..length]).into_owned();
                    let path = request.split(' ').nth(1).unwrap_or_default();
                    let policy =
                        path.trim_start_matches('/').parse().ok().and_then(|at: usize| site.1.get(at));
                    let (media_type, body) = match policy {
                        Some(_) => ("text/html", site.0.as_str()),
                        None => ("text/javascript", SCRIPT),
                    };
                    let policy = policy
                        .map_or_else(String::new, |policy| format!("content-security-policy: {policy}\r\n"));
                    let head = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\n{policy}connection: close\r\n"
                    );
                    let answer = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
                    drop(stream.write_all(answer.as_bytes()).await);
                });
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_that_the_pages_policy_blocks_says_which_directive_lacks_what() -> Result<()> {
    let portal = Portal::start().await?;
    let origin = portal.origin.clone();
    let (playground, dogwatch) = of_bearers_for(&["--allowed-origin", &origin]).await?;
    teams::allow(&playground, "", Subject::User("alice"))?;
    let gateway = dogwatch.origin().to_owned();
    let socket = gateway.replace("http", "ws");
    let scripts = format!("script-src 'self' {gateway} 'wasm-unsafe-eval'");
    let connections = format!("connect-src {gateway} {socket}");
    // The policy, what is blocked, and what has to be added.
    let blocked = [
        (
            format!("script-src 'self' {gateway}/element.js; {connections}"),
            format!("{gateway}/program.js"),
            format!("add {gateway} to its script-src"),
        ),
        (
            format!("{scripts}; script-src-elem 'self' {gateway}/element.js; {connections}"),
            format!("{gateway}/program.js"),
            format!("add {gateway} to its script-src-elem"),
        ),
        (
            format!("script-src 'self' {gateway}; {connections}"),
            "WebAssembly".to_owned(),
            "add 'wasm-unsafe-eval' to its script-src".to_owned(),
        ),
        (
            format!("{scripts}; connect-src 'self'"),
            format!("{gateway}/assets/"),
            format!("add {gateway} {socket} to its connect-src"),
        ),
        (
            format!("{scripts}; default-src 'self'"),
            format!("{gateway}/assets/"),
            format!("add {gateway} {socket} to its default-src"),
        ),
        (
            format!("{scripts}; connect-src {gateway}"),
            format!("{socket}/api/ws"),
            format!("add {socket} to its connect-src"),
        ),
    ];
    // What the documents name, and nothing else.
    let enough = format!(
        "default-src 'none'; {scripts}; {connections}; style-src 'none'; worker-src 'none'; img-src 'none'; \
         font-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    );
    let policies = blocked.iter().map(|(policy, ..)| policy.clone()).chain([enough]).collect();
    portal.serve(&gateway, policies);
    let sign_in = "for (const element of document.querySelectorAll('dogwatch-table')) element.tokenProvider = () => 'token-of-alice';";

    for (at, (policy, what, lacks)) in blocked.iter().enumerate() {
        let browser = Browser::start(Look::default()).await?;
        browser.open(&format!("{origin}/{at}")).await?;
        browser.run(sign_in, Vec::new()).await?;
        let is_said = format!(
            "shown('[part=error]').includes(\"Content-Security-Policy blocks {what}\") && shown('[part=error]').includes(\"{lacks}\")"
        );
        browser.until("what is blocked", &is_said).await.with_context(|| policy.clone())?;
        let heard = browser.read("heard").await?;
        let reasons = heard.as_array().map(|all| all.iter().map(|one| one[0].clone()).collect::<Vec<_>>());
        ensure!(reasons == Some(vec![json!("ContentSecurityPolicy")]), "{policy}: {heard}");
        browser.client().clone().close().await?;
    }

    let browser = Browser::start(Look::default()).await?;
    browser.open(&format!("{origin}/{}", blocked.len())).await?;
    browser.run(sign_in, Vec::new()).await?;
    browser.until("rows", "shown('.pill').includes('Live') && rows().length > 1").await?;
    let (violations, heard) = (browser.read("violations").await?, browser.read("heard").await?);
    ensure!(violations == json!([]) && heard == json!([]), "{violations} {heard}");
    browser.close().await
}
