//! What a gateway of this mode has, and how it reads and writes the session's cookie. Never asks the provider.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use http::{HeaderMap, HeaderValue, Uri};
use shared::frame::server::LoginMode;
use shared::problem::{Problem, Reason};
use shared::state::UnixMillis;

use super::claims::Mapping;
use super::cookie::Cookies;
use super::failure::Failure;
use super::provider::Provider;
use super::renewals::Renewals;
use super::revoked::{Revocations, Target};
use super::seal::{Purpose, SealingKeys};
use super::session::{Session, SessionKey};
use super::settings::{OidcSettings, Peers, PeersScheme};
use super::told::Told;
use super::used::UsedLogins;
use crate::access::https::Https;
use crate::access::identity::{Identity, Login, LoginSession, Rights};
use crate::cluster::Subject;

pub struct Oidc {
    pub(super) settings: OidcSettings,
    /// Scheme, host and port at which browsers reach the gateway.
    pub(super) public_url: String,
    pub(super) provider: Provider,
    keys: RwLock<SealingKeys>,
    /// What is sealed holds for this provider, client and mapping alone.
    pub(super) context: String,
    pub(super) cookies: Cookies,
    pub(super) revocations: Mutex<Revocations>,
    pub(super) renewals: Renewals,
    pub(super) told: Mutex<Told>,
    pub(super) used: Mutex<UsedLogins>,
    /// For other gateways.
    pub(super) https: Https,
}

/// What a browser is told: where to go, and which cookies to keep.
pub struct Redirect {
    pub to: String,
    pub cookies: Vec<HeaderValue>,
}

impl Oidc {
    /// Fails with one sentence that names the file that can't be used.
    pub fn new(settings: OidcSettings, public_url: String) -> Result<Self, Problem> {
        let keys = match &settings.session_key_file {
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
        Ok(Self {
            provider: Provider::new(&settings)?,
            cookies: Cookies::of(&public_url),
            https: to_peers(&settings, &public_url)?,
            keys: RwLock::new(keys),
            context,
            public_url,
            settings,
            revocations: Mutex::default(),
            renewals: Renewals::default(),
            told: Mutex::default(),
            used: Mutex::default(),
        })
    }

    /// Reads the session keys again, and says in the log what came of it. A file that can't be used changes nothing.
    pub fn reread_keys(&self) {
        let Some(path) = &self.settings.session_key_file else { return };
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

    /// The issuer's host, by which people know their provider.
    pub fn provider_host(&self) -> &str {
        let (_, rest) = self.settings.issuer.split_once("://").unwrap_or_default();
        rest.split(['/', ':']).next().unwrap_or_default()
    }

    /// Whom the cookies of a request name. `None`: they hold no session, or one that has ended, or whose provider is to
    /// be asked again first.
    pub fn login(&self, headers: &HeaderMap, now_ms: UnixMillis) -> Option<Login> {
        let session = self.session(headers, now_ms)?;
        (session.holds_until_ms() > now_ms).then(|| self.login_of(&session)).flatten()
    }

    /// Whether a login of [`Self::login`] still holds.
    pub fn is_current(&self, login: &Login, now_ms: UnixMillis) -> bool {
        let is_open = match &login.session {
            Some(LoginSession::Cookie(key)) => self.is_open(key),
            Some(LoginSession::Key(_)) | None => false,
        };
        is_open && login.expires_ms.is_some_and(|ends_ms| ends_ms > now_ms)
    }

    /// Whether it wasn't ended.
    pub fn is_open(&self, session: &SessionKey) -> bool {
        !self.revocations().holds(session)
    }

    /// What its session has become, if this gateway renewed it since.
    pub fn renewed(&self, session: &SessionKey) -> Option<Login> {
        self.renewals.newer(session).and_then(|newer| self.login_of(&newer))
    }

    /// A session that hasn't ended.
    pub(super) fn session(&self, headers: &HeaderMap, now_ms: UnixMillis) -> Option<Session> {
        let sealed = self.cookies.session(headers)?;
        let plain = self.keys().open(Purpose::Session, &self.context, &sealed)?;
        let session: Session = serde_json::from_slice(&plain).ok()?;
        (session.ends_ms > now_ms && self.is_open(&session.key)).then_some(session)
    }

    pub(super) fn login_of(&self, session: &Session) -> Option<Login> {
        let identity = Identity::new(&session.username)?;
        let subject = Subject {
            user: session.username.clone(),
            uid: "".into(),
            groups: session.groups.clone(),
            extra: BTreeMap::new(),
        };
        Some(Login {
            identity,
            expires_ms: Some(session.holds_until_ms()),
            session: Some(LoginSession::Cookie(Arc::new(session.key.clone()))),
            rights: Rights::OfViewer(Arc::new(subject)),
            mode: LoginMode::Oidc,
            provider: Some(self.provider_host().into()),
        })
    }

    /// The cookies that keep a session, in place of those of a request.
    pub(super) fn kept(
        &self,
        session: &Session,
        had: &HeaderMap,
        now_ms: UnixMillis,
    ) -> Result<Vec<HeaderValue>, Failure> {
        let plain = serde_json::to_vec(session).map_err(|_| Failure::Internal)?;
        let sealed = self.keys().seal(Purpose::Session, &self.context, &plain);
        let sealed = sealed.map_err(|_| Failure::Internal)?;
        let seconds = (session.ends_ms - now_ms) / 1_000;
        self.cookies.set_session(&sealed, had, seconds).ok_or(Failure::TooLarge)
    }

    pub(super) fn revoke(&self, target: Target, now_ms: UnixMillis) {
        let until_ms = now_ms + i64::from(self.settings.session_hours) * 3_600_000;
        if !self.revocations().add(target, until_ms, now_ms) {
            tracing::warn!("more sessions were ended than are remembered; one of them may be used again");
        }
    }

    pub(super) fn revocations(&self) -> MutexGuard<'_, Revocations> {
        self.revocations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The other gateways have the certificate of the name that all of them have for browsers.
fn to_peers(settings: &OidcSettings, public_url: &str) -> Result<Https, Problem> {
    match &settings.peers {
        Some(Peers { scheme: PeersScheme::Https { ca_file }, .. }) => {
            let url = public_url.parse::<Uri>().ok();
            let host = url.as_ref().and_then(Uri::host).unwrap_or_default();
            Https::of_host(ca_file.as_deref(), host)
        }
        _ => Https::new(None),
    }
}
