//! The certificate of the listener for clients of the Kubernetes API: made at the start, and each day a new one. Its key
//! stays in memory.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use rustls::ServerConfig;
use shared::problem::{Problem, Reason};

use super::authority::Authority;
use super::names;
use crate::limits::{API_CERTIFICATE_LOOK_S, API_CERTIFICATE_RENEWAL_S};

pub struct Certificates {
    folder: PathBuf,
    address: IpAddr,
    current: RwLock<Current>,
}

#[derive(Clone)]
struct Current {
    made: SystemTime,
    config: Arc<ServerConfig>,
    /// In PEM.
    authority: Arc<str>,
}

impl Certificates {
    /// By the authority of this folder. `address`: one of loopback, at which clients reach the listener.
    ///
    /// # Errors
    /// Fails if the authority can't be kept, or no certificate be made.
    pub(super) fn of_folder(folder: &Path, address: IpAddr, now: SystemTime) -> Result<Self, Problem> {
        let current = RwLock::new(current(folder, address, now)?);
        Ok(Self { folder: folder.to_owned(), address, current })
    }

    /// With the certificate that is in use.
    pub fn config(&self) -> Arc<ServerConfig> {
        self.read().config
    }

    pub(super) fn authority(&self) -> Arc<str> {
        self.read().authority
    }

    /// Looks at the age of the certificate again and again.
    pub async fn keep_fresh(self: Arc<Self>) {
        loop {
            tokio::time::sleep(Duration::from_secs(API_CERTIFICATE_LOOK_S)).await;
            let certificates = Arc::clone(&self);
            let look = move || certificates.look(SystemTime::now());
            // It fails only if the gateway ends.
            drop(tokio::task::spawn_blocking(look).await);
        }
    }

    fn look(&self, now: SystemTime) {
        let made = self.read().made;
        let is_young =
            now.duration_since(made).is_ok_and(|age| age < Duration::from_secs(API_CERTIFICATE_RENEWAL_S));
        if is_young {
            return;
        }
        match current(&self.folder, self.address, now) {
            Ok(current) => *self.current.write().unwrap_or_else(PoisonError::into_inner) = current,
            Err(problem) => tracing::warn!("{problem}; the former certificate stays in use"),
        }
    }

    fn read(&self) -> Current {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn current(folder: &Path, address: IpAddr, now: SystemTime) -> Result<Current, Problem> {
    let authority = Authority::of_folder(folder, now)?;
    let wrong = |why: String| {
        let message = format!("no certificate can be made for clients of the Kubernetes API: {why}");
        Problem::new(Reason::InternalError, message)
    };
    let (certificate, key) = authority.sign(names(address), now).map_err(|error| wrong(error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| wrong(error.to_string()))?.with_no_client_auth();
    let config = builder.with_single_cert(vec![certificate], key);
    let mut config = config.map_err(|error| wrong(error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Current { made: now, config: Arc::new(config), authority: authority.pem().into() })
}

#[cfg(test)]
mod tests {
    use rustls::client::WebPkiServerVerifier;
    use rustls::client::danger::ServerCertVerifier;
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
    use rustls::{Error, RootCertStore};

    use super::*;

    const HOUR: Duration = Duration::from_secs(60 * 60);

    /// As a client verifies one that trusts this authority alone.
    fn verified(
        trusted: &str,
        certificate: &CertificateDer<'_>,
        name: &str,
        now: SystemTime,
    ) -> Result<(), Error> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(trusted.as_bytes()).expect("PEM")).expect("an authority");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
        let verifier = builder.build().expect("a verifier");
        let name = ServerName::try_from(name.to_owned()).expect("a name");
        let now = UnixTime::since_unix_epoch(now.duration_since(SystemTime::UNIX_EPOCH).expect("later"));
        verifier.verify_server_cert(certificate, &[], &name, &[], now).map(drop)
    }

    #[test]
    fn r_authn_16_the_certificate_is_of_loopback_and_for_a_week() {
        let folder = tempfile::tempdir().expect("a folder");
        let now = SystemTime::now();
        let authority = Authority::of_folder(folder.path(), now).expect("kept");
        let local = IpAddr::from([127, 0, 0, 1]);
        let (certificate, _) = authority.sign(names(local), now).expect("signed");
        let check = |name, now| verified(authority.pem(), &certificate, name, now).is_ok();
        for name in ["127.0.0.1", "::1", "localhost"] {
            assert!(check(name, now), "{name}");
        }
        assert!(!check("127.0.0.2", now) && !check("example.org", now));
        assert!(check("localhost", now + 167 * HOUR) && !check("localhost", now + 169 * HOUR));
        let (beside, _) = authority.sign(names([127, 0, 0, 2].into()), now).expect("signed");
        assert!(verified(authority.pem(), &beside, "127.0.0.2", now).is_ok());
        for abroad in ["example.org", "10.0.0.1"] {
            let (abroad_too, _) = authority.sign(vec![abroad.to_owned()], now).expect("signed");
            let refused = verified(authority.pem(), &abroad_too, abroad, now);
            assert!(refused.is_err(), "the authority signs names of loopback alone: {abroad}");
        }
    }

    #[test]
    fn a_certificate_is_replaced_each_day_and_a_former_kubeconfig_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let now = SystemTime::now();
        let local = IpAddr::from([127, 0, 0, 1]);
        let certificates = Certificates::of_folder(folder.path(), local, now).expect("made");
        let (first, trusted) = (certificates.config(), certificates.authority());
        certificates.look(now + 23 * HOUR);
        assert!(Arc::ptr_eq(&certificates.config(), &first));
        certificates.look(now + 25 * HOUR);
        assert!(!Arc::ptr_eq(&certificates.config(), &first));
        assert_eq!(certificates.authority(), trusted);
        // The authority is signed anew by then.
        let later = now + 560 * 24 * HOUR;
        certificates.look(later);
        assert_ne!(certificates.authority(), trusted);
        let authority = Authority::of_folder(folder.path(), later).expect("kept");
        let (certificate, _) = authority.sign(names(local), later).expect("signed");
        for trusted in [&*trusted, authority.pem()] {
            verified(trusted, &certificate, "127.0.0.1", later).expect("trusted");
        }
    }
}
