//! Where the control plane's programs are: in `KUBEBUILDER_ASSETS`, in the cache, or built into it.
//!
//! A program is built into a temporary name and renamed, under a lock between processes, so that the
//! cache never holds half a program. Nothing is downloaded except Go modules, by `go` itself.

use std::env;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::module;
use crate::program::{Program, Version};

/// The three programs without which there is no control plane, found or built. Those of the fleet
/// are asked for when a fleet is.
#[derive(Clone, Debug)]
pub struct Binaries {
    pub version: Version,
    pub etcd: PathBuf,
    pub kube_apiserver: PathBuf,
    pub kubectl: PathBuf,
}

impl Binaries {
    /// The programs of the version that is tested, built if need be.
    pub fn ensure() -> Result<Binaries> {
        Self::ensure_version(&Version::default())
    }

    /// Builds what a fleet needs besides, so that no test waits for it.
    pub fn ensure_fleet() -> Result<()> {
        let fleet = [Program::KubeControllerManager, Program::KubeScheduler, Program::Kwok];
        fleet.into_iter().try_for_each(|program| program.ensure(&Version::default()).map(drop))
    }

    /// The pinned kubectl alone, built if need be.
    pub fn kubectl() -> Result<PathBuf> {
        Program::Kubectl.ensure(&Version::pinned())
    }

    /// What checks alert rules, built if need be.
    pub fn ensure_promtool() -> Result<PathBuf> {
        Program::Promtool.ensure(&Version::default())
    }

    /// What rules tell, built if need be.
    pub fn ensure_alertmanager() -> Result<PathBuf> {
        Program::Alertmanager.ensure(&Version::default())
    }

    /// What checks workflows, built if need be.
    pub fn ensure_actionlint() -> Result<PathBuf> {
        Program::Actionlint.ensure(&Version::default())
    }

    /// What installs a chart, built if need be.
    pub fn ensure_helm() -> Result<PathBuf> {
        Program::Helm.ensure(&Version::default())
    }

    /// The programs of one version. `KUBEBUILDER_ASSETS` stands for the pinned version alone: a caller that names
    /// another version gets that one.
    pub fn ensure_version(version: &Version) -> Result<Binaries> {
        let version = &Version::parse(&version.to_string())?;
        Ok(Binaries {
            version: version.clone(),
            etcd: Program::Etcd.ensure(version)?,
            kube_apiserver: Program::KubeApiserver.ensure(version)?,
            kubectl: Program::Kubectl.ensure(version)?,
        })
    }
}

impl Program {
    /// The path of this program, built first where it is neither given nor cached.
    pub fn ensure(self, version: &Version) -> Result<PathBuf> {
        if let Some(assets) = env::var_os("KUBEBUILDER_ASSETS").filter(|folder| !folder.is_empty())
            && *version == Version::pinned()
        {
            let path = Path::new(&assets).join(self.name());
            if path.is_file() {
                return Ok(path);
            }
            ensure!(
                !self.is_among_usual_assets(),
                "KUBEBUILDER_ASSETS is {} but there is no {} in it; put it there or unset the variable",
                assets.display(),
                self.name(),
            );
        }
        let cache = cache_folder()?;
        let folder = cache.join(self.release(version));
        let path = folder.join(self.name());
        if path.is_file() {
            return Ok(path);
        }
        fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
        let _lock = lock(&cache.join("lock"))?;
        // The process that held the lock may have built it meanwhile.
        if !path.is_file() {
            module::build(self, version, &path)?;
        }
        Ok(path)
    }
}

fn cache_folder() -> Result<PathBuf> {
    let base = match env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => env::home_dir()
            .context(
                "neither XDG_CACHE_HOME nor a home folder is known: nowhere to build the control plane into",
            )?
            .join(".cache"),
    };
    Ok(base.join("dogwatch/control-plane"))
}

pub(crate) fn lock(path: &Path) -> Result<File> {
    let file = File::create(path).with_context(|| format!("create {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            eprintln!("another process builds this; waiting for it");
            file.lock().with_context(|| format!("lock {}", path.display()))?;
        }
        Err(TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("lock {}", path.display()));
        }
    }
    Ok(file)
}
