//! The log as a program reads it: with `--log-format json` each line that a gateway writes is one object.

use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;
use testkit::dogwatch::Home;

use crate::client::{greeting, signed_in};
use testkit::ports::free_address;

/// Fails unless every line is an object with what the document promises.
fn records(text: &str) -> Vec<Value> {
    let read = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        for key in ["timestamp", "level", "target", "message"] {
            assert!(record[key].is_string(), "no {key} in {line}");
        }
        let time = record["timestamp"].as_str().expect("text");
        assert!(time.parse::<jiff::Timestamp>().is_ok() && time.ends_with('Z'), "{time}");
        record
    };
    text.lines().map(read).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_line_of_a_log_in_json_is_one_object_from_the_start_to_the_end() {
    let home = Home::new().expect("a folder");
    let file = home.path().join("dogwatch.yaml");
    std::fs::write(&file, "log-format: json").expect("written");
    let config = ["--demo", "--listen", "127.0.0.1:0", "--config", file.to_str().expect("text")];
    let mut gateway = home.serve_with(&config, &[("DOGWATCH_LOG", "debug")]).expect("it starts");
    let page = signed_in(&gateway).await;
    assert!(greeting(&gateway, Some(&page)).await.get("welcome").is_some());
    std::fs::write(&file, "log-format: json\npinned: [pods]\nlisten: 127.0.0.1:1").expect("written");
    gateway.signal(Signal::HUP).expect("it runs");
    while !gateway.stderr().contains("read again") {
        tokio::task::yield_now().await;
    }
    gateway.signal(Signal::TERM).expect("it runs");
    let started = gateway.first_line().to_owned();
    let (status, log) = gateway.wait().expect("it ends");
    assert!(status.success(), "{status}");
    let announced = records(&started);
    assert!(announced[0]["message"].as_str().expect("text").starts_with("Dogwatch shows playground at http"));
    let log = records(&log);
    let said = |message: &str, level: &str| {
        let is_so = |record: &&Value| {
            record["message"].as_str().is_some_and(|text| text.contains(message)) && record["level"] == level
        };
        log.iter().find(is_so).unwrap_or_else(|| panic!("no {message}: {log:?}"))
    };
    said("the configuration was read again; changed: pinned", "INFO");
    said("shutting down", "INFO");
    let answered = said("answered", "DEBUG");
    assert!(answered["route"].is_string() && answered["code"].is_number(), "fields stand beside: {answered}");
}

#[test]
fn a_start_that_fails_says_why_in_one_object() {
    let home = Home::new().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("bound").to_string();
    let mut command: Command = home.command();
    let output = command.args(["serve", "--demo", "--log-format=json", "--listen", &address]).output();
    let output = output.expect("started");
    assert!(!output.status.success());
    let log = records(&String::from_utf8_lossy(&output.stderr));
    assert!(log[0]["message"].as_str().is_some_and(|text| text.contains("listens there already")), "{log:?}");
    let elsewhere = free_address().to_string();
    let output =
        home.command().args(["serve", "--demo", "--log-format=xml", "--listen", &elsewhere]).output();
    let said = output.expect("started").stderr;
    assert!(String::from_utf8_lossy(&said).contains("text or json"), "{said:?}");
}
