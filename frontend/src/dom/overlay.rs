//! What popovers share: a press outside closes them, and opens no row that is beneath.

use std::time::Duration;

use crate::prelude::*;
use js_sys::Function;
use tachys::html::element::ElementType;
use tachys::html::event as ev;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{AddEventListenerOptions, Event, HtmlElement, PointerEvent};

use super::element::{around, is_inside};

/// Calls `on_press` for each press outside of `place`, until the current owner is dropped.
pub(crate) fn on_press_outside<E>(place: NodeRef<E>, on_press: impl Fn(&PointerEvent) + 'static)
where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + AsRef<HtmlElement> + 'static,
{
    on_press_outside_while(place, || true, on_press);
}

/// The same for a popover that isn't always open.
pub(crate) fn on_press_outside_while<E>(
    place: NodeRef<E>,
    is_open: impl Fn() -> bool + 'static,
    on_press: impl Fn(&PointerEvent) + 'static,
) where
    E: ElementType + 'static,
    E::Output: JsCast + Clone + AsRef<HtmlElement> + 'static,
{
    let listener = window_event_listener(ev::pointerdown, move |event| {
        let place = place.try_get_untracked().flatten();
        let is_outside = place.is_none_or(|place| !is_inside(&event, AsRef::<HtmlElement>::as_ref(&place)));
        if is_outside && is_open() {
            if around(&event, "data-row").is_some() {
                swallow_click();
            }
            on_press(&event);
        }
    });
    on_cleanup(move || listener.remove());
}

/// Keeps the click that ends this press from everything. A press that ends without a click is forgotten.
fn swallow_click() {
    let options = AddEventListenerOptions::new();
    options.set_capture(true);
    options.set_once(true);
    let click = Closure::once_into_js(|event: Event| {
        event.stop_propagation();
        event.prevent_default();
    });
    let click: Function = click.unchecked_into();
    let forgotten = click.clone();
    // The browser sends the click right after this event, before any timer.
    let released = Closure::once_into_js(move || {
        set_timeout(
            move || {
                let _ = window().remove_event_listener_with_callback_and_bool("click", &forgotten, true);
            },
            Duration::ZERO,
        );
    });
    let released: Function = released.unchecked_into();
    for (name, listener) in [("click", &click), ("pointerup", &released)] {
        let _ = window()
            .add_event_listener_with_callback_and_add_event_listener_options(name, listener, &options);
    }
}
