//! What "Who am I?" says: whom the gateway takes the reader for, how they signed in, whose rights decide, and until when.

use shared::frame::server::{LoginMode, ViewerRights};

use crate::messages::{count, span};

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

pub const SIGN_OUT: &str = "Sign out";
