//! The listeners: probes, metrics, files; and that every connection ends with the gateway.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::Instant;

use super::running::{Running, WELCOME, first, say};
use crate::limits::DRAIN_S;
use crate::test_log;

#[tokio::test]
async fn r_net_7_metrics_stand_on_their_own_listener_alone() {
    let gateway = Running::start().await;
    assert_eq!(gateway.get("/metrics", &[]).await.status, 404);
    let other = TcpStream::connect(gateway.metrics_address).await.expect("connected");
    let read = say(other, &["GET /metrics HTTP/1.1", "host: localhost:9090"], "").await;
    assert_eq!(read.status, 200);
    // On loopback a rebound name reads no metrics; a kubelet's probe may name any host.
    for (path, status) in [("/metrics", 403), ("/healthz", 200)] {
        let other = TcpStream::connect(gateway.metrics_address).await.expect("connected");
        let line = format!("GET {path} HTTP/1.1");
        assert_eq!(say(other, &[&line, "host: evil.example:9090"], "").await.status, status, "{path}");
    }
    assert!(
        read.body.contains("dogwatch_http_requests_total{route=\"none\",code=\"404\"} 1"),
        "{}",
        read.body
    );
    for path in ["/", "/api/ws", "/assets/start-0a.js"] {
        let other = TcpStream::connect(gateway.metrics_address).await.expect("connected");
        let line = format!("GET {path} HTTP/1.1");
        assert_eq!(say(other, &[&line, "host: localhost:9090"], "").await.status, 404, "{path}");
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
    gateway.state.readiness.leave();
    assert_eq!(gateway.get("/readyz", &[]).await.status, 503);
    assert_eq!(gateway.get("/healthz", &[]).await.status, 200);
}

#[tokio::test]
async fn why_a_check_has_failed_is_told_to_the_operator_and_to_no_stranger() {
    let gateway = Running::start().await;
    let (told, withheld) = ("[-]broken failed: it may read secrets\n", "[-]broken failed: reason withheld\n");
    let lines = ["GET /readyz?verbose HTTP/1.1", "host: localhost"];
    let stranger = TcpStream::connect(gateway.address).await.expect("connected");
    let operator = TcpStream::connect(gateway.metrics_address).await.expect("connected");
    let user = UnixStream::connect(&gateway.socket).await.expect("connected");
    for (read, expected) in [
        (say(stranger, &lines, "").await, withheld),
        (say(operator, &lines, "").await, told),
        (say(user, &lines, "").await, told),
    ] {
        assert!(read.body.contains(expected), "{}", read.body);
    }
}

#[tokio::test(start_paused = true)]
async fn r_net_1_a_head_that_dribbles_is_cut_after_ten_seconds() {
    let gateway = Running::start().await;
    let started = Instant::now();
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
    gateway.state.leaving.cancel();
    gateway.connections.drain(Duration::from_secs(20)).await;
    assert_eq!(gateway.state.metrics.http_connections.get(), 0);
    assert!(first(&mut socket).await.is_none());
    assert!(TcpStream::connect(gateway.address).await.is_err(), "the listener is closed");
    assert!(!gateway.socket.exists());
    drop(idle);
}

#[tokio::test(start_paused = true)]
async fn connections_that_do_not_leave_are_cut_after_fifteen_seconds_and_the_log_counts_them() {
    test_log::listen();
    let gateway = Running::start().await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let mut socket = gateway.open_local().await.expect("opened");
        assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
        sockets.push(socket);
    }
    // `leaving` isn't cancelled: these sessions would stay for ever.
    let started = Instant::now();
    gateway.connections.drain(Duration::from_secs(DRAIN_S)).await;
    assert_eq!(started.elapsed().as_secs(), DRAIN_S);
    assert_eq!(gateway.state.metrics.http_connections.get(), 0);
    let said = test_log::lines_with("were cut");
    assert!(matches!(said.as_slice(), [once] if once.contains("connections=3")), "{said:?}");
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

#[tokio::test]
async fn r_net_1_half_sent_bodies_make_room_for_requests() {
    let gateway = Running::admitting(8).await;
    let head = format!(
        "POST /api/login HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{",
        gateway.host()
    );
    let mut held = Vec::new();
    for _ in 0..40 {
        let mut stream = TcpStream::connect(gateway.address).await.expect("connected");
        stream.write_all(head.as_bytes()).await.expect("sent");
        held.push(stream);
        // Two of 8 slots are for connections without a whole request; the third connection is the one that came last.
        let has_room = async {
            while gateway.state.metrics.http_connections.get() > 3 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), has_room).await.expect("the oldest has made room");
    }
    assert_eq!(gateway.get("/", &[]).await.status, 200);
    let displaced = gateway.state.metrics.connections_displaced.get();
    assert!(displaced >= 30, "{displaced}");
}

#[tokio::test]
async fn r_net_1_a_full_gateway_answers_its_user_and_its_probes() {
    let gateway = Running::admitting(2).await;
    let mut sockets = Vec::new();
    for _ in 0..2 {
        sockets.push(gateway.open(&[("origin", &gateway.origin())]).await.expect("a socket"));
    }
    let mut stranger = TcpStream::connect(gateway.address).await.expect("connected");
    let mut nothing = Vec::new();
    assert!(matches!(stranger.read_to_end(&mut nothing).await, Ok(0) | Err(_)), "there is no room");
    let host = format!("host: {}", gateway.metrics_address);
    let probe = TcpStream::connect(gateway.metrics_address).await.expect("connected");
    assert_eq!(say(probe, &["GET /healthz HTTP/1.1", &host], "").await.status, 200);
    gateway.open_local().await.expect("the user's own socket");
}
