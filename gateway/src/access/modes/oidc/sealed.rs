//! What browsers keep for the gateway, sealed: the session's cookie, and one for each login that was begun; and what
//! programs keep. It holds the session keys, which seal what gateways tell each other as well. Never asks the provider.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use http::{HeaderMap, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::claims::Mapping;
use super::cookie::Cookies;
use super::failure::Failure;
use super::seal::{Purpose, SealingKeys};
use super::session::Session;
use super::settings::OidcSettings;
use crate::limits::LOGIN_BEGUN_S;

pub(super) struct SealedCookies {
    keys: RwLock<SealingKeys>,
    key_file: Option<PathBuf>,
    /// What is sealed holds for this provider, client and mapping alone.
    context: String,
    /// The same at this address: a program shows what it keeps at the gateway that gave it, and at no other.
    client_context: String,
    cookies: Cookies,
}

impl SealedCookies {
    /// Fails with one sentence that names the file that can't be used.
    pub(super) fn new(settings: &OidcSettings, public_url: &str) -> Result<Self, Problem> {
        let key_file = settings.session_key_file.clone();
        let keys = match &key_file {
            Some(path) => SealingKeys::read(path)?,
            None => {
                tracing::warn!(
                    "there is no --session-key-file: sessions end with this process, and no other gateway knows them"
                );
                SealingKeys::random()?
            }
        };
        let Mapping { username_claim, username_prefix, groups_claim, groups_prefix } = &settings.mapping;
        let context = serde_json::to_string(&[
            &settings.issuer,
            &settings.client_id,
            username_claim,
            username_prefix,
            groups_claim.as_ref().unwrap_or(&String::new()),
            groups_prefix,
        ]);
        let context =
            context.map_err(|_| Problem::new(Reason::InternalError, "the settings can't be written"))?;
        let client_context = format!("{context} at {public_url}");
        let cookies = Cookies::of(public_url);
        Ok(Self { keys: RwLock::new(keys), key_file, context, client_context, cookies })
    }

    /// Reads the session keys again, and says in the log what came of it. A file that can't be used changes nothing.
    pub(super) fn reread_keys(&self) {
        let Some(path) = &self.key_file else { return };
        match SealingKeys::read(path) {
            Ok(keys) => {
                *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
                tracing::info!("the session keys were read again");
            }
            Err(problem) => tracing::error!("the session keys stay as they are: {problem}"),
        }
    }

    pub(super) fn keys(&self) -> RwLockReadGuard<'_, SealingKeys> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// As it was sealed: it may have ended since.
    pub(super) fn session(&self, headers: &HeaderMap) -> Option<Session> {
        self.opened(Purpose::Session, &self.cookies.session(headers)?)
    }

    /// The cookies that keep a session, in place of those of a request.
    pub(super) fn set_session(
        &self,
        session: &Session,
        had: &HeaderMap,
        now_ms: UnixMillis,
    ) -> Result<Vec<HeaderValue>, Failure> {
        let sealed = self.sealed(Purpose::Session, session)?;
        let seconds = (session.ends_ms - now_ms) / 1_000;
        self.cookies.set_session(&sealed, had, seconds).ok_or(Failure::TooLarge)
    }

    /// The end of the session's cookies.
    pub(super) fn clear_session(&self, had: &HeaderMap) -> Vec<HeaderValue> {
        self.cookies.clear_session(had)
    }

    /// The login of this state, as this browser began it.
    pub(super) fn login<T: DeserializeOwned>(&self, state: &str, headers: &HeaderMap) -> Option<T> {
        self.opened(Purpose::Login, &self.cookies.login(headers, state)?)
    }

    pub(super) fn set_login(
        &self,
        state: &str,
        begun: &impl Serialize,
        had: &HeaderMap,
    ) -> Result<Vec<HeaderValue>, Failure> {
        let sealed = self.sealed(Purpose::Login, begun)?;
        self.cookies.set_login(state, &sealed, had, LOGIN_BEGUN_S).ok_or(Failure::Internal)
    }

    pub(super) fn clear_login(&self, state: &str) -> Option<HeaderValue> {
        self.cookies.clear_login(state)
    }

    /// What a program keeps, or brings back.
    pub(super) fn for_client(&self, purpose: Purpose, plain: &impl Serialize) -> Result<String, Failure> {
        self.seal(purpose, &self.client_context, plain)
    }

    /// `None`: this gateway's team never sealed it, or for something else.
    pub(super) fn of_client<T: DeserializeOwned>(&self, purpose: Purpose, sealed: &str) -> Option<T> {
        let plain = self.keys().open(purpose, &self.client_context, sealed)?;
        serde_json::from_slice(&plain).ok()
    }

    fn sealed(&self, purpose: Purpose, plain: &impl Serialize) -> Result<String, Failure> {
        self.seal(purpose, &self.context, plain)
    }

    fn seal(&self, purpose: Purpose, context: &str, plain: &impl Serialize) -> Result<String, Failure> {
        let plain = serde_json::to_vec(plain).map_err(|_| Failure::Internal)?;
        self.keys().seal(purpose, context, &plain).map_err(|_| Failure::Internal)
    }

    fn opened<T: DeserializeOwned>(&self, purpose: Purpose, sealed: &str) -> Option<T> {
        let plain = self.keys().open(purpose, &self.context, sealed)?;
        serde_json::from_slice(&plain).ok()
    }
}
