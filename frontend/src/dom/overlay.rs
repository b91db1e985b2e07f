//! What popovers share: a press outside closes them.

use leptos::ev;
use leptos::html::ElementType;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, PointerEvent};

use super::element::is_inside;

/// Calls `on_press` for each press outside of `place`, until the current owner is dropped.
pub(crate) fn on_press_outside<E>(place: NodeRef<E>, on_press: impl Fn(&PointerEvent) + 'static)
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + AsRef<HtmlElement> + 'static,
{
    let listener = window_event_listener(ev::pointerdown, move |event| {
        let place = place.try_get_untracked().flatten();
        if !place.is_some_and(|place| is_inside(&event, AsRef::<HtmlElement>::as_ref(&place))) {
            on_press(&event);
        }
    });
    on_cleanup(move || listener.remove());
}
