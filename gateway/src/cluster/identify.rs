//! Who the server is: its version, and an id that is the same on every gateway.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use shared::name::ObjectName;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;

use super::client::Client;
use super::failure::Failure;
use super::request::{self, Accept, ApiRequest};

#[derive(Deserialize)]
struct VersionInfo {
    #[serde(rename = "gitVersion")]
    git_version: String,
}

#[derive(Deserialize)]
struct WithMetadata {
    metadata: WithUid,
}

#[derive(Deserialize)]
struct WithUid {
    uid: String,
}

/// Empty where the credentials may not ask.
pub(super) async fn version(client: &Client, server: &str) -> Result<Box<str>, Problem> {
    let answer = match request::send(client, &ApiRequest::version()).await {
        Ok(answer) => answer,
        Err(Failure::Refused(refusal)) => return refused(&refusal, server),
        Err(Failure::Broken(problem)) => return Err(at(problem, server)),
    };
    let body = answer.whole().await.map_err(|problem| at(problem, server))?;
    let info: VersionInfo = serde_json::from_slice(&body).map_err(|_| not_kubernetes(server))?;
    Ok(info.git_version.into())
}

fn refused(refusal: &super::Refusal, server: &str) -> Result<Box<str>, Problem> {
    match refusal.code {
        401 => Err(Problem::new(
            Reason::Unauthorized,
            format!(
                "the API server at {server} doesn't accept the credential; log in again, or choose another --context"
            ),
        )),
        403 if refusal.is_status => Ok(Box::default()),
        429 | 500.. => Err(Problem::new(
            refusal.reason(),
            format!("the server at {server} answers with HTTP {}; wait until it is ready", refusal.code),
        )),
        _ => Err(not_kubernetes(server)),
    }
}

fn not_kubernetes(server: &str) -> Problem {
    Problem::new(
        Reason::NotKubernetes,
        format!(
            "what answers at {server} is not a Kubernetes API server; correct `server` in the kubeconfig, https:// or http:// included"
        ),
    )
}

fn at(problem: Problem, server: &str) -> Problem {
    Problem::new(problem.reason, format!("{} ({server})", problem.message))
}

/// The uid of `kube-system`, or a hash of the server and its authority where that may not be read.
pub(super) async fn id(client: &Client, server: &str, authority: &[Vec<u8>]) -> Box<str> {
    match kube_system_uid(client).await {
        Some(uid) => uid.into(),
        None => {
            let mut hash = Sha256::new();
            hash.update(server);
            for certificate in authority {
                hash.update(certificate);
            }
            let text: String = hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            text.into()
        }
    }
}

async fn kube_system_uid(client: &Client) -> Option<String> {
    let namespaces = Resource::parse("", "v1", "namespaces").ok()?;
    let name = ObjectName::parse("kube-system").ok()?;
    let request = ApiRequest::object(&namespaces, None, &name, Accept::Metadata);
    let body = request::send(client, &request).await.ok()?.whole().await.ok()?;
    let found: WithMetadata = serde_json::from_slice(&body).ok()?;
    (!found.metadata.uid.is_empty()).then_some(found.metadata.uid)
}
