//! The open sheet "What may I see?" on the screen.

use crate::kind_link::KindLink;
use crate::status::Class;

/// The open sheet. It is empty until the piece of the program that shows it is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RightsSheet {
    /// The account and the clusters that were asked about.
    pub asked: String,
    pub decided: &'static str,
    pub kinds: Vec<KindRights>,
    /// What isn't known, and what the gateway shows to no viewer.
    pub notes: Vec<String>,
    /// Asks for the rest in the reader's own terminal.
    pub command: String,
}

/// What the answers to the views of one kind said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KindRights {
    pub kind: KindLink,
    pub class: Class,
    pub may: &'static str,
    pub place: String,
    /// When that was last true.
    pub answered: String,
}
