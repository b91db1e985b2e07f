//! Which of the user's own gateways on this machine a command means. Never over the network.

use std::path::PathBuf;

use shared::problem::{Problem, Reason};

use crate::access::local::sockets;

/// A gateway that runs here as this user.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RunningGateway {
    /// The page's.
    pub(crate) port: u16,
    pub(crate) socket: PathBuf,
}

impl RunningGateway {
    /// The one of this port, or the only one. Fails with one sentence that says what to do.
    pub(crate) async fn find(port: Option<u16>) -> Result<Self, Problem> {
        let running = tokio::task::spawn_blocking(sockets).await;
        let running = running
            .map_err(|_| Problem::new(Reason::InternalError, "looking for gateways was interrupted"))?;
        Self::choose(running, port)
    }

    fn choose(running: Vec<(u16, PathBuf)>, port: Option<u16>) -> Result<Self, Problem> {
        let ports: Vec<String> = running.iter().map(|(port, _)| port.to_string()).collect();
        let mut meant =
            running.into_iter().filter(|(known, _)| port.is_none_or(|port| port == *known)).fuse();
        let why = match (meant.next(), meant.next(), port) {
            (Some((port, socket)), None, _) => return Ok(Self { port, socket }),
            (None, _, Some(port)) => match ports.as_slice() {
                [] => {
                    format!("no gateway of yours runs here on port {port}; start one with `dogwatch serve`")
                }
                ports => format!(
                    "no gateway of yours runs here on port {port}, but on {}: `dogwatch kubeconfig` writes what fits",
                    ports.join(", ")
                ),
            },
            (None, _, None) => "no gateway of yours runs here; start one with `dogwatch serve`".to_owned(),
            (Some(_), Some(_), _) => {
                format!("several gateways of yours run here; choose one with --port: {}", ports.join(", "))
            }
        };
        Err(Problem::new(Reason::NotFound, why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gateway_of_the_port_is_meant_or_the_only_one() {
        let check = |ports: &[u16], port, expected: Result<u16, &str>| {
            let running = ports.iter().map(|port| (*port, port.to_string().into())).collect();
            match (RunningGateway::choose(running, port), expected) {
                (Ok(chosen), Ok(port)) => assert_eq!(chosen.port, port),
                (Err(problem), Err(fragment)) => assert!(problem.message.contains(fragment), "{problem}"),
                (chosen, expected) => panic!("{chosen:?}, not {expected:?}"),
            }
        };
        check(&[8484], None, Ok(8484));
        check(&[8484, 9000], Some(9000), Ok(9000));
        check(&[8484, 9000], None, Err("--port: 8484, 9000"));
        check(&[8484], Some(9000), Err("on port 9000, but on 8484"));
        check(&[], Some(9000), Err("dogwatch serve"));
        check(&[], None, Err("dogwatch serve"));
    }
}
