//! Where the listener for clients of the Kubernetes API is: a free port of `127.0.0.1`, the same as at the last start if
//! it is free still, so that a kubeconfig stays right. Never an address that the network reaches.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use shared::problem::{Problem, Reason};
use tokio::net::TcpListener;

use super::super::folders::{make_private, write_whole};
use crate::plain_file;

/// The setting `api-listen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApiListen {
    Nowhere,
    /// A free port of `127.0.0.1`.
    Free,
    At(SocketAddr),
}

impl ApiListen {
    /// Fails with one sentence, where it is no loopback address.
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, Problem> {
        let Some(text) = text else { return Ok(Self::Free) };
        if text == "none" {
            return Ok(Self::Nowhere);
        }
        let port = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
        let known = port.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let wrong = |message: String| Problem::new(Reason::Configuration, message);
        let address = known.or_else(|| text.parse().ok()).ok_or_else(|| {
            wrong(format!(
                "--api-listen {text} is not an address with a port, such as 127.0.0.1:8485, nor none"
            ))
        })?;
        if !address.ip().is_loopback() {
            return Err(wrong(format!(
                "--api-listen {text} would show the cluster to the network: it must be loopback, such as \
                 127.0.0.1:8485, or none"
            )));
        }
        Ok(Self::At(address))
    }
}

/// `None`: nowhere. `kept`: the port of the page, for which this one is kept in `folder`; `None` if the page has another
/// one at each start.
pub(super) async fn bind(
    listen: ApiListen,
    folder: &Path,
    kept: Option<u16>,
) -> Result<Option<TcpListener>, Problem> {
    let bound = match listen {
        ApiListen::Nowhere => return Ok(None),
        ApiListen::At(address) => TcpListener::bind(address).await,
        ApiListen::Free => {
            make_private(folder)?;
            let file = kept.map(|port| port_file(folder, port));
            let before = file.as_deref().and_then(port_in);
            let tcp = match before {
                Some(port) => TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.ok(),
                None => None,
            };
            let tcp = match tcp {
                Some(tcp) => Ok(tcp),
                None => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await,
            };
            if let (Some(file), Ok(tcp)) = (file, &tcp) {
                keep(&file, before, tcp);
            }
            tcp
        }
    };
    bound.map(Some).map_err(|error| unusable(listen, &error))
}

pub(super) fn unusable(listen: ApiListen, error: &io::Error) -> Problem {
    let shown = match listen {
        ApiListen::At(address) => address.to_string(),
        ApiListen::Free | ApiListen::Nowhere => "a free port of 127.0.0.1".to_owned(),
    };
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => "something listens there already".to_owned(),
        _ => error.to_string(),
    };
    let message = format!(
        "can't listen on {shown} for clients of the Kubernetes API: {why}; choose another address with --api-listen, or none"
    );
    Problem::new(Reason::Configuration, message)
}

fn port_file(folder: &Path, page: u16) -> PathBuf {
    folder.join(format!("port-of-{page}"))
}

fn port_in(file: &Path) -> Option<u16> {
    let text = plain_file::read_to_string(file).ok()?;
    text.trim().parse().ok().filter(|port| *port != 0)
}

fn keep(file: &Path, before: Option<u16>, tcp: &TcpListener) {
    let Ok(port) = tcp.local_addr().map(|address| address.port()) else { return };
    if before == Some(port) {
        return;
    }
    if let Err(error) = write_whole(file, port.to_string().as_bytes(), None) {
        tracing::warn!(
            "kubeconfigs have to be written again after the next start: {}: {error}",
            file.display()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_authn_16_the_listener_for_clients_never_leaves_loopback() {
        for text in ["0.0.0.0:0", "[::]:9000", "192.168.1.7:9000", "10.0.0.1:1"] {
            let problem = ApiListen::parse(Some(text)).expect_err(text);
            assert!(problem.message.contains("loopback"), "{problem}");
        }
        for text in ["", "9000", "None", "localhost", "https://127.0.0.1:9000"] {
            let problem = ApiListen::parse(Some(text)).expect_err(text);
            assert!(problem.message.contains("nor none"), "{problem}");
        }
        let at = |text: &str| ApiListen::At(text.parse().expect("an address"));
        assert_eq!(ApiListen::parse(None), Ok(ApiListen::Free));
        assert_eq!(ApiListen::parse(Some("none")), Ok(ApiListen::Nowhere));
        assert_eq!(ApiListen::parse(Some("[::1]:9000")), Ok(at("[::1]:9000")));
        assert_eq!(ApiListen::parse(Some("localhost:9000")), Ok(at("127.0.0.1:9000")));
    }

    #[tokio::test]
    async fn the_port_of_the_last_start_is_taken_again_if_it_is_free() {
        let folder = tempfile::tempdir().expect("a folder");
        let bind = async |kept| {
            let bound = bind(ApiListen::Free, folder.path(), kept).await.expect("bound");
            bound.expect("somewhere")
        };
        let port = |tcp: &TcpListener| tcp.local_addr().expect("bound").port();
        let first = bind(Some(8484)).await;
        assert!(first.local_addr().expect("bound").ip().is_loopback());
        let kept = port(&first);
        let beside = bind(Some(8485)).await;
        assert_ne!(port(&beside), kept, "another gateway");
        drop(first);
        let again = bind(Some(8484)).await;
        assert_eq!(port(&again), kept);
        let elsewhere = bind(Some(8484)).await;
        assert_ne!(port(&elsewhere), kept, "it is taken");
        drop(elsewhere);
        std::fs::write(port_file(folder.path(), 8484), "many").expect("written");
        assert_ne!(port(&bind(Some(8484)).await), 0, "what isn't a port is no port");
        let taken = ApiListen::At(again.local_addr().expect("bound"));
        let problem = super::bind(taken, folder.path(), None).await.map(drop).expect_err("taken");
        assert!(problem.message.contains("--api-listen"), "{problem}");
        assert!(super::bind(ApiListen::Nowhere, folder.path(), None).await.expect("nothing").is_none());
    }
}
