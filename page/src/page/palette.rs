//! "Go to": the typed text, and what was found. It fetches nothing.

use replica::client::ViewKey;
use shared::scope::Namespaces;

use crate::action::{Action, PaneAction};
use crate::messages;
use crate::palette::{self, Hit, SearchContext, Target};
use crate::table_view::Client;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaletteShown {
    pub text: String,
    pub hits: Vec<Hit>,
    pub chosen: usize,
}

/// The open palette.
pub(super) struct Palette {
    shown: PaletteShown,
    /// The namespaces of the open views' rows at the time of opening.
    namespaces: Vec<Box<str>>,
}

type Entry = (&'static str, &'static str, fn() -> Action);

/// Name, key, and the action.
const ACTIONS: [Entry; 12] = [
    ("Pause or resume", "Space", || PaneAction::TogglePause.into()),
    ("Wide columns", "w", || PaneAction::ToggleWide.into()),
    (messages::CHANGES_OR_TABLE, "l", || Action::ToggleLog),
    ("The same in kubectl, as a file", "K", || PaneAction::ShowExport(true).into()),
    ("Copy name or selected rows", "C", || PaneAction::Copy(None).into()),
    ("Copy link", "L", || Action::CopyLink),
    ("One more pane beside", "b", || Action::Split),
    ("Close this pane", "", || Action::ClosePane),
    ("All namespaces", "", || Action::SetNamespaces(Namespaces::All)),
    ("Clear the filter", "", || PaneAction::Filter(String::new()).into()),
    ("Next theme", "", || Action::NextTheme),
    ("Keys and help", "?", || Action::Help(true)),
];

impl Palette {
    /// `views`: the open panes' views.
    pub(super) fn open(client: &Client, views: &[ViewKey]) -> Self {
        let namespaces = seen_namespaces(client);
        let mut palette = Self { shown: PaletteShown::default(), namespaces };
        palette.search(String::new(), client, views);
        palette
    }

    pub(super) fn shown(&self) -> &PaletteShown {
        &self.shown
    }

    pub(super) fn search(&mut self, text: String, client: &Client, views: &[ViewKey]) {
        let context = SearchContext {
            kinds: client.kinds().map(|kinds| kinds.kinds.as_slice()).unwrap_or_default(),
            namespaces: &self.namespaces,
            views: views.iter().filter_map(|key| client.view(*key)).collect(),
            boards: client.welcome().map(|welcome| welcome.boards.as_slice()).unwrap_or_default(),
            actions: &ACTIONS.map(|(name, key, _)| (name, key)),
        };
        let hits = palette::find(&text, &context);
        self.shown = PaletteShown { text, hits, chosen: 0 };
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

fn seen_namespaces(client: &Client) -> Vec<Box<str>> {
    let mut names: Vec<Box<str>> = Vec::new();
    for (_, view) in client.views() {
        for row in view.table().rows() {
            if let Some(name) = &row.namespace
                && names.last() != Some(name)
            {
                names.push(name.clone());
            }
        }
        names.sort_unstable();
        names.dedup();
    }
    names
}
