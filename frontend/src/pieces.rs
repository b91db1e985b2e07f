//! The pieces of the program that are fetched apart. What is named here and nowhere else stands in a piece's file.

use page::piece::{Brought, NotBrought, Piece};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::files;
use crate::views::fetched::{self, MoreViews, PanelView, ShellView};
use crate::views::{columns, export, help, log, login, palette, panel, shell, who};

#[wasm_split(shell, fallible)]
fn shell_piece() -> Result<(Brought, ShellView), SplitLoaderError> {
    Ok((Brought::Shell, shell::shell))
}

#[wasm_split(panel, fallible)]
fn panel_piece() -> Result<(Brought, PanelView), SplitLoaderError> {
    Ok((Brought::panel(), panel::panel))
}

#[wasm_split(more, fallible)]
fn more_piece() -> Result<(Brought, MoreViews), SplitLoaderError> {
    let views = MoreViews {
        columns: columns::columns,
        export: export::export,
        help: help::help,
        log: log::log,
        login: login::login,
        palette: palette::palette,
        rights: who::rights::sheet,
        who: who::popover::popover,
    };
    Ok((Brought::More, views))
}

/// Fetches a piece, and keeps its views.
pub(crate) async fn fetch(piece: Piece) -> Result<Brought, NotBrought> {
    let brought = match piece {
        Piece::Shell => shell_piece().await.map(|(brought, view)| {
            fetched::keep_shell(view);
            brought
        }),
        Piece::Panel => panel_piece().await.map(|(brought, view)| {
            fetched::keep_panel(view);
            brought
        }),
        Piece::More => more_piece().await.map(|(brought, views)| {
            fetched::keep_more(views);
            brought
        }),
    };
    match brought {
        Ok(brought) => Ok(brought),
        Err(_) if files::are_gone().await => Err(NotBrought::Gone),
        Err(_) => Err(NotBrought::Unanswered),
    }
}
