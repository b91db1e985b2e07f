//! The login page: why the reader isn't signed in, and the way in: a command that prints a link, or a token.

use replica::connection::Refusal;
use shared::problem::{Problem, Reason};

use crate::messages;

#[derive(Clone, Debug, PartialEq)]
pub struct Login {
    pub title: &'static str,
    pub text: String,
    /// Prints what is needed.
    pub command: &'static str,
    pub way_in: WayIn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayIn {
    /// The link that the command prints.
    Link,
    /// The token that the command prints is typed in.
    Token,
}

impl Login {
    pub fn needed() -> Self {
        Self::new(messages::LOGIN_NEEDED, messages::LOGIN_NEEDED_WHY.to_owned())
    }

    pub fn expired() -> Self {
        Self::new(messages::LOGIN_EXPIRED, messages::LOGIN_EXPIRED_WHY.to_owned())
    }

    pub fn unanswered() -> Self {
        Self::new(messages::LOGIN_NO_ANSWER, messages::LOGIN_NO_ANSWER_WHY.to_owned())
    }

    pub fn not_kept() -> Self {
        Self::new(messages::LOGIN_NOT_KEPT, messages::LOGIN_NOT_KEPT_WHY.to_owned())
    }

    pub(super) fn of(why: Refusal, problem: &Problem) -> Self {
        match why {
            Refusal::NoKey => Self::needed(),
            Refusal::Key => Self::new(messages::LOGIN_REFUSED, messages::sentence(&problem.message)),
            Refusal::NoToken => Self::token(messages::LOGIN_TOKEN, messages::LOGIN_TOKEN_WHY.to_owned()),
            Refusal::Token => Self::token(messages::LOGIN_REFUSED, messages::sentence(&problem.message)),
            Refusal::Login | Refusal::Proxy => {
                Self::new(messages::LOGIN_REFUSED, messages::sentence(&problem.message))
            }
        }
    }

    /// A login that still holds is followed by another.
    pub(super) fn again() -> Self {
        Self::of(Refusal::NoToken, &Problem::new(Reason::Unauthorized, ""))
    }

    fn new(title: &'static str, text: String) -> Self {
        Self { title, text, command: "dogwatch url", way_in: WayIn::Link }
    }

    fn token(title: &'static str, text: String) -> Self {
        let command = "kubectl create token NAME --namespace=NAMESPACE";
        Self { title, text, command, way_in: WayIn::Token }
    }
}
