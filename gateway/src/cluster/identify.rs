//! The server's identity: its version, and an id that is the same on every gateway.

use k8s_openapi::apimachinery::pkg::version::Info;
use kube::core::PartialObjectMeta;
use sha2::{Digest, Sha256};
use shared::name::ObjectName;
use shared::problem::{Problem, Reason};
use shared::resource::Resource;

use super::client::Client;
use super::failure::{Failure, Refusal};
use super::request::{self, Accept, ApiRequest};

/// Empty where the credentials may not read it.
pub(super) async fn version(client: &Client, server: &str) -> Result<Box<str>, Problem> {
    let answer = match request::send(client, &ApiRequest::version()).await {
        Ok(answer) => answer,
        Err(Failure::Refused(refusal)) => return refused(&refusal, server),
        Err(Failure::Broken(problem)) => return Err(at(problem, server)),
    };
    let body = answer.whole().await.map_err(|problem| at(problem, server))?;
    let info: Option<Info> = serde_json::from_slice(&body).ok();
    let version = info.map(|info| info.git_version).filter(|version| !version.is_empty());
    version.map(Box::from).ok_or_else(|| not_kubernetes(server))
}

fn refused(refusal: &Refusal, server: &str) -> Result<Box<str>, Problem> {
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
    let found: PartialObjectMeta = serde_json::from_slice(&body).ok()?;
    found.metadata.uid.filter(|uid| !uid.is_empty())
}
