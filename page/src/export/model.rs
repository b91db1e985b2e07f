//! The export menu, as it is on the screen.

/// The open export menu.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportModel {
    /// Path and query of this view alone.
    pub link: String,
    /// The element that shows it in another page.
    pub element: String,
    pub line: String,
    /// The words of the command, and whether each is a flag.
    pub words: Vec<(String, bool)>,
    pub notes: Vec<String>,
    pub rows: String,
}
