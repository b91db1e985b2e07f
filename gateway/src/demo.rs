//! The playground of `--demo`, with a kubeconfig for kubectl. The gateway knows only its URL.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use playground::{Options, Playground};
use shared::problem::{Problem, Reason};

/// What the printed links open: the table that everybody knows from `kubectl get pods -A`, with the pods that fail at
/// its top. The star is escaped, because some terminals end a link at it.
pub const FIRST_VIEW: &str = "/v/pods/%2A?sort=trouble";

pub struct Demo {
    playground: Playground,
    /// Removed when the demo stops.
    kubeconfig: PathBuf,
}

impl Demo {
    /// Writes the kubeconfig into `folder`, which is the user's own. Fails if that can't be written, or no port is
    /// free.
    pub async fn start(folder: &Path) -> Result<Self, Problem> {
        let broken =
            |why: String| Problem::new(Reason::InternalError, format!("the playground can't start: {why}"));
        let mut token = [0; 32];
        getrandom::fill(&mut token).map_err(|error| broken(error.to_string()))?;
        let token = Some(URL_SAFE_NO_PAD.encode(token));
        // Every page of the reader's browser reaches a loopback port, and none knows the token. kubectl sends it only
        // over TLS.
        let options = Options { token, tls: true, ..Options::default() };
        let playground = Playground::start(options).await.map_err(|error| broken(error.to_string()))?;
        // Named by its port, for several demos may run.
        let port = playground.url().rsplit(':').next().unwrap_or_default().to_owned();
        let kubeconfig = folder.join(format!("playground-{port}.kubeconfig"));
        playground.write_kubeconfig(&kubeconfig).map_err(|error| broken(error.to_string()))?;
        Ok(Self { playground, kubeconfig })
    }

    pub fn playground(&self) -> &Playground {
        &self.playground
    }

    /// How to reach it, for the lines that are printed at the start.
    pub fn explanation(&self) -> String {
        let (url, admin) = (self.playground.url(), self.playground.admin_url());
        let kubeconfig = self.kubeconfig.display();
        format!(
            "Its API server is at {url}: kubectl --kubeconfig {kubeconfig} get pods -A\n\
             Break it on purpose: ADMIN={admin}; curl $ADMIN/faults --json '{{\"fault\":\"drop\"}}'\n\
             Mend it: curl $ADMIN/faults -X DELETE. All faults: docs/BREAK-IT.md\n"
        )
    }

    /// Returns when all of its tasks have ended.
    pub async fn stop(self) {
        // An error means that it is gone already.
        drop(std::fs::remove_file(&self.kubeconfig));
        self.playground.stop().await;
    }
}
