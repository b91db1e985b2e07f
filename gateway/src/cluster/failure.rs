//! How a request goes wrong, in Kubernetes' reasons or the network's. The message that a person reads is made
//! here from the kind of the failure. The only words of a received body that are told are those of a `Status` from an
//! API server in trouble.

use std::error::Error;
use std::io;

use serde::Deserialize;
use shared::problem::{Problem, Reason};

use super::allow::NotAllowed;
use crate::causes::causes;
use crate::forward_proxy::ProxyFailure;
use crate::limits::UPSTREAM_CONNECT_TIMEOUT_S;

/// The result of a request that got no answer of status 200.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The server answered with another status.
    Refused(Refusal),
    /// There was no answer, or it couldn't be read.
    Broken(Problem),
}

/// A `Status`, as a response or within a stream; or a bare HTTP status, of a proxy for example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    pub code: u16,
    pub retry_after_s: Option<u64>,
    /// Whether the body was a `Status`.
    pub is_status: bool,
    /// The request's name in the server's audit log, of its header `Audit-Id`.
    pub audit_id: Option<Box<str>>,
    /// What a server in trouble says of it, on one line: the cause may be a webhook, or a server behind it. Only for
    /// 429 and 5xx; what follows from a request is said better by the gateway, which knows what was asked.
    pub message: Option<Box<str>>,
    /// What it says of the request itself, for a client that asked it through the gateway.
    pub about_request: Option<Box<str>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    kind: String,
    code: u16,
    message: String,
    details: Option<Details>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Details {
    retry_after_seconds: Option<u64>,
}

impl Refusal {
    /// From the status line, the header `Retry-After` and what there is of the body.
    pub fn read(code: u16, retry_after_s: Option<u64>, body: &[u8]) -> Self {
        let status: Status = serde_json::from_slice(body).unwrap_or_default();
        let is_status = status.kind == "Status";
        let asked = status.details.and_then(|details| details.retry_after_seconds).filter(|s| *s > 0);
        let code = if is_status && status.code != 0 { status.code } else { code };
        let is_trouble = is_status && matches!(code, 429 | 500..=599);
        let is_about_request = is_status && matches!(code, 400 | 410 | 422 | 504);
        let about_request =
            is_about_request.then(|| shown(&status.message)).filter(|message| !message.is_empty());
        let message = is_trouble.then(|| shown(&status.message)).filter(|message| !message.is_empty());
        Self {
            code,
            retry_after_s: retry_after_s.or(asked),
            is_status,
            audit_id: None,
            message: message.map(Into::into),
            about_request: about_request.map(Into::into),
        }
    }

    pub fn reason(&self) -> Reason {
        match self.code {
            400 => Reason::BadRequest,
            401 => Reason::Unauthorized,
            403 => Reason::Forbidden,
            404 => Reason::NotFound,
            405 => Reason::MethodNotAllowed,
            406 => Reason::NotAcceptable,
            409 => Reason::Conflict,
            410 => Reason::Expired,
            413 => Reason::RequestEntityTooLarge,
            422 => Reason::Invalid,
            429 => Reason::TooManyRequests,
            503 => Reason::ServiceUnavailable,
            504 => Reason::Timeout,
            _ => Reason::InternalError,
        }
    }
}

impl Failure {
    pub fn reason(&self) -> Reason {
        match self {
            Self::Refused(refusal) => refusal.reason(),
            Self::Broken(problem) => problem.reason,
        }
    }
}

pub(super) fn timed_out() -> Problem {
    Problem::new(Reason::TimedOut, "the API server did not answer in time")
}

/// A certificate or a key that can't be used, found before any request.
pub(super) fn of_setup(error: &kube::Error) -> Problem {
    Problem::new(
        Reason::Configuration,
        format!("the kubeconfig's certificates or keys can't be used: {}", innermost(error)),
    )
}

/// Third-party text: shown on one line, of a readable length.
fn shown(line: &str) -> String {
    const SHOWN: usize = 300;
    line.trim().chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}

/// A request that got no answer, or a stream that broke off.
pub(super) fn of_connection(error: &(dyn Error + 'static)) -> Problem {
    let is_connecting = causes(error)
        .filter_map(|cause| cause.downcast_ref::<hyper_util::client::legacy::Error>())
        .any(hyper_util::client::legacy::Error::is_connect);
    for cause in causes(error) {
        if let Some(problem) = cause.downcast_ref::<Problem>() {
            return problem.clone();
        }
        if let Some(proxy) = cause.downcast_ref::<ProxyFailure>() {
            return proxy.problem();
        }
        if let Some(refused) = cause.downcast_ref::<NotAllowed>() {
            return Problem::new(Reason::InternalError, refused.to_string());
        }
        if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
            return of_tls(tls);
        }
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            if is_connecting && error.kind() == io::ErrorKind::TimedOut {
                return no_connection();
            }
            if let Some(problem) = of_io(error) {
                return problem;
            }
        }
        if cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message) {
            return Problem::new(Reason::ConnectionClosed, "the API server closed the connection");
        }
    }
    let text = causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ");
    if text.contains("dns error") || text.contains("lookup address") {
        return Problem::new(Reason::NameNotFound, "the API server's host name is not known");
    }
    Problem::new(Reason::ConnectionClosed, "the connection to the API server broke off")
}

