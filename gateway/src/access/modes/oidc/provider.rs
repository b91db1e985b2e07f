//! The identity provider: found by discovery (OpenID Connect Discovery 1.0), asked for tokens, its tokens verified.
//! Each leg uses the same certificates. Never keeps a token.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Method, StatusCode, Uri, header};
use serde::Deserialize;
use shared::problem::{Problem, Reason};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;

use super::failure::Failure;
use super::form;
use super::settings::OidcSettings;
use crate::access::https::{Answer, Https, NoAnswer};
use crate::access::jwt::{Claims, Expected, RemoteKeys};
use crate::limits::{PROVIDER_AGAIN_S, PROVIDER_ASKED_AT_ONCE_MAX, PROVIDER_KEPT_S};
use crate::plain_file;

/// The one provider of this gateway. Sign-in, renewal and sign-out ask it.
pub(super) struct Provider {
    issuer: String,
    client_id: String,
    client_secret: Option<String>,
    https: Https,
    keys: RemoteKeys,
    found: Mutex<Found>,
    /// For renewals. Logins have their places.
    renewing: Semaphore,
}

/// What discovery came to last.
#[derive(Default)]
enum Found {
    #[default]
    Nothing,
    Metadata(Instant, Arc<Metadata>),
    /// The provider isn't asked again for a moment, because every sign-in would wait for the same failure.
    Failed(Instant, Failure),
}

/// What discovery says, as far as it is used.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    issuer: String,
    pub(super) authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    pub(super) end_session_endpoint: Option<String>,
    #[serde(default)]
    pub(super) scopes_supported: Vec<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
    /// RFC 9207: the answer to a login names its issuer.
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}

/// What the provider gives for a code, or for a refresh token. The access token isn't read: nothing is asked with it.
#[derive(Deserialize)]
pub(super) struct Tokens {
    pub(super) id_token: Option<String>,
    pub(super) refresh_token: Option<Box<str>>,
    pub(super) expires_in: Option<u32>,
}

#[derive(Deserialize)]
struct TokenError {
    error: String,
}

impl Provider {
    /// Fails with one sentence that names the file that can't be used.
    pub(super) fn new(settings: &OidcSettings) -> Result<Self, Problem> {
        let secret = settings.client_secret_file.as_ref().map(|path| {
            let wrong = |why: String| {
                let message = format!("--oidc-client-secret-file {} {why}", path.display());
                Problem::new(Reason::Configuration, message)
            };
            let text = plain_file::read_to_string(path).map_err(|e| wrong(format!("can't be read: {e}")))?;
            let secret = text.trim_end_matches(['\r', '\n']).to_owned();
            if secret.is_empty() { Err(wrong("is empty".to_owned())) } else { Ok(secret) }
        });
        let https = Https::new(settings.ca_file.as_deref())?;
        Ok(Self {
            issuer: settings.issuer.clone(),
            client_id: settings.client_id.clone(),
            client_secret: secret.transpose()?,
            keys: RemoteKeys::new(https.clone()),
            https,
            found: Mutex::default(),
            renewing: Semaphore::new(PROVIDER_ASKED_AT_ONCE_MAX),
        })
    }

    pub(super) async fn metadata(&self) -> Result<Arc<Metadata>, Failure> {
        // One fetch at a time: the lock is held meanwhile.
        let mut found = self.found.lock().await;
        match &*found {
            Found::Metadata(at, metadata) if at.elapsed() < Duration::from_secs(PROVIDER_KEPT_S) => {
                return Ok(Arc::clone(metadata));
            }
            Found::Failed(at, failure) if at.elapsed() < Duration::from_secs(PROVIDER_AGAIN_S) => {
                return Err(failure.clone());
            }
            _ => {}
        }
        let discovered = self.discover().await;
        *found = match &discovered {
            Ok(metadata) => Found::Metadata(Instant::now(), Arc::clone(metadata)),
            Err(failure) => Found::Failed(Instant::now(), failure.clone()),
        };
        discovered
    }

    /// Whether it is found at this moment, whatever is kept of it. A description that is kept stays where it isn't.
    /// Fails with what to check.
    pub(super) async fn look(&self) -> Result<(), String> {
        let discovered = self.discover().await;
        let metadata =
            discovered.map_err(|why| format!("nobody can sign in. {why} {}", what_to_check(&why)))?;
        *self.found.lock().await = Found::Metadata(Instant::now(), metadata);
        Ok(())
    }

