//! `dogwatch url`: a fresh link to the gateway that runs here, asked for over its Unix socket.

use std::path::PathBuf;

use clap::Args;
use http::Uri;
use shared::problem::{Problem, Reason};

use crate::access::local::{fresh_code::fresh_code, sockets};
use crate::address::page_name::is_below_localhost;
use crate::tail::is_loopback;

#[derive(Args, Clone, Debug, Default)]
pub struct UrlFlags {
    /// Where the link leads: the address of a view as a browser shows it, or its path: /v/pods. Its host says which gateway
    /// is meant, and no more: each link opens a page with a host of its own
    #[arg(value_name = "ADDRESS")]
    pub address: Option<String>,
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
        let uri: Option<Uri> = server.parse().ok();
        let port = uri.as_ref().and_then(port_here);
        let message =
            format!("--server {server:?} can't be used; http://127.0.0.1:PORT of this machine is expected");
        port.map(Some).ok_or_else(|| Problem::bad_request(message))
    }
}

/// The port of an address of this machine; `None` for any other one.
fn port_here(uri: &Uri) -> Option<u16> {
    let is_here = uri.host().is_some_and(|host| is_loopback(host) || is_below_localhost(host))
        && uri.scheme_str() == Some("http");
    is_here.then(|| uri.port_u16().unwrap_or(80))
}

/// What an address says of the page that its link opens.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    /// `None`: it is a path alone.
    port: Option<u16>,
    path_and_query: String,
}

impl Place {
    /// Fails for another machine's address. A fragment is left out: it may be the code of another link.
    fn parse(address: &str) -> Result<Self, Problem> {
        let refused = || {
            let message = format!(
                "{address:?} can't be opened; an address of this machine is expected, http://127.0.0.1:PORT/v/pods, \
                 or a path, /v/pods"
            );
            Problem::bad_request(message)
        };
        let is_path = address.starts_with('/');
        let uri: Uri = address.parse().ok().filter(|_| address.is_ascii()).ok_or_else(refused)?;
        let port = if is_path { None } else { Some(port_here(&uri).ok_or_else(refused)?) };
        let path_and_query = uri.path_and_query().map_or("/", |whole| whole.as_str()).to_owned();
        Ok(Self { port, path_and_query })
    }

    /// `fresh`, the address of a link, leading here. Fails where this is no page of its gateway.
    fn instead_of_view(&self, fresh: &str) -> Result<String, Problem> {
        // `/open` is the gateway's own; a view may be called so too, and stands behind it.
        let start = fresh.find("://").and_then(|at| Some(at + 3 + fresh.get(at + 3..)?.find('/')?));
        let (origin, path) = fresh.split_at(start.unwrap_or(fresh.len()));
        let base = path.split_once(OPEN).map_or("", |(base, _)| base);
        let whole = self.path_and_query.as_str();
        // A page says its path without the base path, and an address has it.
        let below = if self.port.is_some() { whole.strip_prefix(base) } else { Some(whole) };
        let below = below.map(|below| below.strip_prefix(OPEN).unwrap_or(below));
        let view = below.filter(|below| is_page(below)).ok_or_else(|| {
            let message = format!("{whole:?} is no page of this gateway; /v/pods is one");
            Problem::bad_request(message)
        })?;
        Ok(if matches!(view, "" | "/") { fresh.to_owned() } else { format!("{origin}{base}{OPEN}{view}") })
    }
}

/// Where a link leads, before the view that it opens.
const OPEN: &str = "/open";

/// Whether a path and query are a page's, and stay below it: a browser takes steps upwards out of an address.
fn is_page(path_and_query: &str) -> bool {
    let path = path_and_query.split('?').next().unwrap_or_default();
    let mut segments = path.split('/').skip(1);
    let is_known = matches!(segments.next().unwrap_or_default(), "" | "v" | "log" | "wrong" | "b");
    let is_step = |segment: &str| {
        let decoded = segment.to_lowercase().replace("%2e", ".");
        matches!(decoded.as_str(), "." | "..")
    };
    is_known && !segments.any(|segment| is_step(segment) || segment.contains('\\'))
}

