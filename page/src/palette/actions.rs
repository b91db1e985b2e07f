//! The actions that "go to" finds by their names. Never what they do.

use super::words;
use crate::action::{Action, Key, PaneAction};
use crate::clipboard::{Clip, LinkButton};
use crate::messages;
use crate::theme::Density;
use shared::scope::Namespaces;

/// Name, key, and the action.
type Entry = (&'static str, &'static str, fn() -> Action);

const ACTIONS: [Entry; 16] = [
    (words::PAUSE, "Space", || PaneAction::TogglePause.into()),
    (words::PAUSE_ALL, "", || Action::PauseAll),
    (words::WIDE, "w", || PaneAction::Key(Key::Wide).into()),
    (messages::CHANGES_OR_TABLE, "l", || Action::ToggleLog),
    (messages::ACTION_EXPORT, "K", || PaneAction::ShowExport(true).into()),
    (words::COPY, "C", || PaneAction::Copy(None).into()),
    (messages::COPY_LINK, "L", || Action::Copy(Clip::Link(LinkButton::Page))),
    (messages::ACTION_SPLIT, "b", || Action::Split),
    (words::MOVE, "m", || Action::MovePane(1)),
    (words::CLOSE, "", || Action::ClosePane),
    (words::ALL_NAMESPACES, "", || Action::SetNamespaces(Namespaces::All)),
    (messages::CLEAR_FILTER, "", || PaneAction::Filter(String::new()).into()),
    (words::THEME, "", || Action::NextTheme),
    (words::COMPACT, "", || Action::SetDensity(Density::Compact)),
    (words::NORMAL, "", || Action::SetDensity(Density::Default)),
    (messages::KEYS_AND_HELP, "?", || Action::Help(true)),
];

/// Each name with its key.
pub(super) fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    ACTIONS.iter().map(|(name, key, _)| (*name, *key))
}

/// The action of this number among the names.
pub(super) fn action(number: usize) -> Option<Action> {
    ACTIONS.get(number).map(|(_, _, action)| action())
}
