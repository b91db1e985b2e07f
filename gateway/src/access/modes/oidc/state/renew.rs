//! The provider is asked again about a session, with the refresh token of its cookie, or of a program's own session. Each session has one request at
//! a time, because a provider that rotates refresh tokens takes the second use of one for a theft. A second request
//! with the older cookie gets the result of the first.
//!
//! An open connection needs no new credential: at its next look it finds its session renewed, and goes on with the
//! new end and the new groups. That is so on the gateway that renewed it; a connection to another one ends at its time
//! with 4401, and its page comes back with the renewed cookie.

use http::{HeaderMap, HeaderValue};
use shared::state::UnixMillis;

use super::Oidc;
use super::sign_in::due_ms;
use crate::access::modes::oidc::failure::Failure;
use crate::access::modes::oidc::revoked::Target;
use crate::access::modes::oidc::session::{Renewal, Session, SessionKey, Unconfirmed};
use crate::limits::RENEW_LATER_MS;

/// Until when a renewed session goes on, and its cookies.
pub struct Renewed {
    pub expires_ms: UnixMillis,
    pub cookies: Vec<HeaderValue>,
    /// Whether the provider said that it goes on, or there is nothing to ask it with.
    pub is_confirmed: bool,
}

/// Why a session isn't renewed: its person signs in again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRenewed {
    /// There is none, or it has ended.
    NoSession,
    /// The provider, or what it says now, ended it.
    Ended(Failure),
}

impl Oidc {
    /// Where the provider gave nothing to ask with, the session goes on as it is; and so it does for a while if the
    /// provider can't be reached.
    pub async fn renew(&self, had: &HeaderMap, now_ms: UnixMillis) -> Result<Renewed, NotRenewed> {
        let session = self.session(had, now_ms).ok_or(NotRenewed::NoSession)?;
        let renewed = self.confirmed(session, now_ms).await?;
        let cookies = self.sealed.set_session(&renewed, had, now_ms).map_err(NotRenewed::Ended)?;
        let is_confirmed = renewed.unconfirmed.is_none();
        Ok(Renewed { expires_ms: renewed.holds_until_ms(), cookies, is_confirmed })
    }

    /// The session as the provider says that it goes on now.
    pub(super) async fn confirmed(
        &self,
        session: Session,
        now_ms: UnixMillis,
    ) -> Result<Session, NotRenewed> {
        let renewed = match &session.renewal {
            None => session,
            Some(renewal) => {
                let flight = self.renewals.flight(&session.key.id);
                let _alone = flight.lock().await;
                match self.renewals.just_renewed(&session.key, now_ms) {
                    Some(renewed) => renewed,
                    None => self.ask_again(&session, renewal, now_ms).await?,
                }
            }
        };
        // It may have been ended while the provider was asked.
        if !self.is_open(&renewed.key) {
            return Err(NotRenewed::NoSession);
        }
        Ok(renewed)
    }

    async fn ask_again(
        &self,
        session: &Session,
        renewal: &Renewal,
        now_ms: UnixMillis,
    ) -> Result<Session, NotRenewed> {
        let asked = match self.asked(session, renewal, now_ms).await {
            // Its answer may have been lost, and may come another time.
            Err(failure) if failure.is_passing() => self.unconfirmed(session, renewal, failure, now_ms),
            asked => asked,
        };
        match asked {
            Ok(renewed) => {
                self.renewals.remember(&renewed, now_ms);
                Ok(renewed)
            }
            Err(failure) => {
                tracing::info!(user = %session.username, session = session.key.log_name(), "a session was not renewed");
                self.ended.end(Target::Session(session.key.id.clone()), now_ms);
                Err(NotRenewed::Ended(failure))
            }
        }
    }

    /// The session goes on for a while, unless the provider fails for it alone.
    pub(in crate::access::modes::oidc) fn unconfirmed(
        &self,
        session: &Session,
        renewal: &Renewal,
        failure: Failure,
        now_ms: UnixMillis,
    ) -> Result<Session, Failure> {
        let before = session.unconfirmed;
        // A copy of the cookie from before the first failure counts from the same time.
        let since_ms = before.map_or(renewal.due_ms.min(now_ms), |before| before.since_ms);
        let ends_ms = since_ms + i64::from(self.settings.unconfirmed_minutes) * 60_000;
        let mut failed_ms = before.and_then(|before| before.failed_ms);
        if let Failure::Failing(_) = failure {
            // One such answer may be a hiccup, and another one while others are renewed is not.
            if failed_ms.is_some_and(|failed_ms| self.renewals.any_confirmed_since(failed_ms)) {
                return Err(failure);
            }
            failed_ms = failed_ms.or(Some(now_ms));
        }
        if now_ms >= ends_ms {
            return Err(failure);
        }
        tracing::warn!(session = session.key.log_name(), "a session goes on unconfirmed: {failure}");
        let due_ms = (now_ms + RENEW_LATER_MS).min(ends_ms);
        Ok(Session {
            key: SessionKey { renewed_ms: now_ms.max(session.key.renewed_ms + 1), ..session.key.clone() },
            renewal: Some(Renewal { due_ms, ..renewal.clone() }),
            unconfirmed: Some(Unconfirmed { since_ms, failed_ms }),
            ..session.clone()
        })
    }

    async fn asked(
        &self,
        session: &Session,
        renewal: &Renewal,
        now_ms: UnixMillis,
    ) -> Result<Session, Failure> {
        let tokens = self.provider.refresh(&renewal.refresh_token).await?;
        // The provider needn't say again who it is (OpenID Connect Core 1.0, section 12.2).
        let claims = match &tokens.id_token {
            Some(token) => Some(self.id_claims(token, now_ms).await?),
            None => None,
        };
        let mut renewed = session.clone();
        if let Some(claims) = &claims {
            if claims.text("sub") != Some(&session.key.subject) {
                return Err(Failure::OtherLogin);
            }
            let mapped = self.settings.mapping.of(claims)?;
            renewed.username = mapped.identity.name().into();
            renewed.groups = mapped.groups;
        }
        self.renewals.confirmed(now_ms);
        renewed.unconfirmed = None;
        // Two within a millisecond are two all the same.
        renewed.key.renewed_ms = now_ms.max(session.key.renewed_ms + 1);
        renewed.renewal = Some(Renewal {
            due_ms: due_ms(&tokens, claims.as_ref(), now_ms),
            refresh_token: tokens.refresh_token.unwrap_or_else(|| renewal.refresh_token.clone()),
        });
        Ok(renewed)
    }
}
