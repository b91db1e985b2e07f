//! How sessions end before their time: by their person, and by the provider, which tells the gateway of a logout that
//! happened elsewhere (OpenID Connect Back-Channel Logout 1.0).

use http::HeaderValue;
use serde_json::Value;

use super::failure::Failure;
use super::form;
use super::provider::Provider;
use super::revoked::Target;
use crate::access::jwt::Claims;
use crate::limits::{CLOCK_LEEWAY_S, LOGOUT_TOLD_S};

/// Where a browser goes that signed out.
pub struct SignedOut {
    pub to: String,
    pub cookies: Vec<HeaderValue>,
}

const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

/// Where a browser goes to end the provider's session, too. `None`: the provider can't be asked, or has no such page.
pub(super) async fn way_out(provider: &Provider, client_id: &str, public_url: &str) -> Option<String> {
    let url = provider.metadata().await.ok()?.end_session_endpoint.clone()?;
    let back = format!("{public_url}/");
    // No `id_token_hint`: the page would hold a token.
    let pairs = [("client_id", client_id), ("post_logout_redirect_uri", &back)];
    Some(form::with_query(&url, &pairs))
}

/// What a logout ends of which the provider tells, and the logout's name.
/// Fails if it isn't the provider, or no logout.
pub(super) async fn told(provider: &Provider, body: &str, now_s: i64) -> Result<(Target, Box<str>), Failure> {
    let token = form::value(body, "logout_token").map_err(|()| Failure::BadAnswer)?;
    let claims = provider.verify(&token.ok_or(Failure::BadAnswer)?, now_s).await?;
    let (target, name) = logout(&claims, now_s).ok_or(Failure::BadAnswer)?;
    Ok((target, name.into()))
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
