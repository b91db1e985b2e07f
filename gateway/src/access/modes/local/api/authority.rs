//! The authority that signs the certificates of the listener for clients of the Kubernetes API. Its key and its
//! certificate are one file of the user's state folder, for the user alone. It may sign names of loopback alone, so a
//! client that trusts it trusts it for no other host.

use std::fs::{self, Permissions};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose, NameConstraints, PublicKeyData, SerialNumber,
    date_time_ymd,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use shared::problem::{Problem, Reason};

use super::super::folders::{self, make_private};
use crate::limits::{
    API_AUTHORITY_LIFETIME_S, API_AUTHORITY_RENEWAL_S, API_CERTIFICATE_BEFORE_S, API_CERTIFICATE_LIFETIME_S,
};
use crate::plain_file;

/// A certificate and its key.
pub(super) type ServerPair = (CertificateDer<'static>, PrivateKeyDer<'static>);

pub(super) struct Authority {
    key: KeyPair,
    pem: String,
    begins: SystemTime,
    ends: SystemTime,
}

const FILE: &str = "authority.pem";

impl Authority {
    /// The one of this folder. It is made where there is none, and signed anew with the same key before it ends.
    ///
    /// # Errors
    /// One sentence that names the file, if it can't be kept.
    pub(super) fn of_folder(folder: &Path, now: SystemTime) -> Result<Self, Problem> {
        make_private(folder)?;
        let path = folder.join(FILE);
        let unusable = |why: String| {
            let message = format!(
                "the authority of the listener for clients of the Kubernetes API can't be kept in {}: {why}; --api-listen \
                 none does without it",
                path.display()
            );
            Problem::new(Reason::Configuration, message)
        };
        let keep = |authority: Self, is_new: bool| {
            let text = authority.key.serialize_pem() + &authority.pem;
            let written = if is_new {
                folders::write_new(&path, text.as_bytes())
            } else {
                folders::write_whole(&path, text.as_bytes(), None)
            };
            written.map(|()| authority)
        };
        let made = match read(&path) {
            Ok(Some(found)) if found.is_good(now) => return Ok(found),
            Ok(Some(found)) => Self::signed(found.key, now).map(|authority| keep(authority, false)),
            Ok(None) => Self::made(now).map(|authority| keep(authority, true)),
            Err(why) => {
                tracing::warn!(
                    "{} can't be used: {why}; another authority was made, so `dogwatch kubeconfig` has to be run again",
                    path.display()
                );
                Self::made(now).map(|authority| keep(authority, false))
            }
        };
        match made {
            Ok(Ok(authority)) => Ok(authority),
            // Another gateway that starts at the same time was first.
            Ok(Err(error)) if error.kind() == io::ErrorKind::AlreadyExists => match read(&path) {
                Ok(Some(found)) => Ok(found),
                Ok(None) => Err(unusable("it was removed at once".to_owned())),
                Err(why) => Err(unusable(why)),
            },
            Ok(Err(error)) => Err(unusable(error.to_string())),
            Err(error) => Err(unusable(error.to_string())),
        }
    }

    pub(super) fn pem(&self) -> &str {
        &self.pem
    }

    /// A certificate for these names and addresses, with a key of its own.
    ///
    /// # Errors
    /// The system has no randomness, or a name can't be one of a certificate.
    pub(super) fn sign(&self, names: Vec<String>, now: SystemTime) -> Result<ServerPair, rcgen::Error> {
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name = named("Dogwatch for clients of the Kubernetes API");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        params.serial_number = Some(serial()?);
        let ends = self.ends.min(now + Duration::from_secs(API_CERTIFICATE_LIFETIME_S));
        set_times(&mut params, begin(now), ends);
        let issuer = Issuer::new(of_authority()?, &self.key);
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &issuer)?;
        Ok((certificate.into(), PrivatePkcs8KeyDer::from(key.serialize_der()).into()))
    }

    fn made(now: SystemTime) -> Result<Self, rcgen::Error> {
        Self::signed(KeyPair::generate()?, now)
    }

    fn signed(key: KeyPair, now: SystemTime) -> Result<Self, rcgen::Error> {
        let (begins, ends) = (begin(now), now + Duration::from_secs(API_AUTHORITY_LIFETIME_S));
        let mut params = of_authority()?;
        set_times(&mut params, begins, ends);
        let pem = params.self_signed(&key)?.pem();
        Ok(Self { key, pem, begins, ends })
    }

    /// Whether it began, and doesn't end soon, nor later than one that was made now: the clock was ahead then.
    fn is_good(&self, now: SystemTime) -> bool {
        let latest = now + Duration::from_secs(API_AUTHORITY_LIFETIME_S);
        self.begins <= now
            && now + Duration::from_secs(API_AUTHORITY_RENEWAL_S) < self.ends
            && self.ends <= latest
    }
}

/// `None`: there is no file.
fn read(path: &Path) -> Result<Option<Authority>, String> {
    let bytes = match plain_file::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let is_open = fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0);
    if is_open {
        fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(|error| error.to_string())?;
    }
    parse(&bytes).map(Some)
}