    async fn discover(&self) -> Result<Arc<Metadata>, Failure> {
        let url = format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let answer = self.https.get(&self.own(&url)?).await.map_err(Failure::Unreachable)?;
        if !answer.status.is_success() {
            return Err(answers_with(answer.status));
        }
        self.read(&answer)
    }

    fn read(&self, answer: &Answer) -> Result<Arc<Metadata>, Failure> {
        let metadata: Metadata = serde_json::from_slice(&answer.body)
            .map_err(|_| Failure::OtherProvider("its description can't be read".to_owned()))?;
        if metadata.issuer != self.issuer {
            let why =
                format!("it calls itself {:?}, and --oidc-issuer is {:?}", metadata.issuer, self.issuer);
            return Err(Failure::OtherProvider(why));
        }
        for url in [&metadata.authorization_endpoint, &metadata.token_endpoint, &metadata.jwks_uri] {
            self.own(url)?;
        }
        Ok(Arc::new(metadata))
    }

    /// Only https, unless the issuer itself is a program on this machine.
    fn own(&self, url: &str) -> Result<Uri, Failure> {
        let uri: Option<Uri> = url.parse().ok();
        let is_as_safe = |uri: &Uri| {
            uri.scheme_str() == Some("https")
                || self.issuer.starts_with("http://") && uri.scheme_str() == Some("http")
        };
        uri.filter(is_as_safe)
            .ok_or_else(|| Failure::OtherProvider("one of its addresses isn't https".to_owned()))
    }

    pub(super) async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<Tokens, Failure> {
        let grant = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier),
        ];
        self.tokens(&grant).await
    }

    pub(super) async fn refresh(&self, token: &str) -> Result<Tokens, Failure> {
        let _permit = self.renewing.acquire().await.map_err(|_| Failure::Internal)?;
        self.tokens(&[("grant_type", "refresh_token"), ("refresh_token", token)]).await
    }

    async fn tokens(&self, grant: &[(&str, &str)]) -> Result<Tokens, Failure> {
        let metadata = self.metadata().await?;
        let mut pairs = grant.to_vec();
        let methods = &metadata.token_endpoint_auth_methods_supported;
        let by_post = !methods.is_empty() && !methods.iter().any(|method| method == "client_secret_basic");
        let basic = match &self.client_secret {
            Some(secret) if !by_post => {
                let text = format!("{}:{}", form::encode(&self.client_id), form::encode(secret));
                Some(format!("Basic {}", STANDARD.encode(text)))
            }
            secret => {
                pairs.push(("client_id", &self.client_id));
                pairs.extend(secret.as_ref().map(|secret| ("client_secret", secret.as_str())));
                None
            }
        };
        let mut headers = vec![
            (header::CONTENT_TYPE, "application/x-www-form-urlencoded"),
            (header::ACCEPT, "application/json"),
        ];
        headers.extend(basic.as_deref().map(|basic| (header::AUTHORIZATION, basic)));
        let url = self.own(&metadata.token_endpoint)?;
        let body = Bytes::from(form::form(&pairs));
        let answer = self.https.send(Method::POST, &url, &headers, body).await;
        read_tokens(&answer.map_err(Failure::Unreachable)?)
    }

    /// The claims of a token, if it is from this issuer, for this client, and valid now.
    pub(super) async fn verify(&self, token: &str, now_s: i64) -> Result<Claims, Failure> {
        let metadata = self.metadata().await?;
        let expected = Expected { issuer: &self.issuer, audience: &self.client_id, now_s };
        Ok(self.keys.verify(&self.own(&metadata.jwks_uri)?, token, &expected).await?)
    }
}

fn what_to_check(failure: &Failure) -> &'static str {
    match failure {
        Failure::OtherProvider(_) => "Give --oidc-issuer as the provider writes its own issuer, to the byte.",
        // It says itself what to do.
        Failure::Unreachable(NoAnswer::OfProxy(_)) => "",
        _ => {
            "Check the host, port and path of --oidc-issuer, the certificates of --oidc-ca-file, and that the gateway may \
             reach the provider."
        }
    }
}

