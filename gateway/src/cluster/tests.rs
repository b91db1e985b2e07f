//! How much of an API server's answer is read, and for how long the gateway waits for it. The server sends
//! exactly what a test gives it; time is paused, so no test waits.

mod discovering;
mod reaching;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use shared::problem::Reason;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use super::allow::Shown;
use super::client::{self, Client};
use super::kubeconfig::Credential;
use super::request::{self, ApiRequest};
use super::{Answer, Failure};
use crate::limits::{
    UPSTREAM_ANSWER_BYTES_MAX, UPSTREAM_BODY_TIMEOUT_S, UPSTREAM_HEAD_TIMEOUT_S, UPSTREAM_REFUSAL_BYTES_MAX,
};
use crate::metrics::{ByAnswer, Metrics, NO_ANSWER, Verb};

/// The server's answer to every request.
#[derive(Clone, Copy)]
enum Script {
    Nothing,
    /// A head without a body or an end.
    Head(&'static str),
    /// A head, and zeros until the client stops reading.
    Endless(&'static str),
    Whole(&'static str),
    /// A head, and this as gzip.
    Gzip(&'static str, &'static [u8]),
}

struct Server {
    client: Client,
    /// Bytes of bodies that the client read.
    taken: Arc<AtomicUsize>,
    /// The heads of its requests.
    asked: tokio::sync::mpsc::UnboundedReceiver<String>,
}

impl Server {
    async fn with(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let taken = Arc::new(AtomicUsize::new(0));
        let (heads, asked) = tokio::sync::mpsc::unbounded_channel();
        let counted = taken.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, script, counted.clone(), heads.clone()));
            }
        });
        let config = kube::Config::new(url.parse().expect("a URL"));
        let target = client::Target { config, proxy: None, credential: Credential::Nothing };
        let client = client::build(target, Metrics::new(), Shown::default()).await.expect("built");
        Self { client, taken, asked }
    }

    async fn ask(&self) -> Result<Answer, Failure> {
        request::send(&self.client, &ApiRequest::version()).await
    }

    fn counted(&self, code: u16) -> u64 {
        let answer = ByAnswer { verb: Verb::discovery, code };
        self.client.metrics.upstream_requests.get_or_create(&answer).get()
    }
}

async fn serve(
    mut stream: TcpStream,
    script: Script,
    taken: Arc<AtomicUsize>,
    heads: tokio::sync::mpsc::UnboundedSender<String>,
) {
    let mut head = vec![0; 8 * 1024];
    let read = stream.read(&mut head).await.unwrap_or_default();
    head.truncate(read);
    drop(heads.send(String::from_utf8_lossy(&head).to_ascii_lowercase()));
    let said = match script {
        Script::Nothing => return std::future::pending().await,
        Script::Head(said) | Script::Endless(said) | Script::Whole(said) | Script::Gzip(said, _) => said,
    };
    stream.write_all(said.as_bytes()).await.expect("written");
    if let Script::Gzip(_, body) = script {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).expect("into memory");
        stream.write_all(&encoder.finish().expect("into memory")).await.expect("written");
    }
    let piece = vec![b'0'; 64 * 1024];
    while matches!(script, Script::Endless(_)) && stream.write_all(&piece).await.is_ok() {
        taken.fetch_add(piece.len(), Ordering::Relaxed);
    }
    if matches!(script, Script::Head(_)) {
        std::future::pending::<()>().await;
    }
}

const GOOD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
/// The bytes that two kernels may hold of a connection.
const UNDER_WAY_BYTES: usize = 16 * 1024 * 1024;

fn broken(failure: &Failure) -> Reason {
    match failure {
        Failure::Broken(problem) => problem.reason,
        Failure::Refused(refusal) => panic!("refused with {}", refusal.code),
    }
}

