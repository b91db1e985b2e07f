//! Keeps the clusters of the home cluster's ClusterProfiles current. Never what a profile says.

use std::path::PathBuf;
use std::time::Duration;

use shared::name::Namespace;
use shared::problem::Problem;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::entry::Entry;
use super::listed::Inventory;
use crate::cluster::{Cluster, Failure, Plugins, Profile, ProfileWatch};
use crate::limits::{PROFILES_AGAIN_S, PROFILES_SETTLE_MS};

impl Inventory {
    /// Runs until it is cancelled. `providers`: the file of the plugins, which is read again with each list.
    pub async fn follow_profiles(
        self,
        namespace: Option<Namespace>,
        providers: Option<PathBuf>,
        cancel: CancellationToken,
    ) {
        let follow = async {
            let home = self.home().await;
            let mut watch = ProfileWatch::of(namespace);
            let mut said = None;
            loop {
                let listed = watch.list(&home).await;
                let problem = listed.as_ref().err().map(said_of);
                if problem != said {
                    if let Some(problem) = &problem {
                        tracing::warn!("ClusterProfiles can't be listed, which is tried again: {problem}");
                    }
                    said = problem;
                }
                match listed {
                    Ok(profiles) => {
                        self.show_profiles(entries(&profiles, &Plugins::read(providers.as_deref())));
                        watch.changed(&home).await;
                        sleep(Duration::from_millis(PROFILES_SETTLE_MS)).await;
                    }
                    // The known profiles stay.
                    Err(_) => sleep(Duration::from_secs(PROFILES_AGAIN_S)).await,
                }
            }
        };
        let _ = cancel.run_until_cancelled(follow).await;
    }

    /// The home cluster, as soon as it is reached.
    async fn home(&self) -> Cluster {
        let mut listed = self.listed();
        loop {
            let home = listed.borrow_and_update().first().and_then(|home| home.reached.clone());
            if let Some(home) = home {
                return home.cluster;
            }
            if listed.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }
}

fn said_of(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => match refusal.code {
            404 => "the home cluster serves none; install their definition there".to_owned(),
            403 => "the gateway may not list them there; grant list and watch on \
                    clusterprofiles.multicluster.x-k8s.io, as `dogwatch rbac` prints it"
                .to_owned(),
            code => format!("the API server answers with HTTP {code}"),
        },
        Failure::Broken(problem) => problem.message.clone(),
    }
}

/// By name.
fn entries(profiles: &[Profile], plugins: &Result<Plugins, Problem>) -> Vec<Entry> {
    let access = |profile: &Profile| match plugins {
        Ok(plugins) => profile.source(plugins),
        Err(problem) => Err(problem.clone()),
    };
    let mut entries: Vec<Entry> =
        profiles.iter().map(|profile| Entry { name: profile.name(), access: access(profile) }).collect();
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    entries
}
