//! The pieces of the program that the page waits for.

use replica::now::Now;
use shared::state::UnixMillis;

use super::Page;
use super::address_bar::Host;
use super::board::Board;
use crate::effect::Effect;
use crate::panel::PanelSlot;
use crate::piece::{Brought, NotBrought, Piece};

impl Page {
    /// A piece of the program has come.
    pub fn brought(&mut self, brought: Brought, now: Now) {
        self.pieces.came(brought.piece());
        if let Brought::Panel(make) = brought {
            self.navigator.board.fill_panels(make);
        }
        self.follow(now);
    }

    /// A piece of the program couldn't be had.
    pub fn not_brought(&mut self, piece: Piece, why: NotBrought, now_ms: UnixMillis) {
        self.pieces.failed(piece, why, now_ms);
    }

    /// Asks for the pieces of what is shown. The others come when there is time.
    pub(super) fn render_pieces(&mut self, now_ms: UnixMillis) {
        let Board { panes, .. } = &self.navigator.board;
        let lacks_panel = self.navigator.board.panels_held().any(PanelSlot::lacks_piece);
        let model = &self.model;
        let needs_more = model.login.is_some()
            || model.help
            || model.palette.is_some()
            || model.clusters.picker.is_some()
            || model.who.is_some()
            || model.rights.is_some()
            || panes.iter().any(|pane| pane.model.needs_more());
        let has_rows = panes.first().is_some_and(|pane| pane.model.head.content.has_rows());
        let has_shell = self.navigator.address_bar.host() == Host::Dogwatch;
        let needed = [(Piece::Shell, has_shell), (Piece::Panel, lacks_panel), (Piece::More, needs_more)];
        let needed = needed.into_iter().filter(|(_, is_needed)| *is_needed).map(|(piece, _)| piece);
        let mut asked: Vec<Piece> = needed.filter(|piece| self.pieces.need(*piece, now_ms)).collect();
        // Beside a table of another page there is no panel.
        let idle: &[Piece] = if has_shell { &[Piece::Panel, Piece::More] } else { &[Piece::More] };
        asked.extend(self.pieces.when_idle(idle, has_rows, now_ms));
        self.navigator.effects.extend(asked.into_iter().map(Effect::Fetch));
        self.model.shell_piece = self.pieces.shown(Piece::Shell, now_ms);
        self.model.panel_piece = self.pieces.shown(Piece::Panel, now_ms);
        self.model.more_piece = self.pieces.shown(Piece::More, now_ms);
        self.model.lacks_panel = lacks_panel;
        self.navigator.board.render_lacking_panel(&self.model.panel_piece);
    }
}
