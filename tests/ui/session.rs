//! The page's session in a real browser: what it keeps, what it leaves behind, what a stranger hears who takes the
//! gateway's port, and how it ends.

use anyhow::{Context, Result, ensure};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use testkit::browser::{Browser, Look};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::page;
use testkit::teams::{self, Subject};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};

use crate::rig::{of_bearers, sign_in};

#[tokio::test]
async fn a_printed_links_code_is_not_in_its_page_which_keeps_a_key_that_nobody_can_take() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    ensure!(browser.text("location.pathname").await?.starts_with("/v/pods"), "it leads to the first view");
    let seen = "JSON.stringify([performance.getEntries().map((entry) => entry.name), document.referrer, \
                history.length, Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])";
    let seen = browser.text(seen).await?;
    ensure!(!seen.contains(dogwatch.code()) && !seen.contains("code="), "{seen}");
    let script = r"
      const done = arguments[arguments.length - 1];
      const request = indexedDB.open('dogwatch', 1);
      request.onsuccess = () => {
        const get = request.result.transaction('sessions').objectStore('sessions').get('current');
        get.onsuccess = async () => {
          const key = get.result.keys.privateKey;
          const taken = await crypto.subtle.exportKey('pkcs8', key).then(() => 'taken', (error) => error.name);
          done([key.extractable, key.usages, taken]);
        };
      };
    ";
    let kept = browser.client().execute_async(script, Vec::new()).await?;
    ensure!(kept == json!([false, ["sign"], "InvalidAccessError"]), "{kept}");
    browser.open(&format!("{}/v/nodes", dogwatch.origin())).await?;
    page::until_pill(&browser, "Live").await?;
    browser.client().back().await?;
    let back = browser.client().current_url().await?;
    ensure!(back.path().starts_with("/v/pods") && back.fragment().is_none(), "a step back leads to {back}");
    browser.close().await
}

/// What a stranger does who has taken the gateway's port: asks the page for a proof, and keeps what it says.
async fn hear(listener: &TcpListener, nonce: &str) -> Result<Value> {
    loop {
        let (stream, _) = listener.accept().await?;
        if let Some(said) = greeted(stream, nonce).await {
            return Ok(said);
        }
    }
}

/// `None`: that wasn't the page's socket.
async fn greeted(stream: TcpStream, nonce: &str) -> Option<Value> {
    #[expect(clippy::result_large_err, reason = "tungstenite asks for this type")]
    let speaks = |_: &Request, mut answer: Response| {
        answer.headers_mut().insert("sec-websocket-protocol", "dogwatch.v2".parse().expect("a value"));
        Ok(answer)
    };
    let mut socket = tokio_tungstenite::accept_hdr_async(stream, speaks).await.ok()?;
    socket.send(Message::text(json!({ "challenge": { "nonce": nonce } }).to_string())).await.ok()?;
    let said = socket.next().await?.ok()?.into_text().ok()?;
    serde_json::from_str(said.as_str()).ok()
}

/// Says a `hello` that was heard to the gateway, as the page's origin: the reason of its refusal.
async fn replayed(dogwatch: &Dogwatch, hello: &Value) -> Result<Value> {
    let mut socket = connected(dogwatch).await?;
    socket.next().await.context("the gateway speaks first")??;
    socket.send(Message::text(hello.to_string())).await?;
    let answer = socket.next().await.context("an answer")??.into_text()?;
    Ok(serde_json::from_str(answer.as_str())?)
}

async fn connected(dogwatch: &Dogwatch) -> Result<WebSocketStream<TcpStream>> {
    let mut request = format!("ws://{}/api/ws", dogwatch.host()).into_client_request()?;
    request.headers_mut().insert("origin", dogwatch.origin().parse()?);
    request.headers_mut().insert("sec-websocket-protocol", "dogwatch.v2".parse()?);
    let stream = TcpStream::connect(dogwatch.address()).await?;
    Ok(tokio_tungstenite::client_async(request, stream).await?.0)
}

/// R-AUTHN-1
#[tokio::test]
async fn whoever_takes_the_port_hears_nothing_that_opens_the_gateway() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let address = dogwatch.address();
    let (home, _) = dogwatch.kill()?;
    let stranger = TcpListener::bind(&address).await?;
    let hello = hear(&stranger, "aNonceOfTheStranger").await?;
    ensure!(hello["hello"]["credential"]["proof"]["session"].is_string(), "it is the page: {hello}");
    drop(stranger);
    let again = home.serve(&["--demo", "--listen", &address])?;
    let answer = replayed(&again, &hello).await?;
    ensure!(answer["problem"]["reason"] == "Unauthorized", "{answer}");
    // The page itself comes back, and asks for nothing.
    page::until_pill(&browser, "Live").await?;
    browser.close().await
}

