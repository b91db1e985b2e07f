//! How long anybody may take, how much they may say, and that all of them end with the gateway.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite;

use super::running::{Running, WELCOME, first, say, send};

#[tokio::test]
async fn r_net_7_metrics_stand_on_their_own_listener_alone() {
    let gateway = Running::start().await;
    assert_eq!(gateway.get("/metrics", &[]).await.status, 404);
    let other = TcpStream::connect(gateway.metrics_address).await.expect("connected");
    let read = say(other, &["GET /metrics HTTP/1.1", "host: 10.1.2.3:9090"], "").await;
    assert_eq!(read.status, 200);
    assert!(
        read.body.contains("dogwatch_http_requests_total{route=\"none\",code=\"404\"} 1"),
        "{}",
        read.body
    );
    for path in ["/", "/api/ws", "/assets/start-0a.js"] {
        let other = TcpStream::connect(gateway.metrics_address).await.expect("connected");
        let line = format!("GET {path} HTTP/1.1");
        assert_eq!(say(other, &[&line, "host: 10.1.2.3:9090"], "").await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn probes_answer_to_any_host_on_both_listeners_and_say_when_it_is_over() {
    let gateway = Running::start().await;
    for address in [gateway.address, gateway.metrics_address] {
        for (path, expected) in [("/healthz", "ok"), ("/readyz", "ok"), ("/readyz?verbose", "[+]serving ok")]
        {
            let stream = TcpStream::connect(address).await.expect("connected");
            let line = format!("GET {path} HTTP/1.1");
            let read = say(stream, &[&line, "host: 10.1.2.3:8484"], "").await;
            assert_eq!(read.status, 200);
            assert!(read.body.contains(expected), "{path}: {}", read.body);
        }
    }
    gateway.edge.readiness.leave();
    assert_eq!(gateway.get("/readyz", &[]).await.status, 503);
    assert_eq!(gateway.get("/healthz", &[]).await.status, 200);
}

#[tokio::test]
async fn r_net_2_a_message_that_is_too_long_ends_its_own_socket() {
    let gateway = Running::start().await;
    let mut socket = gateway.open_local().await.expect("opened");
    assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
    let mut neighbour = gateway.open_local().await.expect("opened");
    assert_eq!(first(&mut neighbour).await.as_deref(), Some(WELCOME));
    send(&mut socket, "x".repeat(1024 * 1024)).await;
    let ended = loop {
        match socket.next().await {
            Some(Ok(tungstenite::Message::Text(text))) => panic!("{text}"),
            Some(Ok(_)) => {}
            Some(Err(_)) | None => break true,
        }
    };
    assert!(ended);
    assert!(send(&mut neighbour, "still here".to_owned()).await);
}

#[tokio::test(start_paused = true)]
async fn r_net_1_a_head_that_dribbles_is_cut_after_ten_seconds() {
    let gateway = Running::start().await;
    let started = tokio::time::Instant::now();
    let mut stream = TcpStream::connect(gateway.address).await.expect("connected");
    stream.write_all(b"GET / HTTP/1.1\r\nx: ").await.expect("written");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("ended by the gateway");
    assert!(started.elapsed() <= Duration::from_secs(11), "{:?}", started.elapsed());
}

#[tokio::test]
async fn all_connections_are_gone_when_the_gateway_has_drained() {
    let gateway = Running::start().await;
    let mut socket = gateway.open_local().await.expect("opened");
    assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
    let idle = TcpStream::connect(gateway.address).await.expect("connected");
    gateway.edge.leaving.cancel();
    gateway.connections.drain(Duration::from_secs(20)).await;
    assert_eq!(gateway.edge.metrics.http_connections.get(), 0);
    assert!(first(&mut socket).await.is_none());
    assert!(TcpStream::connect(gateway.address).await.is_err(), "nobody listens any more");
    assert!(!gateway.socket.exists());
    drop(idle);
}

#[tokio::test]
async fn a_session_that_does_not_leave_is_cut() {
    let gateway = Running::start().await;
    let mut socket = gateway.open_local().await.expect("opened");
    assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
    // `leaving` isn't cancelled: this session would stay for ever.
    gateway.connections.drain(Duration::ZERO).await;
    assert_eq!(gateway.edge.metrics.http_connections.get(), 0);
}

#[tokio::test]
async fn a_file_has_an_etag_and_nothing_but_files_is_served() {
    let gateway = Running::start().await;
    let read = gateway.get("/assets/start-0a.js", &[]).await;
    assert_eq!(
        (read.header("content-type"), read.body.as_str()),
        ("text/javascript; charset=utf-8", "start()")
    );
    let known = format!("if-none-match: {}", read.header("etag"));
    let again = gateway.get("/assets/start-0a.js", &[&known]).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    for path in ["/assets/../index.html", "/assets/%2e%2e/index.html", "/assets/", "/assets/missing.js"] {
        assert_eq!(gateway.get(path, &[]).await.status, 404, "{path}");
    }
}
