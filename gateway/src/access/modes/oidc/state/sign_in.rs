//! A login: a browser is sent to the provider, and comes back with a code. All that must be remembered between goes
//! along with the browser, sealed, so that it may come back to another gateway.

use std::sync::PoisonError;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::state::UnixMillis;
use subtle::ConstantTimeEq;

use super::{Oidc, Redirect};
use crate::access::jwt::Claims;
use crate::access::modes::local::hidden::random_text;
use crate::access::modes::oidc::client::{Allowed, CLIENT, ClientRequest, Code};
use crate::access::modes::oidc::failure::Failure;
use crate::access::modes::oidc::form;
use crate::access::modes::oidc::places::LoginClient;
use crate::access::modes::oidc::provider::{Metadata, Tokens, plain};
use crate::access::modes::oidc::seal::Purpose;
use crate::access::modes::oidc::session::{Renewal, Session, SessionKey};
use crate::limits::{CLIENT_CODE_S, CLOCK_LEEWAY_S, LOGIN_BEGUN_S, LOGIN_TO_BYTES_MAX, RENEW_AFTER_MS_MIN};

/// Where the provider sends browsers back to.
pub const CALLBACK: &str = "/login/callback";
const OFFLINE: &str = "offline_access";

/// A login that was begun.
#[derive(Serialize, Deserialize)]
struct Begun {
    state: Box<str>,
    nonce: Box<str>,
    /// The code verifier of PKCE (RFC 7636).
    verifier: Box<str>,
    to: Box<str>,
    until_ms: UnixMillis,
    /// The login is a program's, which redeems the provider's code itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<Allowed>,
}

/// Where a login that came back leads.
pub enum Finished {
    /// To a path of the page, with the cookies of a session.
    Page(Redirect),
    /// To a program on the browser's own computer, with its code.
    Client(Redirect),
    /// There without a code, because the provider refused the login.
    Refused(Redirect, Failure),
}

impl Oidc {
    /// To the provider, and afterwards to `to`, which is a path of this page.
    pub async fn begin(&self, to: &str, had: &HeaderMap, now_ms: UnixMillis) -> Result<Redirect, Failure> {
        self.begin_for(destination(to)?, None, had, now_ms).await
    }

