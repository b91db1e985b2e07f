//! What the bands of a view are rendered from: the pill and the notice line above its rows, the status bar
//! below them.

use shared::state::UnixMillis;

use super::displayed::Rows;
use super::recent::Recent;
use crate::messages::Zone;
use crate::table_view::Client;
use crate::traffic::Traffic;
use replica::freshness::Freshness;

#[derive(Clone, Copy)]
pub(super) struct Bands<'a> {
    pub(super) client: &'a Client,
    pub(super) rows: Rows<'a>,
    pub(super) freshness: &'a Freshness,
    pub(super) recent: &'a Recent,
    pub(super) traffic: &'a Traffic,
    pub(super) now_ms: UnixMillis,
    pub(super) zone: Zone,
}
