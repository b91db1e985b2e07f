//! The title and the text of the login page, by the reason why the reader isn't signed in.

use super::part::Part;
use super::{Login, LoginReason, words};
use crate::messages;

/// Named in the piece alone.
pub(crate) const PART: Part = Part { say };

fn say(login: &mut Login) {
    let (title, text) = match login.reason {
        LoginReason::Needed => (words::LOGIN_NEEDED, words::LOGIN_NEEDED_WHY),
        LoginReason::Expired => (words::LOGIN_EXPIRED, words::LOGIN_EXPIRED_WHY),
        LoginReason::Unanswered => (words::LOGIN_NO_ANSWER, words::LOGIN_NO_ANSWER_WHY),
        LoginReason::NotKept => (words::LOGIN_NOT_KEPT, words::LOGIN_NOT_KEPT_WHY),
        LoginReason::Left => (messages::SIGNED_OUT, words::SIGNED_OUT_WHY),
        LoginReason::Token => (words::LOGIN_TOKEN, words::LOGIN_TOKEN_WHY),
        LoginReason::Provider => (words::LOGIN_PROVIDER, words::LOGIN_PROVIDER_WHY),
        LoginReason::Proxy => (words::LOGIN_PROXY, words::LOGIN_PROXY_WHY),
    };
    login.title = title;
    if login.text.is_empty() {
        text.clone_into(&mut login.text);
    }
}
