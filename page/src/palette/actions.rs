//! The actions that "go to" finds by their names. Never what they do.

use super::words;
use crate::action::{
    Action, ColumnsAction, Key, PaneAction, PanelAction, PanelKey, PastAction, PickerAction, TellAction,
};
use crate::action::{SelectorAction, SelectorKind};
use crate::clipboard::{Clip, LinkButton};
use crate::messages;
use crate::status::RowHealth;
use crate::tab::Tab;
use crate::theme::Density;
use crate::{tell, wrong};
use shared::scope::Namespaces;

/// Its name, its key, what readers may call it instead, and what it does.
type Entry = (&'static str, &'static str, &'static str, fn() -> Action);

/// What Dogwatch can't do isn't here under another name: it shows no container's logs, so the changes of a view aren't
/// found by that word.
const ACTIONS: [Entry; 38] = [
    (words::TROUBLE_FIRST, "", "failing errors problems", || PaneAction::ToggleTroubleFirst.into()),
    (words::FAILING_ONLY, "", "trouble errors problems", || {
        PaneAction::ToggleHealth(RowHealth::Failing).into()
    }),
    (words::CHANGING_ONLY, "", "rollout rolling progressing", || {
        PaneAction::ToggleHealth(RowHealth::Changing).into()
    }),
    (wrong::words::TITLE, "0", "trouble failing broken health incident problems", || Action::WhatIsWrong),
    (tell::words::TITLE, "!", "notify notification alert wait bell", || TellAction::Open.into()),
    (words::ROLLOUTS, "g r", "rolling progressing deploying", || Action::Rollouts),
    (words::NEXT_FAILING, "n", "trouble errors problems", || PaneAction::Key(Key::NextInTrouble).into()),
    (words::PAUSE, "Space", "stop freeze", || PaneAction::TogglePause.into()),
    (words::PAUSE_ALL, "", "stop freeze", || Action::PauseAll),
    (words::TIMELINE, "t", "history changes", || of_object(PanelKey::Tab(Tab::Timeline))),
    (words::COMPARE, "d", "diff history", || of_object(PanelKey::Compare)),
    (words::OWNERS, "o", "tree parents", || of_object(PanelKey::Owners)),
    (words::EVENTS, "e", "history", || of_object(PanelKey::Events)),
    (words::YAML, "y", "manifest source json", || of_object(PanelKey::Tab(Tab::Yaml))),
    (words::SORT, "s", "order cpu memory name age", || PaneAction::Key(Key::SortByCell).into()),
    (words::COLUMNS, "c", "fields cpu memory show hide", || {
        PaneAction::Columns(ColumnsAction::Open(true)).into()
    }),
    (words::LABELS, "g l", "selector tags", || {
        PaneAction::Selector(SelectorAction::Edit(SelectorKind::Labels)).into()
    }),
    (words::FIELDS, "", "selector", || {
        PaneAction::Selector(SelectorAction::Edit(SelectorKind::Fields)).into()
    }),
    (words::WIDE, "w", "columns", || PaneAction::Key(Key::Wide).into()),
    (messages::CHANGES_OR_TABLE, "l", "history watch", || Action::ToggleLog),
    (words::PAST, "h", "history time travel as of then earlier live now", || PastAction::Toggle.into()),
    (words::COMPARE_TIMES, "v", "compare diff two times versus", || PastAction::Compare.into()),
    (words::PREVIOUS_CHANGE, ",", "history past back", || PastAction::Step(-1).into()),
    (words::NEXT_CHANGE, ".", "history past forward", || PastAction::Step(1).into()),
    (messages::ACTION_EXPORT, "K", "share csv json yaml embed", || PaneAction::ShowExport(true).into()),
    (words::COPY, "C", "", || PaneAction::Copy(None).into()),
    (messages::COPY_LINK, "L", "share url address", || Action::Copy(Clip::Link(LinkButton::Page))),
    (messages::ACTION_SPLIT, "b", "board beside", || Action::Split),
    (words::MOVE, "m", "board", || Action::MovePane(1)),
    (words::CLOSE, "B", "board quit", || Action::ClosePane),
    (words::CHOOSE_CLUSTERS, "g c", "contexts ctx switch", || Action::Clusters(PickerAction::Open)),
    (words::CHOOSE_NAMESPACES, "g n", "ns switch", || Action::Namespaces(PickerAction::Open)),
    (words::ALL_NAMESPACES, "", "everywhere ns", || Action::SetNamespaces(Namespaces::All)),
    (messages::CLEAR_FILTER, "", "reset", || PaneAction::Filter(String::new()).into()),
    (words::THEME, "", "dark light", || Action::NextTheme),
    (words::COMPACT, "", "density small", || Action::SetDensity(Density::Compact)),
    (words::NORMAL, "", "density", || Action::SetDensity(Density::Default)),
    (messages::KEYS_AND_HELP, "?", "shortcuts", || Action::Help(true)),
];

/// The panel of the focused row, as this key opens it.
fn of_object(key: PanelKey) -> Action {
    PanelAction::Open { row: None, key: Some(key) }.into()
}

/// What finds an action: its name, its key and its other names.
pub(super) type Named = (&'static str, &'static str, &'static str);

pub(super) fn names() -> impl Iterator<Item = Named> {
    ACTIONS.iter().map(|(name, key, others, _)| (*name, *key, *others))
}

/// The action of this number among the names.
pub(super) fn action(number: usize) -> Option<Action> {
    ACTIONS.get(number).map(|(.., action)| action())
}
