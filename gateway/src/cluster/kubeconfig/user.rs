//! What a user's entry says of who comes: what kubectl refuses in it, the client's certificate, impersonation, and the
//! credential of a request. It reads the certificate's files.

use std::collections::{BTreeMap, HashMap};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use kube::config::AuthInfo;
use serde_json::Value;
use shared::problem::{Problem, Reason};

use super::cluster::cluster_info;
use super::credential::Credential;
use super::shape::{Cluster, Exec, User};
use super::{base64_data, wrong};
use crate::cluster::certificate;

/// What kubectl checks whatever the server is.
pub(super) fn check_user(user: &User) -> Result<(), Problem> {
    let has_certificate = !user.client_certificate.is_empty() || !user.client_certificate_data.is_empty();
    if has_certificate {
        for (field, file, data) in [
            ("client-certificate", &user.client_certificate, &user.client_certificate_data),
            ("client-key", &user.client_key, &user.client_key_data),
        ] {
            if !file.is_empty() && !data.is_empty() {
                return Err(wrong(format!("`{field}` and `{field}-data` are both set; remove one of them")));
            }
            if file.is_empty() && data.is_empty() {
                return Err(wrong("it has a client certificate and no `client-key`; add the key"));
            }
        }
    }
    let has_name = !user.username.is_empty() || !user.password.is_empty();
    if has_name && !user.token.is_empty() {
        return Err(wrong("it has a token and a password; remove one of them"));
    }
    let with_user = [
        !user.impersonate_uid.is_empty(),
        !user.impersonate_groups.is_empty(),
        !user.impersonate_extra.is_empty(),
    ];
    if user.impersonate.is_empty() && with_user.contains(&true) {
        return Err(wrong("it has `as-uid`, `as-groups` or `as-user-extra` without `as`; add the user"));
    }
    match &user.exec {
        Some(_) if user.auth_provider.is_some() => {
            Err(wrong("it has an `auth-provider` and an exec plugin; remove one of them"))
        }
        Some(exec) => check_exec(exec),
        None => Ok(()),
    }
}

fn check_exec(exec: &Exec) -> Result<(), Problem> {
    if exec.command.is_empty() {
        return Err(wrong("its exec plugin has no `command`; add it"));
    }
    if exec.api_version.is_empty() {
        return Err(wrong(format!("its exec plugin has no `apiVersion`; add {V1:?}")));
    }
    if exec.env.iter().any(|(name, _)| name.is_empty()) {
        return Err(wrong("its exec plugin has a variable without a name in `env`; add it"));
    }
    match exec.interactive_mode.as_str() {
        "Never" | "IfAvailable" | "Always" => Ok(()),
        "" if exec.api_version != V1 => Ok(()),
        "" => Err(wrong(
            "its exec plugin has no `interactiveMode`; add Never, or IfAvailable if it may ask a person",
        )),
        other => Err(wrong(format!(
            "its exec plugin has the `interactiveMode` {other:?}; write Never, IfAvailable or Always"
        ))),
    }
}

pub(super) fn impersonate(auth: &mut AuthInfo, user: &User) {
    if user.impersonate.is_empty() {
        return;
    }
    auth.impersonate = Some(user.impersonate.clone());
    auth.impersonate_uid = Some(user.impersonate_uid.clone()).filter(|uid| !uid.is_empty());
    auth.impersonate_groups = Some(user.impersonate_groups.clone()).filter(|groups| !groups.is_empty());
    let extra: HashMap<String, Vec<String>> = user.impersonate_extra.clone().into_iter().collect();
    auth.impersonate_user_extra = Some(extra).filter(|extra| !extra.is_empty());
}

