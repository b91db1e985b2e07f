//! The playground of `--demo` or of a file that is replayed, with a kubeconfig for kubectl. The gateway knows only its URL.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use playground::{Options, Playground, Recording};
use shared::name::ClusterName;
use shared::problem::{Problem, Reason};

use crate::cluster::{Source, cluster_name};
use crate::inventory::Entry;

/// What the printed links open: the table that `kubectl get pods -A` prints, with the pods that fail at its top. The
/// star is escaped, because some terminals end a link at it.
pub const FIRST_VIEW: &str = "/v/pods/%2A?sort=trouble";

/// The Kubernetes versions of the second cluster and of those after it, in turn.
const VERSIONS: [&str; 3] = ["v1.35.6", "v1.34.9", "v1.36.1"];

pub struct Demo {
    name: ClusterName,
    playground: Playground,
    /// Removed when the demo stops.
    kubeconfig: PathBuf,
    /// It lives, and can be broken.
    lives: bool,
}

impl Demo {
    /// Writes the kubeconfig into `folder`, which is the user's own. Fails if that can't be written, or no port is
    /// free.
    ///
    /// `number`: of several, from 0. Each has a fleet and a version of its own.
    ///
    /// `lead`: it begins so long ago, and stands still until then was gone through.
    pub async fn start(folder: &Path, number: usize, lead: Duration) -> Result<Self, Problem> {
        let mut options = Options { lead, ..Options::default() };
        options.seed += u64::try_from(number).unwrap_or_default();
        if let Some(version) = number.checked_sub(1).and_then(|at| VERSIONS.get(at % VERSIONS.len())) {
            options.git_version = (*version).to_owned();
        }
        let name = if number == 0 { "playground".to_owned() } else { format!("playground-{}", number + 1) };
        Self::of(folder, &name, options).await
    }

    /// A cluster that was recorded, and stands still.
    pub async fn of_recording(folder: &Path, name: &str, recording: Recording) -> Result<Self, Problem> {
        Self::of(folder, name, Options::recorded(recording)).await
    }

    async fn of(folder: &Path, name: &str, options: Options) -> Result<Self, Problem> {
        let broken =
            |why: String| Problem::new(Reason::InternalError, format!("the playground can't start: {why}"));
        let mut token = [0; 32];
        getrandom::fill(&mut token).map_err(|error| broken(error.to_string()))?;
        let (token, lives) = (Some(URL_SAFE_NO_PAD.encode(token)), options.recording.is_none());
        // Every page of the reader's browser reaches a loopback port, and none knows the token. kubectl sends it only
        // over TLS.
        let name = cluster_name(name);
        let options = Options { name: name.to_string(), token, tls: true, ..options };
        let playground = Playground::start(options).await.map_err(|error| broken(error.to_string()))?;
        // Named by its port, for several demos may run.
        let port = playground.url().rsplit(':').next().unwrap_or_default().to_owned();
        let kubeconfig = folder.join(format!("playground-{port}.kubeconfig"));
        playground.write_kubeconfig(&kubeconfig).map_err(|error| broken(error.to_string()))?;
        Ok(Self { name, playground, kubeconfig, lives })
    }

    pub fn name(&self) -> &ClusterName {
        &self.name
    }

    pub fn playground(&self) -> &Playground {
        &self.playground
    }

    /// The cluster, as the gateway reaches it.
    pub fn entry(&self) -> Entry {
        let Self { name, playground, .. } = self;
        let source = Source::Url {
            url: playground.url(),
            token: playground.token().map(str::to_owned),
            certificate: playground.certificate_der().map(<[u8]>::to_vec),
            name: name.to_string(),
        };
        Entry { name: name.clone(), access: Ok(source) }
    }

    /// How to reach it, for the lines that are printed at the start. `gives_kubeconfig`: `dogwatch kubeconfig` needs no more
    /// than to be run here.
    pub fn explanation(&self, gives_kubeconfig: bool) -> String {
        let (url, admin) = (self.playground.url(), self.playground.admin_url());
        let kubeconfig = self.kubeconfig.display();
        if !self.lives {
            return format!("kubectl reads it as well: kubectl --kubeconfig {kubeconfig} get pods -A\n");
        }
        let through = if gives_kubeconfig { THROUGH } else { "" };
        format!(
            "{through}\
             Past the gateway, unmasked, its API server is at {url}: kubectl --kubeconfig {kubeconfig} get pods -A\n\
             Break it on purpose: ADMIN={admin}; curl $ADMIN/faults --json '{{\"fault\":\"drop\"}}'\n\
             Mend it: curl $ADMIN/faults -X DELETE. All faults: {BREAK_IT}\n"
        )
    }

    /// What prints a token of the cluster, for the mode that wants one.
    pub fn token_command(&self) -> String {
        let kubeconfig = self.kubeconfig.display();
        format!("kubectl --kubeconfig {kubeconfig} config view --raw -o jsonpath='{{.users[0].user.token}}'")
    }

    /// Returns when all of its tasks have ended.
    pub async fn stop(self) {
        // An error means that it is gone already.
        drop(std::fs::remove_file(&self.kubeconfig));
        self.playground.stop().await;
    }
}

const BREAK_IT: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/BREAK-IT.md");
const THROUGH: &str =
    "kubectl reads through the gateway by: dogwatch kubeconfig --output dogwatch.kubeconfig\n";

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[tokio::test]
    async fn each_of_several_demos_has_the_context_that_the_pages_kubectl_lines_name() {
        let folder = tempfile::tempdir().expect("a folder");
        for (number, expected) in [(0, "playground"), (1, "playground-2"), (2, "playground-3")] {
            let demo = Demo::start(folder.path(), number, Duration::ZERO).await.expect("it starts");
            let text = std::fs::read_to_string(&demo.kubeconfig).expect("it is there");
            let written: Value = serde_json::from_str(&text).expect("JSON");
            let Source::Url { name, .. } = demo.entry().access.expect("a source") else { panic!("by a URL") };
            assert_eq!((&*name, &written["current-context"]), (expected, &Value::from(expected)));
            for list in ["contexts", "clusters", "users"] {
                assert_eq!(written[list][0]["name"], expected, "{list}");
            }
            assert_eq!(written["contexts"][0]["context"]["cluster"], expected);
            demo.stop().await;
        }
    }
}
