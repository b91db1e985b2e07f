//! A pod without a kubelet: its container's process, as its object has it. It has the files of its volumes, its
//! environment and its user, a root that can't be written, and no capability; what it lacks are a network of its own and
//! limits. Linux only.

mod volumes;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use cluster::ControlPlane;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

pub use volumes::Volumes;

/// What the container's root is made of.
#[derive(Clone, Copy, Debug)]
pub enum Image<'a> {
    /// The binary of the tests, with the libraries of this machine.
    Binary(&'a Path),
    /// An unpacked image, whose entrypoint is `/dogwatch`.
    Unpacked(&'a Path),
}

pub struct Pod {
    child: Child,
    log: Arc<(Mutex<Log>, Condvar)>,
    pub volumes: Volumes,
}

#[derive(Default)]
struct Log {
    text: String,
    has_ended: bool,
}

/// As long as a gateway may take to start, or to notice what it looks at every few seconds.
const DEADLINE: Duration = Duration::from_secs(90);

impl Pod {
    /// Starts the container of this pod, which the API server has. `more` replaces variables: the port isn't the pod's
    /// own here.
    pub fn start(plane: &ControlPlane, pod: &Value, image: Image<'_>, more: &[(&str, &str)]) -> Result<Self> {
        let volumes = Volumes::write(plane, pod)?;
        let container = pod.pointer("/spec/containers/0").context("a container")?;
        let server = plane.server();
        let (host, port) = server.trim_start_matches("https://").split_once(':').context("a port")?;
        let mut command = isolated(&script(container, image, &volumes)?);
        let mut child = command
            .args(texts(&container["args"]))
            .env_clear()
            .envs([("KUBERNETES_SERVICE_HOST", host), ("KUBERNETES_SERVICE_PORT", port)])
            .envs(variables(container))
            .envs(more.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("start unshare")?;
        let log = Arc::new((Mutex::default(), Condvar::new()));
        let (written, errors) = (log.clone(), child.stderr.take().context("stderr is piped")?);
        thread::spawn(move || read(errors, &written));
        let pod = Self { child, log, volumes };
        pod.until_log(" at http")?;
        Ok(pod)
    }

    /// Waits until the log has this text; returns all of it.
    pub fn until_log(&self, text: &str) -> Result<String> {
        let (log, changed) = &*self.log;
        let guard = log.lock().ok().context("the log")?;
        let is_waiting = |log: &mut Log| !log.text.contains(text) && !log.has_ended;
        let (guard, _) = changed.wait_timeout_while(guard, DEADLINE, is_waiting).ok().context("the log")?;
        ensure!(guard.text.contains(text), "{text:?} isn't in the log:\n{}", guard.text);
        Ok(guard.text.clone())
    }

    pub fn log(&self) -> String {
        self.log.0.lock().map(|log| log.text.clone()).unwrap_or_default()
    }

    /// Where it listens, by its log.
    pub fn address(&self) -> Result<String> {
        let log = self.log();
        let url = log.split_whitespace().find(|word| word.starts_with("http")).context("a URL in the log")?;
        Ok(url.split('/').nth(2).context("an address")?.to_owned())
    }

    /// A line of `/proc/PID/status`.
    pub fn status(&self, key: &str) -> Result<String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        Ok(line
            .with_context(|| format!("{key} in {status}"))?
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "))
    }

    /// As the kubelet ends it.
    pub fn end(mut self) -> Result<ExitStatus> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        Ok(self.child.wait()?)
    }
}

impl Drop for Pod {
    fn drop(&mut self) {
        // It may have ended by itself; either way it must be gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("--- the pod wrote:\n{}", self.log());
        }
    }
}

fn read(errors: impl std::io::Read, written: &(Mutex<Log>, Condvar)) {
    let (log, changed) = written;
    for line in BufReader::new(errors).lines().map_while(Result::ok) {
        if let Ok(mut log) = log.lock() {
            log.text += &(line + "\n");
        }
        changed.notify_all();
    }
    if let Ok(mut log) = log.lock() {
        log.has_ended = true;
    }
    changed.notify_all();
}

