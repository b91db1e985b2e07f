//! The browser's interfaces: every cast and every closure for JavaScript is in here. Never a decision: `app` says
//! what an event does, `views` what is shown.

pub(crate) mod address;
pub(crate) mod build;
pub(crate) mod clock;
pub(crate) mod element;
pub(crate) mod html;
pub(crate) mod list;
pub(crate) mod measure;
pub(crate) mod notify;
pub(crate) mod overlay;
pub(crate) mod page;
pub(crate) mod selection;
pub(crate) mod shadow;
pub(crate) mod timing;

/// An element that a view is mounted into.
pub(crate) type Host = web_sys::HtmlElement;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use crate::stopped::is_stopped;

/// Listens to an event of the window as long as the page lives.
pub(crate) fn on_window(event: &str, on_event: impl FnMut() + 'static) {
    listen(&crate::prelude::window(), event, on_event);
}

/// Listens as long as the page lives. Each listener is made once, at the start.
pub(crate) fn listen(target: &web_sys::EventTarget, event: &str, mut on_event: impl FnMut() + 'static) {
    let closure = Closure::<dyn FnMut()>::new(move || {
        if !is_stopped() {
            on_event();
        }
    });
    let _ = target.add_event_listener_with_callback(event, closure.as_ref().unchecked_ref());
    closure.forget();
}
