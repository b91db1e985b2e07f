//! The one layer of the image: a tar archive whose entries have neither a time nor an owner of this machine.

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tar::{Builder, EntryType, Header};

/// Folders before what is in them.
pub(crate) fn of(binary: &[u8]) -> Result<Vec<u8>> {
    let mut archive = Builder::new(Vec::new());
    for folder in ["etc/", "etc/ssl/", "etc/ssl/certs/"] {
        append(&mut archive, folder, EntryType::Directory, 0o755, &[])?;
    }
    // Where the gateway looks first, as most programs do.
    let certificates = certificates();
    append(
        &mut archive,
        "etc/ssl/certs/ca-certificates.crt",
        EntryType::Regular,
        0o644,
        certificates.as_bytes(),
    )?;
    append(&mut archive, "dogwatch", EntryType::Regular, 0o755, binary)?;
    archive.into_inner().context("end the layer")
}

fn append(
    archive: &mut Builder<Vec<u8>>,
    path: &str,
    kind: EntryType,
    mode: u32,
    contents: &[u8],
) -> Result<()> {
    let mut header = Header::new_ustar();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(contents.len() as u64);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    archive.append_data(&mut header, path, contents).with_context(|| format!("add {path}"))
}

/// Mozilla's authorities, in the order of the crate.
fn certificates() -> String {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().map(|certificate| pem(certificate)).collect()
}

fn pem(der: &[u8]) -> String {
    let encoded = BASE64_STANDARD.encode(der);
    let mut lines = Vec::new();
    let mut rest = encoded.as_str();
    while let Some((line, more)) = rest.split_at_checked(LINE) {
        lines.push(line);
        rest = more;
    }
    lines.extend((!rest.is_empty()).then_some(rest));
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"))
}

/// The characters in a line of PEM, by RFC 7468.
const LINE: usize = 64;
