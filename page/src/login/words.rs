//! What the login page says, and the bar when a login ends.

use crate::messages::span;

// The login page

pub const LOGIN_NEEDED: &str = "Sign in with a link";
pub const LOGIN_NEEDED_WHY: &str = "Run this command on the gateway's machine. It prints a link that opens this view, once. The address \
     to which it leads then opens in this browser until you haven't used it for 12 hours; this one may be another browser's.";
pub const LOGIN_EXPIRED: &str = "This link has expired";
pub const LOGIN_EXPIRED_WHY: &str = "A link opens one page, and for ten minutes at most while its gateway runs. This command prints a new one.";
pub const LOGIN_NO_ANSWER: &str = "The gateway doesn't answer";
pub const LOGIN_NO_ANSWER_WHY: &str =
    "The code in the link couldn't be exchanged. This command prints a new link while a gateway runs.";
pub const LOGIN_NOT_KEPT: &str = "This browser keeps no login";
pub const LOGIN_NOT_KEPT_WHY: &str = "The page's key is kept in IndexedDB, which this browser refuses, as some private windows do. \
     Open a new link in another window.";
pub const LOGIN_TOKEN: &str = "Sign in with a token";
pub const LOGIN_TOKEN_WHY: &str = "A service account's or your own. It stays in this page's memory, and shows what its account may list \
     and watch. For example from:";
pub const LOGIN_PROVIDER: &str = "Sign in";
pub const LOGIN_PROVIDER_WHY: &str = "Sign in to see the resources that you may list and watch.";
pub const LOGIN_PROXY: &str = "Not signed in";
pub const LOGIN_PROXY_WHY: &str = "A proxy before this gateway says who you are, and it named nobody whom the gateway takes. \
     Sign in there, or ask whoever runs the proxy.";
pub const TOKEN: &str = "Kubernetes token";
pub const SIGN_IN: &str = "Sign in";
pub const READS_ONLY: &str = "Dogwatch reads; it never changes anything.";
pub const TRY_AGAIN: &str = "Try again";
pub const BACK_TO_VIEWS: &str = "Back to the views";

// The end of a login

pub const SIGN_IN_AGAIN: &str = "Sign in again";
pub const LOGIN_ENDS_WHY: &str = "Signing in again keeps every view where it is.";
pub const LOGIN_ENDS_LINK: &str = "Signing in again leads back to these views.";
pub const LOGIN_ENDS_AT_PROXY: &str = "The proxy before this gateway gives the next one.";
pub const LOGIN_IS_RENEWED: &str = "It is being renewed.";

/// `Your login ends in 58 s.`
pub fn login_ends(in_ms: i64) -> String {
    format!("Your login ends in {}.", span(in_ms))
}

pub fn login_ended(clock: &str) -> String {
    format!("Your login ended {clock}.")
}

/// `why`: the gateway's message.
pub fn rows_of_ended_login(why: &str) -> String {
    format!("Rows as of then. The gateway said: {}.", why.trim_end_matches('.'))
}

pub const SIGNED_OUT_WHY: &str =
    "This browser's login has ended, and this page keeps nothing of the cluster.";
pub const SIGN_OUT_FAILED: &str = "The gateway didn't answer: you are still signed in.";
