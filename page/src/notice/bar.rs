//! The bar under the top bar while the gateway is gone, or is of another version. Never a login: the page's session says
//! how that ends.

use replica::connection::Link;
use shared::state::UnixMillis;

use super::{Action, Kind, Notice, words};
use crate::limits::SYNC_MISSING_MS;
use crate::messages::{self, Zone};
use crate::table_view::Client;

/// The bar under the top bar: the gateway is gone, refuses the login, or is of another version.
pub fn bar(client: &Client, now_ms: UnixMillis, zone: Zone) -> Option<Notice> {
    let connection = client.connection();
    match connection.link() {
        Link::Refused { problem, .. } => {
            Some(Notice { kind: Kind::Bad, bold: messages::sentence(&problem.message), ..Notice::default() })
        }
        Link::OtherVersion { problem, .. } => Some(Notice {
            kind: Kind::Stale,
            bold: messages::sentence(&problem.message),
            action: Some(Action::Reload),
            ..Notice::default()
        }),
        Link::Waiting { .. } | Link::Dialling { .. } | Link::Greeting { .. } => {
            let lost_ms = connection.lost_ms()?;
            let synced_ms = client
                .views()
                .filter_map(|(_, view)| Some(view.subscription().proof.as_ref()?.synced_ms))
                .max();
            let silent_since_ms = synced_ms.unwrap_or(lost_ms);
            if now_ms.saturating_sub(silent_since_ms) < SYNC_MISSING_MS {
                return None;
            }
            let trying = connection.next_try_ms().map_or(0, |next| next.saturating_sub(now_ms));
            let stale = words::views_are_stale(client.views().count());
            let since = messages::instant(silent_since_ms, now_ms, zone);
            Some(Notice {
                kind: Kind::Stale,
                bold: words::no_word_since(&since),
                sentence: [stale, words::trying_again(trying)].join(" ").trim().to_owned(),
                action: Some(Action::TryNow),
                ..Notice::default()
            })
        }
        Link::Open(_) | Link::Resting => None,
    }
}
