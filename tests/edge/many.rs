//! Too many of one kind: connections without a request, sockets without a `hello`, connections and
//! subscriptions of one person. The one too many is told, and those before it stay.

use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::StreamExt;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use testkit::browser::WAIT;
use testkit::dogwatch::Dogwatch;
use testkit::gateways::{Socket, next_frame, send};
use testkit::ports::free_address;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::client::{Page, ask, hello, opened, upgraded};
use crate::{closed, expect_alive, neighbour, served};

#[tokio::test]
async fn r_net_1_five_thousand_that_dribble_displace_each_other_and_no_others() {
    const DRIBBLERS: usize = 5_000;
    allow_open_files();
    let metrics = free_address();
    let (gateway, page) = served(&["--metrics-listen", &metrics.to_string()]).await;
    let mut other = neighbour(&gateway, &page).await;
    let mut dribblers = Vec::with_capacity(DRIBBLERS);
    for n in 0..DRIBBLERS {
        let mut stream = TcpStream::connect(gateway.address()).await.expect("connected");
        // An error means that this one was displaced already.
        drop(stream.write_all(b"GET / HTTP/1.1\r\nx: ").await);
        dribblers.push(stream);
        if n % 1_000 == 999 {
            expect_alive(&mut other).await;
            assert_eq!(ask(&gateway.address(), "/healthz").await.0, 200, "after {n}");
            expect_alive(&mut neighbour(&gateway, &page).await).await;
        }
    }
    let displaced = counted(metrics, "dogwatch_connections_displaced_total").await;
    let refused = counted(metrics, "dogwatch_connections_refused_total").await;
    // A quarter of 4,096 may be idle; the others are the neighbours and this request.
    assert!(displaced >= 5_000 - 1_024, "{displaced} displaced");
    assert_eq!(refused, 0);
    // A displaced one ends a moment later.
    let are_gone = async { while counted(metrics, "dogwatch_http_connections").await > 1_024 + 10 {} };
    timeout(WAIT, are_gone).await.expect("no more than these stay open");
}

#[tokio::test]
async fn r_net_3_one_connection_too_many_of_one_person_is_told_and_the_others_live() {
    let (gateway, page) = served(&["--connections-per-identity-max", "3"]).await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        sockets.push(neighbour(&gateway, &page).await);
    }
    let mut fourth = upgraded(&gateway).await.expect("opened");
    hello(&mut fourth, Some(&page)).await;
    assert_eq!(closed(&mut fourth).await, (json!("Limit"), 1013));
    for socket in &mut sockets {
        expect_alive(socket).await;
    }
    let mut leaves = sockets.pop().expect("three");
    leaves.close(None).await.expect("closed");
    // The gateway frees its slot a moment after its close.
    drop(leaves);
    while opened(&gateway, Some(&page)).await.1.get("welcome").is_none() {}
}

#[tokio::test]
async fn r_net_3_one_person_has_so_many_subscriptions_and_closing_one_gives_its_place_back() {
    const OF_A_PERSON: usize = 1_600;
    let (gateway, page) = served(&[]).await;
    let (mut sockets, mut opened) = (Vec::new(), 0);
    while opened < OF_A_PERSON {
        let mut socket = neighbour(&gateway, &page).await;
        let here = (OF_A_PERSON - opened).min(256);
        for n in 0..here {
            view(&mut socket, n, opened + n).await;
            assert_eq!(answered(&mut socket, n).await, Value::Null);
        }
        opened += here;
        sockets.push(socket);
    }
    let mut last = neighbour(&gateway, &page).await;
    view(&mut last, 0, opened).await;
    let refused = answered(&mut last, 0).await;
    let message = refused["message"].as_str().expect("a sentence");
    assert!(refused["reason"] == "Limit" && message.contains("close a view"), "{message}");
    send(&mut sockets[0], json!({ "unsubscribe": { "id": 3 } })).await;
    // What was said before is done when this is answered.
    expect_alive(&mut sockets[0]).await;
    view(&mut last, 1, opened).await;
    assert_eq!(answered(&mut last, 1).await, Value::Null);
    view(&mut last, 2, opened + 1).await;
    let refused = answered(&mut last, 2).await;
    assert!(refused["message"].as_str().is_some_and(|message| message.contains("close a view")), "{refused}");
}

async fn view(socket: &mut Socket, id: usize, label: usize) {
    let resource = json!({ "group": "", "version": "v1", "resource": "nodes" });
    let scope = json!({ "resource": resource, "labels": format!("app!=none-{label}") });
    send(socket, json!({ "subscribe": { "id": id, "scope": scope } })).await;
}

/// What is wrong with the subscription; `null` if nothing is.
async fn answered(socket: &mut Socket, id: usize) -> Value {
    loop {
        let frame = next_frame(socket).await.expect("it goes on");
        for kind in ["subscribed", "problem"] {
            if frame[kind]["id"] == id {
                return frame["problem"].clone();
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r_authn_8_a_page_is_greeted_beside_a_hundred_and_fifty_that_say_nothing_again_and_again() {
    const STRANGERS: usize = 150;
    const PAGES: usize = 20;
    let (gateway, page) = served(&[]).await;
    let gateway = Arc::new(gateway);
    let mut strangers = JoinSet::new();
    for _ in 0..STRANGERS {
        let gateway = Arc::clone(&gateway);
        strangers.spawn(async move {
            loop {
                if let Ok(mut socket) = upgraded(&gateway).await {
                    while let Some(Ok(_)) = socket.next().await {}
                }
            }
        });
    }
    // All places are taken when one of them is closed for another.
    let mut first = upgraded(&gateway).await.expect("opened");
    assert_eq!(closed(&mut first).await, (json!("Limit"), 1013));
    for n in 0..PAGES {
        let mut tries = 0;
        while !is_greeted(&gateway, &page).await {
            tries += 1;
            assert!(tries < 3, "{n}");
        }
    }
    strangers.shutdown().await;
}

/// A machine that has much else to do may take a page's place before it has read what the page said: pages try again.
async fn is_greeted(gateway: &Dogwatch, page: &Page) -> bool {
    let mut socket = upgraded(gateway).await.expect("opened");
    hello(&mut socket, Some(page)).await;
    next_frame(&mut socket).await.is_ok_and(|frame| frame.get("welcome").is_some())
}

/// R-AUTHN-8: there are ten permits, and the other pages wait for one. A page that was greeted has none any more, so
/// those that come after it don't end it.
#[tokio::test]
async fn r_net_6_a_hundred_pages_that_come_at_once_are_all_greeted_and_stay() {
    let (gateway, page) = served(&[]).await;
    let (gateway, page) = (&gateway, &page);
    let mut pages: Vec<_> =
        futures_util::future::join_all((0..100).map(|_| async move { opened(gateway, Some(page)).await }))
            .await;
    for (socket, greeting) in &mut pages {
        assert!(greeting.get("welcome").is_some(), "{greeting}");
        expect_alive(socket).await;
    }
}

/// The value of a metric; of one with labels the sum, unless `name` has them.
pub async fn counted(metrics: SocketAddr, name: &str) -> u64 {
    let (_, text) = ask(&metrics.to_string(), "/metrics").await;
    let values = text.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        if rest.starts_with([' ', '{']) { rest.rsplit(' ').next()?.parse::<u64>().ok() } else { None }
    });
    values.reduce(|sum, value| sum + value).unwrap_or_else(|| panic!("{name} isn't in {text}"))
}

fn allow_open_files() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("up to the system's maximum");
}
