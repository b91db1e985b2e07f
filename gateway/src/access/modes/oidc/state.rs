//! What a gateway of this mode has, and which logins it knows. Never a socket: http has the routes.

pub(super) mod clients;
pub(super) mod renew;
pub(super) mod sign_in;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue};
use shared::frame::server::LoginMode;
use shared::problem::Problem;
use shared::state::UnixMillis;
use tokio_util::sync::CancellationToken;

use clients::Clients;

use super::ended::EndedSessions;
use super::ended_file::EndedFile;
use super::failure::Failure;
use super::peers::{self, OtherGateways};
use super::places::LoginPlaces;
use super::provider::Provider;
use super::renewals::Renewals;
use super::revoked::Target;
use super::sealed::SealedCookies;
use super::session::{Session, SessionKey};
use super::settings::OidcSettings;
use super::sign_out::{self, SignedOut};
use super::used::UsedLogins;
use crate::access::Dependency;
use crate::access::identity::{Identity, Login, LoginSession, RenewedLogin, Rights};
use crate::clock::wall_ms;
use crate::cluster::Subject;

/// Sign-in at an identity provider, as one gateway does it: it answers http's routes and the authenticator.
///
/// It keeps no session. A session is what a browser's cookie says (`sealed`), unless it was ended (`ended`, of which the
/// `others` hear, and which the `file` remembers) or has become another by now (`renewals`). How a session begins is in
/// `sign_in`, how the provider is asked whether it goes on is in `renew`, how programs have sessions is in `clients`, and
/// how one ends is here.
pub struct Oidc {
    settings: OidcSettings,
    /// Scheme, host, port and base path at which browsers reach the gateway.
    public_url: String,
    provider: Provider,
    sealed: SealedCookies,
    used: Mutex<UsedLogins>,
    places: LoginPlaces,
    renewals: Renewals,
    ended: EndedSessions,
    file: Option<EndedFile>,
    others: OtherGateways,
    dependency: Arc<Dependency>,
}

/// What a browser is told: where to go, and which cookies to keep.
pub struct Redirect {
    pub to: String,
    pub cookies: Vec<HeaderValue>,
}

impl Oidc {
    /// Fails with one sentence that names the file that can't be used.
    pub fn new(settings: OidcSettings, public_url: String) -> Result<Self, Problem> {
        let sealed = SealedCookies::new(&settings, &public_url)?;
        Ok(Self {
            provider: Provider::new(&settings)?,
            others: OtherGateways::new(&settings, &public_url)?,
            sealed,
            used: Mutex::default(),
            places: LoginPlaces::default(),
            renewals: Renewals::default(),
            ended: EndedSessions::new(settings.session_ms()),
            file: None,
            dependency: Arc::new(Dependency::new("identity-provider")),
            public_url,
            settings,
        })
    }

    /// Reads the session keys again, and says in the log what came of it. A file that can't be used changes nothing.
    pub fn reread_keys(&self) {
        self.sealed.reread_keys();
        self.ended.write_anew();
    }

    /// Takes what a file in this folder remembers of ended sessions, and writes them there from now on.
    /// Fails with one sentence that names the folder or the file.
    pub fn remember_in(&mut self, state: &Path, port: u16) -> Result<(), Problem> {
        let file = EndedFile::of_folder(state, port)?;
        let read = file.read(&self.sealed.keys());
        self.file = Some(file);
        self.ended.merge(read?, wall_ms());
        Ok(())
    }

    /// Writes the file anew whenever a session is ended, until it is cancelled. Only waits where there is none.
    pub async fn keep_remembering(&self, until: CancellationToken) {
        let mut changes = self.ended.changes();
        // It may be sealed under a key that goes soon.
        changes.mark_changed();
        while let Some(file) = &self.file {
            // The sender is part of this, so there is always another change to wait for.
            let is_over = !matches!(until.run_until_cancelled(changes.changed()).await, Some(Ok(())));
            // A session may have been ended while the gateway was.
            if is_over && !changes.has_changed().unwrap_or_default() {
                return;
            }
            changes.mark_unchanged();
            let sealed = EndedFile::sealed(&self.sealed.keys(), &self.ended.list());
            match sealed {
                Ok(sealed) => {
                    let file = file.clone();
                    // It ends with the process at the latest.
                    drop(tokio::task::spawn_blocking(move || file.write(&sealed)).await);
                }
                Err(problem) => tracing::warn!("which sessions were ended can't be written: {problem}"),
            }
        }
        until.cancelled().await;
    }

