//! A program on a person's computer gets a session of its own, which ends with the one of their browser. Its tokens count
//! at `/k8s/…` alone, ten minutes each; for the next one the provider is asked again as for a page.
//!
//! A person who has several gateways behind one address may be at another one with each step: all that must be remembered
//! goes along, sealed. Only which codes came already is each gateway's own; the provider takes each of them once.

use http::HeaderMap;
use shared::state::UnixMillis;

use super::renew::NotRenewed;
use super::{Oidc, Redirect};
use crate::access::identity::Login;
use crate::access::modes::oidc::ask::ClientTokens;
use crate::access::modes::oidc::client::{Allowed, ClientRequest, Code, Question, Token};
use crate::access::modes::oidc::failure::Failure;
use crate::access::modes::oidc::places::LoginClient;
use crate::access::modes::oidc::revoked::Target;
use crate::access::modes::oidc::seal::Purpose;
use crate::access::modes::oidc::session::Session;
use crate::limits::{API_TOKEN_LIFETIME_S, CLIENT_QUESTION_S, CLIENT_TOKEN_BYTES_MAX};

/// What a gateway of this mode does for programs.
pub struct Clients<'a>(pub(super) &'a Oidc);

/// What the page asks its person.
pub struct ClientQuestion {
    pub user: Box<str>,
    /// As the terminal shows it.
    pub shown_code: String,
    /// Comes back with the answer.
    pub ticket: String,
}

/// A program's next token.
pub struct Given {
    pub tokens: ClientTokens,
    pub login: Login,
    /// What the provider said, where it was asked.
    pub is_confirmed: Option<bool>,
}

const LIFETIME_MS: UnixMillis = API_TOKEN_LIFETIME_S.cast_signed() * 1_000;

