//! The popover "Who am I?": the reader's name, the login that it comes from, the account whose rights decide, and the end
//! of the login.

pub(crate) mod part;
pub(crate) mod popover;
pub mod words;

/// The open popover. It is empty until the piece of the program that shows it is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Who {
    pub user: String,
    pub signed_in_by: &'static str,
    /// The first ones.
    pub groups: Vec<String>,
    /// `+12 more`, or nothing.
    pub more_groups: String,
    pub provider: Option<String>,
    pub rights: &'static str,
    /// `None`: the login doesn't end by itself.
    pub ends: Option<String>,
    pub note: Option<&'static str>,
    pub signs_out: bool,
}
