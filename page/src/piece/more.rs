//! The logic of what a reader opens. It comes with the piece that shows it, so that the first rows don't wait for it.
//! Each feature says in its `Part` what is asked of it, as functions. They read values and never the page's context,
//! because the context holds them.

use crate::query::offered;
use crate::{columns, export, linked, log, login, palette, past, rights, tell, who, wrong};

/// What came with [`crate::piece::Piece::More`], by feature. [`crate::cx::Cx`] keeps it, and a feature without its part
/// is open and shows nothing.
#[derive(Clone, Copy)]
pub struct MoreParts {
    pub(crate) clusters: crate::clusters::part::Part,
    pub(crate) columns: columns::part::Part,
    pub(crate) export: export::part::Part,
    pub(crate) linked: linked::Part,
    pub(crate) log: log::part::Part,
    pub(crate) login: login::part::Part,
    pub(crate) namespaces: crate::namespaces::part::Part,
    pub(crate) offered: offered::Part,
    pub(crate) palette: palette::part::Part,
    pub(crate) past: &'static past::part::Part,
    pub(crate) rights: rights::part::Part,
    pub(crate) tell: tell::part::Part,
    pub(crate) who: who::part::Part,
    pub(crate) wrong: wrong::part::Part,
}

/// Named in the piece alone.
pub(super) static MORE: MoreParts = MoreParts {
    clusters: crate::clusters::options::PART,
    columns: columns::PART,
    export: export::menu::PART,
    linked: linked::PART,
    log: log::pane::PART,
    login: login::sentences::PART,
    namespaces: crate::namespaces::open::PART,
    offered: offered::PART,
    palette: palette::find::PART,
    past: &past::bar::PART,
    rights: rights::sheet::PART,
    tell: tell::questions::PART,
    who: who::popover::PART,
    wrong: wrong::lists::PART,
};
