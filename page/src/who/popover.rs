//! The popover of the reader's login, as it says it.

use shared::frame::server::{Viewer, Wanted};
use shared::state::UnixMillis;

use super::part::Part;
use super::{Who, words};
use crate::messages::{self, Zone};
use crate::table_view::Client;

/// So many fit three lines of the popover.
const GROUPS_SHOWN_MAX: usize = 12;

/// Named in the piece alone.
pub(crate) const PART: Part = Part { popover: Who::of };

impl Who {
    fn of(viewer: &Viewer, client: &Client, now_ms: UnixMillis, zone: Zone) -> Self {
        let groups = viewer.groups.iter().take(GROUPS_SHOWN_MAX).map(ToString::to_string).collect();
        let more = viewer.groups.len().saturating_sub(GROUPS_SHOWN_MAX);
        let ends = viewer.expires_ms.map(|ends_ms| {
            let ends_ms = client.local_ms(ends_ms);
            let clock = messages::instant(ends_ms, now_ms, zone);
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