/// Against: sockets
#[tokio::test]
async fn r_net_5_an_answer_without_an_end_is_too_large_and_says_where_the_limit_is() {
    let server = Server::with(Script::Endless(GOOD)).await;
    let answer = server.ask().await.unwrap_or_else(|failure| panic!("{:?}", failure.reason()));
    let problem = answer.whole().await.expect_err("without an end");
    assert_eq!(problem.reason, Reason::TooLarge);
    assert!(problem.message.contains("128 MiB"), "{problem}");
    let taken = server.taken.load(Ordering::Relaxed);
    assert!(taken <= UPSTREAM_ANSWER_BYTES_MAX + UNDER_WAY_BYTES, "{taken} bytes");
}

/// Against: sockets
#[tokio::test]
async fn r_net_5_a_gzip_bomb_is_not_asked_for_and_not_inflated() {
    const BOMB: &str = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\n\x1f\x08bo";
    let mut server = Server::with(Script::Whole(BOMB)).await;
    let answer = server.ask().await.unwrap_or_else(|failure| panic!("{:?}", failure.reason()));
    assert_eq!(answer.whole().await.expect("four bytes"), b"\x1f\x08bo");
    let head = server.asked.recv().await.expect("asked");
    assert!(!head.contains("accept-encoding"), "{head}");
}

/// A WatchList, as Kubernetes 1.37 sends it.
#[tokio::test]
async fn what_was_asked_for_as_gzip_is_inflated_and_nothing_else() {
    const TOLD: &str = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 22\r\n\r\n";
    const PLAIN: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
    let server = Server::with(Script::Gzip(TOLD, b"{}")).await;
    let request = ApiRequest::version().compressed();
    let answer =
        request::send(&server.client, &request).await.unwrap_or_else(|why| panic!("{:?}", why.reason()));
    assert_eq!(answer.whole().await.expect("gzip"), b"{}");
    let mut server = Server::with(Script::Whole(PLAIN)).await;
    let answer =
        request::send(&server.client, &request).await.unwrap_or_else(|why| panic!("{:?}", why.reason()));
    assert_eq!(answer.whole().await.expect("a server that doesn't offer it"), b"{}");
    assert!(server.asked.recv().await.expect("asked").contains("accept-encoding: gzip"));
}

#[tokio::test]
async fn a_refusals_body_is_read_up_to_64_kib() {
    let server = Server::with(Script::Endless("HTTP/1.1 500 Oh\r\n\r\n")).await;
    let Err(Failure::Refused(refusal)) = server.ask().await else { panic!("a refusal") };
    assert_eq!((refusal.code, refusal.is_status), (500, false));
    let taken = server.taken.load(Ordering::Relaxed);
    assert!(taken <= UPSTREAM_REFUSAL_BYTES_MAX + UNDER_WAY_BYTES, "{taken} bytes");
    assert_eq!(server.counted(500), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_begin_is_given_up_and_counted() {
    let server = Server::with(Script::Nothing).await;
    let started = Instant::now();
    let Err(failure) = server.ask().await else { panic!("no answer") };
    assert_eq!(broken(&failure), Reason::TimedOut);
    assert_eq!(started.elapsed().as_secs(), UPSTREAM_HEAD_TIMEOUT_S);
    assert_eq!(server.counted(NO_ANSWER), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_falls_silent_is_given_up_and_a_stream_is_not() {
    let server = Server::with(Script::Head(GOOD)).await;
    let answer = server.ask().await.unwrap_or_else(|failure| panic!("{:?}", failure.reason()));
    let started = Instant::now();
    assert_eq!(answer.whole().await.expect_err("silence").reason, Reason::TimedOut);
    assert_eq!(started.elapsed().as_secs(), UPSTREAM_BODY_TIMEOUT_S);
    let mut stream = server.ask().await.unwrap_or_else(|failure| panic!("{:?}", failure.reason()));
    let hour = Duration::from_secs(3_600);
    assert!(tokio::time::timeout(hour, stream.chunk()).await.is_err(), "it may be silent");
}
