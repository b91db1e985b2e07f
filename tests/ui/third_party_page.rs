//! What a page of another origin gets from a gateway on the same machine, in a real browser: nothing.

use std::net::SocketAddr;

use anyhow::Result;
use serde_json::json;
use testkit::browser::{Browser, Look};
use testkit::dogwatch::{Dogwatch, Home};
use testkit::page;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

#[tokio::test]
async fn r_brow_1_a_third_partys_page_opens_no_socket() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    // The victim has a page open, so all that a browser keeps for it is there.
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    browser.open(&format!("http://{}/", third_party().await?)).await?;
    let script = "
      const done = arguments[arguments.length - 1];
      const socket = new WebSocket(arguments[0], ['dogwatch.v2']);
      let opened = false;
      socket.onopen = () => { opened = true; };
      socket.onmessage = () => done('a message');
      socket.onclose = (ev) => done([opened, ev.code]);
    ";
    let address = format!("ws://127.0.0.1:{}/api/ws", dogwatch.port());
    let seen = browser.client().execute_async(script, vec![json!(address)]).await?;
    assert_eq!(seen, json!([false, 1006]), "(opened, close code)");
    browser.close().await
}

#[tokio::test]
async fn r_brow_7_a_third_partys_page_reads_no_answer() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let browser = Browser::start(Look::default()).await?;
    browser.open(&format!("http://{}/", third_party().await?)).await?;
    let script = "
      const done = arguments[arguments.length - 1];
      const reads = ['/', '/healthz', '/v/pods'].map((path) => fetch(arguments[0] + path));
      reads.push(fetch(arguments[0] + '/api/login', {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: '{\"code\":\"x\"}',
      }));
      Promise.allSettled(reads).then((answers) => done(answers.map((answer) => answer.status)));
    ";
    let seen = browser.client().execute_async(script, vec![json!(dogwatch.origin())]).await?;
    assert_eq!(seen, json!(["rejected", "rejected", "rejected", "rejected"]));
    let errors = browser.console_errors().await?;
    assert!(errors.iter().all(|error| error.contains("blocked by CORS policy")), "{errors:#?}");
    assert_eq!(errors.len(), 4, "{errors:#?}");
    browser.close().await
}

#[tokio::test]
async fn r_brow_8_a_listed_site_may_frame_one_page_and_any_other_site_none() -> Result<()> {
    let listed = format!("http://{}", third_party().await?);
    let unlisted = format!("http://{}", third_party().await?);
    let dogwatch = Home::new()?.serve(&["--demo", "--listen", "127.0.0.1:0", "--allowed-origin", &listed])?;
    // A session exists, so that a framed page would have something to click on.
    let browser = page::signed_in(Look::default(), dogwatch.url()).await?;
    let embed = "/embed?resource=pods";
    let asked = [&listed, &unlisted].map(|site| ["/", "/v/pods", "/open", embed].map(|path| (site, path)));
    for (site, path) in asked.into_iter().flatten() {
        browser.open(site).await?;
        let script = "
          const done = arguments[arguments.length - 1];
          const frame = document.createElement('iframe');
          frame.onload = () => done(true);
          frame.src = arguments[0];
          document.body.append(frame);
        ";
        let address = format!("{}{path}", dogwatch.origin());
        browser.client().execute_async(script, vec![json!(address)]).await?;
        browser.client().enter_frame(0).await?;
        let shown = browser.run("return document.URL;", Vec::new()).await?;
        let is_framed = (site, path) == (&listed, embed);
        let expected = if is_framed { address.as_str() } else { "chrome-error://chromewebdata/" };
        assert_eq!(shown, json!(expected), "{path} at {site}");
        browser.client().enter_parent_frame().await?;
    }
    let errors = browser.console_errors().await?;
    assert!(errors.iter().all(|error| error.contains("frame")), "{errors:#?}");
    browser.client().clone().close().await?;
    Ok(())
}

/// A page of another port, which is another origin.
pub async fn third_party() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let page = "<!doctype html><title>a third party</title>";
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n";
            let _ = stream
                .write_all(format!("{head}content-length: {}\r\n\r\n{page}", page.len()).as_bytes())
                .await;
        }
    });
    Ok(address)
}
