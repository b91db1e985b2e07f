//! Elements for the views: where an event happened, how far a box is scrolled, what has the focus. Views keep node
//! references and call these functions; the casts are in here.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::HashMap;

use page::order;
use shared::sorted;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, EventTarget, FocusEvent, HtmlElement, HtmlInputElement, KeyboardEvent, MouseEvent, Node,
    PointerEvent, WheelEvent,
};

/// Empties the input that an event came from.
pub(crate) fn clear(event: &Event) {
    if let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) {
        input.set_value("");
    }
}

/// The text of an input, and the byte before which the caret is.
pub(crate) fn typed(input: &HtmlInputElement) -> (String, usize) {
    let text = input.value();
    let units = input.selection_end().ok().flatten().unwrap_or_default();
    let mut left = usize::try_from(units).unwrap_or_default();
    let before = text.chars().take_while(|character| {
        let fits = left >= character.len_utf16();
        left = left.saturating_sub(character.len_utf16());
        fits
    });
    let caret = before.map(char::len_utf8).sum();
    (text, caret)
}

/// Writes a text, with the caret before that byte.
pub(crate) fn write(input: &HtmlInputElement, text: &str, caret: usize) {
    input.set_value(text);
    let units = text.get(..caret).unwrap_or(text).encode_utf16().count();
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    let _ = input.set_selection_range(units, units);
}

pub(crate) fn scroll_left_px(element: &HtmlElement) -> f64 {
    f64::from(element.scroll_left())
}

/// The element that an event happened on. Inside a shadow root it is the first of the path, not the host.
pub(super) fn target(event: &Event) -> Option<Element> {
    event.composed_path().get(0).dyn_into().ok()
}

/// Whether the focus goes out of the box that listens, and not because the whole window lost it.
pub(crate) fn leaves(event: &FocusEvent) -> bool {
    let around = event.current_target().and_then(|target| target.dyn_into::<Node>().ok());
    match event.related_target().and_then(|target| target.dyn_into::<Node>().ok()) {
        Some(next) => !around.is_some_and(|around| around.contains(Some(&next))),
        None => crate::prelude::document().has_focus().unwrap_or(true),
    }
}

/// The value of `attribute` of the nearest element around the event that has it.
pub(crate) fn around(event: &Event, attribute: &str) -> Option<String> {
    closest(event, &format!("[{attribute}]"))?.get_attribute(attribute)
}

/// Whether the event is of an element that `selector` names, or of one inside it.
pub(crate) fn is_within(event: &Event, selector: &str) -> bool {
    closest(event, selector).is_some()
}

fn closest(event: &Event, selector: &str) -> Option<Element> {
    let target = event.composed_path().get(0).dyn_into::<Node>().ok()?;
    let element = target.dyn_ref::<Element>().cloned().or_else(|| target.parent_element())?;
    element.closest(selector).ok()?
}

/// Whether a click asks for the page itself to act: not for a new tab or a context menu.
pub(crate) fn is_plain(event: &MouseEvent) -> bool {
    event.button() == 0 && !event.ctrl_key() && !event.meta_key() && !event.shift_key() && !event.alt_key()
}

pub(crate) fn with_shift(event: &MouseEvent) -> bool {
    event.shift_key()
}

/// Control, or Command on a Mac.
pub(crate) fn with_control(event: &MouseEvent) -> bool {
    event.ctrl_key() || event.meta_key()
}

pub(crate) fn with_control_key(event: &KeyboardEvent) -> bool {
    event.ctrl_key() || event.meta_key()
}

/// Whether the event happened in an element that is laid out from right to left.
pub(crate) fn is_mirrored(event: &Event) -> bool {
    target(event).is_some_and(|element| is_right_to_left(&element))
}

pub(super) fn is_right_to_left(element: &Element) -> bool {
    element.matches(":dir(rtl)").unwrap_or_default()
}

