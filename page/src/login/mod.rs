//! The login page: why the reader isn't signed in, and the way in. It stands in place of every view, so it is shown while
//! there is none; a login that ends later takes no row away.

pub(crate) mod part;
pub(crate) mod sentences;
pub(crate) mod session;
pub mod words;

use replica::connection::Refusal;
use shared::problem::Problem;

use crate::kubectl::shell;
use crate::location::percent;
use crate::messages;

/// The login page. It says no title and no text until the piece of the program that shows it is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Login {
    pub(crate) reason: LoginReason,
    pub title: &'static str,
    pub text: String,
    /// Why the last login was refused.
    pub refusal: Option<String>,
    pub way_in: WayIn,
    /// The views are still there, behind this page.
    pub can_return: bool,
}

/// Why the reader isn't signed in, or how they sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoginReason {
    /// A link has to be asked for.
    Needed,
    /// The link that led here was used, or its gateway has ended.
    Expired,
    /// The code in the link couldn't be exchanged.
    Unanswered,
    /// This browser keeps no key.
    NotKept,
    /// The reader signed out, here or in another tab.
    Left,
    Token,
    Provider,
    Proxy,
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
    /// Prints what is needed. `port`: of the page, because several gateways may run; it may be empty. `view`: the path and
    /// query that the reader opened, to which the link then leads.
    pub fn command(self, port: &str, view: &str) -> Option<String> {
        match self {
            Self::Link => {
                let port = if port.is_empty() { String::new() } else { format!(" --port {port}") };
                let is_start = matches!(view, "" | "/");
                let view = if is_start { String::new() } else { format!(" {}", shell::quoted(view)) };
                Some(format!("dogwatch url{port}{view}"))
            }
            Self::Token => Some("kubectl create token NAME -n NAMESPACE".to_owned()),
            Self::Provider | Self::Proxy => None,
        }
    }
}

impl LoginReason {
    fn way_in(self) -> WayIn {
        match self {
            Self::Needed | Self::Expired | Self::Unanswered | Self::NotKept => WayIn::Link,
            Self::Token => WayIn::Token,
            Self::Left | Self::Provider => WayIn::Provider,
            Self::Proxy => WayIn::Proxy,
        }
    }
}

impl Login {
    pub fn needed() -> Self {
        Self::new(LoginReason::Needed)
    }

    pub fn expired() -> Self {
        Self::new(LoginReason::Expired)
    }

    pub fn unanswered() -> Self {
        Self::new(LoginReason::Unanswered)
    }

    pub fn not_kept() -> Self {
        Self::new(LoginReason::NotKept)
    }

    /// It says its title at once, because nothing else is left of the page.
    pub fn left() -> Self {
        Self { title: messages::SIGNED_OUT, ..Self::new(LoginReason::Left) }
    }

    pub(crate) fn of(why: Refusal, problem: &Problem) -> Self {
        let refusal = Some(messages::sentence(&problem.message));
        match why {
            Refusal::NoKey => Self::needed(),
            Refusal::Key => Self { refusal, ..Self::needed() },
            Refusal::NoToken => Self::token(),
            Refusal::Token => Self { refusal, ..Self::token() },
            Refusal::Login => Self::new(LoginReason::Provider),
            Refusal::Proxy => Self { refusal, ..Self::new(LoginReason::Proxy) },
        }
    }

    pub(crate) fn token() -> Self {
        Self::new(LoginReason::Token)
    }

    fn new(reason: LoginReason) -> Self {
        Self {
            reason,
            title: "",
            text: String::new(),
            refusal: None,
            way_in: reason.way_in(),
            can_return: false,
        }
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
    fn the_command_prints_a_link_to_the_view_that_was_asked_for_and_to_nothing_else() {
        let command = |port: &str, view: &str| WayIn::Link.command(port, view).expect("a command");
        assert_eq!(command("", ""), "dogwatch url");
        assert_eq!(command("8484", "/"), "dogwatch url --port 8484");
        assert_eq!(command("8484", "/v/pods@kind/shop"), "dogwatch url --port 8484 /v/pods@kind/shop");
        let (view, quoted) = ("/v/pods@kind/*?q=a'b;$(x)&wide=1", r"'/v/pods@kind/*?q=a'\''b;$(x)&wide=1'");
        assert_eq!(command("8484", view), format!("dogwatch url --port 8484 {quoted}"));
        assert_eq!(WayIn::Proxy.command("8484", "/v/pods"), None);
        assert!(WayIn::Token.command("", "/v/pods").is_some_and(|command| !command.contains("/v/")));
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