/// A shell with a table of mounts of its own, where it is root; the process that it becomes isn't.
fn isolated(script: &str) -> Command {
    let mut command = Command::new("/usr/bin/unshare");
    if !rustix::process::geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["--mount", "--propagation", "private", "/bin/sh", "-c", script, "sh"]);
    command
}

/// Mounts root and volumes, and becomes the container's process, whose arguments are the script's.
fn script(container: &Value, image: Image<'_>, volumes: &Volumes) -> Result<String> {
    let root = volumes.root().display().to_string();
    let mut lines = vec!["set -e".to_owned()];
    let mut mount = |source: &Path, place: &str, is_read_only: bool| {
        let target = format!("{root}{place}");
        let make = if source.is_dir() { "mkdir -p" } else { "touch" };
        lines.push(format!("{make} '{target}'; mount --bind '{}' '{target}'", source.display()));
        if is_read_only {
            lines.push(format!("mount -o remount,bind,ro '{target}'"));
        }
    };
    match image {
        Image::Binary(binary) => {
            mount(Path::new("/usr"), "/usr", true);
            mount(binary, "/dogwatch", true);
        }
        Image::Unpacked(_) => {}
    }
    for volume in container["volumeMounts"].as_array().into_iter().flatten() {
        let (name, place) = (volume["name"].as_str(), volume["mountPath"].as_str());
        let (name, place) = name.zip(place).context("a mount has a name and a path")?;
        mount(&volumes.folder(name), place, volume["readOnly"] == true);
    }
    let root_is_read_only =
        container.pointer("/securityContext/readOnlyRootFilesystem") == Some(&true.into());
    let fill = match image {
        Image::Binary(_) => format!(
            "mount -t tmpfs -o mode=755 root '{root}'; ln -s usr/lib '{root}/lib'; ln -s usr/lib64 '{root}/lib64'"
        ),
        // A copy: folders for the volumes are made in it.
        Image::Unpacked(unpacked) => {
            format!("mount -t tmpfs -o mode=755 root '{root}'; cp -a '{}/.' '{root}'", unpacked.display())
        }
    };
    lines.insert(1, fill);
    if root_is_read_only {
        lines.push(format!("mount -o remount,ro '{root}'"));
    }
    let user = match rustix::process::geteuid().is_root() {
        true => format!("--setuid {USER} --setgid {USER}"),
        // Without root the process can't change its user.
        false => String::new(),
    };
    lines.push(format!("exec setpriv --no-new-privs unshare --root='{root}' --wd=/ {user} /dogwatch \"$@\""));
    Ok(lines.join("\n"))
}

/// What the chart has as `runAsUser`, and what the image has without it.
const USER: u32 = 65_532;

fn variables(container: &Value) -> Vec<(String, String)> {
    let variables = container["env"].as_array().into_iter().flatten();
    let pair = |variable: &Value| {
        Some((variable["name"].as_str()?.to_owned(), variable["value"].as_str()?.to_owned()))
    };
    variables.filter_map(pair).collect()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The pods of this selector, as the API server has them.
pub fn pods_of(plane: &ControlPlane, namespace: &str, selector: &str) -> Result<Vec<Value>> {
    let text = plane.kubectl_output(&["get", "pods", "-n", namespace, "-l", selector, "-o", "json"])?;
    match serde_json::from_str::<Value>(&text)?["items"].take() {
        Value::Array(pods) => Ok(pods),
        other => bail!("no pods: {other}"),
    }
}

/// A folder below which all is this pod's.
pub(crate) fn folder() -> Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::Builder::new().prefix("dogwatch-pod-").tempdir()?;
    let root = folder.path().join("root");
    std::fs::create_dir(&root)?;
    Ok((folder, root))
}
