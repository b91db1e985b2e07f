//! The users of the apiserver: a static token and a kubeconfig for each.
//!
//! The tokens are words, not secrets: they open a server on loopback that holds test data alone.

use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// A user of the control plane. Without a binding in RBAC it may only read discovery.
#[derive(Clone, Debug)]
pub struct User {
    pub name: String,
    pub groups: Vec<String>,
}

impl User {
    pub fn new(name: &str, groups: &[&str]) -> User {
        User { name: name.to_owned(), groups: groups.iter().map(|group| (*group).to_owned()).collect() }
    }

    /// May do everything; always there.
    pub(crate) fn admin() -> User {
        User::new(ADMIN, &["system:masters"])
    }

    pub fn token(&self) -> String {
        format!("token-of-{}", self.name)
    }
}

/// The lines of `--token-auth-file`.
pub(crate) fn token_file(users: &[User]) -> String {
    let line = |user: &User| {
        let name = &user.name;
        let known = format!("{},{name},{name}", user.token());
        match user.groups.as_slice() {
            // An empty column would be a group without a name.
            [] => known + "\n",
            groups => format!("{known},\"{}\"\n", groups.join(",")),
        }
    };
    users.iter().map(line).collect()
}

/// A kubeconfig (JSON is YAML) with a context and a credential for each user, `current` chosen.
pub(crate) fn kubeconfig(
    server: &str,
    certificate: &Path,
    users: &[(String, Value)],
    current: &str,
) -> Result<String> {
    let authority = std::fs::read(certificate)
        .with_context(|| format!("read the apiserver's certificate {}", certificate.display()))?;
    let users_of = |(name, credential): &(String, Value)| json!({"name": name, "user": credential});
    let contexts_of =
        |(name, _): &(String, Value)| json!({"name": name, "context": {"cluster": CLUSTER, "user": name}});
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": CLUSTER, "cluster": {
            "server": server,
            "certificate-authority-data": BASE64_STANDARD.encode(authority),
        }}],
        "users": users.iter().map(users_of).collect::<Vec<_>>(),
        "contexts": users.iter().map(contexts_of).collect::<Vec<_>>(),
        "current-context": current,
    });
    serde_json::to_string_pretty(&config).context("write the kubeconfig")
}

pub(crate) const ADMIN: &str = "admin";
const CLUSTER: &str = "dogwatch-test";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_line_names_user_and_groups() {
        let users = [User::admin(), User::new("nobody", &[]), User::new("ann", &["a", "b"])];
        assert_eq!(
            token_file(&users),
            "token-of-admin,admin,admin,\"system:masters\"\n\
             token-of-nobody,nobody,nobody\n\
             token-of-ann,ann,ann,\"a,b\"\n"
        );
    }
}
