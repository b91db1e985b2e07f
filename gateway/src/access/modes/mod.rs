//! The auth modes: each in a folder or file of its own, with its flags, what they come to, its socket, its login and its
//! words. This file only lists them; [`super::auth_mode`] says what one is, and the table in `shared::login_mode` what a
//! client must know of it.

pub mod bearer;
pub mod local;
pub mod oidc;
pub mod proxy;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde::{Deserialize, Serialize};
use shared::login_mode::LoginMode;
use shared::problem::Problem;

use super::auth_mode::{AuthMode, Surroundings};
use bearer::BearerMode;
use local::flags::LocalFlags;
use local::mode::LocalMode;
use oidc::flags::OidcFlags;
use oidc::mode::OidcMode;
use proxy::flags::ProxyFlags;
use proxy::mode::ProxyMode;

/// The help text of the flag `--auth`.
pub(crate) const HELP: &str = "How people prove who they are: `local`, as your own user on this machine, `bearer`, with a \
     token of the cluster, `oidc`, at an identity provider, or `proxy`, to a reverse proxy that says it";

/// The flags that belong to one mode each.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ModeFlags {
    #[command(flatten)]
    #[serde(flatten)]
    local: LocalFlags,

    #[command(flatten)]
    #[serde(flatten)]
    oidc: OidcFlags,

    #[command(flatten)]
    #[serde(flatten)]
    proxy: ProxyFlags,
}

impl ModeFlags {
    /// Fails with one sentence that names the flag and what it can be.
    pub(crate) fn resolve(
        self,
        mode: LoginMode,
        around: &Surroundings<'_>,
    ) -> Result<Arc<dyn AuthMode>, Problem> {
        let Self { local, oidc, proxy } = self;
        if mode != LoginMode::Proxy {
            proxy.refuse()?;
        }
        if mode != LoginMode::Local {
            local.refuse()?;
        }
        Ok(match mode {
            LoginMode::Local => Arc::new(LocalMode::resolve(&local, around)?),
            LoginMode::Bearer => Arc::new(BearerMode::resolve(around)?),
            LoginMode::Oidc => Arc::new(OidcMode::resolve(oidc, around)?),
            LoginMode::Proxy => Arc::new(ProxyMode::resolve(proxy)?),
        })
    }

    /// The paths among them, which start at the folder of the file that has them.
    pub(crate) fn paths(&mut self) -> impl Iterator<Item = (&'static str, Option<&mut PathBuf>)> {
        self.oidc.paths().into_iter().chain(self.proxy.paths())
    }

    /// As [`Self::paths`], for a setting that may be a URL.
    pub(crate) fn proxy_keys_below(&mut self, folder: &Path) {
        self.proxy.keys_below(folder);
    }
}
