//! The login page: why the reader isn't signed in, and the command that prints a new link.

use crate::messages;

#[derive(Clone, Debug, PartialEq)]
pub struct Login {
    pub title: &'static str,
    pub text: String,
    /// Prints a new link.
    pub command: &'static str,
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

    pub(super) fn refused(why: String) -> Self {
        Self::new(messages::LOGIN_REFUSED, why)
    }

    fn new(title: &'static str, text: String) -> Self {
        Self { title, text, command: "dogwatch url" }
    }
}