/// The key's name; of two arrows the one that means the same from left to right.
pub(crate) fn key(event: &KeyboardEvent) -> String {
    match event.key().as_str() {
        "ArrowLeft" if is_mirrored(event) => "ArrowRight".to_owned(),
        "ArrowRight" if is_mirrored(event) => "ArrowLeft".to_owned(),
        key => key.to_owned(),
    }
}

/// The pointer's place along a line, from its beginning to its end.
pub(crate) fn along_px(event: &MouseEvent) -> f64 {
    let x = f64::from(event.client_x());
    if is_mirrored(event) { -x } else { x }
}

/// The key's name, unless a modifier makes it the browser's.
pub(crate) fn plain_key(event: &KeyboardEvent) -> Option<String> {
    let key = (!event.ctrl_key() && !event.meta_key() && !event.alt_key()).then(|| key(event))?;
    (LETTERS.get() || !is_letter(&key)).then_some(key)
}

/// A key that writes a character, but no space, which presses a button.
pub(crate) fn is_letter(key: &str) -> bool {
    key.chars().count() == 1 && key != " "
}

thread_local! {
    static LETTERS: Cell<bool> = const { Cell::new(true) };
}

/// Whether single letters and signs are keys of the page at all.
pub(crate) fn take_letters(are_keys: bool) {
    LETTERS.set(are_keys);
}

/// Whether the key goes into a text.
pub(crate) fn is_typing(event: &Event) -> bool {
    let is_field = |element: Element| matches!(&*element.tag_name(), "INPUT" | "TEXTAREA" | "SELECT");
    target(event).is_some_and(is_field)
}

pub(crate) fn focus(element: &HtmlElement) {
    let _ = element.focus();
}

pub(crate) fn focus_first(container: &HtmlElement, selector: &str) {
    focus_found(container.query_selector(selector).ok().flatten());
}

/// Focuses what `selector` finds in the element whose attribute has this value.
pub(crate) fn focus_where(container: &HtmlElement, attribute: &str, value: &str, selector: &str) {
    let candidates = found_in(container, &format!("[{attribute}]"));
    let found = candidates.iter().find(|element| element.get_attribute(attribute).as_deref() == Some(value));
    focus_found(found.and_then(|element| element.query_selector(selector).ok().flatten()));
}

/// Focuses the next or the previous element that `selector` finds in the list around the event.
pub(crate) fn focus_beside(event: &Event, selector: &str, by: isize) {
    let around = target(event).and_then(|here| here.closest("ul").ok().flatten());
    if let Some(around) = around {
        focus_next(event, &around, selector, by);
    }
}

/// Focuses the next or the previous element that `selector` finds in the container. Returns whether there is one.
pub(crate) fn focus_next(event: &Event, container: &Element, selector: &str, by: isize) -> bool {
    let Some(here) = target(event) else { return false };
    let all = found_in(container, selector);
    let is_beside = |element: &Element| element.parent_element() == here.parent_element();
    let exact = all.iter().position(|element| *element == here);
    let at = exact.or_else(|| all.iter().position(is_beside));
    let next = at.and_then(|at| all.get(at.checked_add_signed(by)?).cloned());
    let is_there = next.is_some();
    focus_found(next);
    is_there
}

pub(super) fn found_in(container: &Element, selector: &str) -> Vec<Element> {
    let Ok(all) = container.query_selector_all(selector) else { return Vec::new() };
    (0..all.length()).filter_map(|at| all.get(at)?.dyn_into().ok()).collect()
}

/// Gives the focus to the nearest element around the event that `selector` names.
pub(crate) fn focus_around(event: &Event, selector: &str) {
    focus_found(closest(event, selector));
}

/// Whether the event happened on the element that listens, and not on one inside it.
pub(crate) fn is_on_itself(event: &Event) -> bool {
    event.current_target() == event.target()
}

pub(super) fn focus_found(found: Option<Element>) {
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        focus(&element);
    }
}

/// The pointer's place on the page.
pub(crate) fn place_px(event: &MouseEvent) -> (f64, f64) {
    (f64::from(event.client_x()), f64::from(event.client_y()))
}