    pub(super) async fn begin_for(
        &self,
        to: &str,
        client: Option<Allowed>,
        had: &HeaderMap,
        now_ms: UnixMillis,
    ) -> Result<Redirect, Failure> {
        let metadata = self.provider.metadata().await?;
        let random = || random_text().map_err(|_| Failure::Internal);
        let begun = Begun {
            state: random()?,
            nonce: random()?,
            // 43 characters at least.
            verifier: format!("{}{}", random()?, random()?).into(),
            to: to.into(),
            until_ms: now_ms + LOGIN_BEGUN_S * 1_000,
            client,
        };
        let cookies = self.sealed.set_login(&begun.state, &begun, had)?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(begun.verifier.as_bytes()));
        let to = form::with_query(
            &metadata.authorization_endpoint,
            &[
                ("response_type", "code"),
                ("client_id", &self.settings.client_id),
                ("redirect_uri", &self.redirect_uri()),
                ("scope", &self.scope(&metadata)),
                ("state", &begun.state),
                ("nonce", &begun.nonce),
                ("code_challenge", &challenge),
                ("code_challenge_method", "S256"),
            ],
        );
        Ok(Redirect { to, cookies })
    }

    /// Back from the provider.
    pub async fn finish(
        &self,
        query: &str,
        (had, client): (&HeaderMap, &LoginClient),
        now_ms: UnixMillis,
    ) -> Result<Finished, Failure> {
        let one = |name: &str| form::value(query, name).map_err(|()| Failure::BadAnswer);
        let state = one("state")?.ok_or(Failure::UnknownLogin)?;
        let begun = self.begun(&state, had, now_ms).ok_or(Failure::UnknownLogin)?;
        if let Some(error) = one("error")? {
            return self.refused_for(&begun, plain(&error));
        }
        let metadata = self.provider.metadata().await?;
        match one("iss")? {
            Some(issuer) if issuer != self.settings.issuer => return Err(Failure::BadAnswer),
            None if metadata.authorization_response_iss_parameter_supported => {
                return Err(Failure::BadAnswer);
            }
            _ => {}
        }
        let code = one("code")?.filter(|code| !code.is_empty()).ok_or(Failure::BadAnswer)?;
        if begun.client.is_some() {
            return self.lead_to_client(begun, code, now_ms).map(Finished::Client);
        }
        let _place = self.places.place(client).await?;
        // A browser that keeps the cookie could invent codes, and have the provider asked for each.
        if !self.is_first(&state, begun.until_ms, now_ms) {
            return Err(Failure::UnknownLogin);
        }
        let tokens = self.provider.exchange(&code, &begun.verifier, &self.redirect_uri()).await?;
        let session = self.session_of(&tokens, &begun.nonce, now_ms).await?;
        let mut cookies = self.sealed.set_session(&session, had, now_ms)?;
        cookies.extend(self.sealed.clear_login(&state));
        tracing::info!(user = %session.username, session = session.key.log_name(), "signed in");
        Ok(Finished::Page(Redirect { to: begun.to.into(), cookies }))
    }

    /// A program that waits for this login is told, whether its person was to sign in first or had said yes already.
    fn refused_for(&self, begun: &Begun, error: String) -> Result<Finished, Failure> {
        let waiting = begun.client.as_ref().map(|allowed| allowed.request.clone());
        let of_path = || {
            let (path, query) = begun.to.split_once('?')?;
            ClientRequest::of_query(query).ok().filter(|_| path == CLIENT)
        };
        let Some(request) = waiting.or_else(of_path) else { return Err(Failure::Denied(error)) };
        let cookies = self.sealed.clear_login(&begun.state).into_iter().collect();
        let redirect = Redirect { to: request.way_back_without(&error), cookies };
        Ok(Finished::Refused(redirect, Failure::Denied(error)))
    }

    /// The provider's code goes on to the program, unused.
    fn lead_to_client(&self, begun: Begun, code: String, now_ms: UnixMillis) -> Result<Redirect, Failure> {
        let Begun { state, nonce, verifier, client: Some(allowed), .. } = begun else {
            return Err(Failure::Internal);
        };
        let cookies = self.sealed.clear_login(&state).into_iter().collect();
        let request = allowed.request.clone();
        let until_ms = now_ms + CLIENT_CODE_S * 1_000;
        let code = Code { allowed, code: code.into(), state, nonce, verifier, until_ms };
        let code = self.sealed.for_client(Purpose::ClientCode, &code)?;
        Ok(Redirect { to: request.way_back(&code), cookies })
    }

    /// Whether this login comes back for the first time.
    pub(super) fn is_first(&self, state: &str, until_ms: UnixMillis, now_ms: UnixMillis) -> bool {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).is_first(state, until_ms, now_ms)
    }

    fn begun(&self, state: &str, had: &HeaderMap, now_ms: UnixMillis) -> Option<Begun> {
        let begun: Begun = self.sealed.login(state, had)?;
        let is_same: bool = begun.state.as_bytes().ct_eq(state.as_bytes()).into();
        (is_same && begun.until_ms > now_ms).then_some(begun)
    }

    pub(super) async fn session_of(
        &self,
        tokens: &Tokens,
        nonce: &str,
        now_ms: UnixMillis,
    ) -> Result<Session, Failure> {
        let token = tokens.id_token.as_ref();
        let token = token.ok_or_else(|| Failure::OtherProvider("it gives no ID token".to_owned()))?;
        let claims = self.id_claims(token, now_ms).await?;
        if claims.text("nonce") != Some(nonce) {
            return Err(Failure::OtherLogin);
        }
        let mapped = self.settings.mapping.of(&claims)?;
        let ends_ms = now_ms + self.settings.session_ms();
        Ok(Session {
            key: SessionKey {
                id: random_text().map_err(|_| Failure::Internal)?,
                subject: claims.text("sub").unwrap_or_default().into(),
                provider_session: claims.text("sid").map(Into::into),
                begun_ms: now_ms,
                renewed_ms: now_ms,
                of_browser: None,
            },
            username: mapped.identity.name().into(),
            groups: mapped.groups,
            ends_ms,
            renewal: tokens.refresh_token.clone().map(|refresh_token| Renewal {
                refresh_token,
                due_ms: due_ms(tokens, Some(&claims), now_ms),
            }),
            unconfirmed: None,
        })
    }

    /// The claims of an ID token that was issued just now (OpenID Connect Core 1.0, section 3.1.3.7).
    pub(super) async fn id_claims(&self, token: &str, now_ms: UnixMillis) -> Result<Claims, Failure> {
        let now_s = now_ms / 1_000;
        let claims = self.provider.verify(token, now_s).await;
        let claims = claims.map_err(clock_of)?;
        let other = Failure::OtherProvider("its token has no issue time or no subject".to_owned());
        let Some(issued_s) = claims.seconds("iat") else { return Err(other) };
        if claims.text("sub").is_none_or(str::is_empty) {
            return Err(other);
        }
        let off_s = (now_s - issued_s).abs();
        if off_s > CLOCK_LEEWAY_S {
            return Err(Failure::Clock(off_s));
        }
        // A token for several says which of them asked for it.
        let is_for_several =
            claims.get("aud").is_some_and(|aud| aud.as_array().is_some_and(|all| all.len() > 1));
        match claims.get("azp") {
            Some(azp) if azp.as_str() != Some(&self.settings.client_id) => Err(Failure::OtherLogin),
            None if is_for_several => Err(Failure::OtherLogin),
            _ => Ok(claims),
        }
    }

    pub(super) fn redirect_uri(&self) -> String {
        format!("{}{CALLBACK}", self.public_url)
    }

    fn scope(&self, metadata: &Metadata) -> String {
        let mut scopes = vec!["openid"];
        let offline = metadata.scopes_supported.iter().map(String::as_str).find(|scope| *scope == OFFLINE);
        for scope in self.settings.scopes.iter().map(String::as_str).chain(offline) {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        scopes.join(" ")
    }
}

