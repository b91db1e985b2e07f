//! The mounted rows. The elements of a row that leaves the window are used again for another row. Rows aren't moved in
//! the document while rows come and go; after that they are put in order, for screen readers and for selecting text.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::{Effect, Get, NodeRef, StoredValue, UpdateValue};
use shared::row::RowId;
use web_sys::{Element, HtmlElement, Node};

use crate::dom;
use crate::dom::address;
use crate::dom::build::{self, Builder};
use crate::dom::timing::Frame;
use crate::signals::PaneSignals;
use crate::views::css;
use page::messages;
use page::model::{Body, News, SeenCell, SeenColumn, SeenRow, SeenRows, Sign};

/// Writes the rows of the model into `space`, without the framework.
pub(super) fn follow(signals: PaneSignals, space: NodeRef<Div>) {
    let rows = StoredValue::new_local(None);
    Effect::new(move |_| {
        let Some(space) = space.get() else { return };
        rows.update_value(|rows| {
            let rows = rows.get_or_insert_with(|| Rows::new(&space));
            if let Some(rows) = rows {
                signals.rows.with(|now| rows.borrow_mut().show(now));
            }
        });
    });
}

/// The elements of one table's rows. It owns every mounted row and the elements that are kept for later rows.
struct Rows {
    space: HtmlElement,
    builder: Builder,
    /// If the columns change, all rows are built again.
    columns: Vec<SeenColumn>,
    /// The classes of the columns' cells, and their labels in rows of two lines.
    cells: Vec<CellKind>,
    seen: HashMap<RowId, MountedRow>,
    /// Unused elements, for the next rows.
    spare: Vec<MountedRow>,
    /// The shown rows, in order.
    order: Vec<RowId>,
    /// Rows entered or left the window since the last frame.
    is_moving: bool,
    frame: Frame,
}

impl Rows {
    /// `space`: a mounted element.
    fn new(space: &HtmlElement) -> Option<Rc<RefCell<Self>>> {
        let builder = Builder::of(space)?;
        let rows = Rc::new_cyclic(|rows: &Weak<RefCell<Self>>| {
            let rows = rows.clone();
            let frame = Frame::new(move || {
                if let Some(rows) = rows.upgrade() {
                    rows.borrow_mut().settle();
                }
            });
            RefCell::new(Self {
                space: space.clone(),
                builder,
                columns: Vec::new(),
                cells: Vec::new(),
                seen: HashMap::new(),
                spare: Vec::new(),
                order: Vec::new(),
                is_moving: false,
                frame,
            })
        });
        Some(rows)
    }

    fn show(&mut self, now: &SeenRows) {
        if self.columns != now.columns {
            self.clear();
            self.columns.clone_from(&now.columns);
            self.cells = now.columns.iter().map(CellKind::of).collect();
        }
        let order: Vec<RowId> = now.rows.iter().map(|row| row.id).collect();
        let are_others = order != self.order;
        if are_others {
            self.leave(&order);
            self.order = order;
            self.frame.request();
        }
        for row in &now.rows {
            self.write(row);
        }
        // After writing, because most spare rows have been used for others.
        if are_others {
            self.spare.iter().for_each(MountedRow::remove);
        }
    }

    fn clear(&mut self) {
        for (_, row) in self.seen.drain() {
            row.remove();
        }
        for row in self.spare.drain(..) {
            row.remove();
        }
        self.order.clear();
    }

    fn leave(&mut self, order: &[RowId]) {
        let stays: HashSet<RowId> = order.iter().copied().collect();
        for (_, row) in self.seen.extract_if(|id, _| !stays.contains(id)) {
            self.is_moving = true;
            // A row with the focus must not become another one.
            if row.has_focus() {
                row.remove();
            } else {
                self.spare.push(row);
            }
        }
    }

    fn write(&mut self, row: &SeenRow) {
        if let Some(mounted) = self.seen.get_mut(&row.id) {
            return mounted.write(&self.builder, &self.cells, row);
        }
        self.is_moving = true;
        let make = || MountedRow::new(&self.builder, &self.space, &self.cells);
        if let Some(mut mounted) = self.spare.pop().or_else(make) {
            mounted.enter(&self.space);
            mounted.write(&self.builder, &self.cells, row);
            self.seen.insert(row.id, mounted);
        }
    }

