//! What the page asks of the open picker. Its options come with a piece of the program, and are called through these
//! functions alone.

use litemap::LiteMap;
use replica::client::ViewKey;
use shared::name::Namespace;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::model::PickerModel;
use crate::messages::Zone;
use crate::picker::{Answer, Asked, Typed};
use crate::rights::Known;
use crate::table_view::View;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Moves the mark, or chooses.
    pub(crate) update: fn(&mut Open, Asked, &Shown<'_>) -> Answer<Namespaces>,
    pub(crate) model: fn(&mut Open, &Shown<'_>) -> PickerModel,
}

/// The open picker.
#[derive(Default)]
pub(crate) struct Open {
    pub(crate) typed: Typed,
    pub(super) counted: Option<Counted>,
}

impl AsMut<Typed> for Open {
    fn as_mut(&mut self) -> &mut Typed {
        &mut self.typed
    }
}

/// How many rows each namespace of a view had, counted once a second.
pub(super) struct Counted {
    pub(super) view: ViewKey,
    pub(super) at_ms: UnixMillis,
    pub(super) rows: LiteMap<Namespace, usize>,
}

/// What the active pane shows of the namespaces, and what is known of them: all that the options are made of. The picker
/// makes it of the pane.
pub(crate) struct Shown<'a> {
    /// The namespaces of the pane.
    pub(crate) chosen: &'a Namespaces,
    /// The cluster's namespaces, else those that are known.
    pub(crate) names: Vec<Box<str>>,
    /// The view of the cluster's namespaces.
    pub(crate) list: Option<&'a View>,
    /// The view of the pane, and what is known of the rights to it where those are reviewed.
    pub(crate) view: Option<(ViewKey, &'a View)>,
    pub(crate) known: Option<&'a Known>,
    pub(crate) now_ms: UnixMillis,
    pub(crate) zone: Zone,
}
