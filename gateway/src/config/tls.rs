//! The settings of TLS at the gateway's own listener: both files or none, and never in mode `local`.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};
use shared::problem::Problem;

use super::wrong;
use crate::address::{ProxyCertificate, TlsFiles};

#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct TlsSettings {
    /// The certificate to serve https with: a chain in PEM, this host's own first [default: none, plain http]
    #[arg(long, env = "DOGWATCH_TLS_CERT", value_name = "FILE")]
    pub(super) tls_cert: Option<PathBuf>,

    /// The key of --tls-cert, in PEM
    #[arg(long, env = "DOGWATCH_TLS_KEY", value_name = "FILE")]
    pub(super) tls_key: Option<PathBuf>,
}

impl TlsSettings {
    /// Whether https is meant to be served.
    pub(super) fn is_given(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Fails with one sentence that names the flag that is missing, or of no use.
    pub(super) fn resolve(
        self,
        is_local: bool,
        proxy: Option<ProxyCertificate>,
    ) -> Result<Option<TlsFiles>, Problem> {
        match (self.tls_cert, self.tls_key) {
            (None, None) if proxy.is_some() => Err(wrong(
                "--proxy-client-ca needs the gateway's own TLS, which verifies the proxy's certificate: give --tls-cert and --tls-key",
            )),
            (None, None) => Ok(None),
            (Some(_), Some(_)) if is_local => Err(wrong(
                "--tls-cert has no use with --auth local, which never leaves this machine; leave it out, or choose another --auth",
            )),
            (Some(certificate), Some(key)) => Ok(Some(TlsFiles { certificate, key, proxy })),
            (Some(_), None) => Err(wrong("--tls-cert needs --tls-key, the file of its key")),
            (None, Some(_)) => Err(wrong("--tls-key needs --tls-cert, the file of its certificate")),
        }
    }

    pub(super) fn paths(&mut self) -> [(&'static str, Option<&mut PathBuf>); 2] {
        [("tls-cert", self.tls_cert.as_mut()), ("tls-key", self.tls_key.as_mut())]
    }
}
