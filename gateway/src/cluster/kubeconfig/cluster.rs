//! What a cluster's entry says of its server: the address, the authority, and what an exec plugin is told. It reads the
//! authority's file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use shared::problem::Problem;

use super::credential::Credential;
use super::shape::Cluster;
use super::{base64_data, wrong};
use crate::forward_proxy::{Address, Parsed};

/// kubectl takes a server without a scheme for `http://`, to which it sends no credential.
pub(super) fn server(cluster: &Cluster, of_cluster: &str) -> Result<Address, Problem> {
    let text = cluster.server.as_str();
    if text.trim().is_empty() {
        return Err(wrong(format!("{of_cluster} has no `server`")));
    }
    let unusable =
        || wrong(format!("{of_cluster} has a `server` that is no address; write it as https://host:6443"));
    let address = match Address::parse(text) {
        Parsed::Absolute(address) => address,
        Parsed::Partial | Parsed::Invalid => match Address::parse(&format!("http://{text}")) {
            Parsed::Absolute(address) if matches!(address.path.as_str(), "" | "/") => address,
            _ => return Err(unusable()),
        },
    };
    match address.scheme.as_str() {
        // Go dials this machine where there is only a port.
        "http" | "https" if address.host.is_empty() => {
            Ok(Address { host: "localhost".to_owned(), ..address })
        }
        "http" | "https" => Ok(address),
        scheme => Err(wrong(format!(
            "{of_cluster} has a `server` that begins with {scheme}://; an API server is reached by https://"
        ))),
    }
}

/// The user of an address is sent as a credential.
pub(super) fn of_address(server: &Address) -> Option<Credential> {
    let (user, password) = server.user.clone()?;
    Some(Credential::Basic { user, password })
}

/// The PEM of the authority, if one is named.
pub(super) fn authority(cluster: &Cluster, server: &Address) -> Result<Option<Vec<u8>>, Problem> {
    let (file, data) = (&cluster.certificate_authority, &cluster.certificate_authority_data);
    if !file.is_empty() && !data.is_empty() {
        return Err(wrong(
            "`certificate-authority` and `certificate-authority-data` are both set; remove one of them",
        ));
    }
    let pem = base64_data::or_file("certificate-authority", data, file)?;
    if server.scheme != "https" {
        return Ok(None);
    }
    if pem.is_some() && cluster.insecure_skip_tls_verify {
        return Err(wrong(
            "`insecure-skip-tls-verify` is set beside a certificate authority; remove it, so that the authority counts",
        ));
    }
    match pem {
        Some(pem) if certificates(&pem).is_empty() => {
            Err(wrong("the certificate authority holds no certificate in PEM"))
        }
        pem => Ok(pem),
    }
}

/// Blocks that are no certificates are skipped, as Go does.
pub(super) fn certificates(pem: &[u8]) -> Vec<Vec<u8>> {
    use x509_parser::pem::Pem;
    let blocks = Pem::iter_from_buffer(pem).flatten();
    let readable = blocks.filter(|block| block.label == "CERTIFICATE" && block.parse_x509().is_ok());
    readable.map(|block| block.contents).collect()
}

/// What a plugin is told about the server: client.authentication.k8s.io/v1, `Cluster`.
pub(super) fn cluster_info(cluster: &Cluster, authority: Option<&[u8]>) -> Value {
    let mut info = Map::new();
    info.insert("server".to_owned(), json!(without_query(&cluster.server)));
    let texts = [("tls-server-name", &cluster.tls_server_name), ("proxy-url", &cluster.proxy_url)];
    for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        info.insert(key.to_owned(), json!(text));
    }
    let flags = [
        ("insecure-skip-tls-verify", cluster.insecure_skip_tls_verify),
        ("disable-compression", cluster.disable_compression),
    ];
    for (key, _) in flags.into_iter().filter(|(_, is_set)| *is_set) {
        info.insert(key.to_owned(), json!(true));
    }
    if let Some(authority) = authority {
        info.insert("certificate-authority-data".to_owned(), json!(STANDARD.encode(authority)));
    }
    // The field has no value of its own for "absent".
    info.insert("config".to_owned(), cluster.exec_extension.clone().unwrap_or(Value::Null));
    Value::Object(info)
}

/// client-go cuts query and fragment off where there is a path.
fn without_query(server: &str) -> &str {
    match Address::parse(server) {
        Parsed::Absolute(address) if address.path.len() > 1 => {
            server.split(['?', '#']).next().unwrap_or(server)
        }
        _ => server,
    }
}
