//! "Go to": the typed text, and what was found. While it is open, the cluster's namespaces are watched.

use replica::client::ViewKey;
use shared::resource::Kind;
use shared::scope::Namespaces;

use crate::action::{Action, Key, PaneAction};
use crate::clipboard::{Clip, LinkButton};
use crate::messages;
use crate::palette::{self, Hit, Recent, SearchContext, Target};
use crate::table_view::Client;
use crate::theme::Density;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaletteShown {
    pub text: String,
    pub hits: Vec<Hit>,
    pub chosen: usize,
    pub purpose: Purpose,
}

/// The open palette.
#[derive(Default)]
pub(super) struct Palette {
    shown: PaletteShown,
}

/// What a choice does to the panes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// It opens in the active pane.
    #[default]
    GoTo,
    /// It opens in a new pane.
    AddView {
        /// The view of the pane beside it, which is chosen by Enter alone.
        same: String,
    },
}

type Entry = (&'static str, &'static str, fn() -> Action);

/// Name, key, and the action.
const ACTIONS: [Entry; 16] = [
    (messages::ACTION_PAUSE, "Space", || PaneAction::TogglePause.into()),
    (messages::ACTION_PAUSE_ALL, "", || Action::PauseAll),
    (messages::ACTION_WIDE, "w", || PaneAction::Key(Key::Wide).into()),
    (messages::CHANGES_OR_TABLE, "l", || Action::ToggleLog),
    (messages::ACTION_EXPORT, "K", || PaneAction::ShowExport(true).into()),
    (messages::ACTION_COPY, "C", || PaneAction::Copy(None).into()),
    (messages::COPY_LINK, "L", || Action::Copy(Clip::Link(LinkButton::Page))),
    (messages::ACTION_SPLIT, "b", || Action::Split),
    (messages::ACTION_MOVE, "m", || Action::MovePane(1)),
    (messages::ACTION_CLOSE, "", || Action::ClosePane),
    (messages::ACTION_ALL_NAMESPACES, "", || Action::SetNamespaces(Namespaces::All)),
    (messages::CLEAR_FILTER, "", || PaneAction::Filter(String::new()).into()),
    (messages::ACTION_THEME, "", || Action::NextTheme),
    (messages::ACTION_COMPACT, "", || Action::SetDensity(Density::Compact)),
    (messages::ACTION_NORMAL, "", || Action::SetDensity(Density::Default)),
    (messages::KEYS_AND_HELP, "?", || Action::Help(true)),
];

/// What the palette finds by, beside the page's actions.
pub(super) fn context<'a>(
    client: &'a Client,
    (resource, kinds, views): (&'a str, &'a [Kind], &[ViewKey]),
    namespaces: &'a [Box<str>],
    recent: Vec<&'a Recent>,
) -> SearchContext<'a> {
    SearchContext {
        kinds,
        clusters: client.clusters(),
        resource,
        namespaces,
        recent,
        views: views.iter().filter_map(|key| client.view(*key)).collect(),
        boards: client.welcome().map(|welcome| welcome.boards.as_slice()).unwrap_or_default(),
        actions: ACTIONS.iter().map(|(name, key, _)| (*name, *key)).collect(),
    }
}

impl Palette {
    pub(super) fn for_new_view(same: String) -> Self {
        Self { shown: PaletteShown { purpose: Purpose::AddView { same }, ..PaletteShown::default() } }
    }

    pub(super) fn adds_view(&self) -> bool {
        self.shown.purpose != Purpose::GoTo
    }

    pub(super) fn shown(&self) -> &PaletteShown {
        &self.shown
    }

    pub(super) fn search(&mut self, text: String, context: &SearchContext<'_>) {
        let mut hits = palette::find(&text, context);
        let purpose = std::mem::take(&mut self.shown.purpose);
        if let Purpose::AddView { same } = &purpose {
            hits.retain(|hit| hit.target.is_view());
            if text.trim().is_empty() {
                hits.insert(0, Hit::same_view(same));
            }
        }
        self.shown = PaletteShown { text, hits, chosen: 0, purpose };
    }

    /// Searches again for the same text. A hit that the reader moved to stays marked.
    pub(super) fn search_again(&mut self, context: &SearchContext<'_>) {
        let held = self.shown.hits.get(self.shown.chosen).filter(|_| self.shown.chosen > 0);
        let held = held.map(|hit| hit.target.clone());
        let text = std::mem::take(&mut self.shown.text);
        self.search(text, context);
        let at = self.shown.hits.iter().position(|hit| Some(&hit.target) == held.as_ref());
        self.shown.chosen = at.unwrap_or_default();
    }

    pub(super) fn move_by(&mut self, by: isize) {
        let last = self.shown.hits.len().saturating_sub(1);
        self.shown.chosen = self.shown.chosen.saturating_add_signed(by).min(last);
    }

    /// The hit of this number, or the marked one.
    pub(super) fn choose(self, number: Option<usize>) -> Option<Target> {
        let number = number.unwrap_or(self.shown.chosen);
        self.shown.hits.into_iter().nth(number).map(|hit| hit.target)
    }
}

/// The action of this number among the hits.
pub(super) fn action(number: usize) -> Option<Action> {
    ACTIONS.get(number).map(|(_, _, action)| action())
}