fn no_connection() -> Problem {
    let message = format!(
        "the API server took no connection within {UPSTREAM_CONNECT_TIMEOUT_S} s; look at `server`, and at the VPN or firewall before it"
    );
    Problem::new(Reason::TimedOut, message)
}

fn of_io(error: &io::Error) -> Option<Problem> {
    let (reason, message) = match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            (Reason::ConnectionRefused, "nothing listens at the API server's address")
        }
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionAborted => {
            (Reason::ConnectionReset, "the API server cut the connection")
        }
        io::ErrorKind::TimedOut => (Reason::TimedOut, "the API server did not answer in time"),
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable | io::ErrorKind::NetworkDown => {
            (Reason::NoRoute, "there is no route to the API server's address")
        }
        io::ErrorKind::UnexpectedEof => (Reason::ConnectionClosed, "the API server closed the connection"),
        _ => return None,
    };
    Some(Problem::new(reason, message))
}

fn of_tls(error: &rustls::Error) -> Problem {
    use rustls::{AlertDescription, CertificateError as C};
    let (reason, message) = match error {
        rustls::Error::InvalidCertificate(C::Expired | C::ExpiredContext { .. }) => {
            (Reason::CertificateExpired, "the API server's certificate has expired; it must be renewed there")
        }
        rustls::Error::InvalidCertificate(C::NotValidYet | C::NotValidYetContext { .. }) => {
            (Reason::CertificateExpired, "the API server's certificate is not valid yet; compare the clocks")
        }
        rustls::Error::InvalidCertificate(C::NotValidForName | C::NotValidForNameContext { .. }) => (
            Reason::CertificateUnknown,
            "the API server's certificate is for another name; correct `server` or set `tls-server-name`",
        ),
        rustls::Error::InvalidCertificate(_) => (
            Reason::CertificateUnknown,
            "the API server's certificate is signed by an unknown authority; correct `certificate-authority`",
        ),
        rustls::Error::AlertReceived(AlertDescription::CertificateExpired) => {
            (Reason::CertificateExpired, "the client certificate has expired; log in again")
        }
        rustls::Error::AlertReceived(
            AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateRequired,
        ) => {
            (Reason::CertificateUnknown, "the API server doesn't accept the client certificate; log in again")
        }
        rustls::Error::InvalidMessage(_) => {
            (Reason::TlsFailure, "the server doesn't speak TLS; is it http:// instead of https://?")
        }
        _ => (Reason::TlsFailure, "no TLS connection with the API server came about"),
    };
    Problem::new(reason, message)
}

fn innermost(error: &(dyn Error + 'static)) -> String {
    causes(error).last().map(|cause| shown(&cause.to_string())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_in_the_body_says_more_than_the_status_line() {
        let check = |code, header, body: &str| {
            let refusal = Refusal::read(code, header, body.as_bytes());
            (refusal.reason(), refusal.retry_after_s, refusal.is_status)
        };
        assert_eq!(
            check(200, None, r#"{"kind":"Status","code":410,"reason":"Expired","message":"too old"}"#),
            (Reason::Expired, None, true)
        );
        assert_eq!(
            check(504, None, r#"{"kind":"Status","code":504,"details":{"retryAfterSeconds":1}}"#),
            (Reason::Timeout, Some(1), true)
        );
        assert_eq!(check(429, Some(3), "busy"), (Reason::TooManyRequests, Some(3), false));
        assert_eq!(check(502, None, "<html>"), (Reason::InternalError, None, false));
    }

    #[test]
    fn an_error_that_is_wrapped_in_others_is_recognised() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let wrapped = io::Error::other(io::Error::other(refused));
        assert_eq!(of_connection(&wrapped).reason, Reason::ConnectionRefused);
        // The kernel's error when a peer stops acknowledging.
        let dead = io::Error::from_raw_os_error(rustix::io::Errno::TIMEDOUT.raw_os_error());
        assert_eq!(of_connection(&io::Error::other(dead)).reason, Reason::TimedOut);
        let tls = rustls::Error::InvalidCertificate(rustls::CertificateError::Expired);
        assert_eq!(of_connection(&io::Error::other(tls)).reason, Reason::CertificateExpired);
    }
}
