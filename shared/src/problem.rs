//! A problem as a person sees it: a reason in Kubernetes' words and a sentence.
//! Never the raw body of an answer from upstream.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::json::{self, Read, Reader, fields};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub reason: Reason,
    /// What happened and what to do; lower case, no full stop at the end.
    pub message: String,
}

/// Kubernetes' `metav1.StatusReason` where it has one, a reason of the transport if the network failed, and
/// otherwise one of Dogwatch. A client reads an unknown reason as `InternalError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Reason {
    // Kubernetes
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    NotAcceptable,
    Conflict,
    Gone,
    Expired,
    Invalid,
    TooManyRequests,
    RequestEntityTooLarge,
    ServerTimeout,
    Timeout,
    ServiceUnavailable,
    // transport
    ConnectionRefused,
    ConnectionReset,
    ConnectionClosed,
    TimedOut,
    NoRoute,
    NameNotFound,
    CertificateExpired,
    CertificateUnknown,
    TlsFailure,
    // ours
    /// The answer isn't an API server's.
    NotKubernetes,
    /// A kubeconfig or a credential can't be read, or its plugin failed.
    Configuration,
    /// An object or an answer is over a limit.
    TooLarge,
    /// Too many subscriptions, connections, frames.
    Limit,
    /// The proof of freshness is missing.
    Unproven,
    /// The gateway's operator chose to show it to no viewer.
    Hidden,
    /// The other end speaks another version.
    Version,
    /// The gateway is going away.
    ShuttingDown,
    #[serde(other)]
    InternalError,
}

impl Problem {
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Reason::BadRequest, message)
    }
}

impl Reason {
    /// As the wire names it.
    pub(crate) fn of_name(name: &str) -> Self {
        REASONS.iter().find(|(_, of)| *of == name).map_or(Self::InternalError, |(reason, _)| *reason)
    }

    /// The words of a view's state: Kubernetes' reasons as they are, the transport's in plain English.
    pub fn words(self) -> String {
        let words = match self {
            Self::ConnectionRefused => "connection refused",
            Self::ConnectionReset => "connection reset by peer",
            Self::ConnectionClosed => "connection closed",
            Self::TimedOut => "timed out",
            Self::NoRoute => "no route",
            Self::NameNotFound => "name not found",
            Self::CertificateExpired => "certificate expired",
            Self::CertificateUnknown => "certificate unknown",
            Self::TlsFailure => "TLS failure",
            Self::NotKubernetes => "unreadable answer",
            Self::Configuration => "configuration",
            Self::TooLarge => "too large",
            Self::Limit => "limit",
            Self::Unproven => "no proof of freshness",
            Self::Hidden => "hidden by this gateway",
            Self::Version => "another version",
            Self::ShuttingDown => "shutting down",
            other => return format!("{other:?}"),
        };
        words.to_owned()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

fields! { Problem: reason, message; }

macro_rules! named {
    ($($reason:ident)*) => {
        /// All but the one that an unknown name is read as.
        const REASONS: &[(Reason, &str)] = &[$((Reason::$reason, stringify!($reason))),*];
    };
}

named! {
    BadRequest Unauthorized Forbidden NotFound MethodNotAllowed NotAcceptable Conflict Gone Expired Invalid TooManyRequests RequestEntityTooLarge ServerTimeout Timeout ServiceUnavailable ConnectionRefused ConnectionReset ConnectionClosed TimedOut NoRoute NameNotFound CertificateExpired CertificateUnknown TlsFailure NotKubernetes Configuration TooLarge Limit Unproven Hidden Version ShuttingDown
}

impl Read for Reason {
    fn read(json: &mut Reader<'_>) -> json::Result<Self> {
        json.text().map(|name| Self::of_name(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_of_a_newer_gateway_is_an_internal_error() {
        let problem: Problem =
            serde_json::from_str(r#"{"reason":"Sunspots","message":"m"}"#).expect("a problem");
        assert_eq!(problem.reason, Reason::InternalError);
    }
}
