//! The audit log of the running binary: in a file, on stdout, and where it can't be written.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use futures_util::SinkExt;
use rustix::process::Signal;
use serde_json::{Value, json};
use testkit::dogwatch::Home;
use testkit::gateways::{Socket, next_frame};
use tokio_tungstenite::tungstenite::Message;

use crate::client::{ask, closing, greeting, login, opened, signed_in};
use crate::{DEMO, served};
use testkit::ports::free_address;

async fn subscribe(socket: &mut Socket, resource: &str) {
    let resource = json!({ "group": "", "version": "v1", "resource": resource });
    let frame = json!({ "subscribe": { "id": 1, "scope": { "resource": resource } } });
    socket.send(Message::text(frame.to_string())).await.expect("sent");
}

fn events(records: &str) -> Vec<String> {
    let record = |line: &str| serde_json::from_str::<Value>(line).expect("JSON in each line");
    let event = |record: Value| record["event"].as_str().expect("an event").to_owned();
    records.lines().map(record).map(event).collect()
}

#[tokio::test]
async fn r_aud_1_what_one_user_did_is_in_the_file_without_a_code_a_key_or_an_object() {
    let home = Home::new().expect("a folder");
    let file = home.path().join("audit.log");
    let flags = ["--audit-log", file.to_str().expect("text")];
    let mut gateway = home.serve(&[&DEMO[..], &flags].concat()).expect("it starts");
    assert_eq!(login(&gateway, "aPlantedCode").await.0, 401);
    let page = signed_in(&gateway).await;
    let (mut socket, _) = opened(&gateway, Some(&page)).await;
    subscribe(&mut socket, "pods").await;
    while next_frame(&mut socket).await.expect("it goes on").get("subscribed").is_none() {}
    subscribe(&mut socket, "pods").await;
    while next_frame(&mut socket).await.expect("it goes on").get("problem").is_none() {}
    socket.close(None).await.expect("closed");
    closing(&mut socket).await;
    greeting(&gateway, Some(&page.of_another_key())).await;
    gateway.signal(Signal::TERM).expect("it runs");
    gateway.wait().expect("it ends");

    let records = std::fs::read_to_string(&file).expect("read");
    let expected = ["login-refused", "login", "subscribe", "end", "login-refused"];
    assert_eq!(events(&records), expected, "a mistake of the client is no decision: {records}");
    assert!(
        records.contains("\"mode\":\"local\"") && records.contains("\"address\":\"127.0.0.1:"),
        "{records}"
    );
    for hidden in ["aPlantedCode", gateway.code(), "nginx", "signature"] {
        assert!(!records.contains(hidden), "{hidden}: {records}");
    }
}

#[tokio::test]
async fn a_log_that_cannot_be_written_stops_nobody_and_is_said_everywhere() {
    let metrics = free_address().to_string();
    let (gateway, page) = served(&["--audit-log", "/dev/full", "--metrics-listen", &metrics]).await;
    let (mut socket, _) = opened(&gateway, Some(&page)).await;
    subscribe(&mut socket, "pods").await;
    while next_frame(&mut socket).await.expect("it goes on").get("subscribed").is_none() {}
    let lost = || async {
        let (_, counted) = ask(&metrics, "/metrics").await;
        let line = counted
            .lines()
            .find_map(|line| line.strip_prefix("dogwatch_audit_lost_total "))
            .map(str::to_owned);
        line.and_then(|count| count.parse::<u64>().ok()).expect("a number")
    };
    // The login and the subscription.
    while lost().await < 2 {}
    let (_, told) = ask(&gateway.address(), "/readyz?verbose").await;
    assert!(told.contains("[-]audit-log failed: reason withheld"), "{told}");
    let (status, ready) = ask(&metrics, "/readyz?verbose").await;
    assert_eq!(status, 200);
    assert!(ready.contains("[-]audit-log failed: it can't be written, and 2 records were lost"), "{ready}");
    // What it wrote may not be read yet.
    while !gateway.stderr().contains("the audit log can't be written") {
        lost().await;
    }

    let home = Home::new().expect("a folder");
    let nowhere = home.path().join("no/such/folder/audit.log");
    let refused = home.serve(&[&DEMO[..], &["--audit-log", nowhere.to_str().expect("text")]].concat());
    let why = refused.map(drop).expect_err("it can't start").to_string();
    assert!(why.contains("can't be opened") && why.contains("choose another with --audit-log"), "{why}");
}

#[test]
fn on_stdout_there_are_its_lines_and_nothing_else() {
    let home = Home::new().expect("a folder");
    let mut gateway = home
        .command()
        .args(["serve", "--audit-log", "-"])
        .args(DEMO)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut said = BufReader::new(gateway.stderr.take().expect("piped")).lines().map_while(Result::ok);
    let announced = said.find(|line| line.contains("Dogwatch shows"));
    let port = announced.as_deref().and_then(|line| line.split(".localhost:").nth(1)?.split('/').next());
    let server = format!("http://127.0.0.1:{}", port.expect("an address"));
    let tail = home.command().args(["tail", "pods", "-A", "--once", "--server", &server]).output();
    let recorded = BufReader::new(gateway.stdout.take().expect("piped")).lines().map_while(Result::ok);
    let recorded: Vec<String> = recorded.take(3).collect();
    gateway.kill().expect("it ran");
    gateway.wait().expect("it ended");
    drop(said);
    assert!(tail.expect("started").status.success());
    assert_eq!(events(&recorded.join("\n")), ["login", "subscribe", "end"]);
    assert!(recorded.iter().all(|line| line.contains("\"address\":\"unix\"")), "{recorded:?}");
}
