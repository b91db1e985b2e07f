//! The logic of what a reader opens. It comes with the piece that shows it, so that the first rows don't wait for it.
//! Each feature says in its `Part` what is asked of it, as functions. They read values and never the page's context,
//! because the context holds them.

use crate::{columns, export, log, palette};

/// What came with [`crate::piece::Piece::More`], by feature. [`crate::cx::Cx`] keeps it, and a feature without its part
/// is open and shows nothing.
#[derive(Clone, Copy)]
pub struct MoreParts {
    pub(crate) columns: columns::part::Part,
    pub(crate) export: export::part::Part,
    pub(crate) log: log::part::Part,
    pub(crate) palette: palette::part::Part,
    pub(crate) namespaces: crate::namespaces::part::Part,
    pub(crate) clusters: crate::clusters::part::Part,
}

/// Named in the piece alone.
pub(super) const MORE: MoreParts = MoreParts {
    columns: columns::PART,
    export: export::menu::PART,
    log: log::pane::PART,
    palette: palette::find::PART,
    namespaces: crate::namespaces::open::PART,
    clusters: crate::clusters::options::PART,
};