/// Whether the pointer moved since it was pressed there, by more than a hand trembles.
pub(crate) fn has_moved(event: &MouseEvent, pressed: Option<(f64, f64)>) -> bool {
    const TREMOR_PX: f64 = 4.0;
    let (x, y) = place_px(event);
    pressed.is_some_and(|(from_x, from_y)| (x - from_x).abs() > TREMOR_PX || (y - from_y).abs() > TREMOR_PX)
}

/// The pointer's place in the element that listens, as parts of its width and of its height.
pub(crate) fn part_of(event: &MouseEvent) -> Option<(f64, f64)> {
    let element = event.current_target()?.dyn_into::<Element>().ok()?;
    let around = element.get_bounding_client_rect();
    let (x, y) = place_px(event);
    let part = |at: f64, whole: f64| if whole > 0.0 { (at / whole).clamp(0.0, 1.0) } else { 0.0 };
    Some((part(x - around.left(), around.width()), part(y - around.top(), around.height())))
}

/// Scrolls the rows beside the element that listens, as a wheel over the rows themselves does.
pub(crate) fn pass_wheel(event: &WheelEvent, selector: &str) {
    let element = event.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    let around = element.and_then(|element| element.parent_element());
    if let Some(rows) = around.and_then(|around| around.query_selector(selector).ok().flatten()) {
        let line_px = if event.delta_mode() == WheelEvent::DOM_DELTA_LINE { LINE_PX } else { 1.0 };
        rows.scroll_by_with_x_and_y(0.0, event.delta_y() * line_px);
        event.prevent_default();
    }
}

/// A browser that counts a wheel in lines scrolls about so far for one.
const LINE_PX: f64 = 28.0;

/// A text that is cut has its whole in a tooltip. Looked at when the pointer or the focus comes to it.
pub(crate) fn tell_cut(event: &Event) {
    let Some(text) = target(event).and_then(|target| target.closest(CUT).ok().flatten()) else { return };
    let is_ours = text.has_attribute("data-cut");
    if text.has_attribute("title") && !is_ours {
        return;
    }
    let is_over = |part: &Element| part.client_width() > 0 && part.scroll_width() > part.client_width();
    if is_over(&text) || found_in(&text, "*").iter().any(is_over) {
        let _ = text.set_attribute("title", text.text_content().unwrap_or_default().trim());
        let _ = text.set_attribute("data-cut", "");
    } else if is_ours {
        let _ = text.remove_attribute("title");
        let _ = text.remove_attribute("data-cut");
    }
}

/// Where a text may be cut.
const CUT: &str =
    ".td:not(.gutter), .th, .pill, .pane-where, .pane-query, .view-title, .strip-item, .notice-text";

/// The copy button of this name shows a tick, the others don't.
pub(crate) fn tick_name(table: &HtmlElement, name: Option<&str>) {
    for button in found_in(table, ".name-copy") {
        let text = button.previous_element_sibling().and_then(|text| text.text_content());
        let is_copied = name.is_some() && text.as_deref() == name;
        let _ = button.toggle_attribute_with_force("data-copied", is_copied);
        if let Ok(Some(shape)) = button.query_selector("use") {
            let _ = shape.set_attribute("href", if is_copied { "#i-tick" } else { "#i-copy" });
        }
    }
}

/// The width of the nearest element around the event that `selector` matches.
pub(crate) fn width_around(event: &Event, selector: &str) -> Option<f64> {
    Some(target(event)?.closest(selector).ok()??.get_bounding_client_rect().width())
}

/// The element gets the pointer's moves until it is released.
pub(crate) fn capture(event: &PointerEvent) {
    if let Some(element) = target(event) {
        let _ = element.set_pointer_capture(event.pointer_id());
    }
}

