//! A team's gateway elsewhere, as `dogwatch credential` and `dogwatch kubeconfig` ask it. Each failure is one sentence that
//! names the gateway, and quotes neither a code nor a token.

use std::fmt;
use std::path::Path;

use bytes::Bytes;
use http::{Method, StatusCode, Uri, header};
use serde::de::DeserializeOwned;
use serde_json::Value;
use shared::frame::server::LoginMode;
use shared::problem::{Problem, Reason};

use crate::access::https::{Answer, Https};
use crate::access::oidc::ClientRequest;
use crate::access::oidc::ask::{CLIENT_TOKEN, ClientAsk, ClientTokens, WayIn};

/// Its URL, with its base path and without a slash at its end: always https, for clients of the Kubernetes API send no
/// token over plain http.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TeamUrl(Box<str>);

pub(crate) struct TeamGateway {
    url: TeamUrl,
    https: Https,
}

/// Why there is no token.
#[derive(Debug)]
pub(crate) enum NoToken {
    /// The login has ended, or was never one: its person signs in again.
    Refused(Problem),
    /// The gateway didn't say. It may at another time.
    Unknown(Problem),
}

impl From<NoToken> for Problem {
    fn from(no_token: NoToken) -> Self {
        match no_token {
            NoToken::Refused(problem) | NoToken::Unknown(problem) => problem,
        }
    }
}

