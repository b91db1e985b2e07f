//! "Go to": the typed text, what was found, and what the reader chose. Never the search itself, which comes with a piece
//! of the program.

mod actions;
pub(crate) mod find;
mod model;
pub(crate) mod part;
pub mod words;

use crate::action::PaletteAction;
pub use model::{Group, Hit, PaletteShown, Purpose, Target};
pub use part::Recent;
use part::{Part, SearchContext};

/// "Go to", open or closed.
#[derive(Default)]
pub(crate) struct GoTo(Option<Palette>);

/// The open palette.
struct Palette {
    shown: PaletteShown,
    search: Search,
}

enum Search {
    /// The piece isn't there. What the reader chose meanwhile is chosen when it is.
    Coming(Option<Choice>),
    Here,
}

/// The reader pressed Enter, or a hit.
#[derive(Clone, Copy)]
struct Choice {
    /// `None`: the marked hit.
    number: Option<usize>,
    /// In a new pane, where the hit is a view.
    is_beside: bool,
}

/// The reader chose a hit, or none was marked.
pub(crate) struct Chosen {
    pub(crate) target: Option<Target>,
    /// It opens in a new pane.
    pub(crate) adds_view: bool,
}

impl GoTo {
    pub(crate) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn open(&mut self, purpose: Purpose) {
        let shown = PaletteShown { purpose, ..PaletteShown::default() };
        self.0 = Some(Palette { shown, search: Search::Coming(None) });
    }

    pub(crate) fn close(&mut self) {
        self.0 = None;
    }

    /// Returns what the reader chose. The hits of a typed text are found by [`Self::search`].
    pub(crate) fn update(&mut self, action: PaletteAction) -> Option<Chosen> {
        match (action, &mut self.0) {
            (PaletteAction::Open, _) => self.open(Purpose::GoTo),
            (PaletteAction::Close, _) => self.close(),
            (PaletteAction::Type(text), Some(palette)) => palette.type_text(text),
            (PaletteAction::Move(by), Some(palette)) => palette.move_by(by),
            (PaletteAction::Choose(number), Some(_)) => {
                return self.choose(Choice { number, is_beside: false });
            }
            (PaletteAction::ChooseBeside(number), Some(_)) => {
                return self.choose(Choice { number, is_beside: true });
            }
            (_, None) => {}
        }
        None
    }

    /// Finds the hits of another text.
    pub(crate) fn search(&mut self, part: Part, context: &SearchContext<'_>) -> Option<Chosen> {
        self.0.as_mut()?.shown.chosen = 0;
        self.search_again(part, context)
    }

    /// The piece came, or something else is known than before. Returns what the reader chose before the piece was there.
    pub(crate) fn search_again(&mut self, part: Part, context: &SearchContext<'_>) -> Option<Chosen> {
        let choice = self.0.as_mut()?.search_again(part, context)?;
        self.choose(choice)
    }

    fn choose(&mut self, choice: Choice) -> Option<Chosen> {
        if let Search::Coming(waiting) = &mut self.0.as_mut()?.search {
            *waiting = Some(choice);
            return None;
        }
        let PaletteShown { hits, chosen, purpose, .. } = self.0.take()?.shown;
        let target = hits.into_iter().nth(choice.number.unwrap_or(chosen)).map(|hit| hit.target);
        let adds_view = purpose != Purpose::GoTo;
        let adds_view =
            target.as_ref().is_some_and(|target| adds_view || choice.is_beside && target.is_view());
        Some(Chosen { target, adds_view })
    }

    pub(crate) fn model(&self) -> Option<PaletteShown> {
        self.0.as_ref().map(|palette| palette.shown.clone())
    }
}

impl Palette {
    fn type_text(&mut self, text: String) {
        self.shown.text = text;
        if let Search::Coming(waiting) = &mut self.search {
            *waiting = None;
        }
    }

    fn move_by(&mut self, by: isize) {
        let last = self.shown.hits.len().saturating_sub(1);
        self.shown.chosen = self.shown.chosen.saturating_add_signed(by).min(last);
    }

    /// A hit that the reader moved to stays marked. Returns the choice that waited for the search.
    fn search_again(&mut self, part: Part, context: &SearchContext<'_>) -> Option<Choice> {
        let PaletteShown { text, hits, chosen, purpose } = &mut self.shown;
        let held = hits.get(*chosen).filter(|_| *chosen > 0).map(|hit| hit.target.clone());
        *hits = (part.search)(text, purpose, context);
        let at = hits.iter().position(|hit| Some(&hit.target) == held.as_ref());
        *chosen = at.unwrap_or_default();
        match std::mem::replace(&mut self.search, Search::Here) {
            Search::Coming(waiting) => waiting,
            Search::Here => None,
        }
    }
}
