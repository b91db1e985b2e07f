//! The message over the whole page: every view has stopped, or a part of the link couldn't be read.

use super::words;
use crate::action::Action;
use crate::address::PANES_MAX;
use crate::cx::Cx;
use crate::messages;
use crate::notice;

#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub strong: String,
    pub text: String,
    /// With its label.
    pub action: Option<(&'static str, Action)>,
    pub kind: BarKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarKind {
    Plain,
    /// Something is about to happen: its number counts down.
    Busy,
    /// Every view has stopped.
    Stale,
}

impl Bar {
    /// `None`: the connection to the gateway is fine.
    pub(super) fn of_link(cx: &Cx) -> Option<Self> {
        let notice = notice::bar(&cx.client, cx.now_ms(), cx.zone)?;
        Some(Self {
            strong: notice.bold,
            text: notice.sentence,
            action: notice.action.map(|offer| (offer.label(), offer.into())),
            kind: BarKind::Stale,
        })
    }

    /// A view couldn't be added.
    pub(super) fn of_full_board() -> Self {
        Self {
            strong: words::BOARD_FULL.to_owned(),
            text: words::board_full(PANES_MAX),
            action: Some((messages::DISMISS, Action::DismissBar)),
            kind: BarKind::Plain,
        }
    }

    /// Names the parts of the link that couldn't be read; the rest is used.
    pub(super) fn of_address(problems: &[&str]) -> Option<Self> {
        Some(Self {
            strong: words::LINK_UNREAD.to_owned(),
            text: words::link_unread(problems)?,
            action: Some((messages::DISMISS, Action::DismissBar)),
            kind: BarKind::Plain,
        })
    }
}