    /// A frame later: puts the rows in order, unless rows still come and go.
    fn settle(&mut self) {
        if std::mem::take(&mut self.is_moving) {
            return self.frame.request();
        }
        let order: Vec<String> = self.order.iter().map(ToString::to_string).collect();
        dom::element::put_in_order(&self.space, "data-row", &order);
    }
}

/// A mounted row: a gutter with the sign of a change, then the cells. It is used for one object after another, and only
/// what differs is written.
struct MountedRow {
    element: Element,
    gutter: Element,
    cells: Vec<Cell>,
    /// What is written in the elements.
    shown: Option<SeenRow>,
}

impl MountedRow {
    /// Appends a row to `space`.
    fn new(builder: &Builder, space: &Element, cells: &[CellKind]) -> Option<Self> {
        let element = builder.element(space, "div", "tr")?;
        build::set(&element, "role", "row");
        build::set(&element, "part", "row");
        let gutter = builder.element(&element, "div", "td gutter")?;
        build::set(&gutter, "role", "gridcell");
        let cells = cells.iter().filter_map(|kind| Cell::new(builder, &element, kind)).collect();
        Some(Self { element, gutter, cells, shown: None })
    }

    /// The row may have the keyboard's focus.
    fn has_focus(&self) -> bool {
        self.shown.as_ref().is_some_and(|row| row.has_focus)
    }

    /// Removes the row from the document, until it enters again.
    fn remove(&self) {
        self.element.remove();
    }

    /// Appends the row to `space` if it isn't in the document.
    fn enter(&self, space: &Element) {
        if !self.element.is_connected() {
            build::append(space, &self.element);
        }
    }

    fn write(&mut self, builder: &Builder, cells: &[CellKind], row: &SeenRow) {
        let previous = self.shown.as_ref();
        if previous == Some(row) {
            return;
        }
        if previous.map(|previous| previous.id) != Some(row.id) {
            build::set(&self.element, "data-row", &row.id.to_string());
        }
        if previous.map(class) != Some(class(row)) {
            build::set(&self.element, "class", class(row));
        }
        if previous.map(|previous| previous.is_selected) != Some(row.is_selected) {
            build::set(&self.element, "aria-selected", if row.is_selected { "true" } else { "false" });
        }
        if previous.map(|previous| previous.is_reachable) != Some(row.is_reachable) {
            build::set(&self.element, "tabindex", if row.is_reachable { "0" } else { "-1" });
        }
        if previous.map(|previous| previous.place) != Some(row.place) {
            // The header is the first.
            build::set(&self.element, "aria-rowindex", &(row.place + 2).to_string());
        }
        if previous.map(|previous| previous.top_px) != Some(row.top_px) {
            build::style(&self.element, "top", &format!("{}px", row.top_px));
        }
        if previous.is_some_and(|previous| previous.is_stale) != row.is_stale {
            build::set(&self.element, "data-stale", if row.is_stale { "1" } else { "" });
        }
        let gutter = |row: &SeenRow| (row.sign, row.is_kept, row.is_stale);
        if previous.map_or((None, false, false), gutter) != gutter(row) {
            self.write_gutter(builder, row);
        }
        for (place, ((cell, now), kind)) in self.cells.iter_mut().zip(&row.cells).zip(cells).enumerate() {
            cell.write(builder, &kind.class, previous.and_then(|previous| previous.cells.get(place)), now);
            cell.link(row.href.as_ref());
        }
        self.shown = Some(row.clone());
    }

