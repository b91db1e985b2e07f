//! The pieces of the program that are fetched apart, each a wasm file of its own. A piece holds what only its
//! function in this file can reach: other views call it through the functions that it hands over, the panel's
//! state through a trait (`page/src/panel/slot.rs`), and the logic of the other features through the functions that
//! `page/src/piece/more.rs` lists.

use page::piece::{Brought, NotBrought, Piece};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::dom::notify;
use crate::files::{self, Sheet};
use crate::views::fetched::{self, LogsView, MoreViews, PanelView, ShellView};
use crate::views::{
    clusters, columns, export, help, in_place, log, login, namespaces, palette, panel, past, rights, shell,
    tab, tell, who, wrong,
};

// What a piece brings is returned, and kept by its caller. If the piece kept it itself, the linker could find out that
// nothing else is ever kept, and write it into the main file.

#[wasm_split(shell, fallible)]
fn shell_piece() -> Result<ShellView, SplitLoaderError> {
    Ok(shell::shell)
}

#[wasm_split(panel, fallible)]
fn panel_piece() -> Result<(PanelView, Brought), SplitLoaderError> {
    Ok((panel::panel, Brought::panel()))
}

#[wasm_split(logs, fallible)]
fn logs_piece() -> Result<(LogsView, Brought), SplitLoaderError> {
    Ok((tab::logs::view, Brought::logs()))
}

#[wasm_split(more, fallible)]
fn more_piece() -> Result<(MoreViews, Brought), SplitLoaderError> {
    let views = MoreViews {
        clusters: clusters::popover::popover,
        chip: wrong::chip::chip,
        columns: columns::columns,
        compare: in_place::in_place_of_rows,
        export: export::export,
        help: help::help,
        log: log::log,
        login: login::login,
        namespaces: namespaces::popover::popover,
        palette: palette::palette,
        past: past::past,
        rights: rights::rights,
        notifications: notify::ALL,
        tell: tell::sheet,
        who: who::popover::popover,
    };
    Ok((views, Brought::more()))
}

/// Fetches a piece and keeps its views. The panel's has a style sheet of its own.
pub(crate) async fn fetch(piece: Piece) -> Result<Brought, NotBrought> {
    let brought = match piece {
        Piece::Shell => shell_piece().await.ok().map(|view| {
            fetched::keep_shell(view);
            Brought::Shell
        }),
        Piece::Panel if !files::bring(Sheet::Panel).await => None,
        Piece::Panel => panel_piece().await.ok().map(|(view, brought)| {
            fetched::keep_panel(view);
            brought
        }),
        Piece::Logs => logs_piece().await.ok().map(|(view, brought)| {
            fetched::keep_logs(view);
            brought
        }),
        Piece::More => more_piece().await.ok().map(|(views, brought)| {
            fetched::keep_more(views);
            brought
        }),
    };
    match brought {
        Some(brought) => Ok(brought),
        None if files::are_gone().await => Err(NotBrought::Gone),
        None => Err(NotBrought::Unanswered),
    }
}
