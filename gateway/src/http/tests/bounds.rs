//! How much a request may be and how long it may take, and how many there may be at once.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::running::{Running, WELCOME, first, send};
use crate::limits::{
    HTTP_BODY_TIMEOUT_S, HTTP_BUFFER_BYTES_MAX, HTTP_CONNECTION_S, HTTP_HEADERS_MAX, HTTP_LAST_ANSWER_S,
};

#[tokio::test]
async fn a_head_with_too_many_headers_or_too_long_is_answered_with_431() {
    let gateway = Running::start().await;
    let many: Vec<String> = (0..HTTP_HEADERS_MAX).map(|n| format!("x-{n}: y")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(gateway.get("/healthz", &many).await.status, 431);
    assert_eq!(gateway.get("/healthz", &many[..HTTP_HEADERS_MAX - 4]).await.status, 200);
    let long = format!("x: {}", "y".repeat(4 * HTTP_BUFFER_BYTES_MAX));
    assert_eq!(gateway.get("/healthz", &[&long]).await.status, 431);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_dribbles_is_answered_with_408() {
    let gateway = Running::start().await;
    let mut stream = TcpStream::connect(gateway.address).await.expect("connected");
    let head = format!(
        "POST /api/login HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{{",
        gateway.host()
    );
    let started = Instant::now();
    stream.write_all(head.as_bytes()).await.expect("written");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("ended by the gateway");
    assert!(String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 408"), "{answer:?}");
    assert!(started.elapsed() <= Duration::from_secs(HTTP_BODY_TIMEOUT_S + HTTP_LAST_ANSWER_S));
}

#[tokio::test(start_paused = true)]
async fn r_net_1_a_connection_that_only_asks_and_asks_ends_after_five_minutes() {
    let gateway = Running::start().await;
    let started = Instant::now();
    let mut stream = TcpStream::connect(gateway.address).await.expect("connected");
    let question = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", gateway.host());
    let mut answers = 0;
    loop {
        let mut answer = [0; 4096];
        // The gateway may have closed the connection meanwhile.
        if stream.write_all(question.as_bytes()).await.is_err() {
            break;
        }
        match stream.read(&mut answer).await {
            Ok(0) | Err(_) => break,
            Ok(_) => answers += 1,
        }
        tokio::time::advance(Duration::from_secs(5)).await;
    }
    let lasted = started.elapsed().as_secs();
    assert!((HTTP_CONNECTION_S..HTTP_CONNECTION_S + 15).contains(&lasted), "{lasted} s");
    assert!(answers >= 50, "{answers}");
}

#[tokio::test]
async fn r_net_1_one_connection_more_than_the_limit_is_closed_and_counted_and_the_others_live() {
    const LIMIT: usize = 8;
    let gateway = Running::admitting(LIMIT).await;
    let mut sockets = Vec::new();
    for _ in 0..LIMIT {
        let mut socket = gateway.open_local().await.expect("opened");
        assert_eq!(first(&mut socket).await.as_deref(), Some(WELCOME));
        sockets.push(socket);
    }
    let mut one_more = TcpStream::connect(gateway.address).await.expect("connected");
    let mut answer = Vec::new();
    // The gateway closes it without an answer; the read may end with a reset.
    drop(one_more.read_to_end(&mut answer).await);
    assert!(answer.is_empty());
    assert_eq!(gateway.state.metrics.connections_refused.get(), 1);
    for socket in &mut sockets {
        assert!(send(socket, "still here".to_owned()).await);
    }
}
