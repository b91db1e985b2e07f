//! The auth modes, and the facts about each that gateway and client must agree on: one table. How a mode works is the
//! gateway's alone.

use serde::{Deserialize, Serialize};

use crate::json::words;

/// How a viewer signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoginMode {
    /// As the gateway's own user, on one machine.
    Local,
    /// At an OIDC provider.
    Oidc,
    /// With a token of the cluster.
    Bearer,
    /// At a proxy before the gateway.
    Proxy,
}

/// The credential that a gateway takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// A proof of the client's key, which signs the nonce.
    #[default]
    Proof,
    /// A token of the cluster.
    Bearer,
    /// The client says nothing: the cookie of the upgrade is the login, and a viewer without one signs in at the
    /// gateway's `/login`.
    Login,
    /// The client says nothing: a proxy before the gateway names the viewer.
    Proxy,
}

impl Wanted {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_proof(&self) -> bool {
        *self == Self::Proof
    }
}

/// How the cluster knows the viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// A token of the cluster: users and service accounts.
    Token,
    /// A name that an identity provider or a proxy gives; never a service account's.
    Name,
}

/// A row of the table of modes.
struct ModeFacts {
    name: &'static str,
    wants: Wanted,
    rights: Option<KnownBy>,
    signs_out: bool,
}

impl LoginMode {
    /// In the order in which messages name them.
    pub const ALL: [Self; 4] = [Self::Local, Self::Bearer, Self::Oidc, Self::Proxy];

    fn facts(self) -> ModeFacts {
        use KnownBy::{Name, Token};
        let (name, wants, rights, signs_out) = match self {
            Self::Local => ("local", Wanted::Proof, None, false),
            Self::Bearer => ("bearer", Wanted::Bearer, Some(Token), false),
            Self::Oidc => ("oidc", Wanted::Login, Some(Name), true),
            Self::Proxy => ("proxy", Wanted::Proxy, Some(Name), false),
        };
        ModeFacts { name, wants, rights, signs_out }
    }

    /// As `--auth` and the wire have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// `None`: there is no such mode.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The credential that a viewer of this mode brings.
    #[must_use]
    pub fn wants(self) -> Wanted {
        self.facts().wants
    }

    /// How the API server knows the viewer whose rights it reviews. `None`: the gateway runs as its viewer, so nothing is
    /// reviewed.
    #[must_use]
    pub fn rights(self) -> Option<KnownBy> {
        self.facts().rights
    }

    /// Whether `POST /logout` ends the login.
    #[must_use]
    pub fn signs_out(self) -> bool {
        self.facts().signs_out
    }
}

words! { LoginMode: "local" => Local, "oidc" => Oidc, "bearer" => Bearer, "proxy" => Proxy }
words! { Wanted: "proof" => Proof, "bearer" => Bearer, "login" => Login, "proxy" => Proxy }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_has_one_name_for_the_flag_and_for_the_wire() {
        for mode in LoginMode::ALL {
            assert_eq!(serde_json::to_value(mode).expect("JSON"), mode.name());
            assert_eq!(LoginMode::of_name(mode.name()), Some(mode));
        }
        assert_eq!(LoginMode::of_name("Local"), None);
    }
}
