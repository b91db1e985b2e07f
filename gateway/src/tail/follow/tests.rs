//! The loop against a scripted gateway on a real Unix socket: its frames, its output, and why it ends.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt, StreamExt};
use shared::codec;
use shared::frame::client::{ChangesEnd, ClientFrame};
use shared::frame::server::{Changed, Changes, ClusterProblem, Kinds, ProblemFrame, Rows, ServerFrame};
use shared::frame::timeline::EntryType;
use shared::past::{Removed, Unrecorded, Why};
use shared::problem::Problem;
use shared::scope::Namespaces;
use tokio::net::{UnixListener, UnixStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::handshake::server::{Request as Asked, Response as Answer};

use super::*;
use crate::tail::args::{NamespaceChoice, Selection};
use crate::tail::testing;

/// A stdout that is closed after this number of lines.
#[derive(Clone)]
struct Pipe {
    text: Arc<Mutex<String>>,
    lines: usize,
}

impl Pipe {
    fn new(lines: usize) -> Self {
        Self { text: Arc::default(), lines }
    }
    fn text(&self) -> String {
        self.text.lock().expect("unpoisoned").clone()
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = self.text.lock().expect("unpoisoned");
        text.push_str(std::str::from_utf8(bytes).expect("text"));
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        if self.text().lines().count() < self.lines { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
    }
}

fn request(word: &str, once: bool) -> Request {
    Request {
        selection: Selection {
            word: word.to_owned(),
            name: None,
            clusters: ClusterChoice::Home,
            namespaces: NamespaceChoice::Context,
            labels: None,
            fields: None,
        },
        output: crate::tail::args::OutputStyle::of(crate::tail::args::Format::Table),
        columns: Default::default(),
        shows_first: true,
        once,
        past: PastChoice::Nothing,
        until: None,
        timeout: once.then(|| Duration::from_secs(60)),
    }
}

struct Viewer(WebSocketStream<UnixStream>);

impl Viewer {
    async fn accept(listener: &UnixListener) -> Self {
        let (stream, _) = listener.accept().await.expect("a viewer");
        #[expect(clippy::result_large_err, reason = "the library's type of a refusal, which isn't made here")]
        let choose = |_: &Asked, mut answer: Answer| {
            let version = http::HeaderValue::from_static(shared::frame::VERSION);
            answer.headers_mut().insert(http::header::SEC_WEBSOCKET_PROTOCOL, version);
            Ok(answer)
        };
        Self(tokio_tungstenite::accept_hdr_async(stream, choose).await.expect("a handshake"))
    }

    async fn say(&mut self, frame: &ServerFrame) {
        let json = serde_json::to_string(frame).expect("json");
        self.0.send(tungstenite::Message::text(json)).await.expect("sent");
    }

    async fn hear(&mut self) -> ClientFrame {
        loop {
            if let tungstenite::Message::Text(text) = self.0.next().await.expect("open").expect("read") {
                return codec::decode_client(&text).expect("a frame");
            }
        }
    }

    /// Answers `hello` with `welcome` and `kinds`, and then the subscription.
    async fn greet(&mut self) -> shared::frame::client::Subscribe {
        assert!(matches!(self.hear().await, ClientFrame::Hello(_)));
        self.say(&ServerFrame::Welcome(Box::new(testing::welcome()))).await;
        self.say(&ServerFrame::Kinds(testing::kinds())).await;
        let ClientFrame::Subscribe(subscribe) = self.hear().await else { panic!("a subscription") };
        let answer = testing::subscribed(subscribe.id, subscribe.scope.clone());
        self.say(&ServerFrame::Subscribed(Box::new(answer))).await;
        *subscribe
    }

    /// Reads on until the viewer leaves.
    async fn drain(mut self) {
        while let Some(Ok(_)) = self.0.next().await {}
    }
}

fn bind(folder: &Path) -> (UnixListener, Endpoint) {
    let socket = folder.join("8484.sock");
    (UnixListener::bind(&socket).expect("bound"), Endpoint::Local { port: 8484, socket })
}

#[tokio::test]
async fn the_first_exact_cut_is_printed_and_once_or_a_closed_stdout_ends_the_tail() {
    for (once, lines) in [(true, usize::MAX), (false, 3)] {
        let folder = tempfile::tempdir().expect("a folder");
        let (listener, endpoint) = bind(folder.path());
        let gateway = async {
            let mut viewer = Viewer::accept(&listener).await;
            let subscribe = viewer.greet().await;
            let expected = Namespaces::these(testing::welcome().clusters[0].namespaces.clone()).expect("one");
            assert_eq!(subscribe.scope.namespaces, expected, "the context's");
            let first = testing::rows(0, 1, vec![testing::pod(1, "shop", "cart-0", "1/1")]);
            let ServerFrame::Rows(part) = first else { panic!("rows") };
            viewer.say(&ServerFrame::Rows(Rows { more: true, ..part })).await;
            viewer.say(&testing::rows(1, 2, vec![testing::pod(2, "shop", "a", "0/1")])).await;
            viewer.say(&testing::sync(2)).await;
            viewer.drain().await;
        };
        let pipe = Pipe::new(lines);
        let (end, ()) = tokio::join!(follow(request("pod", once), endpoint, Box::new(pipe.clone())), gateway);
        assert_eq!(end, Ok(End::Done));
        assert_eq!(
            pipe.text(),
            "NAME     READY   RESTARTS      AGE\na        0/1     3 (60s ago)   5m\ncart-0   1/1     3 (60s ago)   5m\n"
        );
    }
}

#[tokio::test]
async fn a_subscription_that_the_gateway_ends_ends_the_tail() {
    let folder = tempfile::tempdir().expect("a folder");
    let (listener, endpoint) = bind(folder.path());
    let gateway = async {
        let mut viewer = Viewer::accept(&listener).await;
        let id = Some(viewer.greet().await.id);
        let problem = Problem::bad_request("field label not supported: spec.colour");
        viewer.say(&ServerFrame::Problem(ProblemFrame { id, problem })).await;
        viewer.drain().await;
    };
    let (end, ()) = tokio::join!(follow(request("pods", false), endpoint, Box::new(io::sink())), gateway);
    assert_eq!(end, Ok(End::Problem("field label not supported: spec.colour".to_owned())));
}

#[tokio::test]
async fn a_gateway_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let endpoint = Endpoint::Local { port: 8484, socket: folder.path().join("none.sock") };
    let Ok(End::Problem(sentence)) = follow(request("pods", false), endpoint, Box::new(io::sink())).await
    else {
        panic!("a problem")
    };
    assert!(sentence.starts_with("the gateway of port 8484 can't be reached:"), "{sentence}");
}

/// Its home cluster was never reached, and why isn't known yet, or is.
fn unreached(why: Option<&str>) -> ServerFrame {
    let mut welcome = testing::welcome();
    let home = &mut welcome.clusters[0];
    home.version = "".into();
    home.problem = why.map(|why| {
        let problem = Problem::new(Reason::ConnectionRefused, why);
        Box::new(ClusterProblem { since_ms: 1, problem })
    });
    ServerFrame::Welcome(Box::new(welcome))
}

/// Its cluster isn't reached yet, and why isn't known.
async fn accept_without_clusters(listener: &UnixListener) -> Viewer {
    let mut viewer = Viewer::accept(listener).await;
    viewer.hear().await;
    viewer.say(&unreached(None)).await;
    let home = testing::welcome().clusters[0].name.clone();
    viewer.say(&ServerFrame::Kinds(Kinds::new(home, Vec::new(), Vec::new()))).await;
    viewer
}

#[tokio::test]
async fn a_cluster_that_cannot_be_reached_is_named_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let (listener, endpoint) = bind(folder.path());
    let gateway = async {
        // With `--once` it waits until it is known.
        let mut viewer = accept_without_clusters(&listener).await;
        viewer.say(&unreached(Some("nothing listens at 127.0.0.1:1"))).await;
        viewer.drain().await;
    };
    let (end, ()) = tokio::join!(follow(request("pods", true), endpoint, Box::new(io::sink())), gateway);
    let home = testing::welcome().clusters[0].name.clone();
    assert_eq!(end, Ok(End::Problem(format!("{home} can't be reached: nothing listens at 127.0.0.1:1"))));
}

