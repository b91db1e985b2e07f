//! The pieces of the program that are fetched apart. What is named here and nowhere else stands in a piece's file.

use page::piece::{Brought, NotBrought, Piece};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::files::{self, Sheet};
use crate::views::fetched::{self, MoreViews};
use crate::views::{columns, export, help, log, login, palette, panel, shell, who};

#[wasm_split(shell, fallible)]
fn shell_piece() -> Result<Brought, SplitLoaderError> {
    fetched::keep_shell(shell::shell);
    Ok(Brought::Shell)
}

#[wasm_split(panel, fallible)]
fn panel_piece() -> Result<Brought, SplitLoaderError> {
    fetched::keep_panel(panel::panel);
    Ok(Brought::panel())
}

#[wasm_split(more, fallible)]
fn more_piece() -> Result<Brought, SplitLoaderError> {
    fetched::keep_more(MoreViews {
        columns: columns::columns,
        export: export::export,
        help: help::help,
        log: log::log,
        login: login::login,
        palette: palette::palette,
        rights: who::rights::sheet,
        who: who::popover::popover,
    });
    Ok(Brought::More)
}

/// Fetches a piece, which keeps its views. The panel's has a style sheet of its own.
pub(crate) async fn fetch(piece: Piece) -> Result<Brought, NotBrought> {
    let brought = match piece {
        Piece::Shell => shell_piece().await.ok(),
        Piece::Panel if !files::bring(Sheet::Panel).await => None,
        Piece::Panel => panel_piece().await.ok(),
        Piece::More => more_piece().await.ok(),
    };
    match brought {
        Some(brought) => Ok(brought),
        None if files::are_gone().await => Err(NotBrought::Gone),
        None => Err(NotBrought::Unanswered),
    }
}
