//! The folder of one control plane: its files, its ports, and the command lines that follow.

use std::env;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::binaries::Binaries;
use crate::fleet::Fleet;
use crate::process::Invocation;
use crate::users::{self, ADMIN, User};

/// Where everything of one control plane lies and listens.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) folder: PathBuf,
    pub(crate) ports: Ports,
    pub(crate) users: Vec<User>,
    pub(crate) apiserver_flags: Vec<String>,
    pub(crate) records_requests: bool,
    pub(crate) fleet: Option<Fleet>,
    pub(crate) has_controllers: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Ports {
    pub(crate) apiserver: u16,
    pub(crate) etcd_client: u16,
    pub(crate) etcd_peer: u16,
}

impl Layout {
    /// Writes what the servers read at their start; a key that exists stays.
    pub(crate) fn prepare(&self) -> Result<()> {
        let write = |name: &str, text: &str| {
            let path = self.folder.join(name);
            fs::write(&path, text).with_context(|| format!("write {}", path.display()))
        };
        write(AUDIT_POLICY, if self.records_requests { AUDIT_ALL } else { AUDIT_RULES })?;
        write("tokens.csv", &users::token_file(&self.users))?;
        if !self.folder.join(SIGNING_KEY).exists() {
            write(SIGNING_KEY, &signing_key()?)?;
        }
        Ok(())
    }

    pub(crate) fn server(&self) -> String {
        format!("https://127.0.0.1:{}", self.ports.apiserver)
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.join("kubeconfig")
    }

    pub(crate) fn kubeconfig_of(&self, user: &str) -> PathBuf {
        self.folder.join(format!("kubeconfig-{user}"))
    }

    /// The apiserver makes its own certificate before it listens; only then can these be written.
    pub(crate) fn write_kubeconfigs(&self) -> Result<()> {
        let tokens: Vec<_> =
            self.users.iter().map(|user| (user.name.clone(), json!({"token": user.token()}))).collect();
        let write = |path: PathBuf, current: &str| {
            let certificate = self.certificate();
            let text = users::kubeconfig(&self.server(), &certificate, &tokens, current)?;
            fs::write(&path, text).with_context(|| format!("write {}", path.display()))
        };
        for user in &self.users {
            write(self.kubeconfig_of(&user.name), &user.name)?;
        }
        write(self.kubeconfig(), ADMIN)
    }

    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.join("certs/apiserver.crt")
    }

    pub(crate) fn etcd_data(&self) -> PathBuf {
        self.folder.join("etcd")
    }

    pub(crate) fn etcd(&self, binaries: &Binaries) -> Invocation {
        let client = format!("http://127.0.0.1:{}", self.ports.etcd_client);
        let peer = format!("http://127.0.0.1:{}", self.ports.etcd_peer);
        let mut arguments = vec![
            format!("--data-dir={}", self.etcd_data().display()),
            format!("--listen-client-urls={client}"),
            format!("--advertise-client-urls={client}"),
            format!("--listen-peer-urls={peer}"),
            format!("--initial-advertise-peer-urls={peer}"),
            format!("--initial-cluster=default={peer}"),
        ];
        // The data needn't survive the machine, only the process.
        arguments.push("--unsafe-no-fsync".to_owned());
        Invocation { program: binaries.etcd.clone(), arguments, log: self.folder.join("etcd.log") }
    }

    pub(crate) fn kube_apiserver(&self, binaries: &Binaries) -> Invocation {
        let mut arguments = vec![
            format!("--etcd-servers=http://127.0.0.1:{}", self.ports.etcd_client),
            format!("--secure-port={}", self.ports.apiserver),
            format!("--cert-dir={}", self.file("certs")),
            format!("--token-auth-file={}", self.file("tokens.csv")),
            format!("--service-account-signing-key-file={}", self.file(SIGNING_KEY)),
            format!("--service-account-key-file={}", self.file(SIGNING_KEY)),
        ];
        arguments.extend(APISERVER_FLAGS.iter().map(|flag| (*flag).to_owned()));
        match self.fleet {
            Some(fleet) => arguments.extend(fleet.apiserver_flags()),
            // No controller manager makes the accounts that this plugin asks of every pod.
            None if self.has_controllers => {}
            None => arguments.push("--disable-admission-plugins=ServiceAccount".to_owned()),
        }
        // A file of authorisers stands in its place, and the apiserver refuses both.
        if !self.apiserver_flags.iter().any(|flag| flag.starts_with("--authorization-config=")) {
            arguments.push("--authorization-mode=RBAC".to_owned());
        }
        arguments.extend(self.audit_flags());
        arguments.extend(self.apiserver_flags.iter().cloned());
        Invocation {
            program: binaries.kube_apiserver.clone(),
            arguments,
            log: self.folder.join("kube-apiserver.log"),
        }
    }

    /// `DOGWATCH_REQUESTS=FOLDER` records there what every apiserver was asked for.
    pub(crate) fn audit_log(&self) -> Option<PathBuf> {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let of_all =
            env::var_os("DOGWATCH_REQUESTS").map(|folder| Path::new(&folder).join(format!("{name}.jsonl")));
        of_all.or_else(|| self.records_requests.then(|| self.folder.join("requests.jsonl")))
    }

    fn audit_flags(&self) -> Vec<String> {
        let Some(log) = self.audit_log() else { return Vec::new() };
        vec![
            format!("--audit-policy-file={}", self.file(AUDIT_POLICY)),
            format!("--audit-log-path={}", log.display()),
        ]
    }

    pub(crate) fn file(&self, name: &str) -> String {
        Path::new(&self.folder).join(name).display().to_string()
    }
}

/// A fresh P-256 key in the form of SEC1 (RFC 5915), without the optional public part: written by hand, because it is
/// 51 bytes and needs neither openssl nor a crate. It signs test tokens alone.
fn signing_key() -> Result<String> {
    let mut secret = [0_u8; 32];
    fs::File::open("/dev/urandom")
        .and_then(|mut chance| chance.read_exact(&mut secret))
        .context("read /dev/urandom")?;
    // Below the order of the curve, which begins with 0xffffffff.
    secret[0] &= 0x7f;
    let mut der = vec![0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20];
    der.extend_from_slice(&secret);
    der.extend_from_slice(&[0xa0, 0x0a, 0x06, 0x08]);
    der.extend_from_slice(&PRIME256V1);
    let body = BASE64_STANDARD.encode(der);
    let label = "EC PRIVATE KEY";
    Ok(format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n"))
}

/// 1.2.840.10045.3.1.7.
const PRIME256V1: [u8; 8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];

pub(crate) const SIGNING_KEY: &str = "service-account.key";

const AUDIT_POLICY: &str = "audit-policy.yaml";

/// Each request once, as it arrives, whatever becomes of it.
const AUDIT_RULES: &str = "apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ResponseStarted, ResponseComplete]
rules: [{level: Metadata}]
";

/// Also what became of each: only then it is known whom a request impersonates.
const AUDIT_ALL: &str = "apiVersion: audit.k8s.io/v1
kind: Policy
rules: [{level: Metadata}]
";

const APISERVER_FLAGS: [&str; 6] = [
    "--bind-address=127.0.0.1",
    // Without it a machine that has no default route is refused.
    "--advertise-address=127.0.0.1",
    "--endpoint-reconciler-type=none",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-cluster-ip-range=10.96.0.0/16",
    "--allow-privileged=true",
];
