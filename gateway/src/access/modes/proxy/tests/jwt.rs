//! Tokens of a proxy, and of others who would like to be it. What a signature must be is shown beside [`crate::access::jwt`].

use http::HeaderValue;
use serde_json::json;

use super::*;
use crate::access::jwt::testing::Issuer;

struct AssertionRig {
    issuer: Issuer,
    tokens: Tokens,
    _folder: tempfile::TempDir,
}

async fn rig(header: &'static str, user_claim: &str) -> AssertionRig {
    let (issuer, folder) = (Issuer::new(), tempfile::tempdir().expect("a folder"));
    let path = folder.path().join("keys.json");
    std::fs::write(&path, json!({ "keys": [issuer.jwk("one")] }).to_string()).expect("written");
    let settings = JwtSettings {
        header: HeaderName::from_static(header),
        keys: KeySource::File(path),
        issuer: "https://proxy.example".to_owned(),
        audience: "dogwatch".to_owned(),
        user_claim: user_claim.to_owned(),
        groups_claim: "groups".to_owned(),
    };
    AssertionRig { issuer, tokens: Tokens::new(settings).expect("a key"), _folder: folder }
}

/// A token that another key signed.
async fn of_another() -> String {
    rig("x-jwt", "sub").await.token(json!({}))
}

fn now_s() -> i64 {
    wall_ms() / 1_000
}

impl AssertionRig {
    fn token(&self, change: Value) -> String {
        let mut claims = json!({"iss": "https://proxy.example", "aud": "dogwatch", "sub": "alice",
            "groups": ["dev"], "exp": now_s() + 300});
        let (Value::Object(all), Value::Object(change)) = (&mut claims, change) else { panic!("objects") };
        all.extend(change);
        all.retain(|_, value| !value.is_null());
        self.issuer.token(&json!({ "alg": "ES256", "kid": "one" }), &claims)
    }

    /// `user: groups`, or the reason of the refusal.
    async fn said(&self, headers: &[(&'static str, &str)]) -> Result<String, Reason> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).expect("a value"));
        }
        let (subject, end_ms) = self.tokens.subject(&map).await.map_err(|problem| problem.reason)?;
        assert!(end_ms > wall_ms() && end_ms <= wall_ms() + 300_000);
        let groups: Vec<&str> = subject.groups.iter().map(|group| &**group).collect();
        Ok(format!("{}: {}", subject.user, groups.join(", ")))
    }
}

#[tokio::test]
async fn r_authn_6_a_token_of_the_proxy_says_who_it_is_and_until_when() {
    let rig = rig("x-jwt", "sub").await;
    for (change, expected) in [
        (json!({}), Ok("alice: dev")),
        (json!({ "groups": null }), Ok("alice: ")),
        (json!({ "groups": "ops" }), Ok("alice: ops")),
        (json!({ "groups": ["a,b", "c"] }), Ok("alice: a,b, c")),
        (json!({ "iss": "https://other.example" }), Err(Reason::Unauthorized)),
        (json!({ "aud": "another" }), Err(Reason::Unauthorized)),
        (json!({ "exp": now_s() - 1 }), Err(Reason::Unauthorized)),
        (json!({ "exp": null }), Err(Reason::Unauthorized)),
        (json!({ "nbf": now_s() + 600 }), Err(Reason::Unauthorized)),
        (json!({ "sub": null }), Err(Reason::Unauthorized)),
        (json!({ "sub": 7 }), Err(Reason::Unauthorized)),
        (json!({ "sub": "" }), Err(Reason::BadRequest)),
        (json!({ "sub": "a\r\nb" }), Err(Reason::BadRequest)),
        (json!({ "sub": "a\u{0}" }), Err(Reason::BadRequest)),
        (json!({ "sub": "system:admin" }), Err(Reason::BadRequest)),
        (json!({ "groups": ["dev", "system:masters"] }), Err(Reason::BadRequest)),
        (json!({ "groups": ["dev", 7] }), Err(Reason::BadRequest)),
        (json!({ "groups": { "dev": true } }), Err(Reason::BadRequest)),
        (json!({ "groups": ["dev", ""] }), Err(Reason::BadRequest)),
    ] {
        let token = rig.token(change.clone());
        let expected = expected.map(str::to_owned);
        assert_eq!(rig.said(&[("x-jwt", &token)]).await, expected, "{change}");
    }
}

#[tokio::test]
async fn r_authn_6_the_header_of_a_token_is_as_strict_as_one_of_a_name() {
    let rig = rig("x-jwt", "sub").await;
    let (token, forged) = (rig.token(json!({})), of_another().await);
    for (headers, expected) in [
        (&[("x-jwt", token.as_str()), ("x-jwt", &token)][..], Reason::BadRequest),
        (&[("x-jwt", &token), ("x_jwt", &forged)], Reason::BadRequest),
        (&[("x-jwt", &token), ("connection", "x-jwt")], Reason::BadRequest),
        (&[("x-jwt", &forged)], Reason::Unauthorized),
        (&[("x-jwt", "")], Reason::Unauthorized),
        (&[("x-remote-user", "alice")], Reason::Unauthorized),
        (&[], Reason::Unauthorized),
    ] {
        assert_eq!(rig.said(headers).await, Err(expected), "{headers:?}");
    }
    let named = [("x-jwt", token.as_str()), ("x-remote-user", "root"), ("x-remote-group", "system:masters")];
    assert_eq!(rig.said(&named).await.as_deref(), Ok("alice: dev"), "other headers name nobody");
}

#[tokio::test]
async fn a_bearer_token_and_an_address_that_is_not_verified() {
    let bearer = rig("authorization", "email").await;
    let token = bearer.token(json!({ "email": "a@b.example" }));
    let said = bearer.said(&[("authorization", &format!("Bearer {token}"))]).await;
    assert_eq!(said.as_deref(), Ok("a@b.example: dev"));
    assert_eq!(bearer.said(&[("authorization", &token)]).await, Err(Reason::Unauthorized));
    let token = bearer.token(json!({ "email": "a@b.example", "email_verified": false }));
    let said = bearer.said(&[("authorization", &format!("Bearer {token}"))]).await;
    assert_eq!(said, Err(Reason::Unauthorized));
}

#[test]
fn a_file_without_a_key_that_can_be_used_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys.json");
    let read = || keys_of(&path, plain_file::read(&path)).map(drop);
    assert!(read().expect_err("none").contains("can't be read"));
    for text in ["", "[]", "{\"keys\": []}", "{\"keys\": [{\"kty\": \"oct\", \"k\": \"c2VjcmV0\"}]}"] {
        std::fs::write(&path, text).expect("written");
        let read = || keys_of(&path, plain_file::read(&path)).map(drop);
        assert!(read().expect_err(text).contains("is no JWK set with a public key"), "{text}");
    }
}