#[tokio::test]
async fn a_cluster_that_is_reached_in_time_is_shown_and_one_that_is_not_is_named_at_the_end() {
    for is_reached in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let (listener, endpoint) = bind(folder.path());
        let gateway = async {
            let mut viewer = accept_without_clusters(&listener).await;
            if is_reached {
                viewer.say(&ServerFrame::Welcome(Box::new(testing::welcome()))).await;
                viewer.say(&ServerFrame::Kinds(testing::kinds())).await;
                let ClientFrame::Subscribe(subscribe) = viewer.hear().await else { panic!("a subscription") };
                let answer = testing::subscribed(subscribe.id, subscribe.scope.clone());
                viewer.say(&ServerFrame::Subscribed(Box::new(answer))).await;
                viewer.say(&testing::rows(0, 1, vec![testing::pod(1, "shop", "a", "1/1")])).await;
                viewer.say(&testing::sync(1)).await;
            }
            viewer.drain().await;
        };
        let timeout = Some(Duration::from_millis(if is_reached { 60_000 } else { 1 }));
        let request = Request { timeout, ..request("pods", true) };
        let (end, ()) = tokio::join!(follow(request, endpoint, Box::new(io::sink())), gateway);
        match end {
            Ok(End::Done) => assert!(is_reached),
            Ok(End::NotExact(sentence)) => assert!(!is_reached, "{sentence}"),
            other => panic!("{other:?}"),
        }
    }
}

