//! "Go to": what is typed, what was found, and what choosing it does. It fetches nothing.

use crate::location::{Location, Place};
use crate::palette::{self, Ground, Hit, Target};
use shared::name::Namespace;
use shared::scope::Namespaces;

use super::Page;
use crate::action::{Action, PaletteAction, PaneAction};
use crate::model::PaletteShown;
use replica::now::Now;

/// What is open while somebody looks for something.
#[derive(Default)]
pub(super) struct Palette {
    text: String,
    hits: Vec<Hit>,
    chosen: usize,
    /// Of the rows of the open views, when it was opened.
    namespaces: Vec<Box<str>>,
}

/// Each with its key, and what it does.
const ACTIONS: &[(&str, &str)] = &[
    ("Pause or resume", "Space"),
    ("Wide columns", "w"),
    ("Watch log, or table", "l"),
    ("The same in kubectl, as a file", "K"),
    ("Copy the link", "L"),
    ("One more pane beside", "b"),
    ("Close this pane", ""),
    ("All namespaces", ""),
    ("Clear the filter", ""),
    ("Next theme", ""),
    ("Keys and help", "?"),
];

fn action(number: usize) -> Option<Action> {
    Some(match number {
        0 => PaneAction::TogglePause.into(),
        1 => PaneAction::ToggleWide.into(),
        2 => Action::ToggleLog,
        3 => PaneAction::ShowExport(true).into(),
        4 => Action::CopyLink,
        5 => Action::Split,
        6 => Action::ClosePane,
        7 => Action::SetNamespaces(Namespaces::All),
        8 => PaneAction::Filter(String::new()).into(),
        9 => Action::NextTheme,
        10 => Action::Help(true),
        _ => return None,
    })
}

impl Page {
    pub(super) fn act_in_palette(&mut self, asked: PaletteAction, now: Now) {
        match asked {
            PaletteAction::Open => {
                let namespaces = self.seen_namespaces();
                self.palette = Some(Palette { namespaces, ..Palette::default() });
                self.find();
            }
            PaletteAction::Type(text) => {
                if let Some(palette) = &mut self.palette {
                    palette.text = text;
                }
                self.find();
            }
            PaletteAction::Move(by) => {
                if let Some(palette) = &mut self.palette {
                    let last = palette.hits.len().saturating_sub(1);
                    palette.chosen = palette.chosen.saturating_add_signed(by).min(last);
                }
            }
            PaletteAction::Choose(number) => self.choose(number, now),
            PaletteAction::Close => {
                self.palette = None;
                self.focus_rows();
            }
        }
        // At once: the next key belongs to the box already.
        self.render_palette();
    }

    fn seen_namespaces(&self) -> Vec<Box<str>> {
        let mut names: Vec<Box<str>> = Vec::new();
        for (_, view) in self.client.views() {
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

    fn find(&mut self) {
        let Some(palette) = &mut self.palette else { return };
        let views = self.panes.iter().filter_map(|pane| pane.key().and_then(|key| self.client.view(key)));
        let ground = Ground {
            kinds: self.client.kinds().map(|kinds| kinds.kinds.as_slice()).unwrap_or_default(),
            namespaces: &palette.namespaces,
            views: views.collect(),
            boards: self.client.welcome().map(|welcome| welcome.boards.as_slice()).unwrap_or_default(),
            actions: ACTIONS,
        };
        palette.hits = palette::find(&palette.text, &ground);
        palette.chosen = 0;
    }

    fn choose(&mut self, number: Option<usize>, now: Now) {
        let Some(palette) = self.palette.take() else { return };
        let hit = palette.hits.into_iter().nth(number.unwrap_or(palette.chosen));
        self.focus_rows();
        match hit.map(|hit| hit.target) {
            Some(Target::Kind { resource, namespace }) => {
                self.go_to_kind(resource, namespace.as_deref(), now)
            }
            Some(Target::Namespace(name)) => {
                if let Ok(name) = Namespace::parse(&name) {
                    self.set_namespaces(self.active, Namespaces::These(vec![name]), now);
                }
            }
            Some(Target::Object { view, row }) => {
                let opened = self.panes.iter_mut().filter(|pane| pane.key().is_some()).nth(view);
                if let Some(pane) = opened {
                    self.active = pane.id;
                    pane.go_to_row(&self.client, row);
                }
            }
            Some(Target::Board(link)) => self.act(None, Action::OpenLink(link.into()), now),
            Some(Target::Action(number)) => {
                if let Some(action) = action(number) {
                    self.act(None, action, now);
                }
            }
            None => {}
        }
    }

    fn go_to_kind(&mut self, resource: Box<str>, namespace: Option<&str>, now: Now) {
        let Some(pane) = self.active() else { return };
        let place = match (namespace.and_then(|name| Namespace::parse(name).ok()), &pane.place.place) {
            (Some(name), _) => Place::These(vec![name]),
            (None, Place::Cluster) => Place::Context,
            (None, place) => place.clone(),
        };
        let wide = pane.place.wide;
        self.go_to(pane.id, Location { resource, place, wide, ..Location::default() }, now);
    }

    pub(super) fn focus_rows(&mut self) {
        let active = self.active;
        if let Some(pane) = self.panes.iter_mut().find(|pane| pane.id == active) {
            pane.wants_focus();
        }
    }

    fn render_palette(&mut self) {
        let shown = self.palette.as_ref().map(|palette| PaletteShown {
            text: palette.text.clone(),
            hits: palette.hits.clone(),
            chosen: palette.chosen,
        });
        self.model.palette = shown;
    }
}
