//! Which gateway a kubeconfig is of. Pure.

use http::Uri;
use shared::problem::Problem;

use crate::tail::is_loopback;
use crate::team_gateway::TeamUrl;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// One on this machine, by the port of its page, or the only one.
    Here(Option<u16>),
    Elsewhere(TeamUrl),
}

impl Target {
    /// Fails with one sentence that says what is expected.
    pub(super) fn of(server: Option<&str>, port: Option<u16>) -> Result<Self, Problem> {
        let Some(typed) = server else { return Ok(Self::Here(port)) };
        Ok(match port_here(typed) {
            Some(port) => Self::Here(Some(port)),
            None => Self::Elsewhere(TeamUrl::parse(typed)?),
        })
    }
}

/// Over plain http a gateway on this machine is named by its page.
fn port_here(typed: &str) -> Option<u16> {
    let uri: Uri = typed.parse().ok()?;
    let has_user = uri.authority()?.as_str().contains('@');
    let is_here = uri.scheme_str() == Some("http") && uri.host().is_some_and(is_loopback);
    let is_plain = uri.query().is_none() && !typed.contains('#') && !has_user;
    (is_here && is_plain).then(|| uri.port_u16().unwrap_or(80))
}
