//! The driver against a scripted gateway at the other end of a pipe in memory.

use futures_util::{SinkExt, StreamExt};
use shared::frame::client::ClientFrame;
use shared::frame::server::ServerFrame;
use tokio::io::{DuplexStream, duplex};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, header};

use super::*;
use crate::client::SignIn;
use crate::testing::{scope, welcome};

const PIPE_BYTES: usize = 64 * 1024;

type Gateway = WebSocketStream<DuplexStream>;

struct DriverRig {
    driver: Driver<DuplexStream>,
    /// The gateway's end of each pipe that the driver opens.
    dialled: mpsc::UnboundedReceiver<DuplexStream>,
}

/// The wall clock of a test whose time is tokio's.
fn paused_ms() -> UnixMillis {
    thread_local!(static START: Instant = Instant::now());
    i64::try_from(START.with(|start| start.elapsed()).as_millis()).expect("short")
}

impl DriverRig {
    fn start(pipe_bytes: usize) -> Self {
        let mut client = Client::new("test", SignIn::Connection);
        client.open(scope("pods"), Now { now_ms: 0, chance: 0.0 });
        let (dial, dialled) = mpsc::unbounded_channel();
        let connect = move || {
            let (ours, theirs) = duplex(pipe_bytes);
            dial.send(theirs).expect("the test accepts");
            let opening: Connecting<DuplexStream> = Box::pin(async move {
                handshake("ws://localhost/api/ws", None, ours).await.map_err(|error| error.to_string())
            });
            opening
        };
        let mut driver = Driver::start(client, connect, || 0.5);
        driver.wall_ms = paused_ms;
        Self { driver, dialled }
    }

    /// Everything that the client asks for is done; then the next input is handled and returned in short.
    async fn step(&mut self) -> String {
        while self.driver.poll_output().is_some() {}
        let input = self.driver.next().await;
        let said = match &input {
            Input::Opened => "opened".to_owned(),
            Input::Closed { code } => format!("closed {code:?}"),
            Input::Frame { .. } => "frame".to_owned(),
            Input::Unreadable { bytes } => format!("unreadable {bytes}"),
            Input::Timer => "timer".to_owned(),
            other => format!("{other:?}"),
        };
        self.driver.handle(input);
        said
    }

    /// Steps while the gateway does something.
    async fn drive<T>(&mut self, gateway: impl Future<Output = T>) -> T {
        tokio::pin!(gateway);
        loop {
            tokio::select! {
                done = &mut gateway => return done,
                _ = self.step() => {}
            }
        }
    }

    /// A gateway that has greeted the driver.
    async fn accept(&mut self) -> Gateway {
        while self.driver.poll_output().is_some() {}
        let pipe = self.dialled.recv().await.expect("a pipe");
        let gateway = async {
            let mut gateway = upgrade(pipe).await;
            assert!(matches!(hear(&mut gateway).await, ClientFrame::Hello(_)));
            say(&mut gateway, &ServerFrame::Welcome(Box::new(welcome(0)))).await;
            gateway
        };
        self.drive(gateway).await
    }
}

async fn upgrade(pipe: DuplexStream) -> Gateway {
    #[expect(clippy::result_large_err, reason = "the library's type of a refusal, which isn't made here")]
    let choose = |_: &Request, mut answer: Response| {
        let version = HeaderValue::from_static(shared::frame::VERSION);
        answer.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, version);
        Ok(answer)
    };
    tokio_tungstenite::accept_hdr_async(pipe, choose).await.expect("a handshake")
}

async fn say(gateway: &mut Gateway, frame: &ServerFrame) {
    let json = serde_json::to_string(frame).expect("json");
    gateway.send(tungstenite::Message::text(json)).await.expect("sent");
}

async fn hear(gateway: &mut Gateway) -> ClientFrame {
    let message = gateway.next().await.expect("open").expect("read");
    shared::codec::decode_client(message.to_text().expect("text")).expect("a frame")
}

#[tokio::test(start_paused = true)]
async fn a_message_that_cannot_be_read_and_the_close_code_reach_the_client() {
    let mut rig = DriverRig::start(PIPE_BYTES);
    let mut gateway = rig.accept().await;
    assert!(matches!(rig.drive(hear(&mut gateway)).await, ClientFrame::Subscribe(_)));
    gateway.send(tungstenite::Message::binary(vec![0xff; 9])).await.expect("sent");
    assert_eq!(rig.step().await, "unreadable 9");
    let code = shared::frame::close::UNAUTHORIZED;
    let close = tungstenite::protocol::CloseFrame { code: code.into(), reason: "".into() };
    gateway.send(tungstenite::Message::Close(Some(close))).await.expect("sent");
    assert_eq!(rig.step().await, format!("closed {:?}", Some(code)));
    assert_eq!(rig.driver.client().timer_ms(), None, "it isn't tried again");
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_reads_nothing_is_given_up_after_the_timeout() {
    // Less than `hello` is long.
    let mut rig = DriverRig::start(16);
    while rig.driver.poll_output().is_some() {}
    let pipe = rig.dialled.recv().await.expect("a pipe");
    let gateway = rig.drive(upgrade(pipe)).await;
    let before = Instant::now();
    while rig.step().await != "closed None" {}
    assert_eq!(before.elapsed(), SEND_TIMEOUT);
    drop(gateway);
}

#[tokio::test(start_paused = true)]
async fn a_try_that_fails_says_why_until_the_next_one() {
    let connect = || -> Connecting<DuplexStream> { Box::pin(async { Err("no such file".to_owned()) }) };
    let mut driver = Driver::start(Client::<()>::new("test", SignIn::Connection), connect, || 0.5);
    driver.wall_ms = paused_ms;
    while driver.poll_output().is_some() {}
    let input = driver.next().await;
    assert!(matches!(input, Input::Closed { code: None }));
    assert_eq!(driver.connect_error(), Some("no such file"));
    driver.handle(input);
    let input = driver.next().await;
    assert!(matches!(input, Input::Timer));
    driver.handle(input);
    while driver.poll_output().is_some() {}
    assert_eq!(driver.connect_error(), None);
}

#[tokio::test(start_paused = true)]
async fn closing_tells_the_gateway() {
    let mut rig = DriverRig::start(PIPE_BYTES);
    let mut gateway = rig.accept().await;
    assert!(matches!(rig.drive(hear(&mut gateway)).await, ClientFrame::Subscribe(_)));
    let DriverRig { driver, .. } = rig;
    let (_, received) = tokio::join!(driver.close(), gateway.next());
    assert!(matches!(received, Some(Ok(tungstenite::Message::Close(_)))), "{received:?}");
}
