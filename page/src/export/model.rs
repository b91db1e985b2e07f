//! The export menu, as it is on the screen.

/// The command that asks the gateway in the API server's place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ThroughModel {
    pub line: String,
    /// Writes the kubeconfig that the line names. [`GATEWAY`] stands for the gateway's address.
    pub setup: String,
}

/// What stands for the gateway's address in a text of the model, which knows no addresses.
pub const GATEWAY: &str = "{gateway}";

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
    /// The same command through the gateway, where its API can be reached.
    pub through: Option<ThroughModel>,
    pub rows: String,
}
