//! The popover "Who am I?": the reader's name, the login that it comes from, the account whose rights decide, and the
//! end of the login.

pub mod words;

use shared::frame::server::{Viewer, Wanted};

use crate::cx::Cx;
use crate::messages;

/// The open popover.
#[derive(Clone, Debug, PartialEq)]
pub struct Who {
    pub user: String,
    pub signed_in_by: &'static str,
    /// The first ones.
    pub groups: Vec<String>,
    /// `+12 more`, or nothing.
    pub more_groups: String,
    pub provider: Option<String>,
    pub rights: &'static str,
    /// `None`: the login doesn't end by itself.
    pub ends: Option<String>,
    pub note: Option<&'static str>,
    pub signs_out: bool,
}

/// So many fit three lines of the popover.
const GROUPS_SHOWN_MAX: usize = 12;

impl Who {
    pub(crate) fn of(viewer: &Viewer, cx: &Cx) -> Self {
        let now_ms = cx.now_ms();
        let groups = viewer.groups.iter().take(GROUPS_SHOWN_MAX).map(ToString::to_string).collect();
        let more = viewer.groups.len().saturating_sub(GROUPS_SHOWN_MAX);
        let ends = viewer.expires_ms.map(|ends_ms| {
            let ends_ms = cx.client.local_ms(ends_ms);
            let clock = messages::instant(ends_ms, now_ms, cx.zone);
            words::ends_at(&clock, ends_ms.saturating_sub(now_ms))
        });
        Self {
            user: viewer.user.to_string(),
            signed_in_by: words::signed_in_by(viewer.mode),
            groups,
            more_groups: if more == 0 { String::new() } else { words::more_groups(more) },
            provider: viewer.provider.as_ref().map(ToString::to_string),
            rights: words::rights_of(viewer.rights),
            ends,
            note: (viewer.mode.wants() == Wanted::Proof).then_some(words::SESSIONS_WHY),
            signs_out: viewer.signs_out,
        }
    }
}
