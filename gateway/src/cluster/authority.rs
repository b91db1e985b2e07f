//! The certificates of a pod's own cluster, which the kubelet writes anew when they are exchanged. Never a token:
//! `authorization` reads its file again each minute, and a feed that is refused at once.

use std::path::Path;
use std::time::Duration;

use shared::problem::Problem;

use super::handle::Cluster;
use super::source::Source;
use crate::limits::AUTHORITY_LOOK_S;
use crate::plain_file;

/// Where a pod has them.
const FILE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";

/// Takes the certificates that the file has from then on. Connections that are open stay.
pub(super) async fn keep_authority(cluster: &Cluster) {
    if !matches!(cluster.source(), Source::InCluster) {
        return std::future::pending().await;
    }
    // Those that the cluster was connected with; the file can't have changed much since.
    let mut taken = read().await;
    loop {
        tokio::time::sleep(Duration::from_secs(AUTHORITY_LOOK_S)).await;
        let found = read().await;
        if found.is_none() || found == taken {
            continue;
        }
        match cluster.refresh_credentials().await {
            Ok(()) => tracing::info!("the certificates of the cluster's authority were loaded anew"),
            Err(Problem { message, .. }) => {
                tracing::warn!("{message}; the former certificates of the cluster's authority stay in use");
            }
        }
        taken = found;
    }
}

/// `None`: there is no such file, for a moment or at all.
async fn read() -> Option<Vec<u8>> {
    plain_file::read_async(Path::new(FILE)).await.ok()
}
