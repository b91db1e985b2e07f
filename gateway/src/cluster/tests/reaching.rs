//! How long the gateway waits for a connection, and how it notices that one is dead.

use std::future::pending;

use http::Uri;
use socket2::{Domain, SockRef, Socket, Type};
use tower::Service;

use super::*;
use crate::limits::{
    CREDENTIALS_TIMEOUT_S, STALE_AFTER_MS, UPSTREAM_CONNECT_TIMEOUT_S, UPSTREAM_KEEPALIVE_PROBES,
    UPSTREAM_KEEPALIVE_S, UPSTREAM_USER_TIMEOUT_S,
};

/// A listener whose queue is full, so that the kernel doesn't answer the next SYN.
struct Full {
    listener: Socket,
    _waiting: Vec<Socket>,
}

impl Full {
    fn listening() -> Self {
        let tcp = || Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        let listener = tcp();
        let any = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
        listener.bind(&any.into()).expect("a free port");
        listener.listen(0).expect("listening");
        let address = listener.local_addr().expect("bound");
        let waiting: Vec<Socket> = (0..8).map(|_| tcp()).collect();
        for socket in &waiting {
            socket.set_nonblocking(true).expect("a flag");
            // An error means that the connection is under way.
            drop(socket.connect(&address));
        }
        Self { listener, _waiting: waiting }
    }

    fn url(&self) -> String {
        let address = self.listener.local_addr().expect("bound").as_socket().expect("of IP");
        format!("http://{address}")
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_accepts_no_connection_is_given_up_with_the_seconds_in_the_message() {
    let full = Full::listening();
    let config = kube::Config::new(full.url().parse().expect("a URL"));
    let target = client::Target { config, proxy: None, credential: Credential::Nothing };
    let client = client::build(target, Metrics::new(), Shown::default()).await.expect("built");
    let started = Instant::now();
    let Err(Failure::Broken(problem)) = request::send(&client, &ApiRequest::version()).await else {
        panic!("no answer")
    };
    assert_eq!(started.elapsed().as_secs(), UPSTREAM_CONNECT_TIMEOUT_S);
    assert_eq!(problem.reason, Reason::TimedOut);
    assert!(problem.message.contains("within 5 s") && problem.message.contains("firewall"), "{problem}");
}

#[tokio::test]
async fn a_connection_to_a_dead_peer_ends_before_its_views_must_be_stale() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let uri: Uri = format!("http://{}", listener.local_addr().expect("bound")).parse().expect("a URL");
    let stream = client::connector().call(uri).await.expect("connected");
    let socket = SockRef::from(stream.inner());
    assert!(socket.keepalive().expect("asked") && socket.tcp_nodelay().expect("asked"));
    let seconds = |duration: std::io::Result<Duration>| duration.expect("asked").as_secs();
    assert_eq!(seconds(socket.tcp_keepalive_time()), UPSTREAM_KEEPALIVE_S);
    assert_eq!(seconds(socket.tcp_keepalive_interval()), UPSTREAM_KEEPALIVE_S);
    assert_eq!(socket.tcp_keepalive_retries().expect("asked"), UPSTREAM_KEEPALIVE_PROBES);
    let unacknowledged = socket.tcp_user_timeout().expect("asked").expect("set");
    assert_eq!(unacknowledged.as_secs(), UPSTREAM_USER_TIMEOUT_S);
    let promised_s = u64::try_from(STALE_AFTER_MS).expect("positive") / 1_000;
    assert!(UPSTREAM_KEEPALIVE_S * u64::from(1 + UPSTREAM_KEEPALIVE_PROBES) <= promised_s);
    assert!(UPSTREAM_USER_TIMEOUT_S < promised_s);
}

#[tokio::test(start_paused = true)]
async fn certificates_that_cannot_be_read_in_time_are_given_up() {
    let started = Instant::now();
    let problem = client::within_timeout(pending()).await.err().expect("it never ends");
    assert_eq!(started.elapsed().as_secs(), CREDENTIALS_TIMEOUT_S);
    assert_eq!(problem.reason, Reason::TimedOut);
    assert!(problem.message.contains("could not be read within 60 s"), "{problem}");
}
