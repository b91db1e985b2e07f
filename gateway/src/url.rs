//! `dogwatch url`: a fresh link to the gateway that runs here, asked for over its Unix socket.

use std::path::PathBuf;

use clap::Args;
use shared::problem::{Problem, Reason};

use crate::access::local::{fresh_code::fresh_code, sockets};
use crate::address::page_name::is_below_localhost;
use crate::tail::is_loopback;

#[derive(Args, Clone, Debug)]
pub struct UrlFlags {
    /// Which gateway, if several of yours run on this machine. If you come by `ssh -L PORT:127.0.0.1:8484`,
    /// that PORT: the link is then for your own machine
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// The same, as `dogwatch tail` takes it: http://127.0.0.1:PORT
    #[arg(long, value_name = "URL", conflicts_with = "port")]
    pub server: Option<String>,
}

impl UrlFlags {
    fn chosen_port(&self) -> Result<Option<u16>, Problem> {
        let Some(server) = &self.server else { return Ok(self.port) };
        let uri: Option<http::Uri> = server.parse().ok();
        let port = uri.as_ref().and_then(|uri| {
            let is_here = uri.host().is_some_and(|host| is_loopback(host) || is_below_localhost(host))
                && uri.scheme_str() == Some("http");
            is_here.then(|| uri.port_u16().unwrap_or(80))
        });
        let message =
            format!("--server {server:?} can't be used; http://127.0.0.1:PORT of this machine is expected");
        port.map(Some).ok_or_else(|| Problem::bad_request(message))
    }
}

/// Fails with one sentence, if there is no gateway or it isn't clear which one is meant.
pub async fn fresh_url(flags: &UrlFlags) -> Result<String, Problem> {
    let running = tokio::task::spawn_blocking(sockets)
        .await
        .map_err(|_| Problem::new(Reason::InternalError, "looking for gateways was interrupted"))?;
    let chosen = choose(running, flags.chosen_port()?)?;
    let fresh = fresh_code(&chosen.socket).await?;
    let page = match chosen.forwarded {
        Some(port) => at_port(&fresh.url, port),
        None => fresh.url,
    };
    Ok(format!("{page}#code={}", fresh.code))
}

/// The same page, which has a name of its own or is at `127.0.0.1`, at the port of the reader's own machine.
fn at_port(url: &str, port: u16) -> String {
    let mut parts = url.splitn(4, '/').skip(2);
    let host = parts.next().and_then(|authority| authority.rsplit_once(':')).map_or("", |(host, _)| host);
    let host = if is_below_localhost(host) { host } else { "127.0.0.1" };
    format!("http://{host}:{port}/{}", parts.next().unwrap_or_default())
}

#[derive(Debug, PartialEq, Eq)]
struct Chosen {
    socket: PathBuf,
    /// The port of this machine that ssh forwards to the gateway.
    forwarded: Option<u16>,
}

fn choose(running: Vec<(u16, PathBuf)>, port: Option<u16>) -> Result<Chosen, Problem> {
    let not_found = |message: String| Problem::new(Reason::NotFound, message);
    if let Some((_, socket)) = running.iter().find(|(known, _)| Some(*known) == port) {
        return Ok(Chosen { socket: socket.clone(), forwarded: None });
    }
    let ports: Vec<String> = running.iter().map(|(port, _)| port.to_string()).collect();
    let mut running = running.into_iter();
    match (running.next(), running.next()) {
        (None, _) => {
            Err(not_found("no gateway of yours runs here; start one with `dogwatch serve`".to_owned()))
        }
        (Some((_, socket)), None) => Ok(Chosen { socket, forwarded: port }),
        (Some(_), Some(_)) => Err(not_found(format!(
            "several gateways of yours run here; choose one with --port: {}",
            ports.join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_is_named_by_its_port_or_by_its_url() {
        let port = |server: &str| {
            UrlFlags { port: None, server: Some(server.to_owned()) }
                .chosen_port()
                .map_err(|problem| problem.reason)
        };
        assert_eq!(port("http://127.0.0.1:9000"), Ok(Some(9000)));
        assert_eq!(port("http://localhost:9000/"), Ok(Some(9000)));
        assert_eq!(port("http://0a1b.localhost:9000/open"), Ok(Some(9000)));
        for other in ["9000", "https://127.0.0.1:9000", "http://example.org:9000", "::"] {
            assert_eq!(port(other), Err(Reason::BadRequest), "{other}");
        }
    }

    #[test]
    fn a_forwarded_page_keeps_its_name_and_its_view() {
        for (url, expected) in [
            ("http://0a1b.localhost:8484/open/v/pods", "http://0a1b.localhost:9000/open/v/pods"),
            ("http://127.0.0.1:8484/open", "http://127.0.0.1:9000/open"),
            ("http://[::1]:8484/open", "http://127.0.0.1:9000/open"),
        ] {
            assert_eq!(at_port(url, 9000), expected);
        }
    }

    #[test]
    fn the_only_gateway_is_meant_and_of_several_the_named_one() {
        let running = |ports: &[u16]| ports.iter().map(|port| (*port, port.to_string().into())).collect();
        let check = |ports: &[u16], port, expected: Result<(&str, Option<u16>), &str>| {
            let chosen = choose(running(ports), port);
            match (chosen, expected) {
                (Ok(chosen), Ok((socket, forwarded))) => {
                    assert_eq!(chosen, Chosen { socket: socket.into(), forwarded });
                }
                (Err(problem), Err(fragment)) => assert!(problem.message.contains(fragment), "{problem}"),
                (chosen, expected) => panic!("{chosen:?}, not {expected:?}"),
            }
        };
        check(&[8484], None, Ok(("8484", None)));
        check(&[8484], Some(8484), Ok(("8484", None)));
        check(&[8484], Some(9000), Ok(("8484", Some(9000))));
        check(&[8484, 9000], Some(9000), Ok(("9000", None)));
        check(&[8484, 9000], None, Err("8484, 9000"));
        check(&[8484, 9000], Some(7000), Err("8484, 9000"));
        check(&[], None, Err("dogwatch serve"));
    }
}
