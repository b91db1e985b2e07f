//! Spoiled heads of requests. Only the hosts and origins that are configured pass. Over a socket each head gets a
//! documented status or the end of its connection, and no WebSocket opens for another site's page or for a host that
//! isn't the gateway's.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use gateway::address::origin::{Origin, OriginPolicy, RequestOrigin};
use testkit::dogwatch::Dogwatch;

use crate::{corpus, mutate};
use simulation::chance::Chance;

const PUBLIC: &str = "https://dogwatch.example";
const LISTED: &str = "https://portal.example";
const HEADS: usize = 300;
/// The wait for an answer: a gateway answers nothing to an incomplete head.
const PATIENCE: Duration = Duration::from_millis(200);

pub fn policy(chance: &mut Chance) {
    let parsed = |text| Origin::parse(text).expect("an origin");
    let policy = OriginPolicy::new(Some(parsed(PUBLIC)), vec![parsed(LISTED)]);
    let host = mutate::mutated_text(chance, &corpus::of_texts("hosts"));
    let Some(own) = policy.host(&host) else {
        assert!(!is_own_host(&host), "{host:?} is the gateway's");
        return;
    };
    assert!(is_own_host(&host), "{host:?} isn't the gateway's");
    let origin = mutate::mutated_text(chance, &corpus::of_texts("origins"));
    let expected = match origin.as_str() {
        text if text == own.to_string() => Some(RequestOrigin::Own(own.clone())),
        LISTED => Some(RequestOrigin::Listed(parsed(LISTED))),
        _ => None,
    };
    assert_eq!(policy.request_origin(&own, Some(&origin)), expected, "{origin:?} at {host:?}");
}

fn is_own_host(host: &str) -> bool {
    ["dogwatch.example", "dogwatch.example:443"].contains(&host) || is_loopback(host)
}

/// Slow and obvious: each name as it is written, with any port or without one.
fn is_loopback(host: &str) -> bool {
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| match host.strip_prefix(name) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(|port| {
            (1..=u16::MAX).contains(&port.parse().unwrap_or(0)) && !port.starts_with(['0', '+'])
        }),
        None => false,
    })
}

pub async fn over_sockets(chance: &mut Chance) -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    let own = [dogwatch.address(), format!("localhost:{}", dogwatch.port())];
    for _ in 0..HEADS {
        let (host, origin, head) = head(chance, &own);
        let status = said(&dogwatch.address(), &head)?;
        ensure!(DOCUMENTED.contains(&status), "{status} after {head:?}");
        let may_open = is_loopback(&host) && origin.is_none_or(|origin| origin == format!("http://{host}"));
        ensure!(status != 101 || may_open, "a socket opened after {head:?}");
    }
    let log = dogwatch.stderr();
    ensure!(!log.contains("aPlantedToken") && !log.contains("panicked"), "{log}");
    ensure!(said(&dogwatch.address(), "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n")? == 200);
    dogwatch.connect().await?.until(|_| true).await.map(drop).context("another client is welcome")
}

/// 0 stands for a connection that ended, or says nothing because the head isn't whole.
const DOCUMENTED: [u16; 16] = [0, 101, 200, 204, 304, 400, 401, 403, 404, 405, 408, 413, 415, 426, 429, 431];

/// The first host and origin, and the whole text.
fn head(chance: &mut Chance, own: &[String]) -> (String, Option<String>, String) {
    let (hosts, fields) = (corpus::of_texts("hosts"), corpus::of_texts("fields of heads"));
    let line = match chance.percent(70) {
        true => chance.pick(&corpus::of_texts("heads")).to_owned(),
        false => mutate::mutated_text(chance, &corpus::of_texts("heads")),
    };
    let host = match chance.percent(60) {
        true => own[chance.index(own.len())].clone(),
        false => mutate::mutated_text(chance, &hosts),
    };
    let origin = match chance.index(3) {
        0 => None,
        1 => Some(format!("http://{host}")),
        _ => Some(mutate::mutated_text(chance, &corpus::of_texts("origins"))),
    };
    let mut text = format!("{line}\r\nhost: {host}\r\n");
    if let Some(origin) = &origin {
        text += &format!("origin: {origin}\r\n");
    }
    if chance.percent(60) {
        text += "upgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\n";
        text += "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-protocol: dogwatch.v2\r\n";
    }
    for _ in 0..chance.index(4) {
        let field = match chance.percent(70) {
            true => chance.pick(&fields).to_owned(),
            false => mutate::mutated_text(chance, &fields),
        };
        text += &format!("{field}\r\n");
    }
    (host, origin, text + "\r\n")
}

fn said(address: &str, head: &str) -> Result<u16> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    // The gateway may answer and close before the whole head is there.
    drop(stream.write_all(head.as_bytes()));
    let mut begin = [0; 12];
    let mut read = 0;
    while read < begin.len() {
        match stream.read(&mut begin[read..]) {
            Ok(0) | Err(_) => break,
            Ok(count) => read += count,
        }
    }
    let text = String::from_utf8_lossy(&begin[..read]).into_owned();
    Ok(text.strip_prefix("HTTP/1.1 ").and_then(|code| code.parse().ok()).unwrap_or_default())
}
