//! A viewer's identity. It is never empty: an empty name would mean the gateway itself to the API server.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use shared::frame::client::Credential;
use shared::frame::server::{LoginMode, Viewer, ViewerRights};
use shared::state::UnixMillis;

use super::modes::local::sessions::SessionId;
use super::modes::oidc::session::SessionKey;
use super::names;
use crate::cluster::{Subject, UpstreamIdentity};

/// The name of a viewer who has authenticated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity(Box<str>);

/// An identity, and when its credential expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    pub identity: Identity,
    /// `None` if the credential doesn't expire.
    pub expires_ms: Option<UnixMillis>,
    /// A session that may be revoked.
    pub session: Option<LoginSession>,
    pub rights: Rights,
    pub mode: LoginMode,
    /// The host of the OIDC issuer; `None` in every other mode.
    pub provider: Option<Box<str>>,
}

/// What a login's session has become since.
pub enum RenewedLogin {
    Confirmed(Login),
    /// Its provider didn't say whether it goes on, and for a while it does.
    Unconfirmed(Login),
}

impl Login {
    /// As the viewer's own page shows it. Groups are told where the API server reviews them.
    pub fn viewer(&self) -> Viewer {
        let (rights, groups) = match &self.rights {
            Rights::OfGateway => (ViewerRights::Gateway, Vec::new()),
            Rights::OfViewer(subject) => (ViewerRights::Viewer, subject.groups.iter().cloned().collect()),
            Rights::AsViewer(subject, upstream) => {
                let rights = match upstream {
                    UpstreamIdentity::Gateway => ViewerRights::Viewer,
                    UpstreamIdentity::Token(_) => ViewerRights::Token,
                    UpstreamIdentity::Impersonated(_) => ViewerRights::Impersonated,
                };
                (rights, subject.groups.iter().cloned().collect())
            }
        };
        Viewer {
            user: self.identity.name().into(),
            groups,
            mode: self.mode,
            provider: self.provider.clone(),
            rights,
            signs_out: self.mode.signs_out(),
            expires_ms: self.expires_ms,
        }
    }
}

/// What a login rests on, beside a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginSession {
    /// A page's key proves it, again and again.
    Key(SessionId),
    /// A sign-in at a provider, by the cookie of the upgrade or by the token of a program.
    Cookie(Arc<SessionKey>),
}

/// The account whose rights decide what a viewer sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rights {
    /// The gateway's own, for it runs as the viewer.
    OfGateway,
    /// The viewer's own, as the API server reviews them, before feeds that the gateway shares among all.
    OfViewer(Arc<Subject>),
    /// The same, before feeds of the viewer's own: the API server is asked in their name.
    AsViewer(Arc<Subject>, UpstreamIdentity),
}

impl Rights {
    /// The subject whose rights are reviewed; `None` if the gateway's own rights decide.
    pub fn subject(&self) -> Option<&Arc<Subject>> {
        match self {
            Self::OfGateway => None,
            Self::OfViewer(subject) | Self::AsViewer(subject, _) => Some(subject),
        }
    }

    /// The identity that the API server is asked as.
    pub fn upstream(&self) -> UpstreamIdentity {
        match self {
            Self::OfGateway | Self::OfViewer(_) => UpstreamIdentity::Gateway,
            Self::AsViewer(_, upstream) => upstream.clone(),
        }
    }
}

/// What the connection itself says about the client that opened a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// The same user, as the kernel says.
    SameUser,
    /// A credential is needed.
    Remote {
        /// The origin of the client's page; empty for a program.
        origin: Box<str>,
        /// A token that came with the upgrade, and stands for the one that `hello` may bring.
        bearer: Option<Credential>,
    },
    /// The upgrade itself names the viewer: by a proxy's headers, or by the cookie of a session.
    Known(Box<Login>),
}

impl Caller {
    pub fn bearer(&self) -> Option<&Credential> {
        match self {
            Self::SameUser | Self::Known(_) => None,
            Self::Remote { bearer, .. } => bearer.as_ref(),
        }
    }
}

/// How a connection came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Over the Unix socket: the kernel says that the client is the same user.
    SameUser,
    /// Over TCP: a credential is needed.
    Remote(SocketAddr),
    /// Over the listener for clients of the Kubernetes API: an API token is needed, and nothing else is a credential.
    ApiClient(SocketAddr),
    /// The reverse proxy, as its certificate or its socket says.
    Proxy,
}

/// As the audit log names it.
impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameUser => f.write_str("unix"),
            Self::Proxy => f.write_str("proxy"),
            Self::Remote(address) | Self::ApiClient(address) => address.fmt(f),
        }
    }
}

impl Identity {
    /// `None` if the name is empty, or one that isn't taken ([`names`]).
    pub fn new(name: &str) -> Option<Self> {
        (!name.is_empty() && names::check(name).is_ok()).then(|| Self(name.into()))
    }

    /// The identity of a name that the API server gave, which may be one of Kubernetes' own names. `None` if it is
    /// empty or has control characters.
    pub fn reviewed(name: &str) -> Option<Self> {
        let is_name = !name.trim().is_empty() && !name.chars().any(char::is_control);
        is_name.then(|| Self(name.into()))
    }

    pub fn name(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewers_groups_are_told_where_the_api_server_reviews_them() {
        let subject = Subject {
            user: "alice".into(),
            uid: "".into(),
            groups: ["dev".into()].into(),
            extra: Default::default(),
        };
        let reviewed = Login {
            identity: Identity::reviewed("alice").expect("a name"),
            expires_ms: Some(9),
            session: None,
            rights: Rights::OfViewer(Arc::new(subject)),
            mode: LoginMode::Bearer,
            provider: None,
        };
        let viewer = reviewed.viewer();
        assert_eq!((&*viewer.user, &*viewer.groups), ("alice", &["dev".into()][..]));
        assert_eq!(
            (viewer.rights, viewer.signs_out, viewer.expires_ms),
            (ViewerRights::Viewer, false, Some(9))
        );
        let local = Login { rights: Rights::OfGateway, mode: LoginMode::Local, ..reviewed.clone() }.viewer();
        assert_eq!((local.groups.len(), local.rights), (0, ViewerRights::Gateway));
        let provider = Some("sso.example.org".into());
        let oidc = Login { mode: LoginMode::Oidc, provider, ..reviewed }.viewer();
        assert_eq!((oidc.provider.as_deref(), oidc.signs_out), (Some("sso.example.org"), true));
    }

    #[test]
    fn an_identity_has_a_name_that_belongs_to_no_one_else() {
        assert_eq!(Identity::new("alice").expect("a name").name(), "alice");
        for name in
            ["", " ", " alice", "alice\n", "a\r\nImpersonate-User: b", "system:admin", "System:masters"]
        {
            assert_eq!(Identity::new(name), None, "{name:?}");
        }
    }
}