impl TeamUrl {
    /// Fails with one sentence that says what is expected.
    pub(crate) fn parse(typed: &str) -> Result<Self, Problem> {
        let expected =
            || Problem::bad_request(format!("--server {typed:?} can't be used; https://HOST is expected"));
        let trimmed = typed.trim_end_matches('/');
        let uri: Uri = trimmed.parse().map_err(|_| expected())?;
        let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
        let is_more = uri.query().is_some() || trimmed.contains('#') || has_user;
        if uri.host().is_none() || is_more {
            return Err(expected());
        }
        match uri.scheme_str() {
            Some("https") => Ok(Self(trimmed.into())),
            Some("http") => {
                let https = trimmed.replacen("http", "https", 1);
                Err(Problem::bad_request(format!(
                    "--server {typed:?} can't be used: over plain http clients of the Kubernetes API send no token. Use \
                     {https:?} if the gateway has TLS; one on this machine is named by --port, or by http://127.0.0.1:PORT"
                )))
            }
            _ => Err(expected()),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TeamUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TeamGateway {
    /// With the authorities of this file alone, or with the system's. Fails with one sentence that names the file.
    pub(crate) fn new(url: TeamUrl, authorities: Option<&Path>) -> Result<Self, Problem> {
        Ok(Self { url, https: Https::new(authorities)? })
    }

    pub(crate) fn url(&self) -> &TeamUrl {
        &self.url
    }

    /// How people get in there.
    pub(crate) async fn way_in(&self) -> Result<LoginMode, Problem> {
        let answer = self.ask(Method::GET, Bytes::new()).await?;
        match answer.status {
            StatusCode::OK => Ok(self.read::<WayIn>(&answer)?.auth),
            _ => Err(self.said(&answer)),
        }
    }

    /// Fails with one sentence if it is away, or its people get in in another way.
    pub(crate) async fn signs_in_with_browser(&self) -> Result<(), Problem> {
        match self.way_in().await? {
            LoginMode::Oidc => Ok(()),
            LoginMode::Local | LoginMode::Bearer | LoginMode::Proxy => Err(self.without_browser()),
        }
    }

    /// Where a browser is led.
    pub(crate) fn page(&self, request: &ClientRequest) -> String {
        format!("{}{}", self.url, request.path())
    }

    pub(crate) async fn tokens(&self, ask: &ClientAsk) -> Result<ClientTokens, NoToken> {
        let answer = self.post(ask).await.map_err(NoToken::Unknown)?;
        match answer.status {
            StatusCode::OK => self.read(&answer).map_err(NoToken::Unknown),
            StatusCode::UNAUTHORIZED => Err(NoToken::Refused(self.said(&answer))),
            _ => Err(NoToken::Unknown(self.said(&answer))),
        }
    }

    /// Ends the session of a program there.
    pub(crate) async fn end(&self, renewal: String) -> Result<(), Problem> {
        let answer = self.post(&ClientAsk::End { renewal }).await?;
        if answer.status == StatusCode::OK { Ok(()) } else { Err(self.said(&answer)) }
    }

    async fn post(&self, ask: &ClientAsk) -> Result<Answer, Problem> {
        let body = serde_json::to_vec(ask)
            .map_err(|_| Problem::new(Reason::InternalError, "the question can't be written"))?;
        self.ask(Method::POST, body.into()).await
    }

    async fn ask(&self, method: Method, body: Bytes) -> Result<Answer, Problem> {
        let url = format!("{}{CLIENT_TOKEN}", self.url);
        let url: Uri = url.parse().map_err(|_| Problem::bad_request("--server can't be used"))?;
        let headers = [(header::CONTENT_TYPE, "application/json"), (header::ACCEPT, "application/json")];
        self.https.send(method, &url, &headers, body).await.map_err(|why| {
            let message = format!("the gateway at {} can't be reached: {why}", self.url);
            Problem::new(Reason::ServiceUnavailable, message)
        })
    }

    fn read<T: DeserializeOwned>(&self, answer: &Answer) -> Result<T, Problem> {
        serde_json::from_slice(&answer.body).map_err(|_| self.no_gateway(answer.status))
    }

    /// What it says, where it is a gateway.
    fn said(&self, answer: &Answer) -> Problem {
        if answer.status == StatusCode::NOT_FOUND {
            return self.without_browser();
        }
        let answered: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        match answered.get("message").and_then(Value::as_str) {
            Some(said) => {
                let said = said.chars().filter(|c| !c.is_control()).take(SAID_MAX).collect::<String>();
                Problem::new(Reason::Unauthorized, format!("the gateway at {} says: {said}", self.url))
            }
            None => self.no_gateway(answer.status),
        }
    }

    fn without_browser(&self) -> Problem {
        let message = format!(
            "the gateway at {} gives programs no token: people don't sign in there with a browser, or it is an older \
             release; put your own token of the cluster into the kubeconfig, as users[].user.token",
            self.url
        );
        Problem::new(Reason::NotFound, message)
    }

    fn no_gateway(&self, status: StatusCode) -> Problem {
        let message = format!(
            "what answers at {} is no gateway, or has another path (status {})",
            self.url,
            status.as_u16()
        );
        Problem::new(Reason::ServiceUnavailable, message)
    }
}

/// A gateway says one sentence.
const SAID_MAX: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    fn said(status: u16, body: &'static str) -> String {
        let url = TeamUrl::parse("https://dogwatch.example.org/").expect("a URL");
        let gateway = TeamGateway::new(url, None).expect("made");
        let status = StatusCode::from_u16(status).expect("a status");
        gateway.said(&Answer { status, body: body.into() }).message
    }

    #[test]
    fn what_a_gateway_or_something_else_answers_is_one_sentence_that_names_it() {
        for (status, body, words) in [
            (401, r#"{"reason":"Unauthorized","message":"the code was used"}"#, "says: the code was used"),
            (403, r#"{"message":"this host name isn't the gateway's"}"#, "says: this host name isn't"),
            (404, "", "users[].user.token"),
            (502, "<html>", "is no gateway, or has another path (status 502)"),
            (200, "[]", "is no gateway"),
            (401, "{\"message\":\"a\\u001b[31m\"}", "says: a[31m"),
        ] {
            let said = said(status, body);
            assert!(said.contains(words) && said.contains("https://dogwatch.example.org"), "{said}");
        }
    }

    #[test]
    fn a_gateway_elsewhere_is_named_by_https_alone() {
        let parsed =
            |typed: &str| TeamUrl::parse(typed).map(|url| url.to_string()).map_err(|why| why.message);
        let below = "https://dogwatch.example.org/below".to_owned();
        assert_eq!(parsed("https://dogwatch.example.org/below/"), Ok(below));
        assert!(parsed("http://dogwatch.example.org").expect_err("plain").contains("plain http"));
        for wrong in [
            "",
            "dogwatch.example.org",
            "https://",
            "https://a@b.example",
            "https://b.example?x=1",
            "ftp://b",
        ] {
            assert!(parsed(wrong).expect_err(wrong).contains("is expected"), "{wrong}");
        }
    }
}
