//! The columns that are shown: those that the reader chose, else the server's in its order, without the
//! wide ones unless they are asked for; without what a narrow view has no room for. Never a choice.

use std::sync::Arc;

use crate::column_settings::{Choice, Offer, Source};
use crate::limits::COLUMN_PX_MIN;
use crate::query::sort::{NAMESPACE_KEY, column_key};
use crate::query::{Direction, Sort};
use crate::status::StatusColumns;
use crate::widths::Widths;
use shared::column::Column;

use crate::action::FontSize;
use crate::model::{HeadCell, SortMark};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) source: Source,
    pub(crate) title: String,
    pub(crate) description: String,
    /// What a sort and a link call it.
    pub(crate) key: Arc<str>,
    pub(crate) look: Look,
    /// Durations and plain numbers stand at the end of their column.
    pub(crate) at_end: bool,
    /// As a reader dragged it.
    pub(crate) width_px: Option<u16>,
}

impl Shown {
    /// The server's number of the column, as changes of cells name it.
    pub(crate) fn cell(&self) -> Option<u16> {
        match self.source {
            Source::Namespace => None,
            Source::Cell(index) => u16::try_from(index).ok(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Name,
    Status,
    Ready,
    /// A number that may be followed by how long ago.
    Count,
    /// Made by Kubernetes: monospaced.
    Identifier,
    Words,
}

/// What decides which columns there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Room {
    pub(crate) wide: bool,
    pub(crate) with_namespace: bool,
    pub(crate) width_px: f64,
}

/// At this width and below, wide columns and NAMESPACE leave.
const NARROW_PX: f64 = 640.0;

/// Wide columns and the namespace leave.
pub(super) fn is_narrow(width_px: f64) -> bool {
    width_px <= NARROW_PX
}

/// What a reader may choose from in this room.
pub(crate) fn offer(columns: &[Column], room: Room) -> Offer<'_> {
    let is_narrow = is_narrow(room.width_px);
    Offer { columns, wide: room.wide && !is_narrow, with_namespace: room.with_namespace && !is_narrow }
}

pub(crate) fn shown(columns: &[Column], room: Room, choice: &Choice) -> Vec<Shown> {
    let status = StatusColumns::of(columns);
    let placed = choice.shown(offer(columns, room)).into_iter();
    let shown = placed.filter_map(|placed| {
        let shown = match placed.source {
            Source::Namespace => namespace(),
            Source::Cell(index) => served(index, columns.get(index)?, &status),
        };
        Some(Shown { width_px: placed.width_px, ..shown })
    });
    shown.collect()
}

fn namespace() -> Shown {
    Shown {
        source: Source::Namespace,
        title: "NAMESPACE".to_owned(),
        description: String::new(),
        key: NAMESPACE_KEY.into(),
        look: Look::Identifier,
        at_end: false,
        width_px: None,
    }
}

/// The same columns in the same order: what is drawn of them stays.
pub(crate) fn differ_in_width_alone(some: &[Shown], others: &[Shown]) -> bool {
    let alike = |(one, other): (&Shown, &Shown)| *one == Shown { width_px: one.width_px, ..other.clone() };
    some.len() == others.len() && some.iter().zip(others).all(alike)
}

fn served(index: usize, column: &Column, status: &StatusColumns) -> Shown {
    let key = column_key(&column.name);
    let look = look(index, column, &key, status);
    let at_end = look == Look::Words && is_figure(column, &key);
    Shown {
        source: Source::Cell(index),
        title: column.title(),
        description: if column.is_custom() { &column.path } else { &column.description }.to_string(),
        key: key.into(),
        look,
        at_end,
        width_px: None,
    }
}

fn look(index: usize, column: &Column, key: &str, status: &StatusColumns) -> Look {
    if &*column.format == "name" {
        return Look::Name;
    }
    if status.status() == Some(index) {
        return Look::Status;
    }
    if status.ready() == Some(index) {
        return Look::Ready;
    }
    match key {
        "restarts" => Look::Count,
        "ip" | "node" | "nominated-node" | "cluster-ip" | "external-ip" | "internal-ip" | "port(s)"
        | "selector" | "images" | "containers" | "object" | "labels" | "volume" | "claim" | "provisioner"
        | "hosts" | "address" | "addresses" | "endpoints" | "ports" => Look::Identifier,
        _ => Look::Words,
    }
}

fn is_figure(column: &Column, key: &str) -> bool {
    matches!(&*column.kind, "integer" | "number" | "date")
        || &*column.format == "date-time"
        || matches!(key, "age" | "duration" | "last-seen" | "last-schedule" | "first-seen")
}

pub(crate) fn head_cells(columns: &[Shown], sort: Option<&Sort>) -> Vec<HeadCell> {
    let mark = |column: &Shown| {
        let sort = sort.filter(|sort| *sort.column == *column.key)?;
        Some(match sort.direction {
            Direction::Ascending => SortMark::Ascending,
            Direction::Descending => SortMark::Descending,
        })
    };
    columns
        .iter()
        .enumerate()
        .map(|(index, column)| HeadCell {
            index,
            title: column.title.clone(),
            description: column.description.clone(),
            at_end: column.at_end,
            is_name: column.look == Look::Name,
            sort: mark(column),
        })
        .collect()
}

/// The gutter; the mock's.
const GUTTER_PX: f64 = 26.0;
/// A cell's padding, left and right.
const PADDING_PX: f64 = 16.0;
/// A header's letters are strong, spaced capitals of 11 px beside the sort's arrow.
const HEAD_CHARACTER_PX: f64 = 8.2;
const HEAD_ARROW_PX: f64 = 14.0;
/// The sign before a status word.
const GLYPH_PX: f64 = 16.0;
/// Characters are measured as digits, which all have one width; the `m` of an age is wider.
const UNIT_PX: f64 = 6.0;
/// What strong letters take more than plain ones.
const STRONG: f64 = 1.12;
/// Beyond this a cell is cut: a message of an event would take the whole table.
const COLUMN_PX_MAX: f64 = 560.0;

/// `grid-template-columns`: each column as wide as its widest cell, less where there is no room,
/// and the rest of the width empty at the right.
pub(crate) fn template(columns: &[Shown], widths: &Widths, font: FontSize, width_px: f64) -> String {
    let sizes: Vec<Size> =
        columns.iter().enumerate().map(|(index, column)| size(column, widths.shown(index), font)).collect();
    let fits = |least: fn(&Size) -> f64| sizes.iter().map(least).sum::<f64>() + GUTTER_PX <= width_px;
    // A narrow view cuts names and words first, then titles; at last every column gives way alike:
    // nothing scrolls sideways, unless there are more of them than any view has room for.
    let least: fn(&Size) -> f64 = if fits(|size| size.least) {
        |size| size.least
    } else if fits(|size| size.tight) {
        |size| size.tight
    } else {
        |_| 0.0
    };
    let mut template = format!("{GUTTER_PX}px");
    for size in &sizes {
        template += &format!(" minmax({}px, {}px)", least(size), size.wanted);
    }
    template + " minmax(0, 1fr)"
}

/// So many columns that each would be too narrow to be read, or to be dragged wider: they go on beyond the
/// view's edge instead.
pub(crate) fn go_across(columns: &[Shown], width_px: f64) -> bool {
    !is_narrow(width_px) && to_px(columns.len()) * f64::from(COLUMN_PX_MIN) + GUTTER_PX > width_px
}

/// What a column wants, the least that it can do with, and what a narrow view leaves it.
struct Size {
    wanted: f64,
    least: f64,
    tight: f64,
}

fn size(column: &Shown, characters: usize, font: FontSize) -> Size {
    if let Some(width_px) = column.width_px.map(f64::from) {
        return Size { wanted: width_px, least: width_px, tight: f64::from(COLUMN_PX_MIN) };
    }
    // Before the first row has come: room for a usual one.
    let characters = match (characters, column.look) {
        (0, Look::Name) => 32,
        (0, Look::Status) => 12,
        // `4d11h`, `10m30s`: an age gets longer while it is looked at.
        (seen, Look::Words) if column.at_end => seen.max(6),
        (seen, _) => seen,
    };
    let cell_px = match column.look {
        Look::Name | Look::Identifier => to_px(characters) * font.mono_px,
        Look::Status => to_px(characters) * font.text_px * STRONG + GLYPH_PX,
        _ => to_px(characters) * font.text_px + UNIT_PX,
    };
    let title_px = to_px(column.title.chars().count()) * HEAD_CHARACTER_PX + PADDING_PX;
    let wanted = (cell_px + PADDING_PX).max(title_px + HEAD_ARROW_PX).ceil().min(COLUMN_PX_MAX);
    // A name may give up its middle; figures and words of one line may not.
    let least = match column.look {
        Look::Name => 160.0,
        Look::Status => 108.0,
        Look::Identifier | Look::Words if !column.at_end => 72.0,
        _ => 84.0,
    };
    let tight = match column.look {
        Look::Name => 120.0,
        Look::Status => 96.0,
        // An age is short, and half of one says nothing.
        _ if column.at_end => wanted,
        _ => title_px,
    };
    Size { wanted, least: title_px.max(least).min(wanted).ceil(), tight: tight.min(wanted).ceil() }
}

#[expect(clippy::cast_precision_loss, reason = "characters of a cell are far below 2^52")]
fn to_px(characters: usize) -> f64 {
    characters as f64
}
