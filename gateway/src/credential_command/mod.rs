//! `dogwatch credential`: the exec plugin of a kubeconfig that `dogwatch kubeconfig` wrote. It prints a token as client-go
//! reads it. The gateway that runs here gives one over its Unix socket. A team's gateway with `--auth oidc` gives one to
//! the person whose browser signs in there.
//!
//! Read in this order: [`elsewhere`] (a team's gateway), [`kept`] (what is kept of it), [`browser`] (how a person signs in).

mod browser;
mod elsewhere;
mod kept;

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use crate::access::local::api::ask::fresh_token;
use crate::limits::API_TOKEN_SPARE_S;
use crate::running_gateway::RunningGateway;
use crate::team_gateway::{TeamGateway, TeamUrl};

#[derive(Args, Clone, Debug)]
pub struct CredentialArgs {
    /// Which gateway, by the port of its page, if several of yours run on this machine
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Give a token only if this is the gateway's home cluster: a kubeconfig is never used for another cluster than it
    /// names
    #[arg(long, value_name = "NAME", value_parser = ClusterName::parse)]
    home_cluster: Option<ClusterName>,
    /// A team's gateway with `--auth oidc`, by its URL; your browser opens there to sign in
    #[arg(long, value_name = "URL", conflicts_with_all = ["port", "home_cluster"])]
    server: Option<String>,
    /// The authorities that signed that gateway's certificate, in PEM [default: the system's]
    #[arg(long, value_name = "FILE", requires = "server")]
    certificate_authority: Option<PathBuf>,
    /// Forget that gateway's login, and end it there
    #[arg(long, requires = "server")]
    logout: bool,
}

/// One line for stdout.
///
/// # Errors
/// Fails if no gateway runs here, if it gives no token or shows another cluster, if a team's gateway can't be reached, or
/// if its person didn't sign in.
pub async fn execute(args: &CredentialArgs) -> Result<String, Problem> {
    if let Some(server) = &args.server {
        let gateway = TeamGateway::new(TeamUrl::parse(server)?, args.certificate_authority.as_deref())?;
        if args.logout {
            return elsewhere::forget(&gateway).await;
        }
        let tokens = elsewhere::tokens(&gateway).await?;
        return line(&tokens.token, tokens.expires_ms);
    }
    let gateway = RunningGateway::find(args.port).await?;
    let fresh = fresh_token(&gateway.socket).await?;
    if let Some(wanted) = args.home_cluster.as_ref().filter(|wanted| **wanted != fresh.home) {
        let message = format!(
            "the gateway on port {} was started for the cluster {} and no longer for {wanted}; write the kubeconfig again \
             with `dogwatch kubeconfig`",
            gateway.port, fresh.home
        );
        return Err(Problem::new(Reason::NotFound, message));
    }
    line(&fresh.token, fresh.expires_ms)
}

/// <https://kubernetes.io/docs/reference/config-api/client-authentication.v1/>
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExecCredential<'a> {
    api_version: &'static str,
    kind: &'static str,
    status: Status<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    expiration_timestamp: String,
    token: &'a str,
}

/// The client asks for the next token a little early, so that none ends on the way.
fn line(token: &str, expires_ms: UnixMillis) -> Result<String, Problem> {
    let unreadable = || Problem::new(Reason::InternalError, "the gateway's token has no time");
    let expires_ms = expires_ms.saturating_sub(API_TOKEN_SPARE_S * 1_000);
    let at = Timestamp::from_millisecond(expires_ms).map_err(|_| unreadable())?;
    let credential = ExecCredential {
        api_version: "client.authentication.k8s.io/v1",
        kind: "ExecCredential",
        status: Status { expiration_timestamp: format!("{at:.0}"), token },
    };
    serde_json::to_string(&credential).map_err(|_| unreadable())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::local::api::ask::FreshToken;

    #[test]
    fn a_token_is_printed_as_client_go_reads_it_and_ends_a_little_early() {
        let home = ClusterName::parse("demo").expect("a name");
        let fresh = FreshToken { token: "a.b".to_owned(), expires_ms: 1_790_000_600_500, home };
        assert_eq!(
            line(&fresh.token, fresh.expires_ms).expect("written"),
            "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":\
             {\"expirationTimestamp\":\"2026-09-21T14:22:50Z\",\"token\":\"a.b\"}}"
        );
        assert!(!format!("{fresh:?}").contains("a.b"));
    }
}
