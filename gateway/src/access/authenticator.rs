//! The auth mode that runs, as sessions and http ask it: what a connection is asked for, and whose it is. Never says
//! which part of a credential was wrong, and never logs one.

use std::ops::Deref;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use shared::frame::server::{Challenge, Wanted};
use shared::problem::Problem;
use tokio_util::sync::CancellationToken;

use super::auth_mode::Authenticate;
use super::identity::Caller;
use super::modes::local::code::Issued;
use super::modes::local::hidden::random_text;
use super::modes::local::sessions::SessionId;

/// What a mode does by itself is asked of [`Authenticate`]. Cheap to clone.
#[derive(Clone)]
pub struct Authenticator(Arc<dyn Authenticate>);

impl Deref for Authenticator {
    type Target = dyn Authenticate;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Authenticator {
    pub fn new(mode: Arc<dyn Authenticate>) -> Self {
        Self(mode)
    }

    /// What a caller is asked for; `None` where the connection itself says who it is.
    /// Fails if the system has no randomness.
    pub fn challenge(&self, caller: &Caller) -> Result<Option<Challenge>, Problem> {
        let wanted = self.mode().wants();
        let is_asked = match caller {
            Caller::SameUser => false,
            // The token is there already.
            Caller::Remote { bearer: Some(_), .. } => wanted != Wanted::Bearer,
            // A page waits for what it is asked, and can't see its own cookie.
            Caller::Remote { bearer: None, .. } | Caller::Known(_) => true,
        };
        let asked = || Ok(Challenge { nonce: random_text()?, wanted });
        is_asked.then(asked).transpose()
    }

    /// Whether viewers have rights of their own, which the API server reviews.
    pub fn reviews_rights(&self) -> bool {
        self.mode().rights().is_some()
    }

    /// A code that opens one page.
    /// Fails if the system has no randomness, or where no page is opened by a code.
    pub fn issue_code(&self) -> Result<Issued, Problem> {
        self.codes()?.issue_code()
    }

    /// A session for the page that knows the code, which is used up by it.
    /// Fails with `Unauthorized` if the code was never issued, is too old, or was used; with `BadRequest` if the key
    /// isn't written as one, which costs no code.
    pub async fn exchange(
        &self,
        code: &str,
        key: &str,
        origin: &str,
        client: &str,
    ) -> Result<SessionId, Problem> {
        self.codes()?.exchange(code, key, origin, client).await
    }

    /// What the user's pages keep beyond their sessions. `None`: nothing, or they keep it themselves.
    pub async fn preferences(&self) -> Option<String> {
        self.codes().ok()?.preferences().await
    }

    /// Whether they were kept.
    pub async fn keep_preferences(&self, text: String) -> bool {
        match self.codes() {
            Ok(local) => local.keep_preferences(text).await,
            Err(_) => false,
        }
    }

    /// What runs beside the connections, with its name in the log.
    pub fn keep(&self, until: CancellationToken) -> Option<(&'static str, BoxFuture<'static, ()>)> {
        Arc::clone(&self.0).keep(until)
    }
}