    fn write_gutter(&self, builder: &Builder, row: &SeenRow) {
        let (class, sign, word) = match row.sign {
            None if row.is_kept => ("td gutter gutter-kept", "≠", messages::NO_LONGER_MATCHES),
            None if row.is_stale => ("td gutter", "", messages::ROW_STALE),
            None => ("td gutter", "", ""),
            Some(Sign::Added) => ("td gutter gutter-add", "+", messages::ROW_ADDED),
            Some(Sign::Modified) => ("td gutter gutter-mod", "~", messages::ROW_MODIFIED),
            Some(Sign::Masked) => ("td gutter gutter-mod", "~", messages::ROW_MASKED),
            Some(Sign::Deleted) => ("td gutter gutter-del", "−", messages::ROW_DELETED),
        };
        build::set(&self.gutter, "class", class);
        if row.is_kept || row.sign == Some(Sign::Masked) {
            build::set(&self.element, "title", word);
        } else {
            let _ = self.element.remove_attribute("title");
        }
        self.gutter.set_text_content(Some(sign));
        if let Some(said) = (!word.is_empty()).then(|| builder.element(&self.gutter, "span", "sr")).flatten()
        {
            said.set_text_content(Some(word));
        }
    }
}

fn class(row: &SeenRow) -> &'static str {
    match (row.sign == Some(Sign::Deleted), row.is_kept, row.has_focus) {
        (false, false, false) => "tr",
        (false, false, true) => "tr tr-focus",
        (false, true, false) => "tr tr-kept",
        (false, true, true) => "tr tr-kept tr-focus",
        (true, _, false) => "tr tr-gone",
        (true, _, true) => "tr tr-gone tr-focus",
    }
}

/// One cell, in spans whose texts together are what kubectl prints.
struct Cell {
    element: Element,
    /// A span around the others, if the body has one.
    around: Option<Element>,
    glyph: Option<Element>,
    leaves: Vec<(Element, Node)>,
    /// Where the name leads, if this cell is one.
    href: Option<Arc<str>>,
}

/// What the cells of a column share.
struct CellKind {
    class: String,
    /// Before the text, in a row of two lines.
    label: Option<String>,
}

impl CellKind {
    fn of(column: &SeenColumn) -> Self {
        Self { class: css::column(column), label: column.label.clone() }
    }
}

/// A span with a text.
type Leaf<'a> = (&'static str, &'a str);

impl Cell {
    fn new(builder: &Builder, row: &Element, kind: &CellKind) -> Option<Self> {
        let element = builder.element(row, "div", &kind.class)?;
        if let Some(label) = &kind.label {
            build::set(&element, "data-label", label);
        }
        build::set(&element, "role", "gridcell");
        build::set(&element, "part", "cell");
        build::set(&element, "tabindex", "-1");
        Some(Self { element, around: None, glyph: None, leaves: Vec::new(), href: None })
    }

    /// Writes what differs from `previous`.
    fn write(&mut self, builder: &Builder, class: &str, previous: Option<&SeenCell>, cell: &SeenCell) {
        if previous.map_or(News::Old, |previous| previous.news) != cell.news {
            match cell.news {
                News::Old => build::set(&self.element, "class", class),
                News::Flash => build::set(&self.element, "class", &format!("{class} cell-new")),
                News::Seen => build::set(&self.element, "class", &format!("{class} cell-seen")),
            }
        }
        let previous = previous.map(|previous| &previous.body);
        if previous == Some(&cell.body) {
            return;
        }
        match previous {
            Some(previous) if has_one_shape(previous, &cell.body) => self.change(previous, &cell.body),
            _ => self.build(builder, &cell.body),
        }
    }

    /// The name of an object leads to its panel: in a new tab, if the reader asks the browser for one.
    fn link(&mut self, href: Option<&Arc<str>>) {
        let name = self.around.as_ref().filter(|name| name.has_attribute(NAME));
        if let Some(name) = name.filter(|_| self.href.as_ref() != href) {
            match href {
                Some(href) => build::set(name, "href", &address::href(href)),
                None => drop(name.remove_attribute("href")),
            }
            self.href = href.cloned();
        }
    }