/// The record's answer to a question for changes.
fn changes(asked: &shared::frame::client::Past, pods: Vec<(EntryType, shared::row::Row)>) -> ServerFrame {
    let changed = pods.into_iter().map(|(kind, row)| Changed::of(kind, testing::NOW_S * 1_000, row));
    let end = ChangesEnd { to_ms: 1, number: 1 };
    let gap = Unrecorded { from_ms: 1, to_ms: 2, why: Why::Down };
    let changes = Changes {
        columns: testing::subscribed(1, asked.scope.clone()).columns,
        changes: changed.collect(),
        end,
        more: false,
        since_ms: Some(2),
        unrecorded: vec![gap],
        still: None,
        removed: vec![Removed {
            from_ms: 3,
            to_ms: 4,
            removed_ms: 5,
            namespace: Some("shop".into()),
            path: Some(".spec.badge".into()),
            masked: false,
        }],
        now_ms: testing::NOW_S * 1_000,
    };
    ServerFrame::Past(PastAnswer::of_changes(asked.id, changes).expect("JSON"))
}

#[tokio::test]
async fn changes_of_the_past_stand_before_the_rows_and_each_version_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (listener, endpoint) = bind(folder.path());
    let pod = |number, name: &str| testing::pod(number, "shop", name, "1/1");
    let rows = |from, to, version: &str, put| {
        let ServerFrame::Rows(rows) = testing::rows(from, to, put) else { panic!("rows") };
        ServerFrame::Rows(Rows { resource_version: version.into(), ..rows })
    };
    let gateway = async {
        let mut viewer = Viewer::accept(&listener).await;
        assert!(matches!(viewer.hear().await, ClientFrame::Hello(_)));
        viewer.say(&ServerFrame::Welcome(Box::new(testing::welcome()))).await;
        viewer.say(&ServerFrame::Kinds(testing::kinds())).await;
        let ClientFrame::Past(asked) = viewer.hear().await else { panic!("a question") };
        let first = vec![(EntryType::Added, pod(1, "a")), (EntryType::Deleted, pod(2, "b"))];
        viewer.say(&changes(&asked, first)).await;
        let ClientFrame::Subscribe(subscribe) = viewer.hear().await else { panic!("a subscription") };
        let answer = testing::subscribed(subscribe.id, subscribe.scope.clone());
        viewer.say(&ServerFrame::Subscribed(Box::new(answer))).await;
        viewer.say(&rows(0, 2, "104", vec![pod(1, "a"), pod(3, "c"), pod(4, "d")])).await;
        viewer.say(&testing::sync(2)).await;
        let asked = loop {
            match viewer.hear().await {
                ClientFrame::Past(asked) => break asked,
                ClientFrame::Ack(_) => {}
                other => panic!("{other:?}"),
            }
        };
        // What comes before the answer waits for it.
        viewer.say(&rows(2, 3, "105", vec![pod(5, "e")])).await;
        viewer
            .say(&changes(&asked, vec![(EntryType::Modified, pod(4, "d")), (EntryType::Added, pod(5, "e"))]))
            .await;
        viewer.say(&rows(3, 4, "106", vec![pod(6, "f")])).await;
        viewer.drain().await;
    };
    let pipe = Pipe::new(6);
    let output = crate::tail::args::OutputStyle::of(crate::tail::args::Format::Events);
    let past = PastChoice::Since(crate::since::PastTime::Ago(60_000));
    let request = Request { output, past, ..request("pod", false) };
    let (end, ()) = tokio::join!(follow(request, endpoint, Box::new(pipe.clone())), gateway);
    assert_eq!(end, Ok(End::Done));
    let text = pipe.text();
    let told: Vec<String> =
        text.lines().map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(" ")).collect();
    let expected =
        ["ADDED shop/a", "DELETED shop/b", "MODIFIED shop/d", "ADDED shop/e", "ADDED shop/c", "ADDED shop/f"];
    assert_eq!(told, expected, "{text}");
    assert!(text.starts_with("ADDED\tshop/a\t101\t2025-11-21T"), "{text}");
}
