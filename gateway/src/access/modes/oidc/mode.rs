//! Mode `oidc` from its configuration to each request's login.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use http::HeaderMap;
use shared::frame::client::Credential;
use shared::frame::server::{Challenge, LoginMode};
use shared::problem::{Problem, Reason};
use tokio_util::sync::CancellationToken;

use super::flags::OidcFlags;
use super::settings::OidcSettings;
use super::state::Oidc;
use crate::access::Dependency;
use crate::access::auth_mode::{AuthMode, Authenticate, Greeting, Prepared, Start, Surroundings};
use crate::access::identity::{Caller, Login, LoginSession, RenewedLogin};
use crate::access::modes::local::folders::Folders;
use crate::access::modes::local::login::Local;
use crate::clock::wall_ms;

/// `--auth oidc`.
#[derive(Debug)]
pub(crate) struct OidcMode(OidcSettings);

impl OidcMode {
    /// Fails with one sentence that names the flag.
    pub(crate) fn resolve(flags: OidcFlags, around: &Surroundings<'_>) -> Result<Self, Problem> {
        flags.resolve(around).map(Self)
    }
}

impl AuthMode for OidcMode {
    fn mode(&self) -> LoginMode {
        LoginMode::Oidc
    }

    fn prepare(&self, port: u16) -> BoxFuture<'_, Result<Prepared, Problem>> {
        let settings = self.0.clone();
        let start: Start = Box::new(move |opened| Box::pin(begin(settings, opened.url, port)));
        ready(Ok(Prepared { entrance: None, api: None, start })).boxed()
    }
}

async fn begin(settings: OidcSettings, url: String, port: u16) -> Result<Arc<dyn Authenticate>, Problem> {
    if let Some(warning) = settings.mapping.warning() {
        tracing::warn!("{warning}");
    }
    let (has_keys, has_peers) = (settings.session_key_file.is_some(), settings.peers.is_some());
    let mut oidc = Oidc::new(settings, url)?;
    // Without a file of keys no session outlives this process.
    if has_keys {
        let folders = Folders::of_environment();
        let remembered = folders.and_then(|folders| oidc.remember_in(&folders.state, port));
        match remembered {
            Err(problem) if has_peers => {
                tracing::info!("only the other gateways remember ended sessions: {problem}")
            }
            Err(problem) => {
                tracing::warn!("this gateway doesn't remember which sessions were ended: {problem}");
            }
            Ok(()) => {}
        }
    }
    // Before the first viewer is served, so that a session that was ended is known.
    if !oidc.ask_peers().await {
        tracing::warn!("not every other gateway says which sessions were ended; they are asked again");
    }
    Ok(Arc::new(oidc))
}

impl Authenticate for Oidc {
    fn mode(&self) -> LoginMode {
        LoginMode::Oidc
    }

    fn signed_in(&self, headers: &HeaderMap) -> Option<Login> {
        self.login(headers, wall_ms())
    }

    fn login<'a>(
        &'a self,
        credential: Option<&'a Credential>,
        caller: &'a Caller,
        _asked: Option<Challenge>,
    ) -> BoxFuture<'a, Result<Login, Problem>> {
        let known = match (credential, caller) {
            (None, Caller::Known(login)) if self.is_current(login, wall_ms()) => Ok((**login).clone()),
            _ => Err(sign_in()),
        };
        ready(known).boxed()
    }

    fn is_open(&self, session: &LoginSession) -> BoxFuture<'static, bool> {
        let is_open = match session {
            LoginSession::Cookie(key) => self.is_open(key),
            LoginSession::Key(_) => true,
        };
        ready(is_open).boxed()
    }

    fn renewed(&self, session: &LoginSession) -> Option<RenewedLogin> {
        match session {
            LoginSession::Cookie(key) => self.renewed(key),
            LoginSession::Key(_) => None,
        }
    }

    fn codes(&self) -> Result<&Local, Problem> {
        Err(sign_in())
    }

    fn oidc(&self) -> Option<&Oidc> {
        Some(self)
    }

    fn greeting(&self, _demo_token: Option<String>) -> Result<Greeting, Problem> {
        let sentence = format!("People sign in at {}.", self.provider_host());
        Ok(Greeting { fragment: String::new(), name: None, sentence })
    }

    fn dependency(&self) -> Option<Arc<Dependency>> {
        Some(Arc::clone(self.provider_answers()))
    }

    fn reread(&self) {
        self.reread_keys();
    }

    fn keep(self: Arc<Self>, until: CancellationToken) -> Option<(&'static str, BoxFuture<'static, ()>)> {
        let kept = async move {
            let (asking, looking) = (self.keep_asking(until.clone()), self.keep_looking(until.clone()));
            tokio::join!(asking, looking, self.keep_remembering(until));
        };
        Some(("the provider and the other gateways", Box::pin(kept)))
    }
}

fn sign_in() -> Problem {
    let message = "no login, or none that goes on, came with this connection; sign in at /login";
    Problem::new(Reason::Unauthorized, message)
}
