//! A credential that can be exchanged while clients hold it: the token of a ServiceAccount. Those of
//! [`User`](crate::User)s can't be, because the apiserver reads them once.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use super::ControlPlane;
use crate::kubectl::Kubectl;
use crate::users;

/// The ServiceAccount, the file with its token, and a kubeconfig that names this file.
#[derive(Debug)]
pub struct Credential {
    name: String,
    kubectl: Kubectl,
    folder: PathBuf,
    rotations: u32,
}

impl ControlPlane {
    /// Makes the ServiceAccount `name` in the namespace `default`. It has no rights until a test
    /// binds some to [`Credential::user`].
    pub fn credential(&self, name: &str) -> Result<Credential> {
        let credential = Credential {
            name: name.to_owned(),
            kubectl: self.tool(),
            folder: self.folder().to_owned(),
            rotations: 0,
        };
        credential.kubectl.output(&["create", "serviceaccount", name])?;
        credential.issue()?;
        let user = (name.to_owned(), json!({"tokenFile": credential.token_file()}));
        let text = users::kubeconfig(&self.server(), &self.certificate(), &[user], name)?;
        let path = credential.kubeconfig();
        fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
        Ok(credential)
    }
}

impl Credential {
    /// As RBAC calls it.
    pub fn user(&self) -> String {
        format!("system:serviceaccount:default:{}", self.name)
    }

    /// The present one.
    pub fn token(&self) -> Result<String> {
        let file = self.token_file();
        let token = fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
        Ok(token.trim().to_owned())
    }

    /// With the path of the token's file.
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder.join(format!("kubeconfig-of-account-{}", self.name))
    }

    /// The file has a new token. The old one is refused when the apiserver's cache of tokens has
    /// forgotten it, within about 10 s.
    pub fn rotate(&mut self) -> Result<()> {
        let old = self.bound_to();
        self.rotations += 1;
        self.issue()?;
        self.kubectl.output(&["delete", "secret", &old]).map(drop)
    }

    /// A token lives at least 10 minutes, unless the object that it is bound to goes before.
    fn issue(&self) -> Result<()> {
        let bound = self.bound_to();
        self.kubectl.output(&["create", "secret", "generic", &bound])?;
        let bound_to = format!("--bound-object-name={bound}");
        let arguments = ["create", "token", &self.name, "--bound-object-kind=Secret", &bound_to];
        let token = self.kubectl.output(&arguments)?;
        replace(&self.token_file(), token.trim())
    }

    fn bound_to(&self) -> String {
        format!("{}-token-{}", self.name, self.rotations)
    }

    fn token_file(&self) -> PathBuf {
        self.folder.join(format!("token-of-account-{}", self.name))
    }
}

/// Replaces the file as a whole, so that no reader sees half a token.
fn replace(path: &Path, text: &str) -> Result<()> {
    let unfinished = path.with_extension("new");
    fs::write(&unfinished, text).with_context(|| format!("write {}", unfinished.display()))?;
    fs::rename(&unfinished, path).with_context(|| format!("put {} in place", path.display()))
}
