//! The kubeconfig of a playground: JSON, which is YAML. Pure.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::json::set;
use crate::options::Options;

/// With a context for each user, named after him; `chosen` is the current context.
pub fn of(url: &str, certificate: Option<&str>, options: &Options, chosen: &str) -> String {
    let mut users: Vec<(&str, Option<&str>)> =
        options.users.iter().map(|user| (user.name.as_str(), Some(user.token.as_str()))).collect();
    // A user may have several tokens, and a context has one name.
    let mut names = BTreeSet::new();
    users.retain(|(name, _)| names.insert(*name));
    if users.is_empty() || options.token.is_some() {
        users.push((&options.name, options.token.as_deref()));
    }
    let mut cluster = json!({"server": url});
    if let Some(certificate) = certificate {
        set(&mut cluster, &["certificate-authority-data"], json!(STANDARD.encode(certificate)));
    }
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": chosen, "preferences": {},
        "clusters": [{"name": options.name, "cluster": cluster}],
        "users": users.iter().map(entry).collect::<Vec<_>>(),
        "contexts": users.iter().map(|user| context(user, &options.name)).collect::<Vec<_>>(),
    });
    format!("{config:#}\n")
}

fn entry((name, token): &(&str, Option<&str>)) -> Value {
    let credential = token.map_or_else(|| json!({}), |token| json!({"token": token}));
    json!({"name": name, "user": credential})
}

fn context((name, _): &(&str, Option<&str>), cluster: &str) -> Value {
    json!({"name": name, "context": {"cluster": cluster, "user": name, "namespace": "default"}})
}
