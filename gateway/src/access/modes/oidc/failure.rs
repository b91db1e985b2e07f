//! Why a login isn't made: one sentence each for the person who tried. It quotes no token, code or cookie.

use crate::access::https::NoAnswer;
use crate::access::jwt::{Refusal, RemoteError};

use super::claims::UnusableClaims;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("A login leads to a page of this gateway, such as /v/pods, and to nothing else.")]
    BadDestination,
    #[error("This login was begun in another browser, or too long ago.")]
    UnknownLogin,
    #[error("The provider's answer can't be read: it names no code, or one of its parts twice.")]
    BadAnswer,
    #[error("The provider refused this login ({0}).")]
    Denied(String),
    #[error("{}", unreachable_because(&.0.to_string()))]
    Unreachable(NoAnswer),
    #[error("The provider can't say at the moment whether this login is good ({0}).")]
    Failing(String),
    #[error("The provider isn't the one that this gateway is set up for: {0}.")]
    OtherProvider(String),
    #[error("The provider's token isn't taken: {0}.")]
    Token(Refusal),
    #[error("The provider's token isn't taken: it answers another login than this one.")]
    OtherLogin,
    #[error("The provider's clock and this gateway's differ by {} minutes; one of them must be set right.", .0 / 60)]
    Clock(i64),
    #[error("{0}")]
    Claims(UnusableClaims),
    #[error(
        "You are in so many groups that a browser can't keep this login; the provider's administrator can send fewer."
    )]
    TooLarge,
    #[error("Too many logins come back at once; try again in some seconds.")]
    Busy,
    #[error("This gateway can't make a login at the moment.")]
    Internal,
    #[error("This address names no program that waits on this computer; run its command again.")]
    BadClient,
    #[error("This page is too old, or another login has taken its place; run the command again.")]
    OldQuestion,
    #[error("The code was used already, is older than a minute, or isn't this gateway's.")]
    UnknownCode,
    #[error("The code was given to another program.")]
    OtherProgram,
    #[error("At the provider another person signed in than the one who let the program in.")]
    OtherPerson,
    #[error("The login in which the program was let in has ended.")]
    EndedBefore,
}

impl Failure {
    /// For the person who tried, who may be a stranger: what stands between gateway and provider is for the log.
    pub fn for_person(&self) -> String {
        match self {
            Self::Unreachable(why) => unreachable_because(why.for_person()),
            other => other.to_string(),
        }
    }

    /// Whether another try may succeed without a change of the settings.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Failing(_) | Self::Busy | Self::Internal)
    }

    /// Whether the request itself was wrong, and no person was refused.
    pub fn is_of_request(&self) -> bool {
        matches!(
            self,
            Self::BadDestination
                | Self::UnknownLogin
                | Self::BadAnswer
                | Self::BadClient
                | Self::OldQuestion
                | Self::UnknownCode
                | Self::OtherProgram
        )
    }
}

fn unreachable_because(why: &str) -> String {
    format!("The provider can't be reached at the moment: {why}.")
}

impl From<RemoteError> for Failure {
    fn from(error: RemoteError) -> Self {
        match error {
            RemoteError::Refused(refusal) => Self::Token(refusal),
            RemoteError::Unreachable(why) => Self::Unreachable(why),
        }
    }
}

impl From<UnusableClaims> for Failure {
    fn from(unusable: UnusableClaims) -> Self {
        Self::Claims(unusable)
    }
}
