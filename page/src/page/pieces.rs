//! The pieces of the program that the page waits for.

use super::panels::Panels;
use super::panes::Panes;
use crate::cx::Cx;
use crate::effect::Effect;
use crate::model::PageModel;
use crate::pane::Pane;
use crate::piece::{Piece, Pieces};

/// Asks for the pieces of what is shown. The others come when there is time.
pub(super) fn render(
    pieces: &mut Pieces,
    (panes, panels, has_question): (&Panes, &mut Panels, bool),
    is_own_page: bool,
    model: &mut PageModel,
    cx: &mut Cx,
) {
    let now_ms = cx.now_ms();
    let lacks_panel = panels.lack_piece();
    let lacks_logs = panels.fill_logs(&pieces.shown(Piece::Logs, now_ms), cx);
    let needs_more = model.login.is_some()
        || model.help
        || model.palette.is_some()
        || model.clusters.picker.is_some()
        || model.namespaces.picker.is_some()
        || model.who.is_some()
        || model.rights.is_some()
        || model.tell.is_some()
        || has_question
        || panes.iter().any(Pane::needs_more);
    let has_rows = panes.iter().next().map(Pane::model).is_some_and(|first| first.head.content.has_rows());
    let needed = [
        (Piece::Shell, is_own_page),
        (Piece::Panel, lacks_panel),
        (Piece::More, needs_more),
        (Piece::Logs, lacks_logs),
    ];
    let needed = needed.into_iter().filter(|(_, is_needed)| *is_needed).map(|(piece, _)| piece);
    let mut asked: Vec<Piece> = needed.filter(|piece| pieces.need(*piece, now_ms)).collect();
    // Beside a table of another page there is no panel.
    let idle: &[Piece] = if is_own_page { &[Piece::Panel, Piece::More] } else { &[Piece::More] };
    asked.extend(pieces.when_idle(idle, has_rows, now_ms));
    cx.effects.extend(asked.into_iter().map(Effect::Fetch));
    model.shell_piece = pieces.shown(Piece::Shell, now_ms);
    model.panel_piece = pieces.shown(Piece::Panel, now_ms);
    model.more_piece = pieces.shown(Piece::More, now_ms);
    model.lacks_panel = lacks_panel;
}