fn read_tokens(answer: &Answer) -> Result<Tokens, Failure> {
    if answer.status.is_success() {
        let unreadable = || Failure::OtherProvider("its tokens can't be read".to_owned());
        return serde_json::from_slice(&answer.body).map_err(|_| unreadable());
    }
    match serde_json::from_slice::<TokenError>(&answer.body) {
        Ok(TokenError { error }) if answer.status.is_client_error() => Err(Failure::Denied(plain(&error))),
        // Providers answer so about a person who was removed (Dex does), and also when their own store is away.
        Ok(TokenError { error }) if matches!(answer.status.as_u16(), 500 | 503) => {
            Err(Failure::Failing(plain(&error)))
        }
        _ => Err(answers_with(answer.status)),
    }
}

fn answers_with(status: StatusCode) -> Failure {
    Failure::Unreachable(NoAnswer::OfServer(format!("it answers with {}", status.as_u16())))
}

/// An error's code (RFC 6749), as far as it is one.
pub(super) fn plain(error: &str) -> String {
    error.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).take(64).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::access::oidc::tests::settings;

    fn read(issuer: &str, description: &Value) -> Result<(), Failure> {
        let settings = OidcSettings { issuer: issuer.to_owned(), ..settings() };
        let answer = Answer { status: StatusCode::OK, body: description.to_string().into() };
        Provider::new(&settings).expect("usable").read(&answer).map(drop)
    }

    fn description(issuer: &str) -> Value {
        let at = |path: &str| format!("https://id.example/{path}");
        json!({ "issuer": issuer, "authorization_endpoint": at("auth"), "token_endpoint": at("token"),
            "jwks_uri": at("keys") })
    }

    #[test]
    fn r_authn_4_an_issuer_is_compared_to_the_byte() {
        const V1: &str = "https://sts.windows.net/9188040d-6c67-4c5b-b112-36a304b66dad/";
        const V2: &str = "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0";
        const TEMPLATE: &str = "https://login.microsoftonline.com/{tenantid}/v2.0";
        for issuer in [V1, V2, "https://id.example", "https://id.example/"] {
            assert_eq!(read(issuer, &description(issuer)), Ok(()), "{issuer}");
        }
        for (issuer, says) in [
            (V1, V1.trim_end_matches('/')),
            (V1.trim_end_matches('/'), V1),
            (V2, TEMPLATE),
            (V2, V1),
            ("https://id.example", "https://id.example/"),
            ("https://id.example", "https://ID.example"),
        ] {
            let failure = read(issuer, &description(says)).expect_err(says);
            assert!(matches!(failure, Failure::OtherProvider(_)), "{failure}");
            assert!(failure.to_string().contains(says), "{failure}");
        }
    }

    #[test]
    fn an_address_without_tls_is_refused_unless_the_issuer_is_on_this_machine() {
        for name in ["token_endpoint", "jwks_uri", "authorization_endpoint"] {
            let mut spoiled = description("https://id.example");
            spoiled[name] = json!("http://id.example/x");
            assert!(read("https://id.example", &spoiled).is_err(), "{name}");
        }
        assert_eq!(read("http://127.0.0.1:1", &description("http://127.0.0.1:1")), Ok(()));
    }

    #[test]
    fn a_refusal_is_told_from_an_outage_and_quotes_nothing_but_its_code() {
        let failure = |status, body: &str| {
            let body = Bytes::from(body.to_owned());
            read_tokens(&Answer { status, body }).map(drop).expect_err("no tokens")
        };
        let denied =
            failure(StatusCode::BAD_REQUEST, "{\"error\":\"invalid_grant<b>\",\"error_description\":\"x\"}");
        assert_eq!(denied, Failure::Denied("invalid_grantb".to_owned()));
        for status in [StatusCode::INTERNAL_SERVER_ERROR, StatusCode::SERVICE_UNAVAILABLE] {
            let failing = failure(status, "{\"error\":\"server_error\"}");
            assert_eq!(failing, Failure::Failing("server_error".to_owned()));
        }
        for (status, body) in [
            (StatusCode::INTERNAL_SERVER_ERROR, "{}"),
            (StatusCode::BAD_GATEWAY, "{\"error\":\"invalid_grant\"}"),
            (StatusCode::SERVICE_UNAVAILABLE, ""),
            (StatusCode::NOT_FOUND, "<html>"),
        ] {
            assert!(matches!(failure(status, body), Failure::Unreachable(_)), "{status}");
        }
        assert!(matches!(failure(StatusCode::OK, "secret"), Failure::OtherProvider(_)));
    }
}
