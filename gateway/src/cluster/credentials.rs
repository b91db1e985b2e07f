//! How the API server is reached: the gateway's own credentials, which are read anew when they are refused, and the tokens
//! of viewers. `as_viewer` sends with them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use shared::problem::Problem;

use super::client::{self, Client};
use super::source::Source;
use super::tokens::ViewerTokens;

/// The credentials of one cluster.
pub(super) struct Credentials {
    source: Source,
    /// Replaced as a whole when the credentials are read anew.
    client: RwLock<Client>,
    /// Many feeds that meet a 401 at once run the exec plugin once.
    refreshing: tokio::sync::Mutex<()>,
    refreshes: AtomicU64,
    tokens: ViewerTokens,
}

impl Credentials {
    pub(super) fn new(source: Source, client: Client) -> Self {
        Self {
            source,
            client: RwLock::new(client),
            refreshing: tokio::sync::Mutex::new(()),
            refreshes: AtomicU64::new(0),
            tokens: ViewerTokens::default(),
        }
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    pub(super) fn tokens(&self) -> &ViewerTokens {
        &self.tokens
    }

    /// With the credentials that were read last.
    pub(super) fn client(&self) -> Client {
        self.client.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the kubeconfig, the token or the exec plugin's answer anew, once for all calls at the same time.
    pub(super) async fn refresh(&self) -> Result<(), Problem> {
        let seen = self.refreshes.load(Ordering::Acquire);
        let _guard = self.refreshing.lock().await;
        if self.refreshes.load(Ordering::Acquire) != seen {
            return Ok(());
        }
        let former = self.client();
        former.authorization.refused();
        let origin = self.source.clone().open().await?;
        let client = client::build(origin.target, former.metrics, former.shown).await?;
        *self.client.write().unwrap_or_else(PoisonError::into_inner) = client;
        self.refreshes.fetch_add(1, Ordering::Release);
        Ok(())
    }
}
