//! What the page asks of the login page. Its sentences come with a piece of the program, and are called through this
//! function alone.

use super::Login;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Gives the page its title, and its text where it has none of its own.
    pub(crate) say: fn(&mut Login),
}
