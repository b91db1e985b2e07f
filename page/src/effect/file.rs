//! A file that leaves the page. It names no feature, so that all may make one.

/// A file that the page made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub media_type: &'static str,
    pub text: String,
}
