//! Which gateway a kubeconfig is of. Pure.

use http::Uri;
use shared::problem::Problem;

use crate::tail::is_loopback;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// One on this machine, by the port of its page, or the only one.
    Here(Option<u16>),
    /// Its URL, with its base path and without a slash at its end.
    Elsewhere(String),
}

impl Target {
    /// Fails with one sentence that says what is expected.
    pub(super) fn of(server: Option<&str>, port: Option<u16>) -> Result<Self, Problem> {
        let Some(typed) = server else { return Ok(Self::Here(port)) };
        let expected =
            || Problem::bad_request(format!("--server {typed:?} can't be used; https://HOST is expected"));
        let trimmed = typed.trim_end_matches('/');
        let uri: Uri = trimmed.parse().map_err(|_| expected())?;
        let host = uri.host().ok_or_else(expected)?;
        let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
        if uri.query().is_some() || trimmed.contains('#') || has_user {
            return Err(expected());
        }
        match uri.scheme_str() {
            Some("https") => Ok(Self::Elsewhere(trimmed.to_owned())),
            Some("http") if is_loopback(host) => Ok(Self::Here(Some(uri.port_u16().unwrap_or(80)))),
            Some("http") => Err(Problem::bad_request(format!(
                "--server {typed:?} can't be used: clients of the Kubernetes API send no token over plain http; give the \
                 https URL"
            ))),
            _ => Err(expected()),
        }
    }
}
