//! The files of a pod's volumes, written and written anew as the kubelet does it: into a folder of their own, to which one
//! link is moved, so that all of a volume changes at once.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use cluster::ControlPlane;
use serde_json::Value;

use super::USER;

pub struct Volumes {
    folder: tempfile::TempDir,
    root: PathBuf,
    pod: Value,
}

type Files = BTreeMap<String, Vec<u8>>;

impl Volumes {
    pub(super) fn write(plane: &ControlPlane, pod: &Value) -> Result<Self> {
        let (folder, root) = super::folder()?;
        let volumes = Self { folder, root, pod: pod.clone() };
        volumes.renew(plane)?;
        Ok(volumes)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn folder(&self, volume: &str) -> PathBuf {
        self.folder.path().join(volume)
    }

    /// As the cluster has them now, with another token of the service account.
    pub fn renew(&self, plane: &ControlPlane) -> Result<()> {
        for volume in self.pod.pointer("/spec/volumes").and_then(Value::as_array).into_iter().flatten() {
            let name = volume["name"].as_str().context("a volume has a name")?;
            let files = self.files(plane, volume).with_context(|| format!("the volume {name}"))?;
            place(&self.folder(name), &files)?;
        }
        Ok(())
    }

    /// The same as another pod of the same kind has them.
    pub fn renew_for(&mut self, plane: &ControlPlane, pod: &Value) -> Result<()> {
        let named = |pod: &Value, place: &str| pod.pointer(place).cloned().unwrap_or_default();
        for (part, key) in [("metadata", "name"), ("metadata", "uid")] {
            self.pod[part][key] = named(pod, &format!("/{part}/{key}"));
        }
        self.renew(plane)
    }

    fn files(&self, plane: &ControlPlane, volume: &Value) -> Result<Files> {
        if let Some(name) = volume.pointer("/configMap/name").and_then(Value::as_str) {
            return self.config_map(plane, name);
        }
        if let Some(name) = volume.pointer("/secret/secretName").and_then(Value::as_str) {
            return self.secret(plane, name);
        }
        if volume.get("emptyDir").is_some() {
            return Ok(Files::new());
        }
        let Some(sources) = volume.pointer("/projected/sources").and_then(Value::as_array) else {
            bail!("of a kind that this doesn't know: {volume}")
        };
        let mut files = Files::new();
        for source in sources {
            if let Some(name) = source.pointer("/configMap/name").and_then(Value::as_str) {
                files.extend(self.config_map(plane, name)?);
            } else if source.get("serviceAccountToken").is_some() {
                files.insert("token".to_owned(), self.token(plane)?.into_bytes());
            } else if source.get("downwardAPI").is_some() {
                files.insert("namespace".to_owned(), self.text("/metadata/namespace")?.into());
            } else {
                bail!("a source that this doesn't know: {source}");
            }
        }
        Ok(files)
    }

    /// By a TokenRequest for the pod's account, bound to the pod as the kubelet's are.
    fn token(&self, plane: &ControlPlane) -> Result<String> {
        let (name, uid) = (self.text("/metadata/name")?, self.text("/metadata/uid")?);
        let bound = [format!("--bound-object-name={name}"), format!("--bound-object-uid={uid}")];
        let account = self.text("/spec/serviceAccountName")?;
        let request = ["create", "token", account, "--bound-object-kind=Pod", &bound[0], &bound[1]];
        let token = plane.kubectl_output(&[&self.namespace()?[..], &request].concat())?;
        Ok(token.trim().to_owned())
    }

    fn config_map(&self, plane: &ControlPlane, name: &str) -> Result<Files> {
        let data = self.data(plane, "configmap", name)?;
        Ok(data.into_iter().map(|(key, text)| (key, text.into_bytes())).collect())
    }

    fn secret(&self, plane: &ControlPlane, name: &str) -> Result<Files> {
        let data = self.data(plane, "secret", name)?;
        data.into_iter().map(|(key, text)| Ok((key, BASE64_STANDARD.decode(text)?))).collect()
    }

    fn data(&self, plane: &ControlPlane, kind: &str, name: &str) -> Result<BTreeMap<String, String>> {
        let get = ["get", kind, name, "-o", "jsonpath={.data}"];
        let text = plane.kubectl_output(&[&self.namespace()?[..], &get].concat())?;
        serde_json::from_str(&text).with_context(|| format!("the data of {kind}/{name}"))
    }

    fn namespace(&self) -> Result<[&str; 2]> {
        Ok(["-n", self.text("/metadata/namespace")?])
    }

    fn text(&self, place: &str) -> Result<&str> {
        self.pod.pointer(place).and_then(Value::as_str).with_context(|| format!("{place} of the pod"))
    }
}

fn place(folder: &Path, files: &Files) -> Result<()> {
    fs::create_dir_all(folder)?;
    let count = fs::read_dir(folder)?.count();
    let written = folder.join(format!("..{count}"));
    fs::create_dir(&written)?;
    for (name, bytes) in files {
        let path = written.join(name);
        fs::write(&path, bytes)?;
        // Its group may read it, which is `fsGroup`.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o440))?;
        if rustix::process::geteuid().is_root() {
            chown(&path, None, Some(USER))?;
        }
        let link = folder.join(name);
        if !link.is_symlink() {
            symlink(Path::new("..data").join(name), &link)?;
        }
    }
    let next = folder.join("..data_tmp");
    symlink(written.file_name().context("a name")?, &next)?;
    fs::rename(&next, folder.join("..data")).context("move the link")
}
