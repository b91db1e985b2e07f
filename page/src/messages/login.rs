//! The login: how a reader signs in, whom the gateway takes them for, until when, and how it ends.

use shared::frame::server::{LoginMode, ViewerRights};

use super::{count, counted, span};

// The login page

pub const LOGIN_NEEDED: &str = "Sign in with a link";
pub const LOGIN_NEEDED_WHY: &str = "Run this command to get a one-time link. Afterwards this address opens in this browser, \
     until you haven't used it for 12 hours.";
pub const LOGIN_EXPIRED: &str = "This link has expired";
pub const LOGIN_EXPIRED_WHY: &str =
    "This link was used already, or its gateway has ended. This command prints a new one.";
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
pub const LOGIN_REFUSED: &str = "The gateway rejected this login";
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

/// In the notice line of a view, also in another page, which signs in itself.
pub const ROWS_UNTIL_SIGNED_IN: &str = "The login ended. Rows as of then, until the page is signed in again.";

pub const SIGNED_OUT: &str = "Signed out";
pub const SIGNED_OUT_WHY: &str =
    "This browser's login has ended, and this page keeps nothing of the cluster.";
pub const SIGN_OUT: &str = "Sign out";
pub const SIGN_OUT_FAILED: &str = "The gateway didn't answer: you are still signed in.";
pub const ELEMENT_SIGNED_OUT: &str = "Not signed in";
pub const ELEMENT_SIGNED_OUT_WHY: &str =
    "This table waits for its page, and shows rows once that is signed in to Dogwatch.";

// Who am I

pub fn signed_in_as(user: &str) -> String {
    format!("signed in as {user}")
}

/// Below the name: how the viewer signed in.
pub fn signed_in_by(mode: LoginMode) -> &'static str {
    match mode {
        LoginMode::Local => "Signed in as the user who started this gateway, on this machine",
        LoginMode::Oidc => "Signed in with single sign-on",
        LoginMode::Bearer => "Signed in with a Kubernetes token, which stays in this page's memory",
        LoginMode::Proxy => "Signed in by the proxy before this gateway",
    }
}

pub fn rights_of(rights: ViewerRights) -> &'static str {
    match rights {
        ViewerRights::Gateway => "The kubeconfig of the person who started this gateway",
        ViewerRights::Viewer => "Kubernetes' RBAC for you, reviewed by the API server",
        ViewerRights::Token => "Your own: the API server is asked with your token",
        ViewerRights::Impersonated => {
            "Your own: the gateway asks the API server in your name, by impersonation"
        }
    }
}

pub const GROUPS: &str = "Groups";
pub const PROVIDER: &str = "Provider";
pub const RIGHTS_OF: &str = "Rights";
pub const LOGIN_ENDS: &str = "Login ends";
/// Where a login is kept by its use.
pub const SESSIONS_WHY: &str = "dogwatch sessions lists the browsers that are signed in, and dogwatch sessions revoke ends their logins.";

/// Behind the first groups.
pub fn more_groups(more: usize) -> String {
    format!("+{} more", count(more))
}

/// `22:14:09, in 7 h 12 min`
pub fn ends_at(clock: &str, in_ms: i64) -> String {
    format!("{clock}, in {}", span(in_ms))
}

// Rights

/// Under "You may not list pods": `Asked as alice (groups dev and ops).`
pub fn asked_as(user: &str, groups: &[&str]) -> String {
    match groups {
        [] => format!("Asked as {user}."),
        [one] => format!("Asked as {user} (group {one})."),
        [few @ .., last] if groups.len() <= GROUPS_NAMED_MAX => {
            format!("Asked as {user} (groups {} and {last}).", few.join(", "))
        }
        many => {
            let named = many.get(..GROUPS_NAMED_MAX).unwrap_or(many);
            let more = many.len().saturating_sub(named.len());
            format!("Asked as {user} (groups {} and {more} more).", named.join(", "))
        }
    }
}

/// So many fit two lines of the empty table.
const GROUPS_NAMED_MAX: usize = 6;

/// `why`: the authorizer's reason, if it gave one.
pub fn review_said_no(access: &str, why: &str) -> String {
    let why = if why.is_empty() { String::new() } else { format!(": {}", why.trim_end_matches('.')) };
    format!("The API server's review of {access} said no{why}.")
}

pub const CHECK_YOURSELF: &str = "Check it yourself, with your own kubectl:";

/// `Access to ledger was withdrawn 14:02:11.`
pub fn withdrawn(namespaces: &[&str], clock: &str) -> String {
    match namespaces {
        [] => String::new(),
        [one] => format!("Access to {one} was withdrawn {clock}."),
        [first @ .., last] if namespaces.len() <= 3 => {
            format!("Access to {} and {last} was withdrawn {clock}.", first.join(", "))
        }
        many => format!("Access to {} namespaces was withdrawn {clock}.", many.len()),
    }
}

/// `Its 14 rows were removed from this view.`
pub fn rows_removed(namespaces: usize, rows: usize) -> String {
    let whose = if namespaces == 1 { "Its" } else { "Their" };
    match rows {
        0 => "No row of this view was there.".to_owned(),
        1 => format!("{whose} 1 row was removed from this view."),
        rows => format!("{whose} {} were removed from this view.", counted(rows, "row", "rows")),
    }
}
