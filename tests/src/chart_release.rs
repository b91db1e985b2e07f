//! The chart in namespaces of a control plane whose controllers make pods, and a viewer who may see everything.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use cluster::{ControlPlane, Options};
use serde_json::Value;
use shared::resource::Resource;
use shared::scope::Scope;

use crate::dogwatch::binary;
use crate::helm::{Helm, IMAGE};
use crate::metrics::get;
use crate::pod::{Image, Pod, pods_of};
use crate::viewer::Viewer;

pub fn plane() -> Result<ControlPlane> {
    ControlPlane::start(Options { has_controllers: true, ..Options::default() })
}

/// One release in a namespace of its own, which takes restricted pods alone.
pub struct Release<'a> {
    plane: &'a ControlPlane,
    helm: Helm,
    /// The name of both the release and its namespace.
    pub name: &'a str,
}

const RELEASE: &str = "app.kubernetes.io/instance";

impl<'a> Release<'a> {
    /// The chart of this clone. What Helm prints besides, too.
    pub fn install(plane: &'a ControlPlane, name: &'a str, flags: &[&str]) -> Result<(Self, String)> {
        Self::install_chart(plane, &Helm::chart(), name, flags)
    }

    /// A chart in a folder or an archive.
    pub fn install_chart(
        plane: &'a ControlPlane,
        chart: &Path,
        name: &'a str,
        flags: &[&str],
    ) -> Result<(Self, String)> {
        plane.apply(&namespace(name))?;
        let release = Self { plane, helm: Helm::of(plane)?, name };
        let what = ["install", name, &chart.to_string_lossy(), "--namespace", name, "--set", IMAGE];
        let printed = release.helm.output(&[&what[..], flags].concat())?;
        Ok((release, printed))
    }

    /// The manifests of `helm test`.
    pub fn tests(&self) -> Result<String> {
        self.helm.output(&["get", "hooks", self.name, "--namespace", self.name])
    }

    /// `kubectl` in its namespace.
    pub fn kubectl(&self, arguments: &[&str]) -> Result<String> {
        self.plane.kubectl_output(&[&["--namespace", self.name], arguments].concat())
    }

    /// A pod that the controllers made for it.
    pub fn pod(&self) -> Result<Value> {
        let pods = "jsonpath={.status.replicas}=2";
        self.kubectl(&["wait", "deployment", "-l", &self.selector(), "--for", pods, "--timeout=60s"])?;
        pods_of(self.plane, self.name, &self.selector())?.pop().context("a pod")
    }

    pub fn selector(&self) -> String {
        format!("{RELEASE}={}", self.name)
    }

    /// The gateway of one of its pods.
    pub fn start(&self) -> Result<Pod> {
        self.start_as(&self.pod()?)
    }

    pub fn start_as(&self, pod: &Value) -> Result<Pod> {
        let (unpacked, binary) = (std::env::var_os("DOGWATCH_IMAGE").map(PathBuf::from), binary());
        let image = unpacked.as_deref().map_or(Image::Binary(&binary), Image::Unpacked);
        self.start_in(image, pod)
    }

    pub fn start_in(&self, image: Image<'_>, pod: &Value) -> Result<Pod> {
        Pod::start(self.plane, pod, image, &LOOPBACK)
    }

    pub fn account(&self) -> String {
        format!("system:serviceaccount:{0}:{0}-dogwatch", self.name)
    }

    /// The name of its ClusterRole.
    pub fn role(&self) -> String {
        format!("{0}:{0}-dogwatch", self.name)
    }

    /// The token of an account that may do everything.
    pub fn viewer(&self) -> Result<String> {
        let account = format!("--serviceaccount={}:viewer", self.name);
        let binding = format!("viewer-of-{}", self.name);
        self.kubectl(&["create", "serviceaccount", "viewer"])?;
        let bind = ["create", "clusterrolebinding", &binding, "--clusterrole=cluster-admin", &account];
        self.kubectl(&bind)?;
        Ok(self.kubectl(&["create", "token", "viewer", "--duration=1h"])?.trim().to_owned())
    }

    /// Waits until the API server's authorizer says so of the gateway's account.
    pub fn until_may(&self, verb: &str, resource: &str, may: bool) -> Result<()> {
        let account = self.account();
        for _ in 0..ASKED_TIMES {
            let question = ["auth", "can-i", verb, resource, "-A", "--as", &account, "-o", "name"];
            let answer = self.plane.kubectl().args(question).output()?;
            if answer.status.success() == may {
                return Ok(());
            }
        }
        bail!("{account} may {verb} {resource}: still {}", !may)
    }
}

/// Each question takes some 50 ms; the authorizer hears of a change within one.
const ASKED_TIMES: usize = 200;

/// Other programs of the machine may hold the chart's ports, so free ones take their place.
const LOOPBACK: [(&str, &str); 2] =
    [("DOGWATCH_LISTEN", "127.0.0.1:0"), ("DOGWATCH_METRICS_LISTEN", "127.0.0.1:0")];

fn namespace(name: &str) -> String {
    let mut text = format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}, labels: {{");
    for mode in ["enforce", "warn"] {
        let _ = write!(text, "pod-security.kubernetes.io/{mode}: restricted, ");
    }
    text + "}}}"
}

/// A view of all objects of a kind, as `plural.group`.
pub fn view(pod: &Pod, token: &str, kind: &str) -> Result<Viewer> {
    let (plural, group) = kind.split_once('.').unwrap_or((kind, ""));
    // The version is the cluster's preferred one: nothing here is served in several.
    let version = if group == "autoscaling" { "v2" } else { "v1" };
    let scope = Scope::all(Resource::parse(group, version, plural)?);
    Ok(Viewer::of_bearer(&pod.address()?, token, scope))
}

/// The line of a check in `/readyz?verbose`.
pub fn check(pod: &Pod, name: &str) -> Result<String> {
    let text = get(pod.address()?, "/readyz?verbose")?;
    let line = text.lines().find(|line| line.contains(name));
    Ok(line.with_context(|| format!("{name} in {text}"))?.to_owned())
}

pub fn has_no_more_than_it_needs(pod: &Pod) -> Result<()> {
    let (line, log) = (check(pod, "own-rights")?, pod.log());
    ensure!(line == "[+]own-rights ok" && !log.contains("own account"), "{line}\n{log}");
    Ok(())
}
