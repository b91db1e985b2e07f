//! The rights that the gateway's feeds use: its own, behind reviews, or each viewer's. It makes no request; it says
//! in whose name one is made.

use shared::problem::Problem;

use super::identity::{Login, Rights};
use crate::cluster::UpstreamIdentity;

/// As configured, for viewers whose rights are reviewed. It means nothing in mode `local`, where the gateway is its
/// own user's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RightsMode {
    /// All viewers share the gateway's own feeds.
    #[default]
    Shared,
    /// A viewer's own token goes to the API server.
    Passthrough,
    /// The gateway impersonates each viewer.
    Impersonate,
}

impl RightsMode {
    /// The login with feeds as this mode has them.
    ///
    /// # Errors
    /// `Forbidden`: this viewer can't be impersonated.
    pub fn of_login(self, login: Login) -> Result<Login, Problem> {
        let Rights::OfViewer(subject) = &login.rights else { return Ok(login) };
        let upstream = match self {
            Self::Shared => return Ok(login),
            Self::Passthrough => UpstreamIdentity::by_token(subject),
            Self::Impersonate => UpstreamIdentity::impersonated(subject)?,
        };
        Ok(Login { rights: Rights::AsViewer(subject.clone(), upstream), ..login })
    }
}
