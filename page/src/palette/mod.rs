//! "Go to": the typed text, and what was found. While it is open, the cluster's namespaces are watched.

mod model;

use shared::frame::server::Cluster;
use shared::scope::Namespaces;

use super::history::History;
use super::namespaces::NamespacePicker;
use super::navigation::kinds_of;
use super::panes::Panes;
use crate::action::{Action, Key, PaletteAction, PaneAction};
use crate::clipboard::{Clip, LinkButton};
use crate::cx::Cx;
use crate::messages;
use crate::model::PageModel;
use crate::palette::{self, Hit, SearchContext, Target};

use crate::theme::Density;
pub use model::{PaletteShown, Purpose};

/// The open palette.
#[derive(Default)]
pub(super) struct Palette {
    shown: PaletteShown,
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

/// Where the palette is open, and what is known there.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) panes: &'a Panes,
    pub(super) history: &'a History,
    pub(super) cx: &'a Cx,
}

impl Around<'_> {
    /// What the palette finds by. `namespaces`: those of the cluster that are known.
    fn search(self, namespaces: &[Box<str>], search: impl FnOnce(&SearchContext<'_>)) {
        let client = &self.cx.client;
        let pane = self.panes.active();
        let named = pane.map(|pane| pane.place().clusters(client.clusters())).unwrap_or_default();
        let here: Vec<&Cluster> = named.iter().filter_map(|name| client.cluster_named(Some(name))).collect();
        search(&SearchContext {
            kinds: &kinds_of(&here, client).unwrap_or_default(),
            clusters: client.clusters(),
            resource: pane.map(|pane| &*pane.place().resource).unwrap_or_default(),
            namespaces,
            recent: self.history.other_places(),
            views: self.panes.views(self.cx).iter().filter_map(|key| client.view(*key)).collect(),
            boards: client.welcome().map(|welcome| welcome.boards.as_slice()).unwrap_or_default(),
            actions: ACTIONS.iter().map(|(name, key, _)| (*name, *key)).collect(),
        });
    }
}

/// "Go to", open or closed.
#[derive(Default)]
pub(super) struct GoTo(Option<Palette>);

/// The reader chose a hit, or none was marked.
pub(super) struct Chosen {
    pub(super) target: Option<Target>,
    /// It opens in a new pane.
    pub(super) adds_view: bool,
}

impl GoTo {
    pub(super) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn open(&mut self, palette: Palette) {
        self.0 = Some(palette);
    }

    pub(super) fn close(&mut self) {
        self.0 = None;
    }

    /// Returns what the reader chose.
    pub(super) fn update(
        &mut self,
        action: PaletteAction,
        namespaces: &NamespacePicker,
        around: Around<'_>,
    ) -> Option<Chosen> {
        match (action, &mut self.0) {
            (PaletteAction::Open, _) => self.open(Palette::default()),
            (PaletteAction::Type(text), Some(_)) => self.search(text, namespaces, around),
            (PaletteAction::Move(by), Some(palette)) => palette.move_by(by),
            (PaletteAction::Choose(number), _) => return self.choose(number, false),
            (PaletteAction::ChooseBeside(number), _) => return self.choose(number, true),
            (PaletteAction::Close, _) => self.close(),
            (PaletteAction::Type(_) | PaletteAction::Move(_), None) => {}
        }
        None
    }

    fn choose(&mut self, number: Option<usize>, is_beside: bool) -> Option<Chosen> {
        let palette = self.0.take()?;
        let adds_view = palette.adds_view();
        let target = palette.choose(number);
        let adds_view = target.as_ref().is_some_and(|target| adds_view || is_beside && target.is_view());
        Some(Chosen { target, adds_view })
    }

    pub(super) fn search(&mut self, text: String, namespaces: &NamespacePicker, around: Around<'_>) {
        if let Some(palette) = &mut self.0 {
            around.search(&namespaces.names(around.cx), |context| palette.search(text, context));
        }
    }

    /// Other namespaces are known than before.
    pub(super) fn search_again(&mut self, namespaces: &NamespacePicker, around: Around<'_>) {
        if let Some(palette) = &mut self.0 {
            around.search(&namespaces.names(around.cx), |context| palette.search_again(context));
        }
    }

    /// At once, because the next key goes to the open box.
    pub(super) fn show(&self, model: &mut PageModel) {
        model.palette = self.0.as_ref().map(|palette| palette.shown.clone());
    }
}

impl Palette {
    pub(super) fn for_new_view(same: String) -> Self {
        Self { shown: PaletteShown { purpose: Purpose::AddView { same }, ..PaletteShown::default() } }
    }

    fn adds_view(&self) -> bool {
        self.shown.purpose != Purpose::GoTo
    }

    fn search(&mut self, text: String, context: &SearchContext<'_>) {
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
    fn search_again(&mut self, context: &SearchContext<'_>) {
        let held = self.shown.hits.get(self.shown.chosen).filter(|_| self.shown.chosen > 0);
        let held = held.map(|hit| hit.target.clone());
        let text = std::mem::take(&mut self.shown.text);
        self.search(text, context);
        let at = self.shown.hits.iter().position(|hit| Some(&hit.target) == held.as_ref());
        self.shown.chosen = at.unwrap_or_default();
    }

    fn move_by(&mut self, by: isize) {
        let last = self.shown.hits.len().saturating_sub(1);
        self.shown.chosen = self.shown.chosen.saturating_add_signed(by).min(last);
    }

    /// The hit of this number, or the marked one.
    fn choose(self, number: Option<usize>) -> Option<Target> {
        let number = number.unwrap_or(self.shown.chosen);
        self.shown.hits.into_iter().nth(number).map(|hit| hit.target)
    }
}

/// The action of this number among the hits.
pub(super) fn action(number: usize) -> Option<Action> {
    ACTIONS.get(number).map(|(_, _, action)| action())
}