/// The client's certificate and its key. An API server answers an expired one with a bare 401.
pub(super) fn identify(auth: &mut AuthInfo, user: &User, name: &str) -> Result<(), Problem> {
    let certificate =
        base64_data::or_file("client-certificate", &user.client_certificate_data, &user.client_certificate)?;
    let Some(certificate) = certificate else { return Ok(()) };
    let key = base64_data::or_file("client-key", &user.client_key_data, &user.client_key)?;
    if let Some(expires) = certificate::not_after(&certificate)
        && expires <= jiff::Timestamp::now()
    {
        return Err(Problem::new(
            Reason::CertificateExpired,
            format!(
                "the client certificate of the user {name:?} expired at {expires}; log in again to get another"
            ),
        ));
    }
    auth.client_certificate_data = Some(STANDARD.encode(certificate));
    auth.client_key_data = key.map(|key| STANDARD.encode(key).into());
    Ok(())
}

/// In kubectl's order: a token, a password, and a plugin only where there is neither, nor a certificate.
pub(super) fn credential_of(
    user: User,
    name: &str,
    cluster: &Cluster,
    authority: Option<&[u8]>,
) -> Result<Credential, Problem> {
    let has_certificate = !user.client_certificate.is_empty() || !user.client_certificate_data.is_empty();
    if let Some(exec) = &user.exec
        && ![V1, V1_BETA].contains(&exec.api_version.as_str())
    {
        return Err(wrong(format!(
            "its exec plugin has the `apiVersion` {:?}; {V1} and {V1_BETA} are known",
            exec.api_version
        )));
    }
    let from_provider =
        user.auth_provider.as_ref().map(|provider| of_provider(&provider.name, &provider.config));
    let from_provider = from_provider.transpose()?;
    let has_token = !user.token.is_empty() || !user.token_file.is_empty();
    if has_token && !user.username.is_empty() {
        return Err(wrong("it has a token and a password; remove one of them"));
    }
    Ok(match (user.exec, from_provider) {
        _ if !user.token_file.is_empty() => Credential::TokenFile {
            path: user.token_file,
            else_token: Some(user.token).filter(|token| !token.is_empty()),
        },
        _ if !user.token.is_empty() => Credential::Token(user.token),
        _ if !user.username.is_empty() => Credential::Basic { user: user.username, password: user.password },
        (Some(mut exec), _) if !has_certificate => {
            exec.cluster = exec.provide_cluster_info.then(|| cluster_info(cluster, authority));
            Credential::Exec { exec: Box::new(exec), user: name.to_owned() }
        }
        (_, Some(token)) => Credential::Token(token),
        (_, None) => Credential::Nothing,
    })
}

fn of_provider(name: &str, config: &BTreeMap<String, String>) -> Result<String, Problem> {
    let field = |key: &str| config.get(key).map(String::as_str).unwrap_or_default();
    match name {
        "oidc" if ["idp-issuer-url", "client-id"].iter().any(|key| field(key).is_empty()) => {
            Err(wrong("its `auth-provider` oidc has no `idp-issuer-url` or no `client-id`; add them"))
        }
        // Only kubectl renews it, and writes it into the kubeconfig.
        "oidc" if is_over(field("id-token")) => Err(wrong(
            "its `auth-provider` oidc has no `id-token` that still counts; run kubectl to get one, or use an exec plugin such as kubelogin",
        )),
        "oidc" => Ok(field("id-token").to_owned()),
        other => Err(wrong(format!(
            "its `auth-provider` {other:?} is none that Kubernetes still has; use the exec plugin that took its place"
        ))),
    }
}

/// Whether it is no JWT, or one whose `exp` is past. Its signature is the API server's to check.
fn is_over(token: &str) -> bool {
    let claims = token.split('.').nth(1).and_then(|claims| URL_SAFE_NO_PAD.decode(claims).ok());
    let claims: Option<Value> = claims.and_then(|claims| serde_json::from_slice(&claims).ok());
    let ends = claims.and_then(|claims| claims.get("exp")?.as_f64());
    #[expect(clippy::cast_precision_loss, reason = "seconds of this century are exact")]
    let now = jiff::Timestamp::now().as_second() as f64;
    ends.is_none_or(|ends| ends <= now)
}

const V1: &str = "client.authentication.k8s.io/v1";
const V1_BETA: &str = "client.authentication.k8s.io/v1beta1";
