//! R-AUTHN-4: tokens of an issuer, and of others who would like to be it.

use ring::hmac;
use serde_json::{Value, json};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::testing::{Issuer, unsigned};
use super::*;

const ISSUER: &str = "https://id.example/realm";
const NOW_S: i64 = 1_795_000_000;

fn claims(change: Value) -> Value {
    let mut claims = json!({ "iss": ISSUER, "aud": "dogwatch", "sub": "alice", "exp": NOW_S + 300 });
    let (Value::Object(all), Value::Object(change)) = (&mut claims, change) else { panic!("objects") };
    all.extend(change);
    all.retain(|_, value| !value.is_null());
    claims
}

fn header() -> Value {
    json!({ "alg": "ES256", "kid": "one" })
}

fn set(keys: &[Value]) -> KeySet {
    KeySet::parse(json!({ "keys": keys }).to_string().as_bytes()).expect("a key set")
}

fn verified(token: &str, keys: &KeySet) -> Result<Claims, Refusal> {
    verify(token, keys, &Expected { issuer: ISSUER, audience: "dogwatch", now_s: NOW_S })
}

#[test]
fn r_authn_4_a_token_must_be_of_this_issuer_for_this_audience_and_of_this_time() {
    let issuer = Issuer::new();
    let keys = set(&[issuer.jwk("one")]);
    let said = |change: Value| verified(&issuer.token(&header(), &claims(change)), &keys).map(drop);
    assert_eq!(said(json!({})), Ok(()));
    assert_eq!(said(json!({ "aud": ["other", "dogwatch"] })), Ok(()));
    assert_eq!(said(json!({ "exp": NOW_S - 59, "nbf": NOW_S + 60 })), Ok(()), "clocks differ a little");
    for (change, refusal) in [
        (json!({ "iss": "https://id.example" }), Refusal::Issuer),
        (json!({ "iss": "https://id.example/realm/" }), Refusal::Issuer),
        (json!({ "iss": "https://ID.example/realm" }), Refusal::Issuer),
        (json!({ "iss": [ISSUER] }), Refusal::Issuer),
        (json!({ "iss": null }), Refusal::Issuer),
        (json!({ "aud": "other" }), Refusal::Audience),
        (json!({ "aud": [] }), Refusal::Audience),
        (json!({ "aud": null }), Refusal::Audience),
        (json!({ "aud": "dogwatch2" }), Refusal::Audience),
        (json!({ "exp": NOW_S - 60 }), Refusal::Expired(60)),
        (json!({ "exp": null }), Refusal::Endless),
        (json!({ "exp": "never" }), Refusal::Endless),
        (json!({ "nbf": NOW_S + 61 }), Refusal::NotYet(61)),
        (json!({ "nbf": "now" }), Refusal::Malformed),
    ] {
        assert_eq!(said(change.clone()), Err(refusal), "{change}");
    }
}

#[test]
fn r_authn_4_only_a_key_of_the_set_signs_and_only_as_the_key_says() {
    let (issuer, other) = (Issuer::new(), Issuer::new());
    let keys = set(&[other.jwk("two"), issuer.jwk("one")]);
    let all = claims(json!({}));
    assert!(
        verified(&issuer.token(&json!({ "alg": "ES256" }), &all), &keys).is_ok(),
        "no name: each is tried"
    );
    let public = issuer.jwk("one")["x"].to_string();
    let secret = hmac::Key::new(hmac::HMAC_SHA256, public.as_bytes());
    let confused = unsigned(&json!({ "alg": "HS256", "kid": "one" }), &all);
    let confused = format!("{confused}.{}", URL_SAFE_NO_PAD.encode(hmac::sign(&secret, confused.as_bytes())));
    let good = issuer.token(&header(), &all);
    let (signed, signature) = good.rsplit_once('.').expect("a signature");
    let other_claims = unsigned(&header(), &claims(json!({ "sub": "root" })));
    let none = |alg: &str| format!("{}.", unsigned(&json!({ "alg": alg, "kid": "one" }), &all));
    for (what, token, refusal) in [
        ("another's key", other.token(&header(), &all), Refusal::Signature),
        (
            "a key that isn't there",
            issuer.token(&json!({ "alg": "ES256", "kid": "x" }), &all),
            Refusal::UnknownKey,
        ),
        (
            "another algorithm",
            issuer.token(&json!({ "alg": "RS256", "kid": "one" }), &all),
            Refusal::UnknownKey,
        ),
        ("the public key as a secret", confused, Refusal::UnknownKey),
        ("none", none("none"), Refusal::Malformed),
        ("None", none("None"), Refusal::Malformed),
        ("no signature", format!("{signed}."), Refusal::Signature),
        ("other claims", format!("{other_claims}.{signature}"), Refusal::Signature),
        ("two parts", signed.to_owned(), Refusal::Malformed),
        ("four parts", format!("{good}.x"), Refusal::Malformed),
        ("nothing", String::new(), Refusal::Malformed),
        ("too long", format!("{good}{}", "A".repeat(JWT_BYTES_MAX)), Refusal::Malformed),
        (
            "an extension that must be understood",
            issuer.token(&json!({ "alg": "ES256", "kid": "one", "crit": ["b64"], "b64": false }), &all),
            Refusal::Malformed,
        ),
        // A key that comes with the token isn't trusted.
        (
            "its own key",
            other.token(&json!({ "alg": "ES256", "jwk": other.jwk("one") }), &all),
            Refusal::Signature,
        ),
    ] {
        let keys = if what == "its own key" { set(&[issuer.jwk("one")]) } else { keys.clone() };
        assert_eq!(verified(&token, &keys), Err(refusal), "{what}");
    }
}

#[test]
fn keys_that_are_for_something_else_are_left_out_of_a_set() {
    let issuer = Issuer::new();
    let with = |name: &str, value: Value| {
        let mut key = issuer.jwk("one");
        key[name] = value;
        key
    };
    let token = issuer.token(&header(), &claims(json!({})));
    assert!(verified(&token, &set(&[json!({ "kty": "new" }), json!(7), issuer.jwk("one")])).is_ok());
    for key in [
        with("use", json!("enc")),
        with("alg", json!("ES384")),
        with("alg", json!("RSA-OAEP")),
        with("crv", json!("P-384")),
        json!({ "kty": "oct", "kid": "one", "k": "c2VjcmV0" }),
    ] {
        assert_eq!(verified(&token, &set(std::slice::from_ref(&key))), Err(Refusal::UnknownKey), "{key}");
    }
    assert!(KeySet::parse(b"{}").is_none() && KeySet::parse(b"[]").is_none());
}

/// A signature of RFC 7515, appendix A.2, whose claims have neither issuer nor audience.
#[test]
fn a_signature_by_rsa_is_verified() {
    let token = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
    let n = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    let key = |n: &str| set(&[json!({ "kty": "RSA", "n": n, "e": "AQAB" })]);
    assert_eq!(verified(token, &key(n)), Err(Refusal::Audience), "the signature is right");
    let padded = URL_SAFE_NO_PAD.encode([&[0][..], &URL_SAFE_NO_PAD.decode(n).expect("base64")].concat());
    assert_eq!(verified(token, &key(&padded)), Err(Refusal::Audience), "a zero before the number");
    let spoiled = token.replacen("eyJpc3Mi", "eyJpc3Mj", 1);
    assert_eq!(verified(&spoiled, &key(n)), Err(Refusal::Signature));
}
