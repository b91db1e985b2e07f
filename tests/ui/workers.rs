//! A service worker that another program registered while it had the gateway's port: what it sees, and how it ends.

use std::net::SocketAddr;

use anyhow::{Result, ensure};
use testkit::browser::{Browser, Look};
use testkit::dogwatch::Home;
use testkit::page;
use testkit::ports::free_address;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// Answers each navigation itself, and tells the page what it has seen.
const WORKER: &str = "
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => {
    if (event.request.mode === 'navigate') {
      event.respondWith(new Response('<!doctype html><title>read along</title>read along', {
        headers: { 'content-type': 'text/html' },
      }));
    }
  });
";
const PAGE: &str = "<!doctype html><title>a dev server</title><script>\
    navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)\
      .then(() => { document.title = 'registered'; });</script>";

/// Another program at a port.
async fn other_program(address: SocketAddr) -> Result<AbortOnDropHandle<()>> {
    let listener = TcpListener::bind(address).await?;
    Ok(AbortOnDropHandle::new(tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let count = stream.read(&mut request).await.unwrap_or_default();
            let asked = String::from_utf8_lossy(request.get(..count).unwrap_or_default()).into_owned();
            let (kind, body) = match asked.starts_with("GET /sw.js") {
                true => ("text/javascript", WORKER),
                false => ("text/html", PAGE),
            };
            let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n");
            let answer = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
            // A browser that has gone needs no answer.
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    })))
}

/// The port is free afterwards.
async fn end(program: AbortOnDropHandle<()>) {
    program.abort();
    // It was ended on purpose.
    let _ = program.await;
}

const REGISTERED: &str = "const done = arguments[arguments.length - 1]; \
    navigator.serviceWorker.getRegistrations().then((all) => done(all.length));";

#[tokio::test]
async fn r_orig_1_a_worker_from_before_sees_no_fresh_link_and_leaves_at_the_next_look_at_its_script()
-> Result<()> {
    let address = free_address();
    let browser = Browser::start(Look::default()).await?;
    let other = other_program(address).await?;
    let plain = format!("http://{address}/");
    browser.open(&plain).await?;
    browser.until("a worker", "document.title === 'registered'").await?;
    end(other).await;
    let dogwatch = Home::new()?.serve(&["--demo", "--listen", &address.to_string()])?;
    browser.open(dogwatch.url()).await?;
    page::until_pill(&browser, "Live").await?;
    let registered = browser.client().execute_async(REGISTERED, Vec::new()).await?;
    ensure!(registered == 0, "of this origin: {registered}");
    let is_controlled = browser.text("String(navigator.serviceWorker.controller)").await?;
    ensure!(is_controlled == "null", "{is_controlled}");

    // At the plain address it answers once more, and the gateway takes its place.
    browser.open(&plain).await?;
    browser.until("the command", "document.body.textContent.includes('dogwatch url')").await?;
    let registered = browser.client().execute_async(REGISTERED, Vec::new()).await?;
    ensure!(registered == 0, "at the plain address: {registered}");
    browser.close().await
}

/// With the plain address a worker may be there when a link is opened.
#[tokio::test]
async fn r_orig_1_a_page_that_finds_a_worker_of_its_own_origin_removes_it_before_it_uses_its_code()
-> Result<()> {
    let address = free_address();
    let browser = Browser::start(Look::default()).await?;
    let other = other_program(address).await?;
    browser.open(&format!("http://{address}/")).await?;
    browser.until("a worker", "document.title === 'registered'").await?;
    end(other).await;
    let flags = ["--demo", "--plain-address", "--listen", &address.to_string()];
    let dogwatch = Home::new()?.serve(&flags)?;
    // It answers, and leaves: the reader opens the link again.
    browser.open(&format!("http://{address}/healthz")).await?;
    browser.until("the gateway", "document.body.textContent === 'ok'").await?;
    browser.open(dogwatch.url()).await?;
    page::until_pill(&browser, "Live").await?;
    browser.close().await
}

#[tokio::test]
async fn what_a_reader_chose_is_there_at_the_next_link_whose_origin_is_another() -> Result<()> {
    let dogwatch = Home::new()?.serve(&["--demo", "--listen", "127.0.0.1:0"])?;
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    browser.click("[aria-label='Pin nodes'], [aria-label='Pin services']").await?;
    browser.until("it is pinned", "shown('.nav-group').startsWith('Pinned')").await?;
    let before = browser.text("location.origin").await?;
    browser.open(&dogwatch.fresh_url()?).await?;
    page::until_pill(&browser, "Live").await?;
    ensure!(browser.text("location.origin").await? != before, "another name");
    browser.until("it is pinned still", "shown('.nav-group').startsWith('Pinned')").await?;
    browser.close().await
}