impl Clients<'_> {
    /// `Ok(None)`: the browser has no session that goes on, so its person signs in first.
    pub fn ask_person(
        &self,
        request: &ClientRequest,
        had: &HeaderMap,
        now_ms: UnixMillis,
    ) -> Result<Option<ClientQuestion>, Failure> {
        let Some(session) = self.current(had, now_ms) else { return Ok(None) };
        let question = Question {
            request: request.clone(),
            session: session.key.id,
            until_ms: now_ms + CLIENT_QUESTION_S * 1_000,
        };
        let ticket = self.0.sealed.for_client(Purpose::ClientQuestion, &question)?;
        Ok(Some(ClientQuestion { user: session.username, shown_code: request.shown_code(), ticket }))
    }

    /// The person said yes. Their browser goes to the provider, where they are signed in, and from there to the program.
    pub async fn let_in(
        &self,
        ticket: &str,
        had: &HeaderMap,
        now_ms: UnixMillis,
    ) -> Result<Redirect, Failure> {
        let question: Option<Question> = self.0.sealed.of_client(Purpose::ClientQuestion, ticket);
        let question = question.filter(|question| question.until_ms > now_ms).ok_or(Failure::OldQuestion)?;
        let session = self.current(had, now_ms).filter(|session| session.key.id == question.session);
        let session = session.ok_or(Failure::OldQuestion)?;
        tracing::info!(user = %session.username, session = session.key.log_name(), "a program is let in");
        let allowed = Allowed { request: question.request, ends_ms: session.ends_ms, session: session.key };
        self.0.begin_for("/", Some(allowed), had, now_ms).await
    }

    /// A program comes with the code that the browser brought it.
    pub async fn redeem(
        &self,
        (code, verifier): (&str, &str),
        client: &LoginClient,
        now_ms: UnixMillis,
    ) -> Result<Given, Failure> {
        let code: Option<Code> = self.0.sealed.of_client(Purpose::ClientCode, code);
        let code = code.filter(|code| code.until_ms > now_ms).ok_or(Failure::UnknownCode)?;
        if !code.allowed.request.is_proven_by(verifier) {
            return Err(Failure::OtherProgram);
        }
        self.still_let_in(&code.allowed, now_ms)?;
        let _place = self.0.places.place(client).await?;
        if !self.0.is_first(&code.state, code.until_ms, now_ms) {
            return Err(Failure::UnknownCode);
        }
        let tokens = self.0.provider.exchange(&code.code, &code.verifier, &self.0.redirect_uri()).await?;
        let session = self.0.session_of(&tokens, &code.nonce, now_ms).await?;
        let session = code.allowed.begun(session)?;
        // The browser may have signed out while the provider was asked.
        self.still_let_in(&code.allowed, now_ms)?;
        tracing::info!(
            user = %session.username,
            session = session.key.log_name(),
            of = code.allowed.session.log_name(),
            "a program has a session"
        );
        self.give(&session, None, now_ms)
    }

    /// The next token. The provider is asked if its word doesn't last for as long as a token.
    pub async fn renew(&self, renewal: &str, now_ms: UnixMillis) -> Result<Given, NotRenewed> {
        let session = self.0.sealed.of_client(Purpose::ClientSession, renewal);
        let session = session.and_then(|session| self.0.going_on(session, now_ms));
        let session = session.ok_or(NotRenewed::NoSession)?;
        let is_due = session.renewal.is_some() && session.holds_until_ms() < now_ms + LIFETIME_MS;
        let (session, is_confirmed) = if is_due {
            let session = self.0.confirmed(session, now_ms).await?;
            let is_confirmed = session.unconfirmed.is_none();
            (session, Some(is_confirmed))
        } else {
            (session, None)
        };
        self.give(&session, is_confirmed, now_ms).map_err(NotRenewed::Ended)
    }

    /// Whether there was a session that this ended.
    pub fn end(&self, renewal: &str, now_ms: UnixMillis) -> bool {
        let session: Option<Session> = self.0.sealed.of_client(Purpose::ClientSession, renewal);
        let Some(session) = session.and_then(|session| self.0.going_on(session, now_ms)) else {
            return false;
        };
        self.0.ended.end(Target::Session(session.key.id.clone()), now_ms);
        tracing::info!(user = %session.username, session = session.key.log_name(), "a program signed out");
        true
    }

    /// The login of a program's token. `None`: it isn't one of this gateway's team, or has ended, or its session has.
    pub fn of_token(&self, token: &str, now_ms: UnixMillis) -> Option<Login> {
        if token.len() > CLIENT_TOKEN_BYTES_MAX {
            return None;
        }
        let token: Token = self.0.sealed.of_client(Purpose::ClientToken, token)?;
        // Otherwise the clock was set back since.
        let counts = now_ms < token.until_ms && token.until_ms <= now_ms + LIFETIME_MS;
        let session = self.0.going_on(token.session(), now_ms)?;
        counts.then(|| self.0.login_of(&session)).flatten()
    }

    /// The session of a browser that its provider needn't be asked about first.
    fn current(&self, had: &HeaderMap, now_ms: UnixMillis) -> Option<Session> {
        self.0.session(had, now_ms).filter(|session| session.holds_until_ms() > now_ms)
    }

    fn still_let_in(&self, allowed: &Allowed, now_ms: UnixMillis) -> Result<(), Failure> {
        let is_open = self.0.is_open(&allowed.session) && allowed.ends_ms > now_ms;
        if is_open { Ok(()) } else { Err(Failure::EndedBefore) }
    }

    fn give(
        &self,
        session: &Session,
        is_confirmed: Option<bool>,
        now_ms: UnixMillis,
    ) -> Result<Given, Failure> {
        let expires_ms = session.holds_until_ms().min(now_ms + LIFETIME_MS);
        let token = self.0.sealed.for_client(Purpose::ClientToken, &Token::of(session, expires_ms))?;
        let login = self.0.login_of(session).ok_or(Failure::Internal)?;
        if token.len() > CLIENT_TOKEN_BYTES_MAX {
            return Err(Failure::TooLarge);
        }
        let renewal = self.0.sealed.for_client(Purpose::ClientSession, session)?;
        Ok(Given { tokens: ClientTokens { token, expires_ms, renewal }, login, is_confirmed })
    }
}