    fn build(&mut self, builder: &Builder, body: &Body) {
        self.element.set_text_content(None);
        self.href = None;
        let tag = if matches!(body, Body::Name { .. }) { "a" } else { "span" };
        self.around = around(body).and_then(|class| builder.element(&self.element, tag, class));
        let parent: &Node = self.around.as_ref().unwrap_or(&self.element);
        self.glyph = glyph(body).and_then(|name| builder.symbol(parent, "glyph", name));
        let leaf = |(class, text): Leaf<'_>| {
            let span = builder.element(parent, "span", class)?;
            let text = builder.text(&span, text);
            Some((span, text))
        };
        self.leaves = leaves(body).into_iter().filter_map(leaf).collect();
        if let (Body::Name { .. }, Some(name)) = (body, &self.around) {
            // A drag selects the text.
            build::set(name, "draggable", "false");
            build::set(name, "tabindex", "-1");
            measure_name(name, body);
            add_copy(builder, &self.element);
        }
    }

    fn change(&self, previous: &Body, body: &Body) {
        if let (Some(element), Some(class)) =
            (&self.around, around(body).filter(|_| around(previous) != around(body)))
        {
            build::set(element, "class", class);
        }
        if let (Some(element), Some(name)) =
            (&self.glyph, glyph(body).filter(|_| glyph(previous) != glyph(body)))
        {
            build::set(element, "href", name);
        }
        for ((element, node), (was, is)) in
            self.leaves.iter().zip(leaves(previous).into_iter().zip(leaves(body)))
        {
            if was.0 != is.0 {
                build::set(element, "class", is.0);
            }
            if was.1 != is.1 {
                node.set_node_value(Some(is.1));
            }
        }
        if let Some(name) = &self.around {
            measure_name(name, body);
        }
    }
}

/// A name that is too long for its column is cut before its end, by the style sheet, which has to know how many
/// characters there are.
fn measure_name(name: &Element, body: &Body) {
    let Body::Name { owner, middle, tail } = body else { return };
    let count = |text: &str| text.chars().count();
    build::set(name, NAME, tail);
    build::style(name, "--dw-name", &(count(owner) + count(middle) + count(tail)).to_string());
    build::style(name, "--dw-tail", &count(tail).to_string());
}

/// The end of a name, which the style sheet repeats after the cut.
const NAME: &str = "data-tail";

/// For the pointer; the key `C` does the same.
fn add_copy(builder: &Builder, cell: &Element) {
    if let Some(copy) = builder.element(cell, "button", "name-copy") {
        build::set(&copy, "tabindex", "-1");
        build::set(&copy, "aria-hidden", "true");
        build::set(&copy, "title", messages::COPY_NAME_KEY);
        build::set(&copy, "data-copy", "");
        let _ = builder.symbol(&copy, "icon", "#i-copy");
    }
}

fn has_one_shape(one: &Body, other: &Body) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other) && leaves(one).len() == leaves(other).len()
}

fn around(body: &Body) -> Option<&'static str> {
    match body {
        Body::Name { .. } => Some("name"),
        Body::Status { class, .. } => Some(css::status(*class)),
        Body::Plain { .. } | Body::Count { .. } => None,
    }
}

fn glyph(body: &Body) -> Option<&'static str> {
    match body {
        Body::Status { class, .. } => Some(css::glyph(*class)),
        Body::Plain { .. } | Body::Name { .. } | Body::Count { .. } => None,
    }
}

/// An empty part of a name has no span, because the style sheet selects a part that is alone.
fn leaves(body: &Body) -> Vec<Leaf<'_>> {
    match body {
        Body::Plain { text, look } => vec![(css::text_look(*look), text)],
        Body::Name { owner, middle, tail } => {
            let parts = [("name-owner", owner), ("name-mid", middle), ("name-tail", tail)];
            let is_there = |(place, (_, text)): &(usize, Leaf<'_>)| *place == 0 || !text.is_empty();
            let parts = parts.map(|(class, text)| (class, text.as_str())).into_iter().enumerate();
            parts.filter(is_there).map(|(_, leaf)| leaf).collect()
        }
        Body::Status { text, .. } => vec![("cut", text)],
        Body::Count { text, ago } => {
            let ago = ago.as_deref().map(|ago| ("ago", ago));
            [Some(("count", text.as_str())), ago].into_iter().flatten().collect()
        }
    }
}