/// A fresh token that has ended already, or begins later, says that a clock is wrong.
fn clock_of(failure: Failure) -> Failure {
    use crate::access::jwt::Refusal::{Expired, NotYet};
    match failure {
        Failure::Token(Expired(off_s) | NotYet(off_s)) => Failure::Clock(off_s.max(CLOCK_LEEWAY_S)),
        other => other,
    }
}

/// When the provider is to be asked again: when its ID token ends, or its access token.
pub(super) fn due_ms(tokens: &Tokens, claims: Option<&Claims>, now_ms: UnixMillis) -> UnixMillis {
    let by_claims = claims.and_then(|claims| claims.seconds("exp")).map(|end| end.saturating_mul(1_000));
    let by_answer = tokens.expires_in.map(|seconds| now_ms + i64::from(seconds) * 1_000);
    by_claims.or(by_answer).unwrap_or_default().max(now_ms + RENEW_AFTER_MS_MIN)
}

/// A path of this page. A browser takes `//host` and `/\host` for another site.
fn destination(to: &str) -> Result<&str, Failure> {
    let is_path = to.starts_with('/') && !to.starts_with("//") && to.bytes().all(|b| b.is_ascii_graphic());
    if !is_path || to.contains('\\') {
        return Err(Failure::BadDestination);
    }
    let path = to.split(['?', '#']).next().unwrap_or_default();
    // A browser resolves these, also when they are encoded, and could leave the base path so.
    let is_dots = |segment: &str| {
        let decoded = percent_decode_str(segment).collect::<Vec<u8>>();
        decoded == b"." || decoded == b".."
    };
    if path.split('/').any(is_dots) {
        return Ok("/");
    }
    // A page of the gateway's own, which asks the person who has signed in.
    if path == CLIENT && to.len() <= LOGIN_TO_BYTES_MAX {
        return Ok(to);
    }
    let leads_back = ["/login", "/logout", "/open", "/api/"].iter().any(|start| to.starts_with(start));
    Ok(if leads_back || to.len() > LOGIN_TO_BYTES_MAX { "/" } else { to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_a_path_of_this_page_alone() {
        for to in ["/", "/v/pods@prod/*?f=a%20b", "/b?v=pods@prod/*&v=nodes@prod/-", "/log/pods@c/*"] {
            assert_eq!(destination(to), Ok(to));
        }
        let asks = "/login/client?port=49152&challenge=x";
        assert_eq!(destination(asks), Ok(asks));
        for back in [
            "/login",
            "/login?to=/",
            "/login/clients",
            "/login/client/x",
            "/login/renew",
            "/logout",
            &format!("/{}", "x".repeat(LOGIN_TO_BYTES_MAX)),
        ] {
            assert_eq!(destination(back), Ok("/"), "{back}");
        }
        for leaves in [
            "/..//evil",
            "/v/../../evil",
            "/v/..",
            "/..?f=a",
            "/..#a",
            "/%2e%2E/evil",
            "/.%2e/evil",
            "/%2e./evil",
            "/./login",
            "/%2E/login",
        ] {
            assert_eq!(destination(leaves), Ok("/"), "{leaves}");
        }
        for stays in ["/v/..a", "/v/...", "/v/pods?f=/../a", "/v/pods#/../a"] {
            assert_eq!(destination(stays), Ok(stays));
        }
        for elsewhere in [
            "",
            "v/pods",
            "//evil.example",
            "/\\evil.example",
            "///evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/v\r\nset-cookie: a=b",
            "/\t/evil.example",
            "/é",
        ] {
            assert_eq!(destination(elsewhere), Err(Failure::BadDestination), "{elsewhere:?}");
        }
    }
}
