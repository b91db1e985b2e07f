//! What the page asks of "Who am I?". The popover comes with a piece of the program, and is called through this function
//! alone.

use shared::frame::server::Viewer;
use shared::state::UnixMillis;

use super::Who;
use crate::messages::Zone;
use crate::table_view::Client;

#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) popover: fn(&Viewer, &Client, UnixMillis, Zone) -> Who,
}
