//! What the panel asks of each tab. Never which tabs there are.

use std::sync::Arc;

use replica::client::ViewKey;
use replica::now::Now;
use serde_json::Value;
use shared::state::UnixMillis;

use super::object::{PanelObject, ShownObject, Wanted};
use super::outcome::PanelOutcome;
use crate::location::PanelPlace;
use crate::table_view::Client;

/// The state of one tab, made for each object that the panel opens.
pub(crate) trait TabPart {
    /// What is on the screen.
    type Model;

    fn new(opened_ms: UnixMillis) -> Self;

    /// The views that it uses beside those of the object.
    fn keys(&self) -> Vec<ViewKey> {
        Vec::new()
    }

    fn object_changed(&mut self, _change: &ObjectChange<'_>) {}

    /// Something may have arrived, whichever tab is open. Returns the views that it no longer uses.
    fn observe(&mut self, _object: &PanelObject, _client: &mut Client, _now: Now) -> Vec<ViewKey> {
        Vec::new()
    }

    /// While the tab is open: when something arrived, and once a second for its ages.
    fn render(&mut self, model: &mut Self::Model, at: TabContext<'_>);

    /// The tab has a part that the reader opened, and that Escape closes before the panel.
    fn has_open_part(_model: &Self::Model) -> bool {
        false
    }

    fn close_part(&mut self, _at: ActionContext<'_>) -> PanelOutcome {
        PanelOutcome::Nothing
    }
}

/// Another version of the object has arrived, or another object of its name.
pub(crate) struct ObjectChange<'a> {
    /// `None`: this is the first.
    pub(crate) before: Option<&'a Arc<Value>>,
    /// It isn't another object of the name.
    pub(crate) is_same: bool,
    pub(crate) object: &'a PanelObject,
    pub(crate) now_ms: UnixMillis,
}

/// What a tab is rendered from.
#[derive(Clone, Copy)]
pub(crate) struct TabContext<'a> {
    pub(crate) shown: ShownObject<'a>,
    pub(crate) wanted: &'a Wanted,
    /// Something arrived since the last rendering.
    pub(crate) is_new: bool,
}

/// Where an action in a tab is done.
#[derive(Clone, Copy)]
pub(crate) struct ActionContext<'a> {
    pub(crate) object: &'a PanelObject,
    pub(crate) client: &'a Client,
    pub(crate) place: &'a PanelPlace,
    pub(crate) now_ms: UnixMillis,
}

/// What is asked of every action in a tab.
pub(crate) trait TabInput {
    /// As [`crate::action::Action::waits_for_frame`].
    fn waits_for_frame(&self) -> bool {
        false
    }

    /// The size of something in the tab. The browser may report it before the object is subscribed to.
    fn is_size(&self) -> bool {
        false
    }
}
