//! What a cell shows: kubectl's text in the spans that its column wants. Never another text.

use crate::cells;
use crate::names;
use crate::status::{Class, StatusColumns, is_ratio, is_short};
use shared::duration::UnixSeconds;
use shared::row::Row;

use super::column::{Column, Look};
use crate::column_settings::Source;
use crate::model::{Body, TextLook};

pub(super) fn body(row: &Row, column: &Column, status: &StatusColumns, cluster_now: UnixSeconds) -> Body {
    let index = match column.source {
        Source::Namespace => {
            return Body::Plain {
                text: row.namespace.as_deref().unwrap_or_default().to_owned(),
                look: TextLook::Identifier,
            };
        }
        Source::Cell(index) => index,
    };
    let Some(cell) = row.cells.get(index) else {
        return Body::Plain { text: String::new(), look: TextLook::Words };
    };
    let text = cells::in_column(cell, cluster_now);
    match column.look {
        Look::Name => name(row, text),
        Look::Status if !is_ratio(cell) => {
            let class = status.read(row).map_or(Class::Idle, |(_, class)| class);
            Body::Status { class, text }
        }
        // READY is a condition in one kind and a count in another: a count has no sign.
        Look::Status | Look::Ready => {
            // Of finished work nothing is ready, and nothing is short.
            let is_done = status.read(row).is_some_and(|(_, class)| class == Class::Done);
            let look = if is_short(cell) && !is_done { TextLook::Short } else { TextLook::Words };
            Body::Plain { look, text }
        }
        Look::Count => match text.find(" (") {
            Some(at) => {
                let (count, ago) = text.split_at(at);
                Body::Count { text: count.to_owned(), ago: Some(ago.to_owned()) }
            }
            None => Body::Count { text, ago: None },
        },
        Look::Identifier if is_nothing(&text) => Body::Plain { look: TextLook::NoIdentifier, text },
        Look::Identifier => Body::Plain { look: TextLook::Identifier, text },
        Look::Words if is_nothing(&text) => Body::Plain { look: TextLook::Nothing, text },
        Look::Words => Body::Plain { look: TextLook::Words, text },
    }
}

/// In three spans where the cell is the object's name; some tables write something else there.
fn name(row: &Row, text: String) -> Body {
    let parts = names::parts(row);
    if text != *row.name {
        return Body::Name { owner: text, middle: String::new(), tail: String::new() };
    }
    // The suffix brings its dash along; on the page it stands with what is before it.
    let (dash, tail) = match parts.suffix.strip_prefix('-') {
        Some(tail) => ("-", tail),
        None => ("", parts.suffix),
    };
    let (owner_dash, middle) = match parts.hash.strip_prefix('-') {
        Some(hash) => ("-", format!("{hash}{dash}")),
        None => (dash, parts.hash.to_owned()),
    };
    Body::Name { owner: format!("{}{owner_dash}", parts.owner), middle, tail: tail.to_owned() }
}

fn is_nothing(text: &str) -> bool {
    matches!(text, "<none>" | "<unknown>" | "<unset>")
}

/// How many characters a body takes, for the width of its column.
pub(super) fn characters(body: &Body) -> usize {
    let count = |text: &str| text.chars().count();
    match body {
        Body::Plain { text, .. } | Body::Status { text, .. } => count(text),
        Body::Name { owner, middle, tail } => count(owner) + count(middle) + count(tail),
        // Three places are kept for the number.
        Body::Count { text, ago } => count(text).max(3) + ago.as_deref().map_or(0, count),
    }
}
