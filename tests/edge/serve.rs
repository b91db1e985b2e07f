//! The binary as it is started: what it prints, whom it accepts, what stops its start, and what its log never
//! holds.

use futures_util::{SinkExt, StreamExt};
use playground::{Options, Playground};
use rustix::process::Signal;
use serde_json::json;
use shared::codec;
use testkit::browser::WAIT;
use testkit::dogwatch::Home;
use testkit::gateways::Socket;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::DEMO;
use crate::client::{ask, greeting, login, login_at, opened, say, signed_in, socket_url};
use testkit::metrics::Metrics;
use testkit::ports::free_address;

#[tokio::test]
async fn r_authn_1_a_printed_link_opens_one_page_and_its_session_survives_a_restart() {
    let gateway = Home::new().expect("a folder").serve(&DEMO).expect("it starts");
    let name = gateway.host().split_once('.').expect("a name of its own").0.to_owned();
    assert!(
        gateway.first_line().starts_with(&format!("Dogwatch shows playground at http://{name}.localhost:"))
    );
    assert_eq!(name.len(), 32, "which can't be guessed");
    let code = gateway.code().to_owned();
    let (status, page) = login(&gateway, &code).await;
    assert_eq!(status, 200);
    assert_eq!(login(&gateway, &code).await.0, 401, "used twice");
    let page = page.expect("a session");
    assert_eq!(greeting(&gateway, Some(&page)).await["welcome"]["clusters"][0]["name"], "playground");
    assert_eq!(greeting(&gateway, Some(&page)).await["welcome"]["version"], "dogwatch.v2", "a second tab");

    let address = gateway.address();
    let (home, _) = gateway.kill().expect("it runs");
    let again = home.serve(&["--demo", "--listen", &address]).expect("it starts");
    assert!(greeting(&again, Some(&page)).await.get("welcome").is_some(), "restarted");
    let refused = greeting(&again, Some(&page.of_another_key())).await;
    assert_eq!(refused["problem"]["reason"], "Unauthorized");
    assert_eq!(greeting(&again, None).await["problem"]["reason"], "Unauthorized");
    let fresh = again.fresh_url().expect("a link");
    let (page, code) = fresh.split_once("/open/v/pods/%2A?sort=trouble#code=").expect("a code");
    let host = page.strip_prefix("http://").expect("an address");
    assert!(host.ends_with(&format!(".localhost:{}", again.port())) && host != again.host(), "{host}");
    assert_eq!(login(&again, code).await.0, 401, "at the name of another page");
    let fresh = again.fresh_url().expect("a link");
    let (page, code) = fresh.split_once("/open/v/pods/%2A?sort=trouble#code=").expect("a code");
    assert_eq!(login_at(&again, page.strip_prefix("http://").expect("an address"), code).await.0, 200);
}