    /// The issuer's host, by which people know their provider.
    pub fn provider_host(&self) -> &str {
        let (_, rest) = self.settings.issuer.split_once("://").unwrap_or_default();
        rest.split(['/', ':']).next().unwrap_or_default()
    }

    /// The login that the cookies of a request name. Only mode `oidc` has such cookies. `None`: they hold no session,
    /// or one that has ended, or whose provider is to be asked again first.
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

    /// For programs that a browser lets in.
    pub fn clients(&self) -> Clients<'_> {
        Clients(self)
    }

    /// Whether it wasn't ended.
    pub fn is_open(&self, session: &SessionKey) -> bool {
        !self.ended.holds(session)
    }

    /// What its session has become, if this gateway renewed it since.
    pub fn renewed(&self, session: &SessionKey) -> Option<RenewedLogin> {
        let newer = self.renewals.newer(session)?;
        let login = self.login_of(&newer)?;
        Some(match newer.unconfirmed {
            None => RenewedLogin::Confirmed(login),
            Some(_) => RenewedLogin::Unconfirmed(login),
        })
    }

    /// Ends the session of these cookies everywhere. `None`: they hold none.
    pub async fn sign_out(&self, had: &HeaderMap, now_ms: UnixMillis) -> Option<SignedOut> {
        let session = self.session(had, now_ms)?;
        self.ended.end(Target::Session(session.key.id.clone()), now_ms);
        tracing::info!(user = %session.username, session = session.key.log_name(), "signed out");
        // Without the provider the session is ended all the same.
        let to = sign_out::way_out(&self.provider, &self.settings.client_id, &self.public_url).await;
        Some(SignedOut { to: to.unwrap_or_else(|| "/".to_owned()), cookies: self.forgotten(had) })
    }

    /// The end of the session's cookies.
    pub fn forgotten(&self, had: &HeaderMap) -> Vec<HeaderValue> {
        self.sealed.clear_session(had)
    }

    /// The provider tells of a logout. Fails if it isn't the provider, or no logout.
    pub async fn told_of_logout(&self, body: &str, now_ms: UnixMillis) -> Result<(), Failure> {
        let now_s = now_ms / 1_000;
        let (target, name) = sign_out::told(&self.provider, body, now_s).await?;
        if !self.ended.is_told_first(&name, now_s) {
            return Err(Failure::BadAnswer);
        }
        tracing::info!("the provider ended {target}");
        self.ended.end(target, now_ms);
        Ok(())
    }

    /// Asks the other gateways which sessions were ended, until it is cancelled. Only waits where there are none.
    pub async fn keep_asking(&self, until: CancellationToken) {
        self.others.keep_asking(&self.sealed, &self.ended, until).await;
    }

    /// The provider, as it answered last.
    pub(super) fn provider_answers(&self) -> &Arc<Dependency> {
        &self.dependency
    }

    /// Asks whether the provider answers as it should, until it is cancelled.
    pub async fn keep_looking(&self, until: CancellationToken) {
        self.dependency.keep_asking(|| self.provider.look().boxed(), &until).await;
        until.cancelled().await;
    }

    /// Whether all other gateways answered in time.
    pub async fn ask_peers(&self) -> bool {
        self.others.ask(&self.sealed, &self.ended).await
    }

    /// The answer to another gateway. `None`: the question isn't one of a gateway with this key, or is old.
    pub fn answer_peer(&self, authorization: Option<&str>, now_ms: UnixMillis) -> Option<String> {
        peers::answer(&self.sealed, &self.ended, authorization, now_ms)
    }

    /// A session that hasn't ended. One of a gateway whose sessions lasted longer ends as those of this one do: for
    /// longer it isn't remembered which were ended.
    fn session(&self, headers: &HeaderMap, now_ms: UnixMillis) -> Option<Session> {
        self.going_on(self.sealed.session(headers)?, now_ms)
    }

    fn going_on(&self, session: Session, now_ms: UnixMillis) -> Option<Session> {
        let ends_ms = session.ends_ms.min(session.key.begun_ms.saturating_add(self.settings.session_ms()));
        let session = Session { ends_ms, ..session };
        (session.ends_ms > now_ms && self.is_open(&session.key)).then_some(session)
    }

    fn login_of(&self, session: &Session) -> Option<Login> {
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

    #[cfg(test)]
    pub(super) fn sealed_and_ended(&self) -> (&SealedCookies, &EndedSessions) {
        (&self.sealed, &self.ended)
    }
}
