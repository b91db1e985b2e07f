//! The open palette on the screen.

use crate::palette::Hit;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaletteShown {
    pub text: String,
    pub hits: Vec<Hit>,
    pub chosen: usize,
    pub purpose: Purpose,
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