fn parse(pem: &[u8]) -> Result<Authority, String> {
    let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| "it holds no key".to_owned())?;
    let key = KeyPair::try_from(&key).map_err(|_| "it holds a key of another form".to_owned())?;
    let certificate =
        CertificateDer::from_pem_slice(pem).map_err(|_| "it holds no certificate".to_owned())?;
    let (_, parsed) = x509_parser::parse_x509_certificate(&certificate)
        .map_err(|_| "its certificate can't be read".to_owned())?;
    if parsed.public_key().raw != key.subject_public_key_info() {
        return Err("its key isn't the key of its certificate".to_owned());
    }
    let time = |at: i64| UNIX_EPOCH + Duration::from_secs(u64::try_from(at).unwrap_or_default());
    let validity = parsed.validity();
    let (begins, ends) = (time(validity.not_before.timestamp()), time(validity.not_after.timestamp()));
    let text = std::str::from_utf8(pem).map_err(|_| "it isn't text".to_owned())?;
    let pem = text.find(CERTIFICATE).and_then(|at| text.get(at..));
    let pem = pem.ok_or_else(|| "it holds no certificate".to_owned())?.to_owned();
    Ok(Authority { key, pem, begins, ends })
}

const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----";

/// Without its times.
fn of_authority() -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.distinguished_name = named("Dogwatch on this machine");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.serial_number = Some(serial()?);
    params.name_constraints = Some(NameConstraints {
        permitted_subtrees: vec![
            GeneralSubtree::DnsName("localhost".to_owned()),
            GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(Ipv4Addr::new(127, 0, 0, 0).into(), 8)),
            GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(Ipv6Addr::LOCALHOST.into(), 128)),
        ],
        excluded_subtrees: Vec::new(),
    });
    Ok(params)
}

fn named(name: &str) -> DistinguishedName {
    let mut named = DistinguishedName::new();
    named.push(DnType::CommonName, name);
    named
}

/// A positive number of 127 bits, so that no two certificates of an authority have the same.
fn serial() -> Result<SerialNumber, rcgen::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| rcgen::Error::RingUnspecified)?;
    if let Some(first) = bytes.first_mut() {
        *first = *first & 0x7f | 0x40;
    }
    Ok(SerialNumber::from_slice(&bytes))
}

fn begin(now: SystemTime) -> SystemTime {
    now - Duration::from_secs(API_CERTIFICATE_BEFORE_S)
}

/// In whole seconds, as certificates have times.
fn set_times(params: &mut CertificateParams, begins: SystemTime, ends: SystemTime) {
    let since = |at: SystemTime| {
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        Duration::from_secs(since.as_secs())
    };
    let start = date_time_ymd(1970, 1, 1);
    (params.not_before, params.not_after) = (start + since(begins), start + since(ends));
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn at(folder: &Path, now: SystemTime) -> Authority {
        Authority::of_folder(folder, now).expect("kept")
    }

    fn key_in(folder: &Path) -> String {
        let text = fs::read_to_string(folder.join(FILE)).expect("there");
        text.split(CERTIFICATE).next().unwrap_or_default().to_owned()
    }

    #[test]
    fn r_authn_16_the_authority_is_kept_for_the_user_alone_and_renewed_with_its_key_before_it_ends() {
        let state = tempfile::tempdir().expect("a folder");
        let folder = state.path().join("api");
        let now = UNIX_EPOCH + Duration::from_secs(1_790_000_000);
        let first = at(&folder, now);
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join(FILE))), (0o700, 0o600));
        let key = key_in(&folder);
        assert!(key.contains("PRIVATE KEY") && !first.pem().contains("PRIVATE KEY"));
        fs::set_permissions(folder.join(FILE), Permissions::from_mode(0o644)).expect("opened");
        assert_eq!(at(&folder, now + 300 * DAY).pem(), first.pem(), "it is kept");
        assert_eq!(mode(&folder.join(FILE)), 0o600, "and closed again");
        let renewed = at(&folder, now + 560 * DAY);
        assert_ne!(renewed.pem(), first.pem());
        assert_eq!(key_in(&folder), key);
        assert!(renewed.ends > now + 1_200 * DAY);
        let back = at(&folder, now);
        assert!(back.pem() != renewed.pem() && back.begins < now, "the clock was set back");
    }

    #[test]
    fn a_file_that_holds_no_authority_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let now = SystemTime::now();
        let first = at(folder.path(), now);
        let other = Authority::made(now).expect("made");
        let mixed = first.key.serialize_pem() + other.pem();
        for text in ["", "-----BEGIN", &first.key.serialize_pem(), first.pem(), &mixed] {
            fs::write(folder.path().join(FILE), text).expect("written");
            let replaced = at(folder.path(), now);
            assert!(replaced.pem().starts_with(CERTIFICATE) && replaced.pem() != first.pem(), "{text}");
            assert_eq!(at(folder.path(), now).pem(), replaced.pem());
        }
    }

    #[test]
    fn of_two_gateways_that_start_at_once_both_have_the_same_authority() {
        let folder = tempfile::tempdir().expect("a folder");
        let now = SystemTime::now();
        let pems: Vec<String> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..8).map(|_| scope.spawn(|| at(folder.path(), now).pem)).collect();
            starts.into_iter().map(|start| start.join().expect("started")).collect()
        });
        assert!(pems.iter().all(|pem| *pem == pems[0]));
        let files = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(files, 1, "no draft is left");
    }
}