/// Focuses the row of this id, or a cell of it. `page` has already scrolled to the row; the whole cell is scrolled
/// into view here, because a focus alone leaves a cell cut off if the browser thinks that enough of it is visible
/// (Chromium: 32 pixels).
pub(crate) fn focus_row(table: &HtmlElement, row: &str, cell: Option<usize>) {
    // The gutter is the first child.
    let cell = cell.map_or_else(String::new, |cell| format!(" > :nth-child({})", cell + 2));
    // A row id is base64url, so it needs no escaping.
    let found = table.query_selector(&format!("[data-row=\"{row}\"]{cell}")).ok().flatten();
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
        if !cell.is_empty() {
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            nearest.set_inline(web_sys::ScrollLogicalPosition::Nearest);
            element.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    }
}

/// Puts the children whose `attribute` is one of these values in their order. The child with the focus isn't moved,
/// because it would lose the focus.
pub(crate) fn put_in_order(space: &HtmlElement, attribute: &str, values: &[String]) {
    let places: HashMap<&str, usize> =
        values.iter().enumerate().map(|(place, value)| (value.as_str(), place)).collect();
    let children = space.children();
    let ordered: Vec<(usize, Element)> = (0..children.length())
        .filter_map(|at| {
            let child = children.item(at)?;
            let place = *places.get(&*child.get_attribute(attribute)?)?;
            Some((place, child))
        })
        .collect();
    let focused = ordered.iter().position(|(_, child)| child.matches(":focus-within").unwrap_or_default());
    let stays = order::stay(&ordered.iter().map(|(place, _)| *place).collect::<Vec<_>>(), focused);
    let mut last_first: Vec<_> = ordered.into_iter().zip(stays).collect();
    sorted::sort_by_key(&mut last_first, |((place, _), _)| Reverse(*place));
    let mut next: Option<Node> = None;
    for ((_, child), stays) in last_first {
        if !stays {
            let _ = space.insert_before(&child, next.as_ref());
        }
        next = Some(child.into());
    }
}

/// Scrolls so that the part with this id is at the upper edge.
pub(crate) fn scroll_to_part(element: &HtmlElement, part: &str) {
    let found = element.query_selector(&format!("#{part}")).ok().flatten();
    if let Some(found) = found.and_then(|part| part.dyn_into::<HtmlElement>().ok()) {
        element.set_scroll_top(found.offset_top() - element.offset_top());
    }
}

/// Scrolls the element before a box sideways with the box.
pub(crate) fn lead_sideways(element: &HtmlElement) {
    if let Some(before) = element.previous_element_sibling() {
        before.set_scroll_left(element.scroll_left());
    }
}

pub(crate) fn scroll_top_px(element: &HtmlElement) -> f64 {
    f64::from(element.scroll_top())
}

#[expect(clippy::cast_possible_truncation, reason = "a browser's longest box is below 2^31 pixels")]
pub(crate) fn scroll_to_px(element: &HtmlElement, top_px: f64) {
    element.set_scroll_top(top_px.round() as i32);
}

/// Lines that stay in sight when a key scrolls by a page.
const KEPT_PX: i32 = 40;

/// Scrolls the box that `selector` finds, where the event's key scrolls a page.
pub(crate) fn scroll_by_key(event: &KeyboardEvent, container: &HtmlElement, selector: &str) {
    let Some(space) = container.query_selector(selector).ok().flatten() else { return };
    let step = (space.client_height() - KEPT_PX).max(KEPT_PX);
    let top = match plain_key(event).as_deref() {
        Some("PageDown") => space.scroll_top() + step,
        Some("PageUp") => space.scroll_top() - step,
        Some("Home") => 0,
        Some("End") => space.scroll_height(),
        _ => return,
    };
    event.prevent_default();
    space.set_scroll_top(top);
}

pub(crate) fn set_height_px(element: &HtmlElement, height_px: f64) {
    let _ = element.style().set_property("height", &format!("{height_px}px"));
}

/// Whether an event happened on the element of this id, or inside it.
pub(crate) fn is_on(event: &Event, id: &str) -> bool {
    target(event).is_some_and(|element| element.closest(&format!("#{id}")).ok().flatten().is_some())
}

/// Whether an event happened inside the element, also through a shadow root.
pub(crate) fn is_inside(event: &Event, element: &HtmlElement) -> bool {
    let target: &EventTarget = element;
    event.composed_path().includes(target, 0)
}
