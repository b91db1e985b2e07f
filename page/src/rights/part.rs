//! What the page asks of the sheet "What may I see?". The sheet itself comes with a piece of the program, and is called
//! through this function alone.

use shared::frame::server::Viewer;
use shared::scope::Namespaces;
use shared::state::UnixMillis;

use super::Rights;
use super::model::RightsSheet;
use crate::location::Location;
use crate::messages::Zone;
use crate::table_view::Client;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) sheet: fn(&Viewer, &Rights, Here<'_>) -> RightsSheet,
}

/// Where and when the reader looks.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) location: &'a Location,
    pub(crate) chosen: &'a Namespaces,
    pub(crate) client: &'a Client,
    pub(crate) now_ms: UnixMillis,
    pub(crate) zone: Zone,
}
