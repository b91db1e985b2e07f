//! The login page: why the reader isn't signed in, and the way in. It stands in place of every view, so it is shown while
//! there is none; a login that ends later takes no row away.

pub(crate) mod session;
pub mod words;

use replica::connection::Refusal;
use shared::problem::Problem;

use crate::location::percent;
use crate::messages;

#[derive(Clone, Debug, PartialEq)]
pub struct Login {
    pub title: &'static str,
    pub text: String,
    /// Why the last login was refused.
    pub refusal: Option<String>,
    pub way_in: WayIn,
    /// The views are still there, behind this page.
    pub can_return: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayIn {
    /// The link that a command prints.
    Link,
    /// A token that a command prints is typed in.
    Token,
    /// The gateway leads to the OIDC provider.
    Provider,
    /// A proxy before the gateway: nothing can be given here.
    Proxy,
}

impl WayIn {
    /// Prints what is needed.
    pub fn command(self) -> Option<&'static str> {
        match self {
            Self::Link => Some("dogwatch url"),
            Self::Token => Some("kubectl create token NAME -n NAMESPACE"),
            Self::Provider | Self::Proxy => None,
        }
    }
}

impl Login {
    pub fn needed() -> Self {
        Self::new(WayIn::Link, words::LOGIN_NEEDED, words::LOGIN_NEEDED_WHY)
    }

    pub fn expired() -> Self {
        Self::new(WayIn::Link, words::LOGIN_EXPIRED, words::LOGIN_EXPIRED_WHY)
    }

    pub fn unanswered() -> Self {
        Self::new(WayIn::Link, words::LOGIN_NO_ANSWER, words::LOGIN_NO_ANSWER_WHY)
    }

    pub fn not_kept() -> Self {
        Self::new(WayIn::Link, words::LOGIN_NOT_KEPT, words::LOGIN_NOT_KEPT_WHY)
    }

    /// The reader signed out, here or in another tab.
    pub fn left() -> Self {
        Self::new(WayIn::Provider, messages::SIGNED_OUT, words::SIGNED_OUT_WHY)
    }

    pub(crate) fn of(why: Refusal, problem: &Problem) -> Self {
        let refusal = Some(messages::sentence(&problem.message));
        match why {
            Refusal::NoKey => Self::needed(),
            Refusal::Key => Self { refusal, ..Self::needed() },
            Refusal::NoToken => Self::token(),
            Refusal::Token => Self { refusal, ..Self::token() },
            Refusal::Login => Self::provider(),
            Refusal::Proxy => {
                Self { refusal, ..Self::new(WayIn::Proxy, words::LOGIN_PROXY, words::LOGIN_PROXY_WHY) }
            }
        }
    }

    pub(crate) fn provider() -> Self {
        Self::new(WayIn::Provider, words::LOGIN_PROVIDER, words::LOGIN_PROVIDER_WHY)
    }

    pub(crate) fn token() -> Self {
        Self::new(WayIn::Token, words::LOGIN_TOKEN, words::LOGIN_TOKEN_WHY)
    }

    fn new(way_in: WayIn, title: &'static str, text: &str) -> Self {
        Self { title, text: text.to_owned(), refusal: None, way_in, can_return: false }
    }
}

/// Where the gateway signs a reader in, and leads back from to this path and query.
pub(crate) fn sign_in_link(shown: &str) -> String {
    let back = if shown.is_empty() { "/" } else { shown };
    format!("/login?to={}", percent::encode(back))
}

/// The address that a reader is sent to after signing out: the provider's, which ends its own session too. `None` for
/// anything else, because our own page shows by itself that the reader is signed out.
pub(crate) fn way_out(to: &str) -> Option<&str> {
    (to.starts_with("https://") || to.starts_with("http://")).then_some(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_from_a_login_is_the_view_that_was_asked_for() {
        assert_eq!(sign_in_link(""), "/login?to=/");
        let link = sign_in_link("/v/pods@prod/shop?q=a+b&l=app%3Dweb#x");
        assert_eq!(link, "/login?to=/v/pods@prod/shop%3Fq=a%2Bb%26l=app%253Dweb%23x");
        assert_eq!(percent::decode(&link["/login?to=".len()..]), "/v/pods@prod/shop?q=a+b&l=app%3Dweb#x");
    }

    #[test]
    fn a_logout_leads_to_a_provider_and_runs_nothing() {
        for to in ["https://sso.example.org/end?x=1", "http://127.0.0.1:1/end"] {
            assert_eq!(way_out(to), Some(to));
        }
        for to in ["", "/", "/v/pods", "javascript:alert(1)", "//evil.example", "data:text/html,x"] {
            assert_eq!(way_out(to), None, "{to}");
        }
    }
}