/// A stranger at one port who relays, while the page waits, what the gateway asks at another.
/// R-AUTHN-1
#[tokio::test]
async fn a_challenge_that_is_relayed_from_another_port_opens_nothing() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let (address, origin) = (dogwatch.address(), dogwatch.origin());
    let (home, _) = dogwatch.kill()?;
    let stranger = TcpListener::bind(&address).await?;
    let moved = home.serve(&["--demo", "--listen", "127.0.0.1:0"])?;
    for says in [origin, moved.origin()] {
        let mut request = format!("ws://{}/api/ws", moved.address()).into_client_request()?;
        request.headers_mut().insert("host", says.trim_start_matches("http://").parse()?);
        request.headers_mut().insert("origin", says.parse()?);
        let stream = TcpStream::connect(moved.address()).await?;
        let (mut gateway, _) = tokio_tungstenite::client_async(request, stream).await?;
        let asked = gateway.next().await.context("the gateway speaks first")??.into_text()?;
        let asked: Value = serde_json::from_str(asked.as_str())?;
        let nonce = asked["challenge"]["nonce"].as_str().context("a nonce")?;
        let hello = hear(&stranger, nonce).await?;
        gateway.send(Message::text(hello.to_string())).await?;
        let answer = gateway.next().await.context("an answer")??.into_text()?;
        ensure!(answer.contains("Unauthorized"), "as {says}: {answer}");
    }
    browser.client().clone().close().await?;
    Ok(())
}

/// R-AUTHN-11
#[tokio::test]
async fn a_session_that_is_revoked_ends_at_once_and_its_page_says_how_to_get_in_again() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let sessions = |arguments: &[&str]| -> Result<String> {
        let output = dogwatch.home().command().arg("sessions").args(arguments).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    };
    let listed = sessions(&[])?;
    ensure!(listed.contains(&dogwatch.origin()) && listed.contains("Chrome"), "{listed}");
    // With the session its page's address ends, from which nothing can be fetched then.
    let is_here =
        "performance.getEntriesByType('resource').some((entry) => entry.name.includes('split_more'))";
    browser.until("all of its program", is_here).await?;
    ensure!(sessions(&["revoke", "--all"])? == "1 session ended.\n");
    browser.until("how to sign in", "shown('.login, [role=dialog], main').includes('dogwatch url')").await?;
    ensure!(sessions(&[])?.contains("Nobody is signed in"));
    // A link that another tab opens lets this one in as well.
    browser.open(&dogwatch.fresh_url()?).await?;
    page::until_pill(&browser, "Live").await?;
    browser.close().await
}

/// A plain module script, without the program, greets the gateway with what `key.js` exports.
#[tokio::test]
async fn a_plain_script_greets_before_the_program_is_there() -> Result<()> {
    let dogwatch = Home::new()?.serve(&["--demo", "--listen", "127.0.0.1:0"])?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let script = r"
      const done = arguments[arguments.length - 1];
      const key = document.querySelector('link[rel=modulepreload][href*=key]').href;
      const size = fetch(key).then((answer) => answer.text()).then((text) => text.length);
      import(key).then(({ prove }) => {
        const socket = new WebSocket(location.origin.replace('http', 'ws') + '/api/ws', 'dogwatch.v2');
        const heard = [];
        socket.onmessage = async ({ data }) => {
          const frame = typeof data === 'string' ? JSON.parse(data) : { deflated: true };
          heard.push(Object.keys(frame)[0]);
          if (frame.challenge) {
            const proof = await prove(frame.challenge.nonce);
            socket.send(JSON.stringify({ hello: { version: 'dogwatch.v2', credential: { proof } } }));
          }
          if (frame.welcome) {
            const first = heard.slice();
            done([first, await size]);
          }
        };
        socket.onclose = ({ code }) => done([heard, code]);
      }, (error) => done([String(error)]));
    ";
    let seen = browser.client().execute_async(script, Vec::new()).await?;
    ensure!(seen[0] == json!(["challenge", "welcome"]), "{seen}");
    ensure!(seen[1].as_u64().is_some_and(|bytes| bytes < 5_000), "a few KB: {seen}");
    browser.close().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_signs_in_with_a_token_which_stays_in_the_pages_memory_and_sees_their_own_namespaces()
-> Result<()> {
    let (playground, dogwatch) = of_bearers().await?;
    teams::allow(&playground, "team-a", Subject::User("alice"))?;
    let browser = Browser::start(Look::default()).await?;
    browser.open(&format!("{}/v/configmaps@dogwatch/*", dogwatch.origin())).await?;
    for (token, expected) in [
        ("wrong", "shown('.login').includes('The cluster knows no such token')"),
        ("token-of-alice", "shown('#row-count').includes('in team-a, which you may see')"),
    ] {
        sign_in(&browser, token).await?;
        browser.until(expected, expected).await?;
    }
    let everything = "JSON.stringify([document.documentElement.outerHTML, location.href, document.cookie, \
                      Object.entries(localStorage), Object.entries(sessionStorage)])";
    let everything = browser.text(everything).await?;
    ensure!(!everything.contains("token-of-alice") && !everything.contains("of-team-b"), "{everything}");

    teams::withdraw(&playground, "team-a")?;
    page::until_pill(&browser, "Forbidden").await?;
    browser.until("the rows are gone", "deep('[role=gridcell]').length === 0").await?;
    browser.close().await
}
