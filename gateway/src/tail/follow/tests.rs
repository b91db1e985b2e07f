//! The loop against a scripted gateway on a real Unix socket: its frames, its output, and why it ends.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt, StreamExt};
use shared::codec;
use shared::frame::client::ClientFrame;
use shared::frame::server::{ProblemFrame, Rows, ServerFrame};
use shared::problem::Problem;
use shared::scope::Namespaces;
use tokio::net::{UnixListener, UnixStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::handshake::server::{Request as Asked, Response as Answer};

use super::*;
use crate::tail::args::NamespaceChoice;
use crate::tail::testing;

/// Takes so many lines, and is closed then.
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
        word: word.to_owned(),
        name: None,
        namespaces: NamespaceChoice::Context,
        labels: None,
        fields: None,
        format: crate::tail::args::Format::Table,
        columns: Default::default(),
        once: once.then(|| Duration::from_secs(60)),
    }
}

struct Viewer(WebSocketStream<UnixStream>);

impl Viewer {
    /// Up to the subscription.
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

    /// Greets, names the kinds, and answers the subscription.
    async fn greet(&mut self) -> shared::frame::client::Subscribe {
        assert!(matches!(self.hear().await, ClientFrame::Hello(_)));
        self.say(&ServerFrame::Welcome(Box::new(testing::welcome()))).await;
        self.say(&ServerFrame::Kinds(testing::kinds())).await;
        let ClientFrame::Subscribe(subscribe) = self.hear().await else { panic!("a subscription") };
        let mut answer = testing::subscribed(subscribe.id, subscribe.scope.clone());
        answer.at = subscribe.token.as_ref().and_then(shared::token::Token::sequence);
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
async fn once_prints_the_first_exact_cut_and_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let (listener, endpoint) = bind(folder.path());
    let gateway = async {
        let mut viewer = Viewer::accept(&listener).await;
        let subscribe = viewer.greet().await;
        let expected = Namespaces::these(testing::welcome().namespaces).expect("one");
        assert_eq!(subscribe.scope.namespaces, expected, "the context's");
        let ServerFrame::Rows(part) = testing::rows(0, 1, vec![testing::pod(1, "shop", "cart-0", "1/1")])
        else {
            panic!("rows")
        };
        viewer.say(&ServerFrame::Rows(Rows { more: true, ..part })).await;
        viewer.say(&testing::rows(1, 2, vec![testing::pod(2, "shop", "a", "0/1")])).await;
        viewer.say(&testing::sync(2)).await;
        viewer.drain().await;
    };
    let pipe = Pipe::new(usize::MAX);
    let (end, ()) = tokio::join!(follow(request("pod", true), endpoint, Box::new(pipe.clone())), gateway);
    assert_eq!(end, Ok(End::Done));
    assert_eq!(
        pipe.text(),
        "NAME     READY   RESTARTS      AGE\na        0/1     3 (60s ago)   5m\ncart-0   1/1     3 (60s ago)   5m\n"
    );
}

#[tokio::test]
async fn a_break_is_bridged_with_the_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let (listener, endpoint) = bind(folder.path());
    let gateway = async {
        let mut viewer = Viewer::accept(&listener).await;
        assert_eq!(viewer.greet().await.token, None);
        viewer.say(&testing::rows(0, 2, vec![testing::pod(1, "shop", "cart-0", "1/1")])).await;
        viewer.say(&testing::sync(2)).await;
        drop(viewer);
        let mut viewer = Viewer::accept(&listener).await;
        let token = viewer.greet().await.token.expect("a token");
        assert_eq!(token.sequence(), Some(2));
        viewer.say(&testing::rows(2, 3, vec![testing::pod(1, "shop", "cart-0", "0/1")])).await;
        viewer.drain().await;
    };
    let pipe = Pipe::new(3);
    let (end, ()) = tokio::join!(follow(request("pods", false), endpoint, Box::new(pipe.clone())), gateway);
    assert_eq!(end, Ok(End::Done), "stdout was closed");
    assert_eq!(
        pipe.text(),
        "NAME     READY   RESTARTS      AGE\ncart-0   1/1     3 (60s ago)   5m\ncart-0   0/1     3 (60s ago)   5m\n"
    );
}

#[tokio::test]
async fn what_cannot_be_had_is_a_sentence() {
    for (word, part) in [("podz", "podz"), ("secrets", "aren't enabled")] {
        let folder = tempfile::tempdir().expect("a folder");
        let (listener, endpoint) = bind(folder.path());
        let gateway = async {
            let mut viewer = Viewer::accept(&listener).await;
            viewer.hear().await;
            viewer.say(&ServerFrame::Welcome(Box::new(testing::welcome()))).await;
            viewer.say(&ServerFrame::Kinds(testing::kinds())).await;
            viewer.drain().await;
        };
        let (end, ()) = tokio::join!(follow(request(word, true), endpoint, Box::new(io::sink())), gateway);
        let Ok(End::Problem(sentence)) = end else { panic!("{end:?}") };
        assert!(sentence.contains(part), "{sentence}");
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
