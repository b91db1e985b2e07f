//! How sessions end before their time: by their person, and by the provider, which tells the gateway of a logout that
//! happened elsewhere (OpenID Connect Back-Channel Logout 1.0).

use std::sync::PoisonError;

use http::{HeaderMap, HeaderValue};
use serde_json::Value;
use shared::state::UnixMillis;

use super::failure::Failure;
use super::form;
use super::revoked::Target;
use super::state::Oidc;
use crate::access::jwt::Claims;
use crate::limits::{CLOCK_LEEWAY_S, LOGOUT_TOLD_S};

/// Where a browser goes that signed out.
pub struct SignedOut {
    pub to: String,
    pub cookies: Vec<HeaderValue>,
}

const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

impl Oidc {
    /// Ends the session of these cookies everywhere. `None`: they hold none.
    pub async fn sign_out(&self, had: &HeaderMap, now_ms: UnixMillis) -> Option<SignedOut> {
        let session = self.session(had, now_ms)?;
        self.revoke(Target::Session(session.key.id.clone()), now_ms);
        tracing::info!(user = %session.username, session = %session.key.id, "signed out");
        // Without the provider the session is ended all the same.
        let provider = self.provider.metadata().await.ok();
        let to = provider.and_then(|metadata| metadata.end_session_endpoint.clone()).map(|url| {
            let back = format!("{}/", self.public_url);
            // No `id_token_hint`: the page would hold a token.
            let pairs = [("client_id", &*self.settings.client_id), ("post_logout_redirect_uri", &back)];
            form::with_query(&url, &pairs)
        });
        Some(SignedOut { to: to.unwrap_or_else(|| "/".to_owned()), cookies: self.forgotten(had) })
    }

    /// The end of the session's cookies.
    pub fn forgotten(&self, had: &HeaderMap) -> Vec<HeaderValue> {
        self.cookies.clear_session(had)
    }

    /// The provider tells of a logout. Fails if it isn't the provider, or no logout.
    pub async fn told_of_logout(&self, body: &str, now_ms: UnixMillis) -> Result<(), Failure> {
        let token = form::value(body, "logout_token").map_err(|()| Failure::BadAnswer)?;
        let token = token.ok_or(Failure::BadAnswer)?;
        let now_s = now_ms / 1_000;
        let claims = self.provider.verify(&token, now_s).await?;
        let (target, name) = logout(&claims, now_s).ok_or(Failure::BadAnswer)?;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.is_first(name, now_s) {
            return Err(Failure::BadAnswer);
        }
        drop(told);
        tracing::info!(?target, "the provider ended sessions");
        self.revoke(target, now_ms);
        Ok(())
    }
}

/// What ends, and the name of the logout (section 2.6). A provider's session is told from its person's others.
fn logout(claims: &Claims, now_s: i64) -> Option<(Target, &str)> {
    let is_logout = claims.get("events")?.get(EVENT).is_some_and(Value::is_object);
    // With a nonce it is an ID token.
    let is_fresh = (now_s - claims.seconds("iat")?).abs() <= LOGOUT_TOLD_S + CLOCK_LEEWAY_S;
    if !is_logout || !is_fresh || claims.get("nonce").is_some() {
        return None;
    }
    let text = |name: &str| claims.text(name).filter(|text| !text.is_empty());
    let target = match (text("sid"), text("sub")) {
        (Some(sid), _) => Target::ProviderSession(sid.into()),
        (None, Some(sub)) => Target::Subject(sub.into()),
        (None, None) => return None,
    };
    Some((target, text("jti")?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW_S: i64 = 1_795_000_000;

    fn told(change: Value) -> Option<Target> {
        let mut claims =
            json!({ "iat": NOW_S, "jti": "1", "sub": "alice", "sid": "p1", "events": { EVENT: {} } });
        let (Value::Object(all), Value::Object(change)) = (&mut claims, change) else { panic!("objects") };
        all.extend(change);
        all.retain(|_, value| !value.is_null());
        logout(&Claims::of(claims), NOW_S).map(|(target, _)| target)
    }

    #[test]
    fn r_authn_11_a_logout_is_told_as_the_standard_says_and_not_otherwise() {
        assert_eq!(told(json!({})), Some(Target::ProviderSession("p1".into())));
        assert_eq!(told(json!({ "sid": null })), Some(Target::Subject("alice".into())));
        assert_eq!(told(json!({ "sub": null })), Some(Target::ProviderSession("p1".into())));
        for no_logout in [
            json!({ "sid": null, "sub": null }),
            json!({ "sid": "", "sub": "" }),
            json!({ "nonce": "n" }),
            json!({ "jti": null }),
            json!({ "events": null }),
            json!({ "events": [EVENT] }),
            json!({ "events": { EVENT: true } }),
            json!({ "events": { "other": {} } }),
            json!({ "iat": null }),
            json!({ "iat": NOW_S - 181 }),
            json!({ "iat": NOW_S + 181 }),
        ] {
            assert_eq!(told(no_logout.clone()), None, "{no_logout}");
        }
    }
}
