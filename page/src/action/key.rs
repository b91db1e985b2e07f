//! The keys of a pane.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Down,
    Up,
    PageDown,
    PageUp,
    Home,
    End,
    NextInTrouble,
    PreviousInTrouble,
    NextCell,
    PreviousCell,
    SortByCell,
    Select,
    SelectRange,
    Copy,
    Pause,
    /// Shows only what changed during the last pause, or all rows again.
    Meanwhile,
    Export,
    Columns,
    Wide,
    Settle,
    /// Clears the selection; if there is none, shows all rows again, and then clears the filter.
    Back,
}

impl Key {
    /// Whether it moves the focus to another row.
    pub fn moves_rows(self) -> bool {
        use Key::{Down, End, Home, NextInTrouble, PageDown, PageUp, PreviousInTrouble, Up};
        matches!(self, Down | Up | PageDown | PageUp | Home | End | NextInTrouble | PreviousInTrouble)
    }

    /// The keys of a table that has the focus; `None` for the others.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "j" | "ArrowDown" => Self::Down,
            "k" | "ArrowUp" => Self::Up,
            "PageDown" => Self::PageDown,
            "PageUp" => Self::PageUp,
            "Home" => Self::Home,
            "End" | "G" => Self::End,
            "n" => Self::NextInTrouble,
            "N" => Self::PreviousInTrouble,
            "ArrowRight" => Self::NextCell,
            "ArrowLeft" => Self::PreviousCell,
            "s" => Self::SortByCell,
            "x" => Self::Select,
            "X" => Self::SelectRange,
            "C" => Self::Copy,
            " " => Self::Pause,
            "p" => Self::Meanwhile,
            "K" => Self::Export,
            "c" => Self::Columns,
            "Escape" => Self::Back,
            "w" => Self::Wide,
            "r" => Self::Settle,
            _ => return None,
        })
    }
}
