//! The playground of `--demo`: started beside the gateway, with a kubeconfig for who wants to look at
//! it with kubectl or to break it. The gateway itself knows nothing of it but a URL.

use std::path::{Path, PathBuf};

use playground::{Options, Playground};
use shared::problem::{Problem, Reason};

pub struct Demo {
    playground: Playground,
    /// Gone with the demo.
    kubeconfig: PathBuf,
}

impl Demo {
    /// `folder` is the user's own.
    ///
    /// # Errors
    /// When no port can be had, or the kubeconfig can't be written.
    pub async fn start(folder: &Path) -> Result<Self, Problem> {
        let broken =
            |why: String| Problem::new(Reason::InternalError, format!("the playground can't start: {why}"));
        let playground =
            Playground::start(Options::default()).await.map_err(|error| broken(error.to_string()))?;
        // By its port, for several demos may run.
        let port = playground.url().rsplit(':').next().unwrap_or_default().to_owned();
        let kubeconfig = folder.join(format!("playground-{port}.kubeconfig"));
        playground.write_kubeconfig(&kubeconfig).map_err(|error| broken(error.to_string()))?;
        Ok(Self { playground, kubeconfig })
    }

    #[must_use]
    pub fn playground(&self) -> &Playground {
        &self.playground
    }

    /// How to reach it from outside.
    #[must_use]
    pub fn explanation(&self) -> String {
        let (url, kubeconfig) = (self.playground.url(), self.kubeconfig.display());
        format!(
            "Its API server is at {url}: kubectl --kubeconfig {kubeconfig} get pods -A\n\
             Break it on purpose: DOOR={url}/_playground; curl $DOOR/faults -d '{{\"fault\":\"drop\"}}'\n\
             Mend it: curl $DOOR/faults -X DELETE. All faults: docs/BREAK-IT.md\n"
        )
    }

    /// Ends when all of its tasks have.
    pub async fn stop(self) {
        // It may be gone already.
        drop(std::fs::remove_file(&self.kubeconfig));
        self.playground.stop().await;
    }
}
