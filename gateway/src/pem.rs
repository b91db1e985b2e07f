//! Certificates and keys of the operator's files. Each mistake is a sentence with the flag and the file, and without a
//! byte of the file.

use std::path::Path;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// # Errors
/// It isn't PEM, or holds none.
pub(crate) fn certificates(
    flag: &str,
    path: &Path,
    pem: &[u8],
) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = read.map_err(|_| format!("{flag} {} isn't PEM", path.display()))?;
    if found.is_empty() {
        return Err(format!("{flag} {} holds no certificate in PEM", path.display()));
    }
    Ok(found)
}

/// # Errors
/// It holds none that can be read.
pub(crate) fn private_key(flag: &str, path: &Path, pem: &[u8]) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|_| {
        let shown = path.display();
        format!("{flag} {shown} holds no private key in PEM that isn't encrypted (PKCS#8, PKCS#1 or SEC1)")
    })
}
