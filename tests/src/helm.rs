//! Helm with the chart of this clone, and what it renders.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cluster::{Binaries, ControlPlane};
use serde_json::Value;

pub struct Helm {
    program: PathBuf,
    /// Its own caches and configuration.
    home: tempfile::TempDir,
    kubeconfig: Option<PathBuf>,
}

/// What is refused without a value of it.
pub const IMAGE: &str = "image.repository=registry.example.org/dogwatch";

impl Helm {
    /// Without a cluster.
    pub fn new() -> Result<Self> {
        Ok(Self { program: Binaries::ensure_helm()?, home: tempfile::tempdir()?, kubeconfig: None })
    }

    /// As the admin of this cluster.
    pub fn of(plane: &ControlPlane) -> Result<Self> {
        Ok(Self { kubeconfig: Some(plane.kubeconfig()), ..Self::new()? })
    }

    pub fn chart() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/chart")
    }

    /// What it prints; what it complains of becomes the error.
    pub fn output(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.args(arguments).env_remove("KUBECONFIG").env("HOME", self.home.path());
        for variable in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
            command.env(variable, self.home.path());
        }
        command.envs(self.kubeconfig.iter().map(|path| ("KUBECONFIG", path)));
        let output = command.output().context("start helm")?;
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "helm {} failed: {complaint}", arguments.join(" "));
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The manifests of a release `dogwatch` in the namespace `dogwatch`, with these flags.
    pub fn template(&self, flags: &[&str]) -> Result<String> {
        let chart = Self::chart();
        let chart = chart.to_string_lossy();
        let what = ["template", "dogwatch", &*chart, "--namespace=dogwatch", "--set", IMAGE];
        self.output(&[&what[..], flags].concat())
    }
}

/// The objects of manifests.
pub fn objects(manifests: &str) -> Result<Vec<Value>> {
    let objects: Vec<Value> = serde_saphyr::from_multiple(manifests).context("manifests in YAML")?;
    Ok(objects.into_iter().filter(|object| object.is_object()).collect())
}

/// The one object of a kind.
pub fn object<'a>(objects: &'a [Value], kind: &str) -> Result<&'a Value> {
    objects.iter().find(|object| object["kind"] == kind).with_context(|| format!("a {kind}"))
}