/// Fails with one sentence, if there is no gateway or it isn't clear which one is meant.
pub async fn fresh_url(flags: &UrlFlags) -> Result<String, Problem> {
    let place = flags.address.as_deref().map(Place::parse).transpose()?;
    let of_place = place.as_ref().and_then(|place| place.port);
    let running = tokio::task::spawn_blocking(sockets)
        .await
        .map_err(|_| Problem::new(Reason::InternalError, "looking for gateways was interrupted"))?;
    let chosen = choose(running, flags.chosen_port()?.or(of_place))?;
    let fresh = fresh_code(&chosen.socket).await?;
    let page = match chosen.forwarded {
        Some(port) => at_port(&fresh.url, port),
        None => fresh.url,
    };
    let page = match place {
        Some(place) => place.instead_of_view(&page)?,
        None => page,
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
            UrlFlags { server: Some(server.to_owned()), ..UrlFlags::default() }
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
    fn an_address_gives_its_view_to_a_link_with_another_host() {
        let fresh = "http://0a1b.localhost:8484/open/v/pods@demo/*";
        let below = "http://0a1b.localhost:8484/dogs/open";
        for (address, fresh, port, expected) in [
            (
                "http://4167.localhost:8484/v/pods@kind/*?q=a%26b&sort=age",
                fresh,
                Some(8484),
                "http://0a1b.localhost:8484/open/v/pods@kind/*?q=a%26b&sort=age",
            ),
            ("/wrong/kind?q=x#code=1", fresh, None, "http://0a1b.localhost:8484/open/wrong/kind?q=x"),
            ("/b?v=pods&v=nodes", fresh, None, "http://0a1b.localhost:8484/open/b?v=pods&v=nodes"),
            (
                "http://127.0.0.1:9000/open/v/open/open#code=1",
                fresh,
                Some(9000),
                "http://0a1b.localhost:8484/open/v/open/open",
            ),
            ("http://4167.localhost:8484", fresh, Some(8484), fresh),
            ("/", fresh, None, fresh),
            ("/v/pods", below, None, "http://0a1b.localhost:8484/dogs/open/v/pods"),
            (
                "http://a.localhost:8484/dogs/log/pods",
                below,
                Some(8484),
                "http://0a1b.localhost:8484/dogs/open/log/pods",
            ),
        ] {
            let place = Place::parse(address).expect("an address");
            assert_eq!(place.port, port, "{address}");
            let leads = place.instead_of_view(fresh).map_err(|problem| problem.message);
            assert_eq!(leads.as_deref(), Ok(expected), "{address}");
        }
    }

    #[test]
    fn another_machines_address_and_what_is_no_page_are_refused() {
        for address in [
            "http://example.org/v/pods",
            "http://0a1b.localhost.example.org:8484/v/pods",
            "https://127.0.0.1:8484/v/pods",
            "javascript:alert(1)",
            "file:///v/pods",
            "127.0.0.1:8484",
            "v/pods",
            "",
            "/v/p\u{f6}ds",
            "/v/pods /b",
        ] {
            let refused = Place::parse(address).map_err(|problem| problem.reason);
            assert_eq!(refused, Err(Reason::BadRequest), "{address}");
        }
        let fresh = "http://0a1b.localhost:8484/dogs/open";
        for address in [
            "/api/preferences",
            "/embed",
            "/v/../api/code",
            "/v/%2E%2e/x",
            "/v/.%2e",
            "//example.org/v/..",
            "http://a.localhost:8484/v/pods",
        ] {
            let place = Place::parse(address).expect("an address");
            let refused = place.instead_of_view(fresh).map_err(|problem| problem.reason);
            assert_eq!(refused, Err(Reason::BadRequest), "{address}");
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