#[test]
fn r_authz_14_a_debug_variable_of_the_client_stops_the_start() {
    let home = Home::new().expect("a folder");
    let output = home
        .command()
        .args(["serve", "--demo", "--listen", "127.0.0.1:0"])
        .env("KUBE_RS_DEBUG_OVERRIDE_URL", "http://elsewhere.example")
        .output()
        .expect("started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(said.contains("KUBE_RS_DEBUG_OVERRIDE_URL") && !said.contains("elsewhere"), "{said}");
}

#[tokio::test]
async fn r_data_4_the_log_at_its_loudest_holds_no_credential() {
    let home = Home::new().expect("a folder");
    let mut gateway = home.serve_with(&DEMO, &[("DOGWATCH_LOG", "trace")]).expect("it starts");
    let (_, page) = login(&gateway, gateway.code()).await;
    let page = page.expect("a session");
    let link = gateway.fresh_url().expect("a link");
    let fresh = link.rsplit("#code=").next().expect("a code");
    assert!(greeting(&gateway, Some(&page)).await.get("welcome").is_some());
    assert_eq!(login(&gateway, "aPlantedCode").await.0, 401);
    greeting(&gateway, Some(&page.of_another_key())).await;
    let mut request = socket_url(&gateway).into_client_request().expect("a request");
    request.headers_mut().insert("authorization", "Bearer aPlantedToken".parse().expect("a value"));
    request
        .headers_mut()
        .insert("sec-websocket-protocol", "dogwatch.v2, aPlantedProtocol".parse().expect("a value"));
    request.headers_mut().insert("cookie", "session=aPlantedCookie".parse().expect("a value"));
    drop(tokio_tungstenite::connect_async(request).await);
    let asked = "GET /v/pods@c/aPlantedNamespace?token=aPlantedToken HTTP/1.1";
    assert_eq!(say(&gateway, &[asked], "").await.0, 400);
    let printed_code = gateway.code().to_owned();

    gateway.signal(Signal::TERM).expect("it runs");
    let (_, log) = gateway.wait().expect("it ends");
    assert!(log.contains("/api/login"), "it was loud: {log}");
    let credentials = [fresh, &printed_code];
    for credential in credentials.into_iter().chain(["aPlanted"]) {
        assert!(!log.contains(credential), "{credential} is in the log");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r_data_1_neither_the_log_at_its_loudest_nor_the_metrics_hold_what_is_masked() {
    let playground = Playground::start(Options::quiet()).await.expect("a free port");
    let metadata =
        json!({ "name": "release", "namespace": "default", "annotations": { "a.example/token": CANARY } });
    let object =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": { "v": CANARY } });
    playground.create(object).expect("created");
    let (home, metrics) = (Home::new().expect("a folder"), free_address().to_string());
    let kubeconfig = home.kubeconfig_of(&playground).expect("written");
    let kubeconfig = kubeconfig.to_str().expect("text");
    let flags = ["--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0", "--metrics-listen", &metrics];
    let mut gateway = home.serve_with(&flags, &[("DOGWATCH_LOG", "trace")]).expect("it starts");
    let page = signed_in(&gateway).await;
    let (mut socket, _) = opened(&gateway, Some(&page)).await;
    let resource = json!({ "group": "", "version": "v1", "resource": "configmaps" });
    let scope = json!({ "resource": resource, "namespaces": ["default"], "name": "release" });
    let timeline = json!({ "subscribe": { "id": 1, "scope": scope, "projection": "timeline" } });
    for frame in [timeline, json!({ "get": { "id": 2, "scope": scope } })] {
        socket.send(Message::text(frame.to_string())).await.expect("sent");
    }
    let mut said = String::new();
    while !said.contains("\"object\":") {
        said += &frame(&mut socket).await;
    }
    playground
        .patch("configmaps", "default", "release", json!({ "data": { "v": "canary-2" } }))
        .expect("written");
    while !said.contains("/data/v") {
        said += &frame(&mut socket).await;
    }
    let (_, counted) = ask(&metrics, "/metrics").await;
    gateway.signal(Signal::TERM).expect("it runs");
    let (_, log) = gateway.wait().expect("it ends");
    assert!(log.contains("DEBUG") || log.contains("TRACE"), "it was loud: {log}");
    for (what, text) in [("a frame", said), ("the metrics", counted), ("the log", log)] {
        assert!(!text.contains("canary"), "{what} holds it: {text}");
    }
}

const CANARY: &str = "canary-1";

/// The JSON of the next frame, deflated or not.
async fn frame(socket: &mut Socket) -> String {
    loop {
        let message = match socket.next().await.expect("it goes on").expect("readable") {
            Message::Text(text) => codec::Message::Text(text.as_str().to_owned()),
            Message::Binary(bytes) => codec::Message::Binary(bytes.to_vec()),
            _ => continue,
        };
        return json!(codec::decode_server(&message).expect("a frame")).to_string();
    }
}

#[tokio::test]
async fn r_orig_2_the_gateway_has_its_port_on_both_loopback_addresses_or_names_the_one_that_is_taken() {
    let home = Home::new().expect("a folder");
    let gateway = home.serve(&DEMO).expect("it starts");
    let here = format!("[::1]:{}", gateway.port());
    assert_eq!(ask(&here, "/healthz").await, (200, "ok".to_owned()));
    let (home, port) = gateway.kill().expect("it runs");
    for (taken, listen) in [("[::1]", "127.0.0.1"), ("127.0.0.1", "[::1]")] {
        let _other = std::net::TcpListener::bind(format!("{taken}:{port}")).expect("free");
        let listen = format!("{listen}:{port}");
        let output = home.command().args(["serve", "--demo", "--listen", &listen]).output().expect("started");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(&format!("{taken}:{port}")), "{said}");
    }
    let plain = home.serve(&["--demo", "--plain-address", "--listen", &format!("127.0.0.1:{port}")]);
    let plain = plain.expect("it starts");
    assert!(plain.url().starts_with(&format!("http://127.0.0.1:{port}/open/v/pods")), "{}", plain.url());
    assert_eq!(login(&plain, plain.code()).await.0, 200);
    let _other = std::net::TcpListener::bind(format!("[::1]:{port}")).expect("no name leads there");
}

#[test]
fn tail_takes_the_printed_address() {
    let gateway = Home::new().expect("a folder").serve(&DEMO).expect("it starts");
    let output =
        gateway.home().command().args(["tail", "nodes", "--once", "--server", gateway.url()]).output();
    let output = output.expect("started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn r_rel_11_a_log_that_cannot_be_written_cuts_no_request_and_no_orderly_end() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that is full");
    loses_lines_and_serves_on(full.into()).await;
}

#[tokio::test]
async fn r_rel_11_a_log_whose_reader_stands_still_holds_up_no_request_and_no_orderly_end() {
    // The test reads nothing from this pipe.
    loses_lines_and_serves_on(std::process::Stdio::piped()).await;
}

async fn loses_lines_and_serves_on(log: std::process::Stdio) {
    let home = Home::new().expect("a folder");
    let metrics = Metrics::at_free_port();
    let mut serving = home
        .command()
        .args(["serve", "--metrics-listen", &metrics.address()])
        .args(DEMO)
        .env("DOGWATCH_LOG", "debug")
        .stdout(std::process::Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("started");
    let mut first = String::new();
    let mut said = std::io::BufReader::new(serving.stdout.take().expect("piped"));
    std::io::BufRead::read_line(&mut said, &mut first).expect("a line");
    let port = first.split(".localhost:").nth(1).and_then(|rest| rest.split('/').next()).expect("a port");
    let here = format!("127.0.0.1:{port}");
    let answered = async {
        while metrics.count("dogwatch_log_lost_total").expect("scraped") == 0 {
            for _ in 0..50 {
                assert_eq!(ask(&here, "/v/pods?code=x").await.0, 400, "it logs, and is answered");
            }
        }
        assert_eq!(ask(&here, "/healthz").await.0, 200, "also after that");
    };
    tokio::time::timeout(WAIT, answered).await.expect("nothing is held up");
    let pid = rustix::process::Pid::from_child(&serving);
    rustix::process::kill_process(pid, Signal::TERM).expect("it runs");
    assert_eq!(serving.wait().expect("it ends").code(), Some(0));
}
